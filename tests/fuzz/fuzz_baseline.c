/* Baselines: what is taken is written so that it reads back equal; derived figures are figures. */
#include <math.h>

#include "harness/judge/baseline.h"
#include "tests/fuzz/fuzz.h"

static void check_entries(const struct baseline *b)
{
	for (size_t i = 0; i < b->n_entries; i++) {
		const struct base_entry *e = &b->entries[i];
		FUZZ_CHECK(isfinite(e->df_own) && e->df_own >= 0);
		FUZZ_CHECK(isfinite(e->df_run) && e->df_run >= 0);
		FUZZ_CHECK(e->df_run == 0 || (isfinite(e->s_run) && e->s_run > 0));
		FUZZ_CHECK(e->rho >= 0 && e->rho <= 1 && e->rho_subjects >= 0);
	}
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct baseline b = { 0 }, again = { 0 };
	json_object *o = fuzz_object(data, size), *written;

	if (!o)
		return;
	if (fuzz_ok(baseline_from_json(o, "input", &b, &err), &err)) {
		check_entries(&b);
		written = baseline_to_json(&b);
		if (baseline_from_json(written, "written", &again, &err) != HB_OK)
			fuzz_broken("baseline", 0, err.text);
		fuzz_check_same(baseline_to_json(&again), written);
		baseline_free(&again);
	}
	baseline_free(&b);
	js_put(o);
}
