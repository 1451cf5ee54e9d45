/* Suites as the command line chooses them: of named benchmarks, fewer of them, other sizes. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/names.h"
#include "harness/plan/suite_parts.h"

static int unknown_bench(const char *name, struct hb_err *err)
{
	const char *near = catalog_nearest(name);
	if (near)
		return hb_fail(err, HB_E_USAGE, "no benchmark '%.80s'; did you mean '%s'?", name,
		               near);
	return hb_fail(err, HB_E_USAGE, "no benchmark '%.80s'; `hpcbench list benches` shows all",
	               name);
}

static int add_bench(const char *name, void *arg, struct hb_err *err)
{
	struct suite *s = arg;
	const struct bench_info *info = catalog_find(name);
	if (!info)
		return unknown_bench(name, err);
	for (size_t i = 0; i < s->n_entries; i++)
		if (s->entries[i].info == info)
			return hb_fail(err, HB_E_USAGE, "benchmark %s is named twice", name);
	if (s->n_entries == SUITE_ENTRIES_MAX)
		return hb_fail(err, HB_E_USAGE, "more than %d benchmarks", SUITE_ENTRIES_MAX);
	s->entries = hb_realloc_array(s->entries, s->n_entries + 1, sizeof(*s->entries));
	suite_entry_init(&s->entries[s->n_entries++], info);
	return HB_OK;
}

int suite_of_benches(const char *list, struct suite *out, struct hb_err *err)
{
	memset(out, 0, sizeof(*out));
	out->name = hb_strdup("benches");
	out->summary = hb_format("chosen benchmarks: %s", list);
	out->path = hb_strdup("--bench");
	out->rounds = 5;
	out->shape = -1;
	suite_disturbed_init(&out->disturbed);
	int rc = names_each("--bench", list, add_bench, out, err);
	if (rc != HB_OK)
		suite_free(out);
	return rc;
}

size_t suite_nodes_min(const struct suite *s)
{
	for (size_t i = 0; i < s->n_entries; i++)
		if (s->entries[i].info->shape != BENCH_LOCAL)
			return 2;
	return 1;
}

struct wanted {
	struct suite *s;
	bool keep[SUITE_ENTRIES_MAX];
};

static int want_bench(const char *name, void *arg, struct hb_err *err)
{
	struct wanted *w = arg;
	const struct bench_info *info = catalog_find(name);
	bool found = false;
	if (!info)
		return unknown_bench(name, err);
	for (size_t i = 0; i < w->s->n_entries; i++) {
		if (w->s->entries[i].info == info)
			found = w->keep[i] = true;
	}
	return found ? HB_OK
	             : hb_fail(err, HB_E_USAGE, "suite %s does not measure %s", w->s->name, name);
}

static int keep_benches(struct suite *s, const char *benches, struct hb_err *err)
{
	struct wanted w = { s, { false } };
	size_t n = 0;
	int rc = names_each("--bench", benches, want_bench, &w, err);
	if (rc != HB_OK)
		return rc;
	for (size_t i = 0; i < s->n_entries; i++) {
		if (w.keep[i])
			s->entries[n++] = s->entries[i];
		else
			suite_entry_free(&s->entries[i]);
	}
	s->n_entries = n;
	return HB_OK;
}

static char **sizes_of(const struct suite_entry *e)
{
	const struct opt *row = info_sizes(e->info);
	return row ? (char **)(void *)((char *)e->opts + row->offset) : NULL;
}

/* Gives the sizes to an entry that can take all of them; one that cannot keeps its own. */
static int set_sizes(struct suite_entry *e, const char *sizes, struct hb_err *err)
{
	char **text = sizes_of(e), *before = text ? hb_strdup(*text) : NULL;
	struct case_list cases;
	int rc = opt_set(e->info->opts, e->opts, "sizes", sizes, err);
	if (rc == HB_OK) {
		rc = e->info->cases(e->info, e->opts, &cases, err);
		if (rc == HB_OK)
			case_list_free(&cases);
		if (rc != HB_OK && before)
			(void)opt_set(e->info->opts, e->opts, "sizes", before, NULL);
	}
	free(before);
	return rc;
}

/* Where some entries take the sizes and others cannot, that is a note; if none can, an error. */
static int override_sizes(struct suite *s, const char *sizes, struct hb_err *err)
{
	struct hb_err first = { HB_OK, "" }, why;
	struct buf kept = BUF_INIT;
	size_t taken = 0, asked = 0;
	for (size_t i = 0; i < s->n_entries; i++) {
		struct suite_entry *e = &s->entries[i];
		if (!info_sizes(e->info))
			continue;
		asked++;
		int rc = set_sizes(e, sizes, &why);
		taken += rc == HB_OK;
		if (rc == HB_OK)
			continue;
		if (!kept.len)
			first = why;
		buf_printf(&kept, "%s%s", kept.len ? ", " : "", e->info->name);
	}
	free(s->note);
	s->note = NULL;
	if (kept.len && taken)
		s->note = hb_format("%s keep%s the suite's sizes: %s", buf_text(&kept),
		                    asked - taken == 1 ? "s" : "", first.text);
	buf_free(&kept);
	if (s->n_entries && !asked)
		return hb_fail(err, HB_E_USAGE,
		               "--sizes: nothing that is to be measured has a size");
	return taken || !s->n_entries
	               ? HB_OK
	               : hb_fail(err, HB_E_USAGE, "--sizes %.120s: %s", sizes, first.text);
}

int suite_override(struct suite *s, const char *benches, const char *sizes, double precision,
                   double max_time_s, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(s->path), arr = js_at_key(&top, "benches");
	int rc = benches ? keep_benches(s, benches, err) : HB_OK;
	if (rc == HB_OK && sizes)
		rc = override_sizes(s, sizes, err);
	for (size_t i = 0; rc == HB_OK && i < s->n_entries; i++) {
		struct suite_entry *e = &s->entries[i];
		struct js_at here = js_at_index(&arr, i);
		if (precision > 0)
			e->precision = precision;
		if (max_time_s > 0)
			e->max_time_s = max_time_s;
		if (e->deadline_s < 2 * e->max_time_s) /* a longer case needs a later deadline */
			e->deadline_s = 2 * e->max_time_s;
		rc = suite_entry_check(e, &here, err);
	}
	/* These words came from the command line. */
	if (rc == HB_E_FORMAT)
		return hb_fail_in(err, "--precision or --max-time");
	rc = rc == HB_OK ? suite_refuse_repeats(s, s->path, err) : rc;
	return rc == HB_E_FORMAT ? hb_fail_in(err, "--sizes") : rc;
}
