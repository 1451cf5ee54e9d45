#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "machine_text.h"

/* Copies text with the number i for "[a-b]" or "{}". */
static void with_number(const char *text, const char *from, const char *behind, long i,
                        struct buf *out)
{
	buf_clear(out);
	while (*text) {
		bool braces = from && strncmp(text, "{}", 2) == 0;

		if (text == from || braces) {
			buf_printf(out, "%ld", i);
			text = braces ? text + 2 : behind;
		} else {
			buf_putc(out, *text++);
		}
	}
}

/* One file, folder or link. */
static void put_one(const struct machine *m, char *line, const char *content)
{
	char *space = strchr(line, ' ');
	const char *value = space ? space + 1 : NULL;
	char link[512], keep[512];

	if (space)
		*space = '\0';
	if (line[strlen(line) - 1] == '/') {
		snprintf(keep, sizeof(keep), "%s.keep", line);
		machine_put(m, keep, "");
	} else if (value && strncmp(value, "-> ", 3) == 0) {
		/* The folder that it stands in, by way of a file. */
		snprintf(keep, sizeof(keep), "%.*s/.keep", (int)(strrchr(line, '/') - line), line);
		machine_put(m, keep, "");
		snprintf(link, sizeof(link), "%s%s", m->root, line);
		assert_int_equal(symlink(value + 3, link), 0);
	} else if (value) {
		snprintf(link, sizeof(link), "%s\n", value);
		machine_put(m, line, link);
	} else {
		machine_put(m, line, content);
	}
}

static void put_all(const struct machine *m, const char *line, const char *content)
{
	const char *from = strchr(line, '['), *behind = NULL;
	const char *space = strchr(line, ' ');
	struct buf one = BUF_INIT;
	long first = 0, last = 0;
	char *end;

	if (from && space && from > space)
		from = NULL;
	if (from) {
		first = strtol(from + 1, &end, 10);
		assert_int_equal(*end, '-');
		last = strtol(end + 1, &end, 10);
		assert_int_equal(*end, ']');
		behind = end + 1;
	}
	for (long i = first; i <= last; i++) {
		with_number(line, from, behind, i, &one);
		put_one(m, one.data, content);
	}
	buf_free(&one);
}

void machine_unpack(const struct machine *m, const char *file)
{
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT, line = BUF_INIT, content = BUF_INIT;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", MACHINES, file);
	if (buf_read_file(&text, path, 1 << 20, &err) < 0)
		fail_msg("%s", err.text);
	for (const char *at = buf_text(&text); *at;) {
		size_t len = strcspn(at, "\n");

		/* An empty line within a file's content needs no tab. */
		if (*at == '\t' || len == 0) {
			buf_add(&content, at + (len > 0), len - (len > 0));
			buf_putc(&content, '\n');
		} else if (*at == '/') {
			if (line.len > 0)
				put_all(m, buf_text(&line), buf_text(&content));
			buf_clear(&line);
			buf_clear(&content);
			buf_add(&line, at, len);
		} else {
			assert_int_equal(*at, '#');
		}
		at += len + (at[len] == '\n');
	}
	if (line.len > 0)
		put_all(m, buf_text(&line), buf_text(&content));
	buf_free(&text);
	buf_free(&line);
	buf_free(&content);
}
