/* The control channel's server with thousands of connections, some of which do not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "ctl_client.h"

enum { MANY = 2000, SPARE_FDS = 100, ALARM_S = 55, QUEUES_MAX = 256 * 1024, FILL = 16 * 1024 };

/* ---- the ranks: a process of their own, so that they connect without the server's help ---- */

static int connect_one(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
		_exit(3);
	return fd;
}

static void say(int fd, json_object *o)
{
	struct hb_err err;

	if (frame_send(fd, o, ALARM_S * 1000, &err) != HB_OK)
		_exit(4);
	json_object_put(o);
}

static void hear(int fd, struct frame_reader *in, const char *msg)
{
	const struct js_at at = JS_AT_TOP("message");
	const char *got = "";
	json_object *o = NULL;
	struct hb_err err;

	if (frame_recv(fd, in, ALARM_S * 1000, &o, &err) != HB_OK ||
	    js_get_str(o, &at, "msg", JS_REQUIRED, &got, &err) != HB_OK || strcmp(got, msg) != 0)
		_exit(5);
	json_object_put(o);
}

static json_object *message(const char *msg)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", msg);
	return o;
}

/* All are there before the first one speaks. Ranks below deaf never read. */
static void run_ranks(const struct ctl *c, int deaf)
{
	int *fd = hb_alloc(MANY * sizeof *fd);
	struct frame_reader *in = hb_alloc(MANY * sizeof *in);

	alarm(ALARM_S);
	for (int i = 0; i < MANY; i++)
		fd[i] = connect_one(ctl_port(c));
	for (int i = MANY - 1; i >= 0; i--)
		say(fd[i], client_hello(c, i, MANY));
	for (int i = deaf; i < MANY; i++) {
		hear(fd[i], &in[i], "greeting");
		hear(fd[i], &in[i], "ok");
		say(fd[i], message("heartbeat"));
	}
	for (int i = deaf; i < MANY; i++) {
		hear(fd[i], &in[i], "job");
		say(fd[i], message("heartbeat"));
	}
	_exit(0); /* closes all of them */
}

/* ---- the server ---- */

struct seen {
	int joins, messages, leaves, events;
	bool slow[MANY];
};

static void on_join(void *ctx, const struct ctl_hello *h)
{
	struct seen *s = ctx;

	(void)h;
	s->joins++;
}

static int on_message(void *ctx, int rank, json_object *o, size_t len, struct hb_err *err)
{
	struct seen *s = ctx;

	(void)rank;
	(void)o;
	(void)len;
	(void)err;
	s->messages++;
	return HB_OK;
}

static void on_leave(void *ctx, int rank, const char *why)
{
	struct seen *s = ctx;

	s->leaves++;
	s->slow[rank] = strstr(why, "does not read") != NULL;
}

static void on_event(void *ctx, const char *code, const char *text, bool world)
{
	struct seen *s = ctx;

	(void)code;
	(void)world;
	if (s->events++ == 0)
		print_message("event: %s\n", text);
}

static const struct ctl_handlers handlers = {
	.join = on_join, .message = on_message, .leave = on_leave, .event = on_event
};

static void serve_until(struct ctl *c, const int *what, int enough)
{
	while (*what < enough) {
		struct pollfd v = { ctl_fd(c), POLLIN, 0 };
		poll(&v, 1, 1000);
		ctl_service(c);
	}
}

static bool enough_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		return false;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	return r.rlim_cur >= MANY + SPARE_FDS;
}

static struct ctl *open_many(struct seen *s, pid_t *ranks, int deaf)
{
	/* How long a hello may take is no matter here, however slow the machine is. */
	struct ctl_params p = { .run = "run-1",
		                .handshake_ms = ALARM_S * 1000,
		                .queues_max = QUEUES_MAX,
		                .send_buffer = 4096 };
	struct ctl *c = NULL;
	struct hb_err err;

	if (!enough_descriptors()) {
		print_message("the hard limit of open files is below %d\n", MANY + SPARE_FDS);
		skip();
	}
	assert_int_equal(ctl_open(&p, &c, &err), HB_OK);
	ctl_expect(c, CLIENT_RUN_STEP, CLIENT_RUN_ATTEMPT, MANY, &handlers, s);
	*ranks = fork();
	if (*ranks == 0)
		run_ranks(c, deaf);
	assert_true(*ranks > 0);
	return c;
}

static void close_many(struct ctl *c, struct seen *s, pid_t ranks)
{
	int status = -1;

	assert_int_equal(waitpid(ranks, &status, 0), ranks);
	assert_int_equal(status, 0);
	serve_until(c, &s->leaves, MANY);
	ctl_close(c);
}

static void two_thousand_ranks_that_come_at_once_all_join_and_are_heard(void **state)
{
	struct seen s = { 0 };
	json_object *job = message("job");
	pid_t ranks = 0;
	struct ctl *c = open_many(&s, &ranks, 0);

	(void)state;
	serve_until(c, &s.joins, MANY);
	serve_until(c, &s.messages, MANY);
	assert_int_equal(ctl_pending(c), 0);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(ctl_send(c, i, job, NULL), HB_OK);
	serve_until(c, &s.messages, 2 * MANY);
	assert_int_equal(s.events, 0);
	json_object_put(job);
	close_many(c, &s, ranks);
}

/* Ranks that do not read are dropped when together they hold too much; the others get on. */
static void slow_readers_are_dropped_and_all_others_go_on(void **state)
{
	enum { DEAF = 50, ROUNDS = 1000 };
	struct seen s = { 0 };
	json_object *job = message("job"), *big = message("job");
	char *fill = hb_alloc(FILL);
	pid_t ranks = 0;
	struct ctl *c = open_many(&s, &ranks, DEAF);
	int dropped = 0;

	(void)state;
	memset(fill, 'x', FILL - 1);
	js_set_str(big, "fill", fill);
	serve_until(c, &s.joins, MANY);
	for (int i = 0; i < ROUNDS && dropped < DEAF; i++) {
		dropped = 0;
		for (int k = 0; k < DEAF; k++) {
			dropped += ctl_send(c, k, big, NULL) != HB_OK;
			assert_true(ctl_queued(c) <= QUEUES_MAX);
		}
		ctl_service(c);
	}
	assert_int_equal(dropped, DEAF);
	for (int i = 0; i < DEAF; i++)
		assert_true(s.slow[i]);
	assert_int_equal(s.leaves, DEAF);
	for (int i = DEAF; i < MANY; i++)
		assert_int_equal(ctl_send(c, i, job, NULL), HB_OK);
	serve_until(c, &s.messages, 2 * (MANY - DEAF));
	json_object_put(job);
	json_object_put(big);
	free(fill);
	close_many(c, &s, ranks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_thousand_ranks_that_come_at_once_all_join_and_are_heard),
		cmocka_unit_test(slow_readers_are_dropped_and_all_others_go_on),
	};

	signal(SIGPIPE, SIG_IGN);
	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
