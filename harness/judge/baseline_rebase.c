/* What a baseline leaves out, and how it differs from the one whose place it takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/judge/compare_rows.h"

const char *baseline_excluded(const struct baseline *b, const char *subject)
{
	json_object *why = NULL;

	if (!b->excluded || !json_object_object_get_ex(b->excluded, subject, &why))
		return NULL;
	return why ? json_object_get_string(why) : "";
}

/* The entry of from that stands for e: its key, else the only one of other hardware. */
static const struct base_entry *match(const struct baseline *from, const struct base_entry *e,
                                      bool *other_hw)
{
	size_t i = baseline_find_near(from, e->key.text, e->kind, 0);
	const struct base_entry *only = NULL;

	*other_hw = false;
	if (i != SIZE_MAX)
		return &from->entries[i];
	for (i = 0; i < from->n_entries; i++) {
		const struct base_entry *old = &from->entries[i];

		if (old->kind != e->kind || strcmp(old->key.class_, e->key.class_) != 0 ||
		    !compare_same_but_class(&old->key, &e->key))
			continue;
		if (only)
			return NULL; /* of several nobody knows which */
		only = old;
	}
	*other_hw = only != NULL;
	return only;
}

/* The median over the subjects' medians, y; NaN: nobody has a figure. */
static double middle(const struct base_entry *e)
{
	double *v = hb_alloc((e->n_series + 1) * sizeof(*v)), median;
	size_t n = 0;

	for (size_t k = 0; k < e->n_series; k++)
		if (e->series[k].n > 0)
			v[n++] = e->series[k].median;
	median = stat_median(v, n);
	free(v);
	return median;
}

/* One benchmark's logs of ratios while they are gathered. */
struct gathering {
	struct base_ratio *v;
	double **logs;
	size_t n, cap, cap_logs;
};

/* Where the entry's benchmark and metric are counted, from now on at the latest. */
static size_t place_of(struct gathering *g, const struct base_entry *e)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->v[i].bench, e->key.bench) == 0 &&
		    strcmp(g->v[i].metric, e->key.metric) == 0)
			return i;
	hb_grow(&g->v, &g->cap, g->n + 1, sizeof(*g->v));
	hb_grow(&g->logs, &g->cap_logs, g->n + 1, sizeof(*g->logs));
	g->logs[g->n] = NULL;
	g->v[g->n] = (struct base_ratio){ .bench = e->key.bench,
		                          .metric = e->key.metric,
		                          .higher_is_better = e->higher_is_better,
		                          .median = NAN,
		                          .min = NAN,
		                          .max = NAN };
	return g->n++;
}

static void finish(struct base_ratio *r, double *logs)
{
	if (r->keys) {
		r->median = exp(stat_median(logs, r->keys));
		stat_sort(logs, r->keys);
		r->min = exp(logs[0]);
		r->max = exp(logs[r->keys - 1]);
	}
	free(logs);
}

size_t baseline_ratios(const struct baseline *from, const struct baseline *to,
                       struct base_ratio **out)
{
	struct gathering g = { 0 };
	unsigned char *used = hb_alloc(from->n_entries + 1);

	for (size_t i = 0; i < to->n_entries; i++) {
		const struct base_entry *e = &to->entries[i];
		size_t at = place_of(&g, e);
		bool other_hw;
		const struct base_entry *old = match(from, e, &other_hw);
		struct base_ratio *r = &g.v[at];

		double was = old ? middle(old) : NAN, is = middle(e);
		if (!isfinite(was) || !isfinite(is)) {
			r->only_new++;
			continue;
		}
		used[old - from->entries] = 1;
		g.logs[at] = hb_realloc_array(g.logs[at], r->keys + 1, sizeof(**g.logs));
		g.logs[at][r->keys++] = (is - was) * (e->higher_is_better ? 1.0 : -1.0);
		r->other_hw += other_hw;
	}
	for (size_t i = 0; i < from->n_entries; i++) {
		size_t at = used[i] ? SIZE_MAX : place_of(&g, &from->entries[i]);
		if (g.v && at < g.n)
			g.v[at].only_old++;
	}
	for (size_t i = 0; g.v && i < g.n; i++)
		finish(&g.v[i], g.logs[i]);
	free(g.logs);
	free(used);
	*out = g.v;
	return g.n;
}

json_object *baseline_ratios_to_json(const struct base_ratio *v, size_t n)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_new_object();

		js_set_str(o, "bench", v[i].bench);
		js_set_str(o, "metric", v[i].metric);
		js_set_str(o, "better", v[i].higher_is_better ? "higher" : "lower");
		js_set_u64(o, "keys", v[i].keys);
		js_set_u64(o, "other_hw", v[i].other_hw);
		js_set_u64(o, "only_old", v[i].only_old);
		js_set_u64(o, "only_new", v[i].only_new);
		js_set_f64(o, "median", v[i].median);
		js_set_f64(o, "min", v[i].min);
		js_set_f64(o, "max", v[i].max);
		json_object_array_add(list, o);
	}
	return list;
}
