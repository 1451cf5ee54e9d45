/* Whose processes these are, as the kernel sees it. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/facts/facts_parts.h"

enum { GROUPS_MAX = 64 * 1024 };

static int compare_ids(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* "Groups: 100 4 27" as "4,27,100"; the own group, which the kernel may list too, left out. */
static void tell_groups(const struct fact_sink *s, const char *list, unsigned long own)
{
	unsigned long *ids = NULL;
	struct buf text = BUF_INIT;
	size_t n = 0, cap = 0;
	char *end;

	for (unsigned long id; n < GROUPS_MAX; list = end) {
		id = strtoul(list, &end, 10);
		if (end == list)
			break;
		if (id == own)
			continue;
		hb_grow(&ids, &cap, n + 1, sizeof(*ids));
		ids[n++] = id;
	}
	if (n > 0)
		qsort(ids, n, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < n; i++)
		buf_printf(&text, "%s%lu", i ? "," : "", ids[i]);
	fact_tell(s, "", "user.groups", n ? buf_text(&text) : "none", "/proc/self/status");
	free(ids);
	buf_free(&text);
}

/* "Uid: real effective saved of-the-file-system" */
static bool effective(const char *status, const char *key, unsigned long *out)
{
	char line[FACTS_LINE], *end;

	if (!facts_keyed(status, key, line, sizeof(line)))
		return false;
	strtoul(line, &end, 10);
	*out = strtoul(end, NULL, 10);
	return end != line;
}

void facts_user(const struct fact_sink *s)
{
	static const char path[] = "/proc/self/status";
	struct buf text = BUF_INIT;
	unsigned long id, gid = 0;
	char *groups = hb_alloc(FACTS_SMALL);
	int failed = facts_file(path, FACTS_SMALL, &text);

	if (failed)
		fact_tell_errno(s, "", "user.uid", path, failed);
	if (effective(buf_text(&text), "Uid", &id))
		fact_tell_u64(s, "", "user.uid", id, path);
	if (effective(buf_text(&text), "Gid", &gid))
		fact_tell_u64(s, "", "user.gid", gid, path);
	if (facts_keyed(buf_text(&text), "Groups", groups, FACTS_SMALL))
		tell_groups(s, groups, gid);
	free(groups);
	buf_free(&text);
}
