#include "bench/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line, whatever the text came from: control characters would break a log or a terminal. */
static void one_line(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == 0x7f)
			*text = ' ';
	}
}

/* Cuts an incomplete UTF-8 sequence off the end, where the buffer was too short. */
static void whole_characters(char *text, size_t len)
{
	size_t start = len;
	while (start > 0 && len - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0)
		return;
	unsigned char lead = (unsigned char)text[start - 1];
	size_t want = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
	if (lead >= 0xc0 && len - start < want)
		text[start - 1] = '\0';
}

static void put(struct hb_err *err, size_t at, const char *fmt, va_list ap) HB_PRINTF(3, 0);

/* Writes at offset at of err's text, cut to what fits. */
static void put(struct hb_err *err, size_t at, const char *fmt, va_list ap)
{
	size_t room = sizeof(err->text) - at;
	int n = vsnprintf(err->text + at, room, fmt, ap);
	if (n < 0)
		err->text[at] = '\0';
	else if ((size_t)n >= room)
		whole_characters(err->text, sizeof(err->text) - 1);
	one_line(err->text + at);
}

int hb_fail(struct hb_err *err, enum hb_status code, const char *fmt, ...)
{
	if (err) {
		/* The arguments may point into err->text, so write beside it first. */
		struct hb_err made = { .code = code };
		va_list ap;
		va_start(ap, fmt);
		put(&made, 0, fmt, ap);
		va_end(ap);
		*err = made;
	}
	return code;
}

int hb_fail_in(struct hb_err *err, const char *fmt, ...)
{
	if (!err)
		return HB_E_IO;
	struct hb_err made = { .code = err->code };
	va_list ap;
	va_start(ap, fmt);
	put(&made, 0, fmt, ap);
	va_end(ap);
	size_t len = strlen(made.text);
	int n = snprintf(made.text + len, sizeof(made.text) - len, ": %s", err->text);
	if (n >= 0 && (size_t)n >= sizeof(made.text) - len)
		whole_characters(made.text, sizeof(made.text) - 1);
	*err = made;
	return err->code;
}

int hb_exit_of(int status)
{
	switch (status) {
	case HB_OK: return HB_EXIT_OK;
	case HB_E_USAGE: return HB_EXIT_USAGE;
	case HB_E_UNSUPPORTED: return HB_EXIT_SKIPPED;
	default: return HB_EXIT_BROKEN;
	}
}
