/*
 * "I run", of processes that do not know their rank yet: the server with honest and hostile ones,
 * and the helper's end against a server.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/control.h"
#include "tests/unit/ctl_client.h"

enum { RANKS = 4 };

static struct client greeted(struct ctl *c)
{
	struct client k = client_connect(c);

	assert_true(client_is(&k, "greeting"));
	return k;
}

/* Says that it runs, with one member changed (NULL: none); the reference is taken. */
static struct client starts(struct ctl *c, const char *host, const char *key, json_object *value)
{
	struct client k = greeted(c);
	json_object *o = client_starting(c, host);

	if (key)
		js_set_obj(o, key, value);
	client_send(&k, o);
	return k;
}

static void a_process_that_runs_is_told_and_joins_on_the_same_connection(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct client k = starts(c, "n1", "local", json_object_new_int(0));

	(void)state;
	assert_true(client_is(&k, "ok"));
	assert_int_equal(seen.starts, 1);
	assert_int_equal(seen.joins, 0);
	assert_string_equal(seen.last_start, "n1 -1 0");
	assert_false(ctl_connected(c, 0));
	client_send(&k, client_hello(c, 2, RANKS));
	assert_true(client_is(&k, "ok"));
	assert_int_equal(seen.joins, 1);
	assert_int_equal(seen.last_rank, 2);
	assert_true(ctl_connected(c, 2));
	client_send(&k, client_message("heartbeat"));
	assert_int_equal(seen.messages, 1);
	assert_int_equal(seen.events, 0);
	client_close(&k);
	assert_int_equal(seen.leaves, 1);
	ctl_close(c);
}

static void a_host_that_nobody_knows_is_passed_on_to_the_owner(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct client k = starts(c, "elsewhere-9", "rank", json_object_new_int(3));

	(void)state;
	assert_true(client_is(&k, "ok"));
	assert_string_equal(seen.last_start, "elsewhere-9 3 -1");
	client_close(&k);
	assert_int_equal(seen.leaves, 0);
	ctl_close(c);
}

static void expect_refused(const char *key, json_object *value, const char *why)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct client k = starts(c, "n1", key, value);

	if (!client_sees_end(&k) || seen.starts != 0 || seen.events != 1)
		fail_msg("a strange %s: %d starts, %d events", key, seen.starts, seen.events);
	if (!strstr(seen.last_event, why))
		fail_msg("a strange %s: %s", key, seen.last_event);
	if (strstr(seen.last_event, ctl_token(c)))
		fail_msg("the token is told");
	client_close(&k);
	/* An honest one is not hindered. */
	k = starts(c, "n1", NULL, NULL);
	assert_true(client_is(&k, "ok"));
	client_close(&k);
	ctl_close(c);
}

static void whoever_is_none_of_ours_is_refused(void **state)
{
	char *name = hb_alloc(4000);

	(void)state;
	memset(name, 'n', 3999);
	expect_refused("token", json_object_new_string("wrong"), "wrong token");
	expect_refused("token", json_object_new_string(""), "wrong token");
	expect_refused("token", json_object_new_int(0), "token");
	expect_refused("token", NULL, "token");
	expect_refused("proto", json_object_new_int(FRAME_PROTO + 1), "protocol");
	expect_refused("step", json_object_new_int(4), "not running");
	expect_refused("step", json_object_new_int(-1), "step");
	expect_refused("attempt", json_object_new_int(2), "not running");
	expect_refused("host", NULL, "host");
	expect_refused("host", json_object_new_string(""), "not a name");
	expect_refused("host", json_object_new_string("n1\n\"evil"), "not a name");
	expect_refused("host", json_object_new_string("../n1"), "not a name");
	expect_refused("host", json_object_new_string(name), "not a name");
	expect_refused("rank", json_object_new_int(1 << 30), "rank");
	expect_refused("rank", json_object_new_string("0"), "rank");
	expect_refused("local", json_object_new_int(-2), "local");
	expect_refused("pid", json_object_new_string("x"), "pid");
	free(name);
}

static void no_more_processes_than_ranks_are_let_in(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct client k[RANKS], more;

	(void)state;
	for (int i = 0; i < RANKS; i++) {
		k[i] = starts(c, "n1", NULL, NULL);
		assert_true(client_is(&k[i], "ok"));
	}
	more = starts(c, "n1", NULL, NULL);
	assert_true(client_sees_end(&more));
	assert_non_null(strstr(seen.last_event, "more processes than ranks"));
	assert_int_equal(seen.starts, RANKS);
	client_close(&more);
	/* One goes, and there is room again; none of them was a rank that could leave. */
	client_close(&k[0]);
	k[0] = starts(c, "n1", NULL, NULL);
	assert_true(client_is(&k[0], "ok"));
	assert_int_equal(seen.leaves, 0);
	for (int i = 0; i < RANKS; i++) {
		client_send(&k[i], client_hello(c, i, RANKS));
		assert_true(client_is(&k[i], "ok"));
	}
	assert_int_equal(seen.joins, RANKS);
	for (int i = 0; i < RANKS; i++)
		client_close(&k[i]);
	ctl_close(c);
}

