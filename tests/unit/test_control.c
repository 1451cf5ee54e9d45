/* The control channel's server against honest, broken and hostile clients, on real sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "ctl_client.h"

enum { RANKS = 4, MANY = 200, ALARM_S = 50, SHORT_MS = 50 };

static struct ctl *open_ctl(struct client_seen *s)
{
	return client_server((struct ctl_params){ 0 }, s, RANKS);
}

/* The honest rank that must not notice what others do. */
static struct client witness(struct ctl *c)
{
	struct client k = client_join(c, 0, RANKS);

	assert_true(client_is(&k, "ok"));
	return k;
}

static void assert_unharmed(struct client *k, struct client_seen *s)
{
	json_object *o = client_message("job");
	int before = s->messages;

	client_send(k, client_message("heartbeat"));
	while (s->messages == before)
		ctl_service(k->ctl);
	assert_int_equal(s->last_rank, 0);
	assert_int_equal(ctl_send(k->ctl, 0, o, NULL), HB_OK);
	assert_true(client_is(k, "job"));
	js_put(o);
}

/* Somebody who was thrown out: with one event, and nobody else noticed. */
static void assert_thrown_out(struct ctl *c, struct client *bad, struct client *good,
                              struct client_seen *s, int events, const char *text)
{
	assert_true(client_sees_end(bad));
	assert_int_equal(s->events, events);
	assert_non_null(strstr(s->last_event, text));
	assert_int_equal(ctl_pending(c), 0);
	assert_unharmed(good, s);
	client_close(bad);
	client_close(good);
	ctl_close(c);
}

static void an_honest_rank_joins_talks_and_leaves(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client k = client_join(c, 2, RANKS);

	(void)state;
	assert_true(client_is(&k, "ok"));
	assert_int_equal(s.joins, 1);
	assert_int_equal(s.last_rank, 2);
	assert_true(ctl_connected(c, 2));
	assert_false(ctl_connected(c, 1));
	client_send(&k, client_message("heartbeat"));
	while (s.messages == 0)
		ctl_service(c);
	client_close(&k);
	while (s.leaves == 0)
		ctl_service(c);
	assert_int_equal(s.last_rank, 2);
	assert_int_equal(s.events, 0);
	assert_false(ctl_connected(c, 2));
	ctl_close(c);
}

static void the_greeting_names_the_run_and_not_the_token(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client k = client_connect(c);
	json_object *o = client_recv(&k);

	(void)state;
	assert_non_null(strstr(json_object_to_json_string(o), "run-1"));
	assert_null(strstr(json_object_to_json_string(o), ctl_token(c)));
	assert_int_equal(strlen(ctl_token(c)), 32);
	assert_int_equal(strncmp(ctl_address(c), "127.0.0.1:", 10), 0);
	js_put(o);
	client_close(&k);
	ctl_close(c);
}

/* A hello with one field changed is refused with a text, and an event. */
static void refused(const char *key, json_object *value, const char *text)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c), k = client_connect(c);
	json_object *hello = client_hello(c, 1, RANKS), *answer;

	assert_true(client_is(&k, "greeting"));
	js_set_obj(hello, key, value);
	client_send(&k, hello);
	answer = client_recv(&k);
	assert_non_null(answer);
	assert_non_null(strstr(json_object_to_json_string(answer), "refused"));
	assert_non_null(strstr(json_object_to_json_string(answer), text));
	js_put(answer);
	assert_int_equal(s.joins, 1);
	assert_thrown_out(c, &k, &good, &s, 1, text);
}

static void a_wrong_token_is_refused(void **state)
{
	(void)state;
	refused("token", json_object_new_string("00000000000000000000000000000000"), "wrong token");
	refused("token", json_object_new_string(""), "wrong token");
	refused("token", json_object_new_int(5), "token");
}

static void a_wrong_step_or_attempt_is_refused(void **state)
{
	(void)state;
	refused("step", json_object_new_int(CLIENT_RUN_STEP + 1), "is not running");
	refused("attempt", json_object_new_int(CLIENT_RUN_ATTEMPT + 1), "is not running");
}

