/* Suites: what is taken is written so that it reads back as the same suite. */
#include "harness/plan/suite.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct suite s = { 0 }, again = { 0 };
	json_object *o = fuzz_object(data, size), *written;

	if (!o)
		return;
	if (fuzz_ok(suite_from_json(o, "input", &s, &err), &err)) {
		written = suite_to_json(&s);
		if (suite_from_json(written, "written", &again, &err) != HB_OK)
			fuzz_broken("suite", 0, err.text);
		fuzz_check_same(suite_to_json(&again), written);
		suite_free(&again);
		fuzz_ok(suite_override(&s, NULL, "8..64", 0.01, 0.5, &err), &err);
	}
	suite_free(&s);
	js_put(o);
}
