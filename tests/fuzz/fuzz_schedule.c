/* The schedule that a helper reads in files mode: slots in order, jobs that can be read again. */
#include "bench/base/mem.h"
#include "bench/core/slots.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct slots s;
	char *path = hb_format("%s/schedule.jsonl", fuzz_folder());

	fuzz_put_file("schedule.jsonl", data, size);
	if (fuzz_ok(slots_open(path, 0, &s, &err), &err) &&
	    fuzz_ok(slots_load(&s, 0, &err), &err)) {
		FUZZ_CHECK(s.n_hosts >= 1);
		for (size_t i = 0; i < s.n; i++) {
			json_object *o = slots_job(&s, i);
			FUZZ_CHECK((o != NULL) == (s.v[i].len > 0));
			FUZZ_CHECK(i == 0 || s.v[i].number > s.v[i - 1].number);
			FUZZ_CHECK(s.v[i].seconds >= 0);
			js_put(o);
		}
	}
	slots_free(&s);
	free(path);
}