static void a_wrong_rank_is_refused(void **state)
{
	(void)state;
	refused("rank", json_object_new_int(RANKS), "rank 4 of 4");
	refused("rank", json_object_new_int(-1), "rank");
	refused("rank", json_object_new_string("1"), "rank");
	refused("rank", json_object_new_int64(INT64_C(1) << 40), "rank");
	refused("rank", json_object_new_int(0), "connected already");
}

static void a_name_that_is_none_is_refused(void **state)
{
	(void)state;
	refused("host", json_object_new_string("../../etc"), "not a name");
	refused("host", json_object_new_string(""), "not a name");
	refused("helper", json_object_new_string("a\nb"), "not a name");
	refused("proto", json_object_new_int(2), "protocol");
}

static void a_world_of_size_one_names_pmix(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client k = client_join(c, 0, 1);
	json_object *o = client_recv(&k);

	(void)state;
	assert_non_null(strstr(json_object_to_json_string(o), "PMIx"));
	assert_int_equal(s.worlds, 1);
	assert_int_equal(s.joins, 0);
	js_put(o);
	client_close(&k);
	ctl_close(c);
}

static void nobody_joins_when_no_step_runs(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client k;

	(void)state;
	ctl_expect(c, 0, 0, 0, NULL, NULL);
	k = client_join(c, 0, RANKS);
	assert_true(client_is(&k, "refused"));
	assert_true(client_sees_end(&k));
	assert_int_equal(s.joins, 0);
	client_close(&k);
	ctl_close(c);
}

static void a_foreign_client_is_shown_out(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c), k = client_connect(c);

	(void)state;
	/* An HTTP client: its first four bytes are a length far too large. */
	client_bytes(&k, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
	assert_thrown_out(c, &k, &good, &s, 1, "closed");
}

static void malformed(const char *payload, bool joined)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c);
	struct client k = joined ? client_join(c, 1, RANKS) : client_connect(c);

	assert_true(client_is(&k, joined ? "ok" : "greeting"));
	client_text(&k, payload);
	assert_true(client_sees_end(&k));
	assert_int_equal(s.leaves, joined);
	assert_thrown_out(c, &k, &good, &s, 1, joined ? "rank 1 was disconnected" : "closed");
}

static void malformed_frames_close_only_their_connection(void **state)
{
	static const char *const payloads[] = {
		"{\"msg\":", "nonsense", "[1,2,3]",           "\"hello\"", "{\"a\":NaN}",
		"{'a':1}",   "{} {}",    "{\"a\":1,\"a\":2}", "\xff\xfe",  "null",
	};

	(void)state;
	for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
		malformed(payloads[i], false);
		malformed(payloads[i], true);
	}
}

static void an_oversized_or_empty_frame_closes_only_its_connection(void **state)
{
	static const unsigned char heads[][4] = { { 0, 1, 0, 1 },
		                                  { 0xff, 0xff, 0xff, 0xff },
		                                  { 0, 0, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct client_seen s;
		struct ctl *c = open_ctl(&s);
		struct client good = witness(c), k = client_join(c, 1, RANKS);
		assert_true(client_is(&k, "ok"));
		client_bytes(&k, heads[i], 4);
		assert_true(client_sees_end(&k));
		assert_int_equal(s.leaves, 1);
		assert_thrown_out(c, &k, &good, &s, 1, "rank 1 was disconnected");
	}
}

static void a_frame_may_come_in_single_bytes(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client k = client_connect(c);
	struct buf b = BUF_INIT;
	json_object *o = client_hello(c, 1, RANKS);

	(void)state;
	assert_int_equal(frame_put_json(&b, o, NULL), HB_OK);
	js_put(o);
	for (size_t i = 0; i < b.len; i++)
		client_bytes(&k, b.data + i, 1);
	assert_true(client_is(&k, "greeting"));
	assert_true(client_is(&k, "ok"));
	buf_free(&b);
	client_close(&k);
	ctl_close(c);
}

static void a_cut_frame_is_an_event_and_a_leave(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c), k = client_join(c, 1, RANKS);

	(void)state;
	assert_true(client_is(&k, "ok"));
	client_bytes(&k, "\0\0\1\0{\"msg\":\"do", 14);
	client_close(&k);
	while (s.leaves == 0)
		ctl_service(c);
	assert_int_equal(s.events, 1);
	assert_non_null(strstr(s.last_event, "in the middle of a frame"));
	assert_unharmed(&good, &s);
	client_close(&good);
	ctl_close(c);
}

