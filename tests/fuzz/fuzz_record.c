/* Lines of records: what the fast scanner takes the strict readers take too, and alike. */
#include "bench/base/record.h"
#include "tests/fuzz/fuzz.h"

static const struct js_at at = JS_AT_TOP("line");

static void check_point(json_object *o, const struct rec_point *fast, bool scanned)
{
	struct hb_err err = { HB_OK, "" };
	struct rec_point p, q;
	json_object *back;

	if (!fuzz_ok(rec_point_from_json(o, &at, &p, &err), &err)) {
		FUZZ_CHECK(!scanned);
		return;
	}
	back = rec_point_to_json(&p);
	FUZZ_CHECK(rec_point_from_json(back, &at, &q, &err) == HB_OK);
	fuzz_check_same(rec_point_to_json(&q), json_object_get(back));
	if (scanned) {
		q = *fast;
		q.opts = p.opts;
		q.per_rank = p.per_rank;
		fuzz_check_same(rec_point_to_json(&q), json_object_get(back));
	}
	js_put(back);
}

static void check_end(json_object *o, const struct rec_end *fast, bool scanned)
{
	struct hb_err err = { HB_OK, "" };
	struct rec_end e, f;
	json_object *back;

	if (!fuzz_ok(rec_end_from_json(o, &at, &e, &err), &err)) {
		FUZZ_CHECK(!scanned);
		return;
	}
	back = rec_end_to_json(&e);
	FUZZ_CHECK(rec_end_from_json(back, &at, &f, &err) == HB_OK);
	fuzz_check_same(rec_end_to_json(&f), json_object_get(back));
	if (scanned)
		fuzz_check_same(rec_end_to_json(fast), json_object_get(back));
	js_put(back);
}

static void check_line(struct rec_scan *scan, const struct fuzz_part *line)
{
	struct rec_point point;
	struct rec_end end;
	enum record_type type = rec_scan_line(scan, line->text, line->len, &point, &end);
	json_object *o = fuzz_object(line->text, line->len);

	FUZZ_CHECK(type == REC_UNKNOWN || (o && record_type_of(o) == type));
	if (!o)
		return;
	switch ((int)record_type_of(o)) {
	case REC_POINT:
	case REC_PAIR: check_point(o, &point, type != REC_UNKNOWN); break;
	case REC_END: check_end(o, &end, type != REC_UNKNOWN); break;
	default: FUZZ_CHECK(record_type_name(record_type_of(o)) != NULL); break;
	}
	js_put(o);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part all = { data, size }, line;
	struct rec_scan *scan = rec_scan_new();

	while (fuzz_next_line(&all, &line))
		check_line(scan, &line);
	rec_scan_free(scan);
}
