#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "bench/core/control.h"

/* A server of one connection that says what its script says. */
enum { STEPS_MAX = 8, WAIT_MS = 20000 };

enum step_kind {
	STEP_END,
	STEP_SEND,    /* text as a frame */
	STEP_RAW,     /* text as bytes */
	STEP_RECEIVE, /* one frame, kept */
	STEP_WAIT_EOF /* until the client has gone */
};

struct step {
	enum step_kind kind;
	const char *text;
	size_t len; /* of raw bytes */
};

struct server {
	pthread_t thread;
	int listen_fd, port;
	struct step steps[STEPS_MAX];
	json_object *got[STEPS_MAX];
	int n_got;
	int accepted;
};

static void wait_for_eof(int fd)
{
	char bytes[256];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

static void play(struct server *s, int fd)
{
	struct frame_reader in = FRAME_READER_INIT;
	struct buf out = BUF_INIT;

	for (const struct step *step = s->steps; step->kind != STEP_END; step++) {
		buf_clear(&out);
		switch (step->kind) {
		case STEP_SEND:
			frame_put(&out, step->text, strlen(step->text), NULL);
			(void)!write(fd, out.data, out.len);
			break;
		case STEP_RAW: (void)!write(fd, step->text, step->len); break;
		case STEP_RECEIVE:
			if (frame_recv(fd, &in, WAIT_MS, &s->got[s->n_got], NULL) == HB_OK)
				s->n_got++;
			break;
		case STEP_WAIT_EOF: wait_for_eof(fd); break;
		case STEP_END: break;
		}
	}
	frame_reader_free(&in);
	buf_free(&out);
}

static void *serve(void *arg)
{
	struct server *s = arg;
	int fd = accept(s->listen_fd, NULL, NULL);

	if (fd < 0)
		return NULL;
	s->accepted = 1;
	play(s, fd);
	close(fd);
	return NULL;
}

static void server_listen(struct server *s, int family)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr *at = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
	socklen_t len = family == AF_INET ? sizeof(v4) : sizeof(v6);

	s->listen_fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->listen_fd < 0 || bind(s->listen_fd, at, len) < 0)
		skip(); /* no IPv6 here */
	assert_int_equal(listen(s->listen_fd, 4), 0);
	assert_int_equal(getsockname(s->listen_fd, at, &len), 0);
	s->port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
}

