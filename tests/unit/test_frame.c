/* Frames: however the bytes come, whole frames go out; what is no frame is refused. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "bench/base/rng.h"

static void put(struct buf *out, const char *text)
{
	assert_int_equal(frame_put(out, text, strlen(text), NULL), HB_OK);
}

static void assert_next(struct frame_reader *r, const char *want)
{
	const char *payload;
	size_t len;

	assert_int_equal(frame_next(r, &payload, &len, NULL), 1);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(payload, want, len);
}

static void assert_none(struct frame_reader *r)
{
	const char *payload;
	size_t len;

	assert_int_equal(frame_next(r, &payload, &len, NULL), 0);
}

static void a_frame_is_a_big_endian_length_and_its_payload(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	put(&out, "{\"a\":1}");
	assert_int_equal(out.len, 11);
	assert_memory_equal(out.data, "\0\0\0\7{\"a\":1}", 11);
	buf_free(&out);
}

static void bytes_that_come_one_by_one_make_the_same_frames(void **state)
{
	struct frame_reader r = FRAME_READER_INIT;
	struct buf out = BUF_INIT;

	(void)state;
	put(&out, "first");
	put(&out, "second");
	for (size_t i = 0; i < out.len; i++) {
		frame_feed(&r, out.data + i, 1);
		if (i == 8)
			assert_next(&r, "first");
		else if (i == out.len - 1)
			assert_next(&r, "second");
		else
			assert_none(&r);
	}
	assert_none(&r);
	frame_reader_free(&r);
	buf_free(&out);
}

static void two_frames_in_one_feed_come_out_one_by_one(void **state)
{
	struct frame_reader r = FRAME_READER_INIT;
	struct buf out = BUF_INIT;

	(void)state;
	put(&out, "first");
	put(&out, "second");
	frame_feed(&r, out.data, out.len);
	assert_next(&r, "first");
	assert_next(&r, "second");
	assert_none(&r);
	frame_reader_free(&r);
	buf_free(&out);
}

static void any_cutting_gives_the_same_frames(void **state)
{
	enum { FRAMES = 300 };
	struct buf out = BUF_INIT;
	struct frame_reader r = FRAME_READER_INIT;
	size_t lengths[FRAMES], next = 0, fed = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 21);
	for (size_t i = 0; i < FRAMES; i++) {
		lengths[i] = 1 + rng_below(&rng, i % 50 ? 500 : FRAME_MAX);
		char *payload = hb_alloc(lengths[i]);
		memset(payload, (int)(i & 0xff), lengths[i]);
		assert_int_equal(frame_put(&out, payload, lengths[i], NULL), HB_OK);
		free(payload);
	}
	while (fed < out.len) {
		size_t n = 1 + rng_below(&rng, 3000);
		const char *payload;
		size_t len;

		n = n < out.len - fed ? n : out.len - fed;
		frame_feed(&r, out.data + fed, n);
		fed += n;
		while (frame_next(&r, &payload, &len, NULL) == 1) {
			assert_true(next < FRAMES);
			assert_int_equal(len, lengths[next]);
			for (size_t i = 0; i < len; i++)
				assert_int_equal((unsigned char)payload[i], next & 0xff);
			next++;
		}
	}
	assert_int_equal(next, FRAMES);
	frame_reader_free(&r);
	buf_free(&out);
}

static void an_empty_or_oversized_frame_is_refused(void **state)
{
	static const char heads[][4] = { { 0, 0, 0, 0 },
		                         { 0, 1, 0, 1 },
		                         { 0x7f, -1, -1, -1 },
		                         { -1, -1, -1, -1 },
		                         { 'G', 'E', 'T', ' ' } };

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct frame_reader r = FRAME_READER_INIT;
		struct hb_err err = { 0 };
		const char *payload;
		size_t len;

		frame_feed(&r, heads[i], 3);
		assert_none(&r);
		frame_feed(&r, heads[i] + 3, 1);
		assert_int_equal(frame_next(&r, &payload, &len, &err), HB_E_FORMAT);
		assert_int_equal(err.code, HB_E_FORMAT);
		frame_reader_free(&r);
	}
}

static void the_largest_frame_passes_and_one_byte_more_does_not(void **state)
{
	struct frame_reader r = FRAME_READER_INIT;
	struct buf out = BUF_INIT;
	char *payload = hb_alloc(FRAME_MAX + 1);
	const char *got;
	size_t len;

	(void)state;
	memset(payload, 'x', FRAME_MAX + 1);
	assert_int_equal(frame_put(&out, payload, FRAME_MAX + 1, NULL), HB_E_FORMAT);
	assert_int_equal(frame_put(&out, payload, 0, NULL), HB_E_FORMAT);
	assert_int_equal(out.len, 0);
	assert_int_equal(frame_put(&out, payload, FRAME_MAX, NULL), HB_OK);
	frame_feed(&r, out.data, out.len);
	assert_int_equal(frame_next(&r, &got, &len, NULL), 1);
	assert_int_equal(len, FRAME_MAX);
	frame_reader_free(&r);
	buf_free(&out);
	free(payload);
}

static void sockets(int fd[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
}

static json_object *message(const char *key, uint64_t value)
{
	json_object *o = json_object_new_object();

	js_set_u64(o, key, value);
	return o;
}

static void a_message_sent_is_the_message_received(void **state)
{
	struct frame_reader r = FRAME_READER_INIT;
	json_object *sent = message("value", UINT64_MAX), *got = NULL;
	int fd[2];

	(void)state;
	sockets(fd);
	for (int i = 0; i < 3; i++)
		assert_int_equal(frame_send(fd[0], sent, 1000, NULL), HB_OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(frame_recv(fd[1], &r, 1000, &got, NULL), HB_OK);
		assert_true(json_object_equal(sent, got));
		js_put(got);
	}
	js_put(sent);
	frame_reader_free(&r);
	close(fd[0]);
	close(fd[1]);
}

static void a_silent_side_is_a_timeout_and_what_had_come_is_kept(void **state)
{
	struct frame_reader r = FRAME_READER_INIT;
	struct buf out = BUF_INIT;
	json_object *got = NULL;
	int fd[2];

	(void)state;
	sockets(fd);
	assert_int_equal(frame_recv(fd[1], &r, 0, &got, NULL), HB_E_TIMEOUT);
	put(&out, "{\"a\":1}");
	assert_int_equal(write(fd[0], out.data, 6), 6);
	assert_int_equal(frame_recv(fd[1], &r, 20, &got, NULL), HB_E_TIMEOUT);
	assert_null(got);
	assert_int_equal(write(fd[0], out.data + 6, out.len - 6), out.len - 6);
	assert_int_equal(frame_recv(fd[1], &r, 1000, &got, NULL), HB_OK);
	js_put(got);
	buf_free(&out);
	frame_reader_free(&r);
	close(fd[0]);
	close(fd[1]);
}

static void a_side_that_closes_is_told_with_or_without_a_cut_frame(void **state)
{
	(void)state;
	for (size_t sent = 0; sent <= 6; sent += 3) {
		struct frame_reader r = FRAME_READER_INIT;
		struct hb_err err = { 0 };
		struct buf out = BUF_INIT;
		json_object *got = NULL;
		int fd[2];

		sockets(fd);
		put(&out, "{\"a\":1}");
		assert_int_equal(write(fd[0], out.data, sent), sent);
		close(fd[0]);
		assert_int_equal(frame_recv(fd[1], &r, 1000, &got, &err), HB_E_IO);
		assert_non_null(strstr(err.text, "closed"));
		assert_int_equal(strstr(err.text, "middle") != NULL, sent > 0);
		buf_free(&out);
		frame_reader_free(&r);
		close(fd[1]);
	}
}

static void writing_to_a_closed_side_is_an_error_and_no_signal(void **state)
{
	json_object *o = message("a", 1);
	int fd[2];

	(void)state;
	sockets(fd);
	close(fd[1]);
	assert_int_equal(frame_send(fd[0], o, 1000, NULL), HB_E_IO);
	close(fd[0]);
	js_put(o);
}

static void a_side_that_never_reads_is_a_timeout(void **state)
{
	json_object *o = json_object_new_object();
	char *text = hb_alloc(60000);
	int fd[2], rc = HB_OK;

	(void)state;
	memset(text, 'x', 59999);
	js_set_str(o, "text", text);
	sockets(fd);
	for (int i = 0; i < 10000 && !rc; i++)
		rc = frame_send(fd[0], o, 10, NULL);
	assert_int_equal(rc, HB_E_TIMEOUT);
	close(fd[0]);
	close(fd[1]);
	js_put(o);
	free(text);
}

static void what_is_no_json_object_is_refused(void **state)
{
	static const char *const bad[] = {
		"[1]", "3", "null", "{\"a\":1}x", "{\"a\":NaN}", "\xff"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct frame_reader r = FRAME_READER_INIT;
		struct buf out = BUF_INIT;
		json_object *got = NULL;

		put(&out, bad[i]);
		frame_feed(&r, out.data, out.len);
		assert_int_equal(frame_recv(-1, &r, 1000, &got, NULL), HB_E_FORMAT);
		assert_null(got);
		buf_free(&out);
		frame_reader_free(&r);
	}
}

static void a_descriptor_that_is_not_open_is_an_error(void **state)
{
	struct frame_reader r = FRAME_READER_INIT;
	json_object *o = message("a", 1), *got = NULL;
	int fd[2];

	(void)state;
	sockets(fd);
	close(fd[0]);
	close(fd[1]);
	assert_int_equal(frame_recv(fd[0], &r, 1000, &got, NULL), HB_E_IO);
	assert_int_equal(frame_send(fd[0], o, 1000, NULL), HB_E_IO);
	js_put(o);
	frame_reader_free(&r);
}

struct stream {
	int fd;
	int count;
};

static void *send_many(void *arg)
{
	const struct stream *s = arg;

	for (int i = 0; i < s->count; i++) {
		json_object *o = message("i", (uint64_t)i);
		char text[2000];

		memset(text, 'x', sizeof(text));
		text[i % (int)sizeof(text)] = '\0';
		text[sizeof(text) - 1] = '\0';
		js_set_str(o, "text", text);
		if (frame_send(s->fd, o, 20000, NULL))
			s = NULL;
		js_put(o);
		if (!s)
			break;
	}
	return NULL;
}

static void ignore(int signal)
{
	(void)signal;
}

/* Small socket buffers cut the frames anywhere, and signals interrupt both sides. */
static void interrupted_and_partial_transfers_lose_nothing(void **state)
{
	struct sigaction action = { .sa_handler = ignore }, before;
	struct frame_reader r = FRAME_READER_INIT;
	struct stream s = { .count = 2000 };
	int fd[2], small = 4096;
	pthread_t thread;

	(void)state;
	sockets(fd);
	assert_int_equal(setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	s.fd = fd[0];
	assert_int_equal(pthread_create(&thread, NULL, send_many, &s), 0);
	for (int i = 0; i < s.count; i++) {
		json_object *got = NULL;
		struct hb_err err = { 0 };
		uint64_t value = 0;

		if (i % 10 == 0)
			pthread_kill(thread, SIGUSR1);
		if (frame_recv(fd[1], &r, 20000, &got, &err))
			fail_msg("%s", err.text);
		const struct js_at at = JS_AT_TOP("message");
		assert_int_equal(js_get_u64(got, &at, "i", JS_REQUIRED, &value, NULL), HB_OK);
		assert_int_equal(value, i);
		js_put(got);
	}
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &before, NULL);
	frame_reader_free(&r);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_a_big_endian_length_and_its_payload),
		cmocka_unit_test(bytes_that_come_one_by_one_make_the_same_frames),
		cmocka_unit_test(two_frames_in_one_feed_come_out_one_by_one),
		cmocka_unit_test(any_cutting_gives_the_same_frames),
		cmocka_unit_test(an_empty_or_oversized_frame_is_refused),
		cmocka_unit_test(the_largest_frame_passes_and_one_byte_more_does_not),
		cmocka_unit_test(a_message_sent_is_the_message_received),
		cmocka_unit_test(a_silent_side_is_a_timeout_and_what_had_come_is_kept),
		cmocka_unit_test(a_side_that_closes_is_told_with_or_without_a_cut_frame),
		cmocka_unit_test(writing_to_a_closed_side_is_an_error_and_no_signal),
		cmocka_unit_test(a_side_that_never_reads_is_a_timeout),
		cmocka_unit_test(what_is_no_json_object_is_refused),
		cmocka_unit_test(a_descriptor_that_is_not_open_is_an_error),
		cmocka_unit_test(interrupted_and_partial_transfers_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
