#include "harness/judge/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"

size_t baseline_find_near(const struct baseline *b, const char *key_text, enum subject_kind kind,
                          size_t start)
{
	for (size_t k = 0; k < b->n_entries; k++) {
		size_t i = (start + k) % b->n_entries;

		if (b->entries[i].kind == kind && strcmp(b->entries[i].key.text, key_text) == 0)
			return i;
	}
	return SIZE_MAX;
}

size_t baseline_series_near(const struct base_entry *e, const char *subject, size_t start)
{
	for (size_t k = 0; k < e->n_series; k++) {
		size_t i = (start + k) % e->n_series;

		if (strcmp(e->series[i].subject, subject) == 0)
			return i;
	}
	return SIZE_MAX;
}

const struct base_series *baseline_series(const struct base_entry *e, const char *subject)
{
	size_t i = baseline_series_near(e, subject, 0);

	return i == SIZE_MAX ? NULL : &e->series[i];
}

static size_t add_entry(struct baseline *b, const struct summary_row *r)
{
	struct base_entry *e;

	hb_grow(&b->entries, &b->cap_entries, b->n_entries + 1, sizeof(*e));
	e = &b->entries[b->n_entries];
	memset(e, 0, sizeof(*e));
	key_copy(&r->key, &e->key);
	e->kind = r->kind;
	e->unit = r->unit;
	e->higher_is_better = r->higher_is_better;
	return b->n_entries++;
}

static size_t add_series(const struct baseline *b, struct base_entry *e, const char *subject)
{
	struct base_series *s;

	hb_grow(&e->series, &e->cap_series, e->n_series + 1, sizeof(*s));
	s = &e->series[e->n_series];
	memset(s, 0, sizeof(*s));
	s->subject = hb_strdup(subject);
	s->y = hb_realloc_array(NULL, b->n_runs, sizeof(*s->y));
	for (size_t t = 0; t < b->n_runs; t++)
		s->y[t] = NAN;
	return e->n_series++;
}

static void set_hw(struct base_series *s, json_object *hw)
{
	json_object *v = NULL;

	if (hw && json_object_object_get_ex(hw, s->subject, &v) && v) {
		free(s->hw);
		s->hw = hb_strdup(json_object_get_string(v));
	}
}

static bool counts(const struct summary_row *r)
{
	return r->judged && r->quality == ROW_OK && isfinite(r->value) && r->value > 0.0;
}

/* Fills column t of the series from a run whose rows mostly come in the order of the entries. */
static void add_rows(struct baseline *b, const struct summary *run, size_t t)
{
	size_t e = 0, s = 0;

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct summary_row *r = &run->rows[i];
		struct base_entry *entry;

		if (!counts(r))
			continue;
		e = baseline_find_near(b, r->key.text, r->kind, e);
		if (e == SIZE_MAX)
			e = add_entry(b, r);
		entry = &b->entries[e];
		entry->floor = r->floor;
		entry->tolerance = r->tolerance;
		s = baseline_series_near(entry, r->subject, s);
		if (s == SIZE_MAX)
			s = add_series(b, entry, r->subject);
		entry->series[s].y[t] = summary_y(r);
		if (r->pairs == 0 && r->kind == SUBJECT_NODE && r->spread > entry->series[s].within)
			entry->series[s].within = r->spread;
		set_hw(&entry->series[s], run->hw);
		/* The next row is either the next subject or the next key. */
		s = s + 1 < entry->n_series ? s + 1 : 0;
	}
}

static bool holds_run(const struct baseline *b, const char *run)
{
	for (size_t t = 0; t < b->n_runs; t++)
		if (strcmp(b->runs[t], run) == 0)
			return true;
	return false;
}

static const char *run_id(const struct summary *s)
{
	return s->run ? s->run : "";
}

