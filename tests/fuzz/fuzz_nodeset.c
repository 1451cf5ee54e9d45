/* Node sets: parse(format(set)) is the set. */
#include "harness/plan/nodeset.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct nodeset s = { 0 }, again = { 0 };
	struct buf text = BUF_INIT;
	char *in = fuzz_text(data, size);

	if (fuzz_ok(nodeset_parse(in, &s, &err), &err)) {
		FUZZ_CHECK(s.n > 0 && s.n <= NODESET_MAX);
		nodeset_format(&s, &text);
		if (nodeset_parse(buf_text(&text), &again, &err) != HB_OK)
			fuzz_broken("nodeset", 0, err.text);
		FUZZ_CHECK(again.n == s.n);
		for (size_t i = 0; i < s.n; i++)
			FUZZ_CHECK(strcmp(s.v[i], again.v[i]) == 0);
		FUZZ_CHECK(nodeset_find(&s, s.v[s.n - 1]) == (long)s.n - 1);
	}
	nodeset_free(&s);
	nodeset_free(&again);
	buf_free(&text);
	free(in);
}
