/* summary.json: what is taken is written so that it reads back equal. */
#include "harness/collect/summary.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct summary s, again;
	json_object *o = fuzz_object(data, size), *written;

	if (!o)
		return;
	if (fuzz_ok(summary_from_json(o, "input", &s, &err), &err)) {
		written = summary_to_json(&s);
		if (summary_from_json(written, "written", &again, &err) != HB_OK)
			fuzz_broken("summary", 0, err.text);
		fuzz_check_same(summary_to_json(&again), written);
		summary_free(&again);
	}
	summary_free(&s);
	js_put(o);
}
