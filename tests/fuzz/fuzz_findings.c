/* findings.json: what is taken is written so that it reads back equal, and can be asked. */
#include "harness/localize/findings.h"
#include "tests/fuzz/fuzz.h"

static void ask(const struct findings *f)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < f->n; i++) {
		findings_brief(&f->v[i], &text);
		(void)findings_of_node(f, f->v[i].subject);
		(void)findings_of_pair(f, "mpi.bandwidth", f->v[i].subject, "n2");
	}
	(void)findings_code(f);
	buf_free(&text);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct findings f, again;
	json_object *o = fuzz_object(data, size), *written;

	if (!o)
		return;
	if (fuzz_ok(findings_from_json(o, "input", &f, &err), &err)) {
		ask(&f);
		written = findings_to_json(&f);
		if (findings_from_json(written, "written", &again, &err) != HB_OK)
			fuzz_broken("findings", 0, err.text);
		fuzz_check_same(findings_to_json(&again), written);
		findings_free(&again);
	}
	findings_free(&f);
	js_put(o);
}