static void who_says_it_twice_is_shown_out_and_counts_no_more(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, 1);
	struct client k = starts(c, "n1", NULL, NULL), other;

	(void)state;
	assert_true(client_is(&k, "ok"));
	client_send(&k, client_starting(c, "n1"));
	assert_true(client_sees_end(&k));
	assert_int_equal(seen.starts, 1);
	assert_int_equal(seen.joins, 0);
	client_close(&k);
	/* Of one rank: its place is free again. */
	other = starts(c, "n1", NULL, NULL);
	assert_true(client_is(&other, "ok"));
	/* As a rank it is no message of its own. */
	client_send(&other, client_hello(c, 0, 1));
	assert_true(client_is(&other, "ok"));
	client_close(&other);
	ctl_close(c);
}

static void a_hello_that_does_not_fit_ends_it(void **state)
{
	static const char *const keys[] = { "step", "attempt", "token", "rank" };

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct client_seen seen;
		struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
		struct client k = starts(c, "n1", NULL, NULL);
		json_object *hello = client_hello(c, 0, RANKS);

		assert_true(client_is(&k, "ok"));
		js_set_i64(hello, keys[i], 77);
		client_send(&k, hello);
		assert_true(client_sees_end(&k));
		assert_int_equal(seen.joins, 0);
		assert_int_equal(seen.leaves, 0);
		client_close(&k);
		ctl_close(c);
	}
}

static void noise_after_it_harms_nobody_else(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct client good = starts(c, "n1", NULL, NULL);
	static const char *const noise[] = { "{", "[]", "{\"msg\":\"heartbeat\"}", "7" };

	(void)state;
	assert_true(client_is(&good, "ok"));
	for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
		struct client k = starts(c, "n2", NULL, NULL);

		assert_true(client_is(&k, "ok"));
		client_text(&k, noise[i]);
		assert_true(client_sees_end(&k));
		client_close(&k);
	}
	/* One that goes in the middle of a frame. */
	struct client cut = starts(c, "n2", NULL, NULL);
	assert_true(client_is(&cut, "ok"));
	client_bytes(&cut, "\0\0\1\0{\"msg\"", 10);
	client_close(&cut);
	/* And one that says much more than a hello has. */
	struct client big = starts(c, "n2", NULL, NULL);
	char *much = hb_alloc(100001);
	memset(much, ' ', 100000);
	assert_true(client_is(&big, "ok"));
	client_bytes(&big, "\0\1\206\240", 4);
	client_bytes(&big, much, 100000);
	assert_true(client_sees_end(&big));
	client_close(&big);
	free(much);
	client_send(&good, client_hello(c, 0, RANKS));
	assert_true(client_is(&good, "ok"));
	assert_int_equal(seen.joins, 1);
	client_close(&good);
	ctl_close(c);
}

/* It may be in MPI_Init for minutes: the time for a hello is not for it, and it is no stranger. */
static void who_runs_may_take_longer_than_a_stranger_for_its_hello(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ .handshake_ms = 50 }, &seen, RANKS);
	struct client k = starts(c, "n1", NULL, NULL), stranger;

	(void)state;
	assert_true(client_is(&k, "ok"));
	assert_int_equal(ctl_pending(c), 0);
	assert_int_equal(ctl_timeout_ms(c), -1);
	stranger = greeted(c);
	assert_true(client_sees_end(&stranger));
	client_send(&k, client_hello(c, 0, RANKS));
	assert_true(client_is(&k, "ok"));
	client_close(&k);
	client_close(&stranger);
	ctl_close(c);
}

static void a_new_attempt_drops_who_never_said_a_hello(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct client k = starts(c, "n1", NULL, NULL), late;

	(void)state;
	assert_true(client_is(&k, "ok"));
	ctl_expect(c, CLIENT_RUN_STEP, CLIENT_RUN_ATTEMPT + 1, RANKS, &client_handlers, &seen);
	assert_true(client_sees_end(&k));
	assert_int_equal(seen.leaves, 0);
	late = starts(c, "n1", NULL, NULL);
	assert_true(client_sees_end(&late));
	assert_non_null(strstr(seen.last_event, "a process on n1 is late"));
	client_close(&k);
	client_close(&late);
	/* All places are free. */
	struct client next[RANKS];
	for (int i = 0; i < RANKS; i++) {
		next[i] = starts(c, "n1", "attempt", json_object_new_int(CLIENT_RUN_ATTEMPT + 1));
		assert_true(client_is(&next[i], "ok"));
	}
	for (int i = 0; i < RANKS; i++)
		client_close(&next[i]);
	ctl_close(c);
}

