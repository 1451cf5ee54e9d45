/* From the first line of a file to a fact. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/facts/facts_parts.h"

void facts_yesno(const struct fact_sink *s, const char *device, const char *key, bool yes,
                 const char *source)
{
	fact_tell(s, device, key, yes ? "yes" : "no", source);
}

static void tell_times(const struct fact_sink *s, const char *device, const struct facts_row *row,
                       const char *text, uint64_t times)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text) || v > UINT64_MAX / times)
		fact_tell_errno(s, device, row->key, row->path, EINVAL);
	else
		fact_tell_u64(s, device, row->key, v * times, row->path);
}

/* The word in brackets; without brackets all of it. */
static void tell_choice(const struct fact_sink *s, const char *device, const struct facts_row *row,
                        char *text)
{
	char *open = strchr(text, '['), *end = open ? strchr(open, ']') : NULL;

	if (end)
		*end = '\0';
	fact_tell(s, device, row->key, end ? open + 1 : text, row->path);
}

static void tell_gts(const struct fact_sink *s, const char *device, const struct facts_row *row,
                     const char *text)
{
	const char *end;
	double gts;

	if (num_parse(text, &end, &gts) && gts > 0)
		fact_tell_f64(s, device, row->key, gts, row->path);
}

static void tell_line(const struct fact_sink *s, const char *device, const struct facts_row *row,
                      char *text)
{
	const char *last = strrchr(text, '\t');

	if (!last)
		last = strrchr(text, ' ');
	switch (row->how) {
	case SAY_TEXT: fact_tell(s, device, row->key, text, row->path); break;
	case SAY_NUMBER: tell_times(s, device, row, text, 1); break;
	case SAY_KILO: tell_times(s, device, row, text, 1000); break;
	case SAY_MEGA: tell_times(s, device, row, text, 1000000); break;
	case SAY_CHOICE: tell_choice(s, device, row, text); break;
	case SAY_LAST: tell_times(s, device, row, last ? last + 1 : text, 1); break;
	case SAY_COUNT:
		fact_tell_u64(s, device, row->key, facts_list_count(text), row->path);
		break;
	case SAY_LIMITED:
		if (strcmp(text, "max") == 0)
			fact_tell(s, device, row->key, "unlimited", row->path);
		else
			tell_times(s, device, row, text, 1);
		break;
	case SAY_GTS: tell_gts(s, device, row, text); break;
	}
}

void facts_say(const struct fact_sink *s, const char *device, const struct facts_row *row)
{
	char text[4 * FACTS_LINE];
	int failed = facts_line(row->path, text, sizeof(text));

	if (failed == ENOENT || failed == ENOTDIR) {
		if (row->absent == ABSENT_TOLD)
			fact_tell_errno(s, device, row->key, row->path, ENOENT);
		return;
	}
	if (failed)
		fact_tell_errno(s, device, row->key, row->path, failed);
	else if (row->how == SAY_COUNT ||
	         (*text && strcmp(text, "-1") != 0 && strncmp(text, "Unknown", 7) != 0))
		tell_line(s, device, row, text);
}

void facts_say_all(const struct fact_sink *s, const char *device, const char *folder,
                   const struct facts_row *rows)
{
	char path[FACTS_PATH];

	for (; rows->key; rows++) {
		struct facts_row row = *rows;

		snprintf(path, sizeof(path), "%s%s%s", folder, *folder ? "/" : "", rows->path);
		row.path = path;
		facts_say(s, device, &row);
	}
}

bool facts_is_pci(const char *name)
{
	static const char form[] = "xxxx:xx:xx.x";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)name[i]) : name[i] != form[i])
			return false;
	return name[i] == '\0';
}

void facts_say_pcie(const struct fact_sink *s, const char *device, const char *prefix,
                    const char *folder)
{
	static const struct facts_row rows[] = {
		{ "numa", "numa_node", SAY_NUMBER, ABSENT_SILENT },
		{ "pcie_gts", "current_link_speed", SAY_GTS, ABSENT_SILENT },
		{ "pcie_gts_max", "max_link_speed", SAY_GTS, ABSENT_SILENT },
		{ "pcie_width", "current_link_width", SAY_NUMBER, ABSENT_SILENT },
		{ "pcie_width_max", "max_link_width", SAY_NUMBER, ABSENT_SILENT },
	};
	char key[FACTS_NAME], path[FACTS_PATH], pci[FACTS_NAME];
	const char *name = strrchr(folder, '/');

	snprintf(key, sizeof(key), "%s.pci", prefix);
	if (name && facts_is_pci(name + 1))
		fact_tell(s, device, key, name + 1, folder);
	else if (facts_link(folder, pci, sizeof(pci)) == 0 && facts_is_pci(pci))
		fact_tell(s, device, key, pci, folder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct facts_row row = rows[i];

		snprintf(key, sizeof(key), "%s.%s", prefix, rows[i].key);
		snprintf(path, sizeof(path), "%s/%s", folder, rows[i].path);
		row.key = key;
		row.path = path;
		facts_say(s, device, &row);
	}
}

void facts_set_add(struct facts_set *set, const char *word)
{
	hb_grow(&set->v, &set->cap, set->n + 1, sizeof(set->v[0]));
	snprintf(set->v[set->n++], sizeof(set->v[0]), "%.*s", FACTS_LINE - 1, word);
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(a, b);
}

void facts_set_put(struct facts_set *set, struct buf *out)
{
	if (set->n)
		qsort(set->v, set->n, sizeof(set->v[0]), compare_words);
	for (size_t i = 0; i < set->n; i++)
		if (i == 0 || strcmp(set->v[i], set->v[i - 1]) != 0)
			buf_printf(out, "%s%s", i ? "," : "", set->v[i]);
	free(set->v);
	*set = (struct facts_set){ NULL, 0, 0 };
}
