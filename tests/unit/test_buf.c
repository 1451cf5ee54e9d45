/* Buffers, and what they stand on: errors and memory. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/base/mem.h"

/* ---- errors ---- */

static void a_failure_returns_its_code_and_fills_the_text(void **state)
{
	(void)state;
	struct hb_err err;
	assert_int_equal(hb_fail(&err, HB_E_IO, "cannot open %s", "x"), HB_E_IO);
	assert_int_equal(err.code, HB_E_IO);
	assert_string_equal(err.text, "cannot open x");
	assert_int_equal(hb_fail(NULL, HB_E_LIB, "nobody listens"), HB_E_LIB);
}

static void a_prefix_goes_in_front_and_keeps_the_code(void **state)
{
	(void)state;
	struct hb_err err;
	hb_fail(&err, HB_E_FORMAT, "wrong");
	assert_int_equal(hb_fail_in(&err, "%s:%d", "file", 3), HB_E_FORMAT);
	assert_string_equal(err.text, "file:3: wrong");
	assert_true(hb_fail_in(NULL, "x") < 0);
}

static void the_old_text_may_be_an_argument_of_the_new_one(void **state)
{
	(void)state;
	struct hb_err err;
	hb_fail(&err, HB_E_IO, "inner");
	hb_fail(&err, HB_E_LIB, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
}

static void an_error_is_always_one_line(void **state)
{
	(void)state;
	struct hb_err err;
	hb_fail(&err, HB_E_FORMAT, "a\nb\tc\x1b[31m%s", "\r\n");
	assert_string_equal(err.text, "a b c [31m  ");
	hb_fail_in(&err, "p\nq");
	assert_string_equal(err.text, "p q: a b c [31m  ");
}

static void a_text_that_is_too_long_is_cut_between_characters(void **state)
{
	(void)state;
	struct hb_err err;
	for (size_t shift = 0; shift < 4; shift++) {
		struct buf b = BUF_INIT;
		buf_pad(&b, 'x', shift);
		for (int i = 0; i < 400; i++)
			buf_puts(&b, "\xe2\x82\xac");
		hb_fail(&err, HB_E_FORMAT, "%s", buf_text(&b));
		size_t len = strlen(err.text);
		assert_true(len < sizeof(err.text) && len > sizeof(err.text) - 5);
		assert_int_equal((len - shift) % 3, 0);
		hb_fail_in(&err, "%s", buf_text(&b));
		assert_true(strlen(err.text) < sizeof(err.text));
		buf_free(&b);
	}
}

static void helper_exit_statuses_follow_the_kind_of_failure(void **state)
{
	(void)state;
	assert_int_equal(hb_exit_of(HB_OK), 0);
	assert_int_equal(hb_exit_of(HB_E_USAGE), 64);
	assert_int_equal(hb_exit_of(HB_E_UNSUPPORTED), 77);
	assert_int_equal(hb_exit_of(HB_E_LIB), 70);
	assert_int_equal(hb_exit_of(HB_E_IO), 70);
}

/* ---- memory ---- */

static void allocated_memory_is_zeroed_and_never_null(void **state)
{
	(void)state;
	unsigned char *p = hb_alloc(1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(p[i], 0);
	free(p);
	p = hb_alloc(0);
	assert_non_null(p);
	free(p);
}

static void strings_are_copied_and_formatted(void **state)
{
	(void)state;
	char *a = hb_strdup("abc"), *b = hb_strndup("abcdef", 4), *c = hb_strndup("ab", 40);
	char *d = hb_format("%s-%d-%s", a, 7, b);
	assert_string_equal(a, "abc");
	assert_string_equal(b, "abcd");
	assert_string_equal(c, "ab");
	assert_string_equal(d, "abc-7-abcd");
	assert_null(hb_strdup(NULL));
	assert_null(hb_strndup(NULL, 3));
	free(a);
	free(b);
	free(c);
	free(d);
}

static void growing_keeps_what_is_there(void **state)
{
	(void)state;
	uint32_t *v = NULL;
	size_t cap = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		hb_grow(&v, &cap, i + 1, sizeof(*v));
		assert_true(cap > i);
		v[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	size_t before = cap;
	hb_grow(&v, &cap, 10, sizeof(*v));
	assert_int_equal(cap, before);
	free(v);
}

static void ask_for_more_than_there_is(int how)
{
	size_t cap = 0;
	void *p = NULL;
	if (how == 0)
		p = hb_realloc_array(NULL, SIZE_MAX / 2, 4);
	else if (how == 1)
		hb_grow(&p, &cap, SIZE_MAX - 1, 1);
	else
		p = hb_realloc_array(NULL, SIZE_MAX, 1);
	free(p);
}

static void a_size_that_overflows_ends_the_process_with_70_and_a_line(void **state)
{
	(void)state;
	for (int how = 0; how < 3; how++) {
		int fds[2], status;
		char text[200];
		assert_int_equal(pipe(fds), 0);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			dup2(fds[1], STDERR_FILENO);
			ask_for_more_than_there_is(how);
			_exit(0);
		}
		close(fds[1]);
		ssize_t n = read(fds[0], text, sizeof(text) - 1);
		close(fds[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), HB_EXIT_BROKEN);
		assert_true(n > 0);
		text[n] = '\0';
		assert_non_null(strstr(text, "out of memory"));
	}
}

/* ---- buffers ---- */

static void an_empty_buffer_reads_as_empty_text(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	assert_string_equal(buf_text(&b), "");
	buf_drop(&b, 10);
	buf_clear(&b);
	char *s = buf_detach(&b);
	assert_string_equal(s, "");
	free(s);
	buf_free(&b);
}

static void added_pieces_stand_one_behind_the_other(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	buf_puts(&b, "ab");
	buf_putc(&b, 'c');
	buf_add(&b, "d\0e", 3);
	buf_pad(&b, '.', 3);
	buf_pad(&b, '!', 0);
	buf_add(&b, NULL, 0);
	buf_printf(&b, "%d", 42);
	assert_int_equal(b.len, 11);
	assert_memory_equal(b.data, "abcd\0e...42", 12);
	buf_free(&b);
	assert_int_equal(b.len, 0);
}

static void printed_text_of_any_length_fits(void **state)
{
	(void)state;
	char *word = hb_alloc(5001);
	memset(word, 'w', 5000);
	for (int n = 0; n < 5000; n += n < 300 ? 1 : 777) {
		struct buf b = BUF_INIT;
		buf_puts(&b, "<");
		buf_printf(&b, "%.*s>", n, word);
		assert_int_equal(b.len, (size_t)n + 2);
		assert_int_equal(b.data[n + 1], '>');
		assert_int_equal(strlen(b.data), b.len);
		buf_free(&b);
	}
	free(word);
}

static void dropping_takes_from_the_front(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	buf_puts(&b, "hello world");
	buf_drop(&b, 6);
	assert_string_equal(buf_text(&b), "world");
	buf_drop(&b, 0);
	assert_string_equal(buf_text(&b), "world");
	buf_drop(&b, 1000);
	assert_string_equal(buf_text(&b), "");
	buf_free(&b);
}

static void clearing_keeps_the_memory_and_detaching_gives_it_away(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	buf_pad(&b, 'x', 500);
	size_t cap = b.cap;
	buf_clear(&b);
	assert_int_equal(b.cap, cap);
	assert_string_equal(buf_text(&b), "");
	buf_puts(&b, "mine");
	char *s = buf_detach(&b);
	assert_string_equal(s, "mine");
	assert_int_equal(b.cap, 0);
	assert_string_equal(buf_text(&b), "");
	free(s);
}

/* ---- files ---- */

static char *write_file(const char *data, size_t len)
{
	char *path = hb_strdup("/tmp/hpcbench-test-buf-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
	return path;
}

static void a_file_is_read_behind_what_is_there_with_its_nul_bytes(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct hb_err err;
	char *path = write_file("ab\0cd", 5);
	buf_puts(&b, "> ");
	assert_int_equal(buf_read_file(&b, path, 100, &err), HB_OK);
	assert_int_equal(b.len, 7);
	assert_memory_equal(b.data, "> ab\0cd", 8);
	unlink(path);
	free(path);
	buf_free(&b);
}

static void a_file_may_have_exactly_the_limit_and_not_a_byte_more(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct hb_err err;
	char *path = write_file("12345", 5);
	assert_int_equal(buf_read_file(&b, path, 5, &err), HB_OK);
	assert_string_equal(buf_text(&b), "12345");
	buf_clear(&b);
	assert_int_equal(buf_read_file(&b, path, 4, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "larger"));
	assert_string_equal(buf_text(&b), "");
	unlink(path);
	free(path);
	buf_free(&b);
}

static void what_never_ends_or_blocks_is_refused(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct hb_err err;
	char *path = hb_format("/tmp/hpcbench-fifo-%d", (int)getpid());
	assert_int_equal(buf_read_file(&b, "/dev/zero", 1000000, &err), HB_E_IO);
	assert_string_equal(err.text, "cannot read /dev/zero: not a regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(buf_read_file(&b, path, 1000000, &err), HB_E_IO);
	unlink(path);
	free(path);
	assert_int_equal(b.len, 0);
	buf_free(&b);
}

static void files_that_cannot_be_read_are_named(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct hb_err err;
	assert_int_equal(buf_read_file(&b, "/nonexistent/x", 10, &err), HB_E_IO);
	assert_string_equal(err.text, "cannot open /nonexistent/x: No such file or directory");
	assert_int_equal(buf_read_file(&b, "/", 10, &err), HB_E_IO);
	assert_string_equal(err.text, "cannot read /: Is a directory");
	assert_int_equal(b.len, 0);
	buf_free(&b);
}

static void a_large_file_comes_back_whole(void **state)
{
	(void)state;
	struct buf in = BUF_INIT, out = BUF_INIT;
	struct hb_err err;
	for (int i = 0; i < 100000; i++)
		buf_printf(&in, "%d ", i);
	char *path = write_file(in.data, in.len);
	assert_int_equal(buf_read_file(&out, path, 1 << 30, &err), HB_OK);
	assert_int_equal(out.len, in.len);
	assert_memory_equal(out.data, in.data, in.len + 1);
	unlink(path);
	free(path);
	buf_free(&in);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_returns_its_code_and_fills_the_text),
		cmocka_unit_test(a_prefix_goes_in_front_and_keeps_the_code),
		cmocka_unit_test(the_old_text_may_be_an_argument_of_the_new_one),
		cmocka_unit_test(an_error_is_always_one_line),
		cmocka_unit_test(a_text_that_is_too_long_is_cut_between_characters),
		cmocka_unit_test(helper_exit_statuses_follow_the_kind_of_failure),
		cmocka_unit_test(allocated_memory_is_zeroed_and_never_null),
		cmocka_unit_test(strings_are_copied_and_formatted),
		cmocka_unit_test(growing_keeps_what_is_there),
		cmocka_unit_test(a_size_that_overflows_ends_the_process_with_70_and_a_line),
		cmocka_unit_test(an_empty_buffer_reads_as_empty_text),
		cmocka_unit_test(added_pieces_stand_one_behind_the_other),
		cmocka_unit_test(printed_text_of_any_length_fits),
		cmocka_unit_test(dropping_takes_from_the_front),
		cmocka_unit_test(clearing_keeps_the_memory_and_detaching_gives_it_away),
		cmocka_unit_test(a_file_is_read_behind_what_is_there_with_its_nul_bytes),
		cmocka_unit_test(a_file_may_have_exactly_the_limit_and_not_a_byte_more),
		cmocka_unit_test(what_never_ends_or_blocks_is_refused),
		cmocka_unit_test(files_that_cannot_be_read_are_named),
		cmocka_unit_test(a_large_file_comes_back_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
