/* JSON: checking and parsing agree, and what was parsed is written so that it reads back equal. */
#include "tests/fuzz/fuzz.h"

static void check_written(json_object *o, enum js_style style)
{
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;
	json_object *again = NULL;

	js_write(o, style, &text);
	FUZZ_CHECK(js_parse(text.data, text.len, "written", &again, &err) == HB_OK);
	if (style != JS_SORTED)
		fuzz_check_same(json_object_get(o), json_object_get(again));
	js_put(again);
	buf_free(&text);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" }, check_err = { HB_OK, "" }, line_err = { HB_OK, "" };
	struct js_parser *parser = js_parser_new();
	json_object *o = NULL, *line = NULL;
	int rc = js_parse(data, size, "input", &o, &err);

	fuzz_ok(rc, &err);
	FUZZ_CHECK(js_check(data, size, &check_err) == rc);
	FUZZ_CHECK(js_parser_line(parser, data, size, "input", &line, &line_err) == rc);
	FUZZ_CHECK(strcmp(err.text, line_err.text) == 0);
	if (rc == HB_OK) {
		fuzz_check_same(json_object_get(o), json_object_get(line));
		check_written(o, JS_PLAIN);
		check_written(o, JS_SORTED);
		check_written(o, JS_PRETTY);
	}
	js_put(o);
	js_put(line);
	js_parser_free(parser);
}
