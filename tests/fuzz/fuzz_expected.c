/*
 * Classes of interconnect and expected figures, asked of a summary and of facts: every row has its
 * words, every miss its figure. Parts: a file of baselines/expected, summary.json, facts.json.
 */
#include <math.h>

#include "harness/diagnose/expected.h"
#include "tests/fuzz/fuzz.h"

static void check_file(const struct expected *e)
{
	FUZZ_CHECK(e->n_classes <= EXPECTED_CLASSES_MAX && e->n_figures <= EXPECTED_FIGURES_MAX);
	for (size_t i = 0; i < e->n_classes; i++) {
		const struct wire_class *c = &e->classes[i];
		FUZZ_CHECK(expected_class(e, c->name) == c && *c->title && *c->source);
		FUZZ_CHECK(c->lat_min_s > 0 && c->lat_max_s >= c->lat_min_s);
		FUZZ_CHECK(c->coarse == WIRE_MEMORY || (c->rate_Bps > 0 && c->reach > 0));
	}
	for (size_t i = 0; i < e->n_figures; i++)
		FUZZ_CHECK(!e->figures[i].wire || expected_class(e, e->figures[i].wire));
}

static void check_attained(const struct expected *e, const struct summary *s, const struct facts *f)
{
	struct attained a;

	attained_make(e, s, f, &a);
	for (size_t i = 0; i < a.n; i++) {
		FUZZ_CHECK(attained_of(&a, a.v[i].subject) == &a.v[i]);
		FUZZ_CHECK(a.v[i].why && *a.v[i].why);
		FUZZ_CHECK(!a.v[i].below || a.v[i].promise);
		fuzz_check_clean(a.v[i].why, strlen(a.v[i].why), false);
	}
	for (size_t i = 0; i < a.n_misses; i++)
		FUZZ_CHECK(a.misses[i].figure && a.misses[i].ratio > 0 && a.misses[i].ratio < 1);
	if (f) {
		char *wire = attained_wire(&a, f);
		if (wire)
			fuzz_check_clean(wire, strlen(wire), false);
		free(wire);
	}
	attained_free(&a);
}

static void ask(const struct expected *e, json_object *summary, json_object *facts)
{
	struct hb_err err = { HB_OK, "" };
	struct summary s;
	struct facts f;

	if (fuzz_ok(summary_from_json(summary, "summary", &s, &err), &err)) {
		check_attained(e, &s, NULL);
		if (facts && fuzz_ok(facts_from_json(facts, "facts", &f, &err), &err)) {
			check_attained(e, &s, &f);
			facts_free(&f);
		}
	}
	summary_free(&s);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct expected e = { 0 };
	struct fuzz_part parts[3];
	json_object *o[3];

	for (size_t i = 0; i < 3; i++) {
		parts[i] = fuzz_next_part(&data, &size);
		o[i] = fuzz_object(parts[i].text, parts[i].len);
	}
	bool taken = o[0] && fuzz_ok(expected_from_json(o[0], "input", &e, &err), &err);
	check_file(&e);
	if (taken && o[1])
		ask(&e, o[1], o[2]);
	expected_free(&e);
	for (size_t i = 0; i < 3; i++)
		js_put(o[i]);
}