/* Adds the run's id and an empty column to every series. */
static size_t add_run(struct baseline *b, const struct summary *s)
{
	size_t t = b->n_runs++;

	b->runs = hb_realloc_array(b->runs, b->n_runs, sizeof(*b->runs));
	b->runs[t] = hb_strdup(run_id(s));
	if (s->parts && !b->merged)
		b->merged = json_object_new_object();
	if (s->parts)
		js_set_obj(b->merged, run_id(s), json_object_get(s->parts));
	for (size_t i = 0; i < b->n_entries; i++) {
		for (size_t k = 0; k < b->entries[i].n_series; k++) {
			struct base_series *series = &b->entries[i].series[k];

			series->y = hb_realloc_array(series->y, b->n_runs, sizeof(*series->y));
			series->y[t] = NAN;
		}
	}
	return t;
}

static void merge_names(json_object *from, json_object *into)
{
	if (!from)
		return;
	json_object_object_foreach(from, name, value)
	{
		json_object_object_add(into, name, json_object_get(value));
	}
}

/* Facts of the newest of the runs given: start times are ISO 8601 in UTC, so text order is time. */
static void take_facts(struct baseline *b, const struct summary *const *runs, size_t n)
{
	const struct summary *newest = NULL;

	for (size_t i = 0; i < n; i++) {
		merge_names(runs[i]->hw, b->hw);
		if (!newest ||
		    (runs[i]->started &&
		     (!newest->started || strcmp(runs[i]->started, newest->started) >= 0)))
			newest = runs[i];
	}
	if (newest && newest->fingerprint) {
		js_put(b->fingerprint);
		b->fingerprint = json_object_get(newest->fingerprint);
	}
	if (newest && newest->facts) {
		js_put(b->facts);
		b->facts = json_object_get(newest->facts);
	}
	if (newest)
		merge_names(newest->hw, b->hw);
}

static void add_all(struct baseline *b, const struct summary *const *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!holds_run(b, run_id(runs[i])))
			add_rows(b, runs[i], add_run(b, runs[i]));
	take_facts(b, runs, n);
	baseline_derive(b);
}

void baseline_build(const struct summary *const *runs, size_t n, struct baseline *out)
{
	memset(out, 0, sizeof(*out));
	out->fingerprint = json_object_new_object();
	out->hw = json_object_new_object();
	out->excluded = json_object_new_object();
	add_all(out, runs, n);
}

int baseline_extend(struct baseline *b, const struct summary *const *runs, size_t n,
                    struct hb_err *err)
{
	for (size_t i = 0; i < n; i++) {
		bool twice = holds_run(b, run_id(runs[i]));

		for (size_t k = 0; k < i && !twice; k++)
			twice = strcmp(run_id(runs[i]), run_id(runs[k])) == 0;
		if (twice)
			return hb_fail(err, HB_E_USAGE,
			               "run %.100s is in baseline %.100s already; leave it out",
			               run_id(runs[i]), b->name ? b->name : "(unnamed)");
	}
	add_all(b, runs, n);
	return HB_OK;
}

void baseline_free(struct baseline *b)
{
	for (size_t i = 0; i < b->n_entries; i++) {
		for (size_t k = 0; k < b->entries[i].n_series; k++) {
			free(b->entries[i].series[k].subject);
			free(b->entries[i].series[k].hw);
			free(b->entries[i].series[k].y);
		}
		free(b->entries[i].series);
		key_free(&b->entries[i].key);
	}
	for (size_t t = 0; t < b->n_runs; t++)
		free(b->runs[t]);
	free(b->entries);
	free(b->runs);
	free(b->name);
	free(b->created);
	free(b->reason);
	free(b->rebased.from);
	free(b->rebased.date);
	free(b->rebased.reason);
	free(b->rebased.by);
	js_put(b->rebased.ratios);
	js_put(b->excluded);
	js_put(b->merged);
	js_put(b->fingerprint);
	js_put(b->hw);
	js_put(b->facts);
	memset(b, 0, sizeof(*b));
}
