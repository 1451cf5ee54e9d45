#include <stdint.h>

#include "bench/base/mem.h"
#include "reports/doc.h"

/* Decodes one UTF-8 character; returns its length, or 0 where the bytes are not UTF-8. */
static size_t decode(const unsigned char *s, uint32_t *out)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80             ? 1
	           : (s[0] & 0xe0) == 0xc0 ? 2
	           : (s[0] & 0xf0) == 0xe0 ? 3
	           : (s[0] & 0xf8) == 0xf0 ? 4
	                                   : 0;
	if (n <= 1) {
		*out = s[0];
		return n;
	}
	uint32_t c = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also the terminating NUL */
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return n;
}

struct range {
	uint32_t first, last;
};

static int in_ranges(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return 1;
	return 0;
}
#define IN(c, ranges) in_ranges((c), (ranges), sizeof(ranges) / sizeof *(ranges))

/* What a reader cannot see or what moves other text: controls, direction, joiners, tags. */
static const struct range unsafe[] = { { 0x00, 0x1f },     { 0x7f, 0x9f },       { 0xad, 0xad },
	                               { 0x61c, 0x61c },   { 0x180b, 0x180f },   { 0x200b, 0x200f },
	                               { 0x2028, 0x202e }, { 0x2060, 0x206f },   { 0xfe00, 0xfe0f },
	                               { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb },   { 0xd800, 0xdfff },
	                               { 0xe000, 0xf8ff }, { 0xe0000, 0x10ffff } };
static const struct range zero_width[] = { { 0x300, 0x36f },
	                                   { 0x1ab0, 0x1aff },
	                                   { 0x1dc0, 0x1dff },
	                                   { 0x20d0, 0x20ff },
	                                   { 0xfe20, 0xfe2f } };
static const struct range double_width[] = { { 0x1100, 0x115f },  { 0x2e80, 0xa4cf },
	                                     { 0xac00, 0xd7a3 },  { 0xf900, 0xfaff },
	                                     { 0xfe30, 0xfe6f },  { 0xff00, 0xff60 },
	                                     { 0xffe0, 0xffe6 },  { 0x1f300, 0x1faff },
	                                     { 0x20000, 0x3fffd } };

void doc_clean(const char *text, struct buf *out)
{
	const unsigned char *s = (const unsigned char *)text;
	int marks = 0; /* stacked accents can cover the lines around: a few are enough for names */
	while (*s) {
		uint32_t c = 0;
		size_t n = decode(s, &c);
		if (n == 0) {
			buf_printf(out, "\\x%02x", (unsigned)*s++);
			continue;
		}
		marks = IN(c, zero_width) ? marks + 1 : 0;
		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '\t')
			buf_puts(out, "\\t");
		else if (c < 0x80 && IN(c, unsafe))
			buf_printf(out, "\\x%02x", (unsigned)c);
		else if (marks > 2 || IN(c, unsafe))
			buf_printf(out, "\\u{%x}", (unsigned)c);
		else
			buf_add(out, s, n);
		s += n;
	}
}

/* Columns of the character at *s, which moves behind it. */
static size_t take_width(const unsigned char **s)
{
	uint32_t c = 0;
	size_t n = decode(*s, &c);
	if (n == 0)
		c = '?';
	*s += n ? n : 1;
	return IN(c, zero_width) ? 0 : IN(c, double_width) ? 2 : 1;
}

size_t doc_width(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t width = 0;
	while (*s)
		width += take_width(&s);
	return width;
}

/* Bytes of the whole characters at the beginning that take at most max columns. */
static size_t fitting(const char *text, size_t max)
{
	const unsigned char *s = (const unsigned char *)text, *next = s;
	size_t width = 0;
	while (*s && (width += take_width(&next)) <= max)
		s = next;
	return (size_t)(s - (const unsigned char *)text);
}

char *doc_clip(const char *text, size_t max)
{
	struct buf clean = BUF_INIT;
	doc_clean(text, &clean);
	if (clean.len && fitting(clean.data, max) < clean.len) {
		clean.len = fitting(clean.data, max - 3);
		clean.data[clean.len] = '\0';
		buf_puts(&clean, "...");
	}
	return clean.data ? buf_detach(&clean) : hb_strdup("");
}
