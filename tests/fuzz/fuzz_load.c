/* What nodes tell of their load: what is taken is finite, adds up, and says itself in clean words.
 */
#include <math.h>

#include "harness/launch/launch_load.h"
#include "tests/fuzz/fuzz.h"

static bool read_span(struct fuzz_part line, struct load_span *out)
{
	const struct js_at at = JS_AT_TOP("load");
	struct hb_err err = { HB_OK, "" };
	json_object *o = fuzz_object(line.text, line.len), *back;
	struct load_span again;
	bool ok = o && fuzz_ok(load_span_from_json(o, &at, out, &err), &err);

	js_put(o);
	if (!ok)
		return false;
	back = json_object_new_object();
	load_span_set(back, out);
	FUZZ_CHECK(load_span_from_json(back, &at, &again, &err) == HB_OK);
	FUZZ_CHECK(again.n_nics == out->n_nics);
	js_put(back);
	for (int i = 0; i < out->n_nics; i++)
		fuzz_check_clean(out->nics[i].name, strlen(out->nics[i].name), false);
	return true;
}

void fuzz_one(const char *data, size_t size)
{
	static const struct suite_disturbed limits = { true, 0.1, 0.1 };
	struct fuzz_part all = { data, size }, line;
	struct node_load node[2] = { { .node = "n1" }, { .node = "n2" } };
	struct load_span span;
	char why[200] = "";

	for (int i = 0; i < 16 && fuzz_next_line(&all, &line); i++)
		if (read_span(line, &span))
			node_load_add(&node[i % 2], &span);
	for (int i = 0; i < 2; i++)
		FUZZ_CHECK(isfinite(node[i].sum.busy_s) && isfinite(node[i].sum.tx));
	if (load_disturbed(&limits, node, 2, why, sizeof(why)))
		FUZZ_CHECK(why[0] && strnlen(why, sizeof(why)) < sizeof(why));
	fuzz_check_clean(why, strlen(why), false);
}
