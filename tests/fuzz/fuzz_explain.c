/*
 * Everything behind a verdict: records.jsonl, samples.jsonl and verdicts.json of a run of four
 * nodes are the parts of the input. What is told of a node drives no terminal and is JSON.
 */
#include "harness/collect/collect.h"
#include "harness/report/report_explain.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

static void check_doc(struct doc *d)
{
	static const struct doc_style style = { false, 80, false };
	struct buf out = BUF_INIT;

	for (size_t f = 0; report_formats[f]; f++) {
		buf_clear(&out);
		report_formats[f]->render(d, &style, &out);
		fuzz_check_clean(buf_text(&out), out.len, true);
	}
	buf_free(&out);
	doc_free(d);
}

static void check_json(json_object *o)
{
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;

	js_write(o, JS_PLAIN, &text);
	FUZZ_CHECK(js_check(text.data, text.len, &err) == HB_OK);
	buf_free(&text);
	js_put(o);
}

static void check_sections(const struct explain *e)
{
	struct hb_err err = { HB_OK, "" };
	struct explain_section *s = NULL;
	size_t n = explain_sections(e, &s);
	json_object *o;
	struct doc *d;

	check_doc(explain_head_doc(e));
	check_json(explain_head_json(e));
	for (size_t i = 0; i < n; i++) {
		if (fuzz_ok(explain_section_doc(e, &s[i], &d, &err), &err))
			check_doc(d);
		if (fuzz_ok(explain_section_json(e, &s[i], &o, &err), &err))
			check_json(o);
	}
	explain_sections_free(s, n);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part records = fuzz_next_part(&data, &size),
	                 samples = fuzz_next_part(&data, &size),
	                 verdicts = fuzz_next_part(&data, &size);
	struct explain e = { .dir = fuzz_folder(), .subject = "n1", .base_name = "b" };
	struct hb_err err = { HB_OK, "" };
	struct summary run;

	fuzz_step_put_plan("plan.json");
	fuzz_put_file("records.jsonl", records.text, records.len);
	fuzz_put_file("samples.jsonl", samples.text, samples.len);
	e.verdicts = fuzz_object(verdicts.text, verdicts.len);
	FUZZ_CHECK(fuzz_ok(collect_run(e.dir, &run, &err), &err));
	e.run = &run;
	if (fuzz_ok(explain_open(&e, &err), &err) && fuzz_ok(explain_read(&e, &err), &err))
		check_sections(&e);
	explain_free(&e);
	summary_free(&run);
}
