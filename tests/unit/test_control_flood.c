/* Clients that send or connect without end, or that never read: what one of them can cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "ctl_client.h"
#include "harness/control/control_parts.h"

enum { RANKS = 4, ALARM_S = 50, CHUNK = 16 * 1024, TURN_MAX = 16 * CHUNK + FRAME_MAX };

/* Sends without waiting until the sockets take no more, or the server has closed. */
static size_t pour(struct client *k, const char *data, size_t len, size_t *at)
{
	size_t sent = 0;
	ssize_t n;

	while ((n = send(k->fd, data + *at, len - *at, MSG_NOSIGNAL | MSG_DONTWAIT)) > 0) {
		sent += (size_t)n;
		*at = (*at + (size_t)n) % len;
	}
	return sent;
}

/* A rank that has been let in. */
static struct client rank_of(struct ctl *c, int rank)
{
	struct client k = client_join(c, rank, RANKS);

	assert_true(client_is(&k, "ok"));
	return k;
}

static const struct peer *peer_of(const struct ctl *c, int rank)
{
	assert_true(ctl_connected(c, rank));
	return c->ranks[rank];
}

static void a_rank_that_never_stops_sending_leaves_the_others_their_turn(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client flood = rank_of(c, 1), good = rank_of(c, 0);
	struct buf one = BUF_INIT;
	json_object *o = client_message("heartbeat");
	size_t at = 0, poured = 0;
	int before;

	(void)state;
	assert_int_equal(frame_put_json(&one, o, NULL), HB_OK);
	js_put(o);
	int turn_max = (int)(TURN_MAX / one.len) + 1;
	poured += pour(&flood, one.data, one.len, &at);
	client_send(&good, client_message("heartbeat")); /* runs the server, too */
	do {
		poured += pour(&flood, one.data, one.len, &at);
		before = s.messages;
		ctl_service(c);
		/* However much there is to read, a turn ends. */
		assert_true(s.messages - before <= turn_max + 1);
	} while (s.messages <= 4 * turn_max);
	assert_true(poured > (size_t)(4 * turn_max) * one.len);
	o = client_message("job");
	assert_int_equal(ctl_send(c, 0, o, NULL), HB_OK);
	assert_true(client_is(&good, "job"));
	js_put(o);
	assert_int_equal(s.events, 0);
	buf_free(&one);
	client_close(&flood);
	client_close(&good);
	ctl_close(c);
}

static void an_endless_stream_of_long_frames_holds_no_more_than_one(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client k = rank_of(c, 1);
	json_object *o = client_message("x");
	char *fill = hb_alloc(FRAME_MAX - 64);
	struct buf one = BUF_INIT;
	size_t at = 0;

	(void)state;
	memset(fill, 'x', FRAME_MAX - 65);
	js_set_str(o, "fill", fill);
	assert_int_equal(frame_put_json(&one, o, NULL), HB_OK);
	js_put(o);
	while (s.messages < 100) {
		pour(&k, one.data, one.len, &at);
		ctl_service(c);
		const struct frame_reader *in = &peer_of(c, 1)->in;
		assert_true(in->in.len - in->taken < FRAME_HEAD + FRAME_MAX);
		assert_true(in->in.cap <= 4 * FRAME_MAX);
	}
	/* To the end of the last frame, and what was held for it is given back. */
	client_bytes(&k, one.data + at, at ? one.len - at : 0);
	for (int i = 0; i < 1000 && peer_of(c, 1)->in.in.cap > CHUNK; i++)
		client_send(&k, client_message("heartbeat"));
	assert_true(peer_of(c, 1)->in.in.cap <= CHUNK);
	assert_int_equal(s.events, 0);
	buf_free(&one);
	free(fill);
	client_close(&k);
	ctl_close(c);
}

static void a_stranger_may_say_no_more_than_a_hello(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client good = rank_of(c, 0), k = client_connect(c);
	char *fill = hb_alloc(FRAME_MAX);

	(void)state;
	fill[1] = 1; /* a frame of FRAME_MAX bytes, which is a right length */
	client_bytes(&k, fill, FRAME_MAX);
	assert_true(client_sees_end(&k));
	assert_int_equal(s.events, 1);
	assert_non_null(strstr(s.last_event, "more than a hello"));
	assert_true(ctl_connected(c, 0));
	free(fill);
	client_close(&k);
	client_close(&good);
	ctl_close(c);
}