static void a_client_that_vanishes_is_a_leave(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c), k = client_join(c, 3, RANKS);
	struct linger hard = { 1, 0 };

	(void)state;
	assert_true(client_is(&k, "ok"));
	setsockopt(k.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard); /* a reset, not an end */
	client_close(&k);
	while (s.leaves == 0)
		ctl_service(c);
	assert_int_equal(s.last_rank, 3);
	assert_int_equal(s.events, 0);
	assert_unharmed(&good, &s);
	client_close(&good);
	ctl_close(c);
}

static void a_message_that_the_owner_refuses_closes_the_connection(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c), k = client_join(c, 1, RANKS);

	(void)state;
	assert_true(client_is(&k, "ok"));
	s.refuse_messages = true;
	client_send(&k, client_message("done"));
	assert_true(client_sees_end(&k));
	s.refuse_messages = false;
	assert_int_equal(s.leaves, 1);
	assert_thrown_out(c, &k, &good, &s, 1, "not wanted");
}

static void a_second_connection_of_a_rank_does_not_replace_the_first(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client good = witness(c), k = client_join(c, 0, RANKS);

	(void)state;
	assert_true(client_is(&k, "refused"));
	assert_thrown_out(c, &k, &good, &s, 1, "connected already");
}

static void who_never_says_hello_is_closed_in_time(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ .handshake_ms = SHORT_MS }, &s, RANKS);
	struct client good = witness(c), k = client_connect(c);

	(void)state;
	assert_true(client_is(&k, "greeting"));
	assert_in_range(ctl_timeout_ms(c), 0, SHORT_MS);
	assert_true(client_sees_end(&k)); /* waits exactly as long as the server says */
	assert_thrown_out(c, &k, &good, &s, 1, "no hello in time");
}

static void a_slow_reader_is_closed_and_memory_stays_bounded(void **state)
{
	struct ctl_params p = { .queue_max = 32768, .send_buffer = 4096 };
	struct client_seen s;
	struct ctl *c = client_server(p, &s, RANKS);
	struct client good = witness(c), k = client_join(c, 1, RANKS);
	json_object *o = client_message("job");
	char *big = hb_alloc(8192);
	int rc = HB_OK, sent = 0;

	(void)state;
	assert_true(client_is(&k, "ok"));
	memset(big, 'x', 8191);
	js_set_str(o, "fill", big);
	while (rc == HB_OK && sent++ < 10000)
		rc = ctl_send(c, 1, o, NULL);
	assert_int_equal(rc, HB_E_IO);
	ctl_service(c);
	assert_int_equal(s.leaves, 1);
	assert_non_null(strstr(s.last_why, "does not read"));
	assert_unharmed(&good, &s);
	js_put(o);
	free(big);
	client_close(&k);
	client_close(&good);
	ctl_close(c);
}

static void two_hundred_ranks_join_and_all_are_heard(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, MANY);
	struct client *k = hb_alloc(MANY * sizeof *k);

	(void)state;
	for (int i = 0; i < MANY; i++)
		k[i] = client_connect(c);
	for (int i = 0; i < MANY; i++)
		client_send(&k[i], client_hello(c, MANY - 1 - i, MANY));
	for (int i = 0; i < MANY; i++) {
		assert_true(client_is(&k[i], "greeting"));
		assert_true(client_is(&k[i], "ok"));
		client_send(&k[i], client_message("heartbeat"));
	}
	while (s.messages < MANY)
		ctl_service(c);
	assert_int_equal(s.joins, MANY);
	assert_int_equal(s.events, 0);
	for (int i = 0; i < MANY; i++)
		client_close(&k[i]);
	while (s.leaves < MANY)
		ctl_service(c);
	free(k);
	ctl_close(c);
}