/* ---- the helper's end ---- */

struct serving {
	struct ctl *c;
	atomic_bool stop;
};

static void *serve(void *arg)
{
	struct serving *s = arg;

	while (!atomic_load(&s->stop)) {
		ctl_service(s->c);
		usleep(1000);
	}
	return NULL;
}

/* Environment of a helper of this server. */
static void set_env(const struct ctl *c, const char *token, const char *attempt)
{
	setenv(CONTROL_ENV_ADDRESS, ctl_address(c), 1);
	setenv(CONTROL_ENV_TOKEN, token, 1);
	setenv(CONTROL_ENV_RUN, "run-1", 1);
	setenv(CONTROL_ENV_STEP, "3", 1);
	setenv(CONTROL_ENV_ATTEMPT, attempt, 1);
}

static const struct control_hello hello = { "n1", "test", "mpi", "0", 1, RANKS, 0 };

static void a_helper_says_that_it_runs_and_then_who_it_is(void **state)
{
	struct client_seen seen;
	struct serving s = { .c = client_server((struct ctl_params){ 0 }, &seen, RANKS) };
	struct control *h = NULL;
	struct hb_err err = { HB_OK, "" };
	pthread_t thread;

	(void)state;
	set_env(s.c, ctl_token(s.c), "1");
	assert_int_equal(pthread_create(&thread, NULL, serve, &s), 0);
	int started = control_start("n1", &h, &err);
	bool token_gone = getenv(CONTROL_ENV_TOKEN) == NULL;
	int joined = started == HB_OK ? control_join(h, &hello, &err) : started;
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	if (joined != HB_OK)
		fail_msg("%s", err.text);
	assert_true(token_gone);
	assert_int_equal(seen.starts, 1);
	assert_int_equal(seen.joins, 1);
	assert_int_equal(seen.last_rank, 1);
	assert_int_equal(seen.events, 0);
	control_close(h);
	ctl_close(s.c);
}

/* A harness that refuses the first words is asked again with the hello, and its answer counts. */
static void a_refusal_is_told_with_the_hello(void **state)
{
	static const struct {
		const char *token, *attempt, *why;
	} cases[] = { { "wrong", "1", "wrong token" }, { NULL, "9", "not running" } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct client_seen seen;
		struct serving s = { .c = client_server((struct ctl_params){ 0 }, &seen, RANKS) };
		struct control *h = NULL;
		struct hb_err err = { HB_OK, "" };
		pthread_t thread;

		set_env(s.c, cases[i].token ? cases[i].token : ctl_token(s.c), cases[i].attempt);
		assert_int_equal(pthread_create(&thread, NULL, serve, &s), 0);
		int started = control_start("n1", &h, &err), joined = 0;
		if (started == HB_OK)
			joined = control_join(h, &hello, &err);
		atomic_store(&s.stop, true);
		pthread_join(thread, NULL);
		assert_int_equal(started, HB_OK);
		assert_int_equal(joined, HB_E_CANCELLED);
		assert_non_null(strstr(err.text, cases[i].why));
		assert_int_equal(seen.starts + seen.joins, 0);
		control_close(h);
		ctl_close(s.c);
	}
}

static void nobody_there_is_known_before_anything_starts(void **state)
{
	struct client_seen seen;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &seen, RANKS);
	struct control *h = NULL;
	struct hb_err err = { HB_OK, "" };

	(void)state;
	set_env(c, ctl_token(c), "1");
	ctl_close(c);
	assert_int_not_equal(control_start("n1", &h, &err), HB_OK);
	assert_null(h);
	assert_non_null(strstr(err.text, "cannot reach hpcbench"));
	assert_null(getenv(CONTROL_ENV_TOKEN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_runs_is_told_and_joins_on_the_same_connection),
		cmocka_unit_test(a_host_that_nobody_knows_is_passed_on_to_the_owner),
		cmocka_unit_test(whoever_is_none_of_ours_is_refused),
		cmocka_unit_test(no_more_processes_than_ranks_are_let_in),
		cmocka_unit_test(who_says_it_twice_is_shown_out_and_counts_no_more),
		cmocka_unit_test(a_hello_that_does_not_fit_ends_it),
		cmocka_unit_test(noise_after_it_harms_nobody_else),
		cmocka_unit_test(who_runs_may_take_longer_than_a_stranger_for_its_hello),
		cmocka_unit_test(a_new_attempt_drops_who_never_said_a_hello),
		cmocka_unit_test(a_helper_says_that_it_runs_and_then_who_it_is),
		cmocka_unit_test(a_refusal_is_told_with_the_hello),
		cmocka_unit_test(nobody_there_is_known_before_anything_starts),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
