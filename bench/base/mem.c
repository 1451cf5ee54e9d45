#include "bench/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void hb_out_of_memory(void)
{
	static const char text[] = "hpcbench: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)n; /* nothing is left to be done about it */
	_exit(HB_EXIT_BROKEN);
}

void *hb_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);
	if (!p)
		hb_out_of_memory();
	return p;
}

void *hb_realloc_array(void *p, size_t n, size_t size)
{
	if (size && n > PTRDIFF_MAX / size)
		hb_out_of_memory();
	size_t bytes = n * size;
	void *q = realloc(p, bytes ? bytes : 1);
	if (!q)
		hb_out_of_memory();
	return q;
}

char *hb_strdup(const char *s)
{
	return s ? hb_strndup(s, strlen(s)) : NULL;
}

char *hb_strndup(const char *s, size_t n)
{
	if (!s)
		return NULL;
	size_t len = strnlen(s, n);
	char *copy = hb_alloc(len + 1);
	memcpy(copy, s, len);
	return copy;
}

char *hb_format(const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	size_t len = n > 0 ? (size_t)n : 0;
	char *s = hb_alloc(len + 1);
	if (len)
		vsnprintf(s, len + 1, fmt, again);
	va_end(again);
	return s;
}

void hb_grow(void *items_p, size_t *cap, size_t need, size_t item_size)
{
	if (need <= *cap)
		return;
	size_t grown = *cap < 8 ? 8 : *cap;
	while (grown < need) {
		if (grown > SIZE_MAX / 2)
			hb_out_of_memory();
		grown *= 2;
	}
	/* Through memcpy: items_p is the address of a pointer of any type. */
	void *items;
	memcpy(&items, items_p, sizeof(items));
	items = hb_realloc_array(items, grown, item_size);
	memcpy(items_p, &items, sizeof(items));
	*cap = grown;
}
