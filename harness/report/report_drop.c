/* Which names of what is missing say something of their own. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/report/report_parts.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool stands_in(const char *const *sorted, size_t n, const char *name, size_t len)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strncmp(sorted[mid], name, len);
		if (c == 0 && sorted[mid][len] == '\0')
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* "n3-n4" says nothing more where n3 or n4 is named itself. A name may have a '-' of its own. */
static bool end_is_named(const char *pair, const char *const *sorted, size_t n)
{
	for (const char *at = strpbrk(pair, "->"); at; at = strpbrk(at + 1, "->"))
		if (stands_in(sorted, n, pair, (size_t)(at - pair)) ||
		    stands_in(sorted, n, at + 1, strlen(at + 1)))
			return true;
	return false;
}

void report_drop_pairs(struct report_lost *l)
{
	const char **sorted = hb_alloc((l->n + 1) * sizeof(const char *));
	size_t kept = 0;
	if (l->n > 0) {
		memcpy(sorted, l->names, l->n * sizeof(const char *));
		qsort(sorted, l->n, sizeof(const char *), by_name);
	}
	for (size_t i = 0; i < l->n; i++)
		if (!end_is_named(l->names[i], sorted, l->n))
			l->names[kept++] = l->names[i];
	l->n = kept;
	free(sorted);
}