static void server_start(struct server *s)
{
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void server_stop(struct server *s)
{
	shutdown(s->listen_fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->listen_fd);
	for (int i = 0; i < s->n_got; i++)
		js_put(s->got[i]);
}

#define GREET "{\"msg\":\"greeting\",\"proto\":1,\"run\":\"r1\"}"
#define OK    "{\"msg\":\"ok\"}"
#define TOKEN "00112233445566778899aabbccddeeff"

static void set_env(const char *addresses)
{
	setenv(CONTROL_ENV_ADDRESS, addresses, 1);
	setenv(CONTROL_ENV_TOKEN, TOKEN, 1);
	setenv(CONTROL_ENV_RUN, "r1", 1);
	setenv(CONTROL_ENV_STEP, "4", 1);
	setenv(CONTROL_ENV_ATTEMPT, "2", 1);
}

static const struct control_hello hello = { "n17", "2x CPU", "mpi", "0.1.0", 3, 8, 0 };

/* Opens against one server that plays steps. */
static int open_against(struct server *s, struct control **c, struct hb_err *err)
{
	char address[64];
	int rc;

	*c = NULL;
	*err = (struct hb_err){ HB_OK, "" };
	server_listen(s, AF_INET);
	server_start(s);
	snprintf(address, sizeof(address), "127.0.0.1:%d", s->port);
	set_env(address);
	rc = control_open(&hello, c, err);
	/* Whatever happened: no child may inherit the token. */
	assert_null(getenv(CONTROL_ENV_TOKEN));
	if (rc < 0)
		assert_null(*c);
	return rc;
}

static const char *text_of(json_object *o, const char *key)
{
	struct js_at at = JS_AT_TOP("got");
	const char *text = "";

	assert_int_equal(js_get_str(o, &at, key, JS_REQUIRED, &text, NULL), HB_OK);
	return text;
}

static int int_of(json_object *o, const char *key)
{
	struct js_at at = JS_AT_TOP("got");
	int v = -1;

	assert_int_equal(js_get_int(o, &at, key, JS_REQUIRED, 0, 1 << 30, &v, NULL), HB_OK);
	return v;
}

static void a_client_says_who_it_is_and_takes_commands_until_quit(void **state)
{
	struct server s = { .steps = { { STEP_SEND, GREET, 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND, OK, 0 },
		                       { STEP_SEND, "{\"msg\":\"job\",\"job\":5}", 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND, "{\"msg\":\"quit\"}", 0 },
		                       { STEP_WAIT_EOF, NULL, 0 } } };
	struct control *c;
	struct hb_err err;
	json_object *o = NULL;

	(void)state;
	setenv("SLURM_LOCALID", "6", 1);
	if (open_against(&s, &c, &err) < 0)
		fail_msg("%s", err.text);
	unsetenv("SLURM_LOCALID");
	assert_int_equal(control_next(c, &o, &err), HB_OK);
	assert_string_equal(text_of(o, "msg"), "job");
	assert_int_equal(control_send(c, o, &err), HB_OK);
	js_put(o);
	assert_int_equal(control_next(c, &o, &err), HB_E_CANCELLED);
	assert_null(o);
	control_close(c);
	pthread_join(s.thread, NULL);
	assert_int_equal(s.n_got, 2);
	assert_string_equal(text_of(s.got[0], "msg"), "hello");
	assert_string_equal(text_of(s.got[0], "token"), TOKEN);
	assert_string_equal(text_of(s.got[0], "host"), "n17");
	assert_string_equal(text_of(s.got[0], "hw"), "2x CPU");
	assert_string_equal(text_of(s.got[0], "helper"), "mpi");
	assert_string_equal(text_of(s.got[0], "version"), "0.1.0");
	assert_int_equal(int_of(s.got[0], "proto"), 1);
	assert_int_equal(int_of(s.got[0], "step"), 4);
	assert_int_equal(int_of(s.got[0], "attempt"), 2);
	assert_int_equal(int_of(s.got[0], "rank"), 3);
	assert_int_equal(int_of(s.got[0], "size"), 8);
	assert_int_equal(int_of(s.got[0], "local"), 6);
	assert_int_equal(int_of(s.got[0], "pid"), getpid());
	assert_int_equal(int_of(s.got[1], "job"), 5);
	close(s.listen_fd);
	js_put(s.got[0]);
	js_put(s.got[1]);
}

/* What a client hears of an answer with these words. */
static struct control_answer answered(const char *words)
{
	struct server s = { .steps = { { STEP_SEND, GREET, 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND, words, 0 },
		                       { STEP_WAIT_EOF, NULL, 0 } } };
	struct control_answer a;
	struct control *c;
	struct hb_err err;

	if (open_against(&s, &c, &err) < 0)
		fail_msg("%s", err.text);
	a = control_answer(c);
	control_close(c);
	pthread_join(s.thread, NULL);
	/* The wall clock, for who compares it with its own. */
	assert_true(json_object_get_int64(json_object_object_get(s.got[0], "time_ns")) > 0);
	close(s.listen_fd);
	js_put(s.got[0]);
	return a;
}

static void the_answer_says_what_is_to_be_told(void **state)
{
	struct control_answer a = answered("{\"msg\":\"ok\",\"facts\":true,\"first\":true}");

	(void)state;
	assert_true(a.facts && a.first == 1);
	a = answered("{\"msg\":\"ok\",\"first\":false}");
	assert_true(!a.facts && a.first == 0);
	a = answered(OK);
	assert_true(!a.facts && a.first == -1);
}

static void a_server_of_another_run_never_hears_the_token(void **state)
{
	struct server s = { .steps = { { STEP_SEND,
		                         "{\"msg\":\"greeting\",\"proto\":1,\"run\":\"r2\"}", 0 },
		                       { STEP_RECEIVE, NULL, 0 } } };
	struct control *c;
	struct hb_err err;

	(void)state;
	assert_int_equal(open_against(&s, &c, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "serves run 'r2', not 'r1'"));
	assert_null(strstr(err.text, TOKEN));
	server_stop(&s);
	assert_int_equal(s.n_got, 0);
}

static void a_server_of_another_version_never_hears_the_token(void **state)
{
	struct server s = { .steps = { { STEP_SEND,
		                         "{\"msg\":\"greeting\",\"proto\":2,\"run\":\"r1\"}", 0 },
		                       { STEP_RECEIVE, NULL, 0 } } };
	struct control *c;
	struct hb_err err;

	(void)state;
	assert_int_equal(open_against(&s, &c, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "protocol 2"));
	server_stop(&s);
	assert_int_equal(s.n_got, 0);
}

static void a_refusal_is_passed_on_with_its_text(void **state)
{
	struct server s = { .steps = { { STEP_SEND, GREET, 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND,
		                         "{\"msg\":\"refused\",\"text\":\"wrong token\"}", 0 },
		                       { STEP_WAIT_EOF, NULL, 0 } } };
	struct control *c;
	struct hb_err err;

	(void)state;
	assert_int_equal(open_against(&s, &c, &err), HB_E_CANCELLED);
	if (!strstr(err.text, "refused: wrong token"))
		fail_msg("%s", err.text);
	server_stop(&s);
}

static void whatever_is_no_greeting_is_refused(void **state)
{
	static const struct step rows[] = {
		{ STEP_SEND, "{\"msg\":\"ok\"}", 0 },
		{ STEP_SEND, "{}", 0 },
		{ STEP_SEND, "[]", 0 },
		{ STEP_SEND, "not JSON", 0 },
		{ STEP_SEND, "{\"msg\":\"greeting\",\"proto\":\"1\",\"run\":\"r1\"}", 0 },
		{ STEP_SEND, "{\"msg\":\"greeting\",\"proto\":1,\"run\":null}", 0 },
		{ STEP_RAW, "\xff\xff\xff\xff", 4 },          /* a frame of 4 GiB */
		{ STEP_RAW, "\0\0\0\0", 4 },                  /* an empty one */
		{ STEP_RAW, "\0\0\0\x30{\"msg\":\"gre", 14 }, /* cut in the middle */
		{ STEP_RAW, "HTTP/1.1 400 Bad Request\r\n\r\n", 28 },
		{ STEP_RAW, "", 0 }, /* closes at once */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct server s = { .steps = { rows[i] } };
		struct control *c;
		struct hb_err err;
		int rc = open_against(&s, &c, &err);

		if (rc != HB_E_FORMAT && rc != HB_E_IO)
			fail_msg("row %zu gives %d: %s", i, rc, err.text);
		assert_non_null(strstr(err.text, "127.0.0.1"));
		server_stop(&s);
	}
}

static void a_connection_that_breaks_is_not_a_quit(void **state)
{
	static const struct step rows[] = {
		{ STEP_END, NULL, 0 },                      /* closes in good order */
		{ STEP_RAW, "\0\0\0\x10{\"msg\":\"j", 12 }, /* in the middle of a command */
		{ STEP_RAW, "\xff\xff\xff\xff", 4 },
		{ STEP_SEND, "{\"job\":1}", 0 }, /* no command */
		{ STEP_SEND, "{\"msg\":[]}", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct server s = { .steps = { { STEP_SEND, GREET, 0 },
			                       { STEP_RECEIVE, NULL, 0 },
			                       { STEP_SEND, OK, 0 },
			                       rows[i] } };
		struct control *c;
		struct hb_err err;
		json_object *o = NULL;
		int rc;

		if (open_against(&s, &c, &err) < 0)
			fail_msg("%s", err.text);
		rc = control_next(c, &o, &err);
		if (rc != HB_E_IO && rc != HB_E_FORMAT)
			fail_msg("row %zu gives %d: %s", i, rc, err.text);
		assert_null(o);
		control_close(c);
		server_stop(&s);
	}
}

/* The one test that must wait: heartbeats come every CONTROL_HEARTBEAT_MS. */
static void a_waiting_client_sends_heartbeats(void **state)
{
	struct server s = { .steps = { { STEP_SEND, GREET, 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND, OK, 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND, "{\"msg\":\"quit\"}", 0 },
		                       { STEP_WAIT_EOF, NULL, 0 } } };
	struct control *c;
	struct hb_err err;
	json_object *o = NULL;

	(void)state;
	if (open_against(&s, &c, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(control_next(c, &o, &err), HB_E_CANCELLED);
	control_close(c);
	pthread_join(s.thread, NULL);
	assert_int_equal(s.n_got, 2);
	assert_string_equal(text_of(s.got[1], "msg"), "heartbeat");
	close(s.listen_fd);
	js_put(s.got[0]);
	js_put(s.got[1]);
}

static int closed_port(void)
{
	struct server s = { 0 };

	server_listen(&s, AF_INET);
	close(s.listen_fd);
	return s.port;
}

static void the_first_address_that_is_ours_is_taken(void **state)
{
	struct server foreign = {
		.steps = { { STEP_SEND, "{\"msg\":\"greeting\",\"proto\":1,\"run\":\"other\"}", 0 },
		           { STEP_RECEIVE, NULL, 0 } }
	};
	struct server ours = { .steps = { { STEP_SEND, GREET, 0 },
		                          { STEP_RECEIVE, NULL, 0 },
		                          { STEP_SEND, OK, 0 },
		                          { STEP_WAIT_EOF, NULL, 0 } } };
	struct hb_err err = { HB_OK, "" };
	struct control *c = NULL;
	char addresses[200];

	(void)state;
	server_listen(&foreign, AF_INET);
	server_listen(&ours, AF_INET);
	server_start(&foreign);
	server_start(&ours);
	snprintf(addresses, sizeof(addresses), "127.0.0.1:%d,nonsense,127.0.0.1:%d,127.0.0.1:%d",
	         closed_port(), foreign.port, ours.port);
	set_env(addresses);
	if (control_open(&hello, &c, &err) < 0)
		fail_msg("%s", err.text);
	control_close(c);
	server_stop(&ours);
	server_stop(&foreign);
	assert_int_equal(foreign.n_got, 0);
	assert_int_equal(foreign.accepted, 1);
}

static void ipv6_addresses_stand_in_brackets(void **state)
{
	struct server s = { .steps = { { STEP_SEND, GREET, 0 },
		                       { STEP_RECEIVE, NULL, 0 },
		                       { STEP_SEND, OK, 0 },
		                       { STEP_WAIT_EOF, NULL, 0 } } };
	struct hb_err err = { HB_OK, "" };
	struct control *c = NULL;
	char address[64];

	(void)state;
	server_listen(&s, AF_INET6);
	server_start(&s);
	snprintf(address, sizeof(address), "[::1]:%d", s.port);
	set_env(address);
	if (control_open(&hello, &c, &err) < 0)
		fail_msg("%s", err.text);
	control_close(c);
	server_stop(&s);
}

static void bad_environments_are_one_clear_error(void **state)
{
	static const char *const addresses[] = {
		"localhost:80",  "127.0.0.1",    "127.0.0.1:",     "127.0.0.1:0", "127.0.0.1:65536",
		"[::1",          "[::1]",        "::1:80x",        ",,,",         "300.1.1.1:80",
		"127.0.0.1:80 ", "127.0.0.1:-5", "[127.0.0.1]:80",
	};
	struct control *c = NULL;
	struct hb_err err;
	char longest[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		set_env(addresses[i]);
		err = (struct hb_err){ HB_OK, "" };
		if (control_open(&hello, &c, &err) != HB_E_USAGE)
			fail_msg("'%s': %s", addresses[i], err.text);
		assert_non_null(strstr(err.text, "cannot reach hpcbench"));
		assert_null(getenv(CONTROL_ENV_TOKEN));
	}
	memset(longest, '9', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	set_env(longest);
	assert_int_equal(control_open(&hello, &c, &err), HB_E_USAGE);
	set_env("127.0.0.1:80");
	unsetenv(CONTROL_ENV_RUN);
	assert_int_equal(control_open(&hello, &c, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, CONTROL_ENV_RUN));
	set_env("127.0.0.1:80");
	unsetenv(CONTROL_ENV_TOKEN);
	assert_int_equal(control_open(&hello, &c, &err), HB_E_USAGE);
	set_env("127.0.0.1:80");
	setenv(CONTROL_ENV_STEP, "-1", 1);
	assert_int_equal(control_open(&hello, &c, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, CONTROL_ENV_STEP));
	assert_null(getenv(CONTROL_ENV_TOKEN));
	assert_null(c);
}

static void nobody_listening_names_the_address(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct control *c = NULL;
	char address[64];

	(void)state;
	snprintf(address, sizeof(address), "127.0.0.1:%d", closed_port());
	set_env(address);
	assert_int_equal(control_open(&hello, &c, &err), HB_E_IO);
	assert_non_null(strstr(err.text, address));
}

static void a_helper_started_by_hand_wants_no_control(void **state)
{
	(void)state;
	unsetenv(CONTROL_ENV_ADDRESS);
	assert_int_equal(control_wanted(), 0);
	setenv(CONTROL_ENV_ADDRESS, "", 1);
	assert_int_equal(control_wanted(), 0);
	setenv(CONTROL_ENV_ADDRESS, "127.0.0.1:1", 1);
	assert_int_equal(control_wanted(), 1);
}

static void the_environment_says_by_what_the_helper_is_commanded(void **state)
{
	(void)state;
	unsetenv(CONTROL_ENV_ADDRESS);
	unsetenv(CONTROL_ENV_FILES);
	assert_int_equal(control_asked(), CONTROL_BY_HAND);
	setenv(CONTROL_ENV_FILES, "", 1);
	assert_int_equal(control_asked(), CONTROL_BY_HAND);
	setenv(CONTROL_ENV_FILES, "/tmp", 1);
	assert_int_equal(control_asked(), CONTROL_BY_FILES);
	assert_int_equal(control_wanted(), 0);
	setenv(CONTROL_ENV_ADDRESS, "127.0.0.1:1", 1);
	assert_int_equal(control_asked(), CONTROL_BY_CHANNEL);
	unsetenv(CONTROL_ENV_FILES);
}

/* Nobody knows the place of a rank whose launcher does not tell it: then it is left out. */
static void a_hello_tells_the_place_on_the_host_only_where_it_is_known(void **state)
{
	static const struct control_part part = { NULL, 4, 2 };
	json_object *o = control_hello_json(&hello, &part);

	(void)state;
	assert_false(json_object_object_get_ex(o, "local", NULL));
	assert_false(json_object_object_get_ex(o, "token", NULL));
	assert_int_equal(int_of(o, "attempt"), 2);
	js_put(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_helper_started_by_hand_wants_no_control),
		cmocka_unit_test(a_client_says_who_it_is_and_takes_commands_until_quit),
		cmocka_unit_test(the_answer_says_what_is_to_be_told),
		cmocka_unit_test(a_server_of_another_run_never_hears_the_token),
		cmocka_unit_test(a_server_of_another_version_never_hears_the_token),
		cmocka_unit_test(a_refusal_is_passed_on_with_its_text),
		cmocka_unit_test(whatever_is_no_greeting_is_refused),
		cmocka_unit_test(a_connection_that_breaks_is_not_a_quit),
		cmocka_unit_test(a_waiting_client_sends_heartbeats),
		cmocka_unit_test(the_first_address_that_is_ours_is_taken),
		cmocka_unit_test(ipv6_addresses_stand_in_brackets),
		cmocka_unit_test(bad_environments_are_one_clear_error),
		cmocka_unit_test(nobody_listening_names_the_address),
		cmocka_unit_test(the_environment_says_by_what_the_helper_is_commanded),
		cmocka_unit_test(a_hello_tells_the_place_on_the_host_only_where_it_is_known),
	};

	unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
	unsetenv("PMIX_LOCAL_RANK");
	unsetenv("MPI_LOCALRANKID");
	unsetenv("SLURM_LOCALID");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