static void idle_strangers_cannot_keep_a_rank_out(void **state)
{
	struct ctl_params p = { .handshake_ms = ALARM_S * 1000 };
	struct client_seen s;
	struct ctl *c = client_server(p, &s, RANKS);
	int most = CTL_PENDING_MAX + RANKS, n = most + 20; /* one more for each rank expected */
	struct client *k = hb_alloc((size_t)n * sizeof *k), good;

	(void)state;
	for (int i = 0; i < n; i++)
		k[i] = client_connect(c);
	while (s.events < 20)
		ctl_service(c);
	assert_int_equal(ctl_pending(c), most);
	assert_int_equal(s.events, 20);
	good = witness(c);
	assert_unharmed(&good, &s);
	for (int i = 0; i < n; i++)
		client_close(&k[i]);
	client_close(&good);
	free(k);
	ctl_close(c);
}

static void a_scanner_does_not_flood_the_log(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);

	(void)state;
	for (int i = 0; i < CTL_FOREIGN_EVENTS_MAX + 50; i++) {
		struct client k = client_connect(c);
		client_text(&k, "x");
		assert_true(client_sees_end(&k));
		client_close(&k);
	}
	assert_int_equal(s.events, CTL_FOREIGN_EVENTS_MAX);
	ctl_close(c);
}

static void a_new_attempt_drops_the_old_connections(void **state)
{
	struct client_seen s;
	struct ctl *c = open_ctl(&s);
	struct client k = witness(c);

	(void)state;
	ctl_expect(c, CLIENT_RUN_STEP, CLIENT_RUN_ATTEMPT + 1, RANKS, &client_handlers, &s);
	assert_true(client_sees_end(&k));
	assert_int_equal(s.leaves, 0);
	assert_false(ctl_connected(c, 0));
	client_close(&k);
	ctl_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_honest_rank_joins_talks_and_leaves),
		cmocka_unit_test(the_greeting_names_the_run_and_not_the_token),
		cmocka_unit_test(a_wrong_token_is_refused),
		cmocka_unit_test(a_wrong_step_or_attempt_is_refused),
		cmocka_unit_test(a_wrong_rank_is_refused),
		cmocka_unit_test(a_name_that_is_none_is_refused),
		cmocka_unit_test(a_world_of_size_one_names_pmix),
		cmocka_unit_test(nobody_joins_when_no_step_runs),
		cmocka_unit_test(a_foreign_client_is_shown_out),
		cmocka_unit_test(malformed_frames_close_only_their_connection),
		cmocka_unit_test(an_oversized_or_empty_frame_closes_only_its_connection),
		cmocka_unit_test(a_frame_may_come_in_single_bytes),
		cmocka_unit_test(a_cut_frame_is_an_event_and_a_leave),
		cmocka_unit_test(a_client_that_vanishes_is_a_leave),
		cmocka_unit_test(a_message_that_the_owner_refuses_closes_the_connection),
		cmocka_unit_test(a_second_connection_of_a_rank_does_not_replace_the_first),
		cmocka_unit_test(who_never_says_hello_is_closed_in_time),
		cmocka_unit_test(a_slow_reader_is_closed_and_memory_stays_bounded),
		cmocka_unit_test(two_hundred_ranks_join_and_all_are_heard),
		cmocka_unit_test(idle_strangers_cannot_keep_a_rank_out),
		cmocka_unit_test(a_scanner_does_not_flood_the_log),
		cmocka_unit_test(a_new_attempt_drops_the_old_connections),
	};

	alarm(ALARM_S); /* a wait that never ends is a failure, not a hang */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