static void many_that_connect_at_once_leave_the_ranks_their_turn(void **state)
{
	enum { CROWD = 100 /* less than any kernel's backlog */ };
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ .handshake_ms = ALARM_S * 1000 }, &s,
	                              RANKS);
	struct client good = rank_of(c, 0);
	struct client *quiet = hb_alloc(CROWD * sizeof *quiet);
	int turns = 0;

	(void)state;
	for (int i = 0; i < CROWD; i++)
		quiet[i] = client_dial(c); /* the kernel completes the connection */
	assert_int_equal(ctl_pending(c), 0);
	while (ctl_pending(c) < CROWD) {
		int before = ctl_pending(c);
		ctl_service(c);
		assert_in_range(ctl_pending(c) - before, 0, CROWD - 1);
		turns++;
	}
	assert_true(turns >= 2);
	client_send(&good, client_message("heartbeat"));
	while (s.messages == 0)
		ctl_service(c);
	assert_int_equal(s.events, 0);
	for (int i = 0; i < CROWD; i++)
		close(quiet[i].fd);
	free(quiet);
	client_close(&good);
	ctl_close(c);
}

static void of_all_that_do_not_read_the_longest_queue_goes(void **state)
{
	enum { ALL = 256 * 1024, FILL = 8 * 1024 };
	struct ctl_params p = { .queues_max = ALL, .send_buffer = 4096 };
	struct client_seen s;
	struct ctl *c = client_server(p, &s, RANKS);
	struct client good = rank_of(c, 0), deaf = rank_of(c, 1), slow = rank_of(c, 2);
	json_object *big = client_message("job"), *job = client_message("job");
	json_object *quit = client_message("quit");
	char *fill = hb_alloc(FILL);

	(void)state;
	memset(fill, 'x', FILL - 1);
	js_set_str(big, "fill", fill);
	while (ctl_queued(c) < ALL / 4 * 3)
		assert_int_equal(ctl_send(c, 1, big, NULL), HB_OK);
	while (ctl_connected(c, 1)) {
		/* It is the one that is written to, and not the one with most to read. */
		assert_int_equal(ctl_send(c, 2, big, NULL), HB_OK);
		assert_true(ctl_queued(c) <= ALL);
	}
	ctl_service(c);
	assert_int_equal(s.leaves, 1);
	assert_int_equal(s.last_rank, 1);
	assert_non_null(strstr(s.last_why, "does not read"));
	assert_int_equal(ctl_send(c, 0, job, NULL), HB_OK);
	assert_true(client_is(&good, "job"));
	/* Who reads at last gets all of it, and nothing is held any more. */
	assert_int_equal(ctl_send(c, 2, quit, NULL), HB_OK);
	while (!client_is(&slow, "quit"))
		;
	assert_int_equal(ctl_queued(c), 0);
	assert_true(peer_of(c, 2)->out.cap <= CHUNK);
	js_put(big);
	js_put(job);
	js_put(quit);
	free(fill);
	client_close(&deaf);
	client_close(&slow);
	client_close(&good);
	ctl_close(c);
}

static void out_of_descriptors_the_server_says_so_and_rests_until_there_are_some(void **state)
{
	enum { COMING = 10, LEFT = 3 };
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ .handshake_ms = ALARM_S * 1000 }, &s,
	                              COMING);
	struct client k[COMING];
	struct rlimit before, low;
	struct pollfd v = { ctl_fd(c), POLLIN, 0 };

	(void)state;
	for (int i = 0; i < COMING; i++)
		k[i] = client_dial(c);
	int lowest = dup(STDERR_FILENO);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = (rlim_t)lowest + LEFT;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	ctl_service(c);
	assert_in_range(ctl_pending(c), 1, LEFT);
	assert_int_equal(s.events, 1);
	assert_non_null(strstr(s.last_event, "limit of open files"));
	/* Seven are waiting, but a listener that cannot take them must not wake us for ever. */
	assert_int_equal(poll(&v, 1, 0), 0);
	assert_in_range(ctl_timeout_ms(c), 0, 1000); /* not the handshake's */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (int i = 0; i < COMING; i++)
		client_send(&k[i], client_hello(c, i, COMING));
	while (s.joins < COMING) {
		poll(&v, 1, ctl_timeout_ms(c));
		ctl_service(c);
	}
	assert_int_equal(s.events, 1);
	for (int i = 0; i < COMING; i++)
		client_close(&k[i]);
	ctl_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_that_never_stops_sending_leaves_the_others_their_turn),
		cmocka_unit_test(an_endless_stream_of_long_frames_holds_no_more_than_one),
		cmocka_unit_test(a_stranger_may_say_no_more_than_a_hello),
		cmocka_unit_test(many_that_connect_at_once_leave_the_ranks_their_turn),
		cmocka_unit_test(of_all_that_do_not_read_the_longest_queue_goes),
		cmocka_unit_test(
		        out_of_descriptors_the_server_says_so_and_rests_until_there_are_some),
	};

	signal(SIGPIPE, SIG_IGN);
	alarm(ALARM_S); /* a wait that never ends is a failure, not a hang */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
