/* UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef HPCBENCH_BASE_UTF8_H
#define HPCBENCH_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character at p (p < end), or 0 if it is not well formed or cut off by end. */
static inline size_t utf8_len(const unsigned char *p, const unsigned char *end)
{
	unsigned char lead = p[0], low = 0x80, high = 0xbf;
	size_t n = 0;
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		n = 2;
	else if ((lead & 0xf0) == 0xe0)
		n = 3;
	else if (lead >= 0xf0 && lead <= 0xf4)
		n = 4;
	if (n == 0 || (size_t)(end - p) < n)
		return 0;
	if (lead == 0xe0)
		low = 0xa0;
	else if (lead == 0xed)
		high = 0x9f;
	else if (lead == 0xf0)
		low = 0x90;
	else if (lead == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

#endif
