/* Records: what is written reads back equal, and no hostile line is more than one clear error. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/record.h"
#include "bench/base/rng.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct js_at line = JS_AT_TOP("records.jsonl:7");

static json_object *parsed(const char *text)
{
	json_object *o = NULL;
	struct hb_err err = { 0 };

	if (js_parse(text, strlen(text), "test", &o, &err))
		fail_msg("%s in %s", err.text, text);
	return o;
}

/* Writes and parses again, as the channel and the store do; drops o. */
static json_object *through_text(json_object *o)
{
	struct buf text = BUF_INIT;
	json_object *back;

	js_write(o, JS_PLAIN, &text);
	assert_true(text.len <= RECORD_MAX);
	back = parsed(buf_text(&text));
	buf_free(&text);
	js_put(o);
	return back;
}

static size_t written_length(json_object *o)
{
	struct buf text = BUF_INIT;
	size_t len;

	js_write(o, JS_PLAIN, &text);
	len = text.len;
	buf_free(&text);
	return len;
}

static double seven_digits(double v)
{
	char text[40];

	snprintf(text, sizeof(text), "%.7g", v);
	return strtod(text, NULL);
}

static struct stat_summary random_figures(struct rng *r)
{
	double p50 = exp(20 * rng_normal(r));

	return (struct stat_summary){
		.n = 1 + rng_below(r, 1000000),
		.min = seven_digits(p50 * 0.9),
		.p50 = p50,
		.lo = p50 * 0.99,
		.hi = p50 * 1.01,
		.p95 = seven_digits(p50 * 1.2),
		.p99 = seven_digits(p50 * 1.3),
		.max = seven_digits(p50 * 9),
	};
}

static struct rec_point random_point(struct rng *r, json_object *opts)
{
	static const char *const names[] = { "lat_p50_ns", "algbw_Bps", "busbw_Bps", "rate_per_s",
		                             "a",          "b",         "c",         "d" };
	static const char *const dirs[] = { "ab", "ba", "both" };
	bool is_pair = rng_below(r, 2);
	struct rec_point p = {
		.ids = { rng_u64(r), rng_u64(r), 1 + rng_below(r, 9), (enum phase)rng_below(r, 4) },
		.is_pair = is_pair,
		.bench = "mpi.latency",
		.bytes = rng_u64(r),
		.opts = opts,
		.a = "n17/mlx5_2:1",
		.b = is_pair ? "n\"18\"\\ \xc3\xa9" : NULL,
		.dir = is_pair ? dirs[rng_below(r, 3)] : NULL,
		.round = is_pair ? (int64_t)rng_below(r, 5) - 1 : -1,
		.ranks = (int)(1 + rng_below(r, 10000)),
		.blocks = rng_below(r, 1000),
		.batch = 1 + rng_below(r, 1000),
		.warmup = rng_below(r, 1000),
		.ended = (enum ended_by)rng_below(r, 3),
		.spread = 0.0125,
		.verified = rng_u64(r),
		.bad = rng_below(r, 3),
		.n_metrics = 1 + rng_below(r, RECORD_METRICS_MAX),
	};

	for (size_t i = 0; i < p.n_metrics; i++)
		p.metrics[i] = (struct rec_metric){ names[i], random_figures(r) };
	return p;
}

static void assert_same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void assert_same_figures(const struct stat_summary *a, const struct stat_summary *b)
{
	assert_int_equal(a->n, b->n);
	assert_true(a->p50 == b->p50 && a->lo == b->lo && a->hi == b->hi);
	assert_true(a->min == b->min && a->p95 == b->p95 && a->p99 == b->p99 && a->max == b->max);
}

static void assert_same_ids(const struct rec_ids *a, const struct rec_ids *b)
{
	assert_true(a->step == b->step && a->unit == b->unit && a->attempt == b->attempt);
	assert_int_equal(a->phase, b->phase);
}

static void assert_same_point(const struct rec_point *a, const struct rec_point *b)
{
	assert_same_ids(&a->ids, &b->ids);
	assert_int_equal(a->is_pair, b->is_pair);
	assert_string_equal(a->bench, b->bench);
	assert_true(a->bytes == b->bytes);
	assert_true(json_object_equal(a->opts, b->opts));
	assert_same_text(a->a, b->a);
	assert_same_text(a->b, b->b);
	assert_same_text(a->dir, b->dir);
	assert_true(a->round == b->round);
	assert_int_equal(a->ranks, b->ranks);
	assert_true(a->blocks == b->blocks && a->batch == b->batch && a->warmup == b->warmup);
	assert_int_equal(a->ended, b->ended);
	assert_true(a->spread == b->spread);
	assert_true(a->verified == b->verified && a->bad == b->bad);
	assert_int_equal(a->n_metrics, b->n_metrics);
	for (size_t i = 0; i < a->n_metrics; i++) {
		assert_string_equal(a->metrics[i].name, b->metrics[i].name);
		assert_same_figures(&a->metrics[i].s, &b->metrics[i].s);
	}
}

static void a_point_reads_back_as_it_was_written(void **state)
{
	json_object *opts = parsed("{\"buffers\":\"hot\",\"datatype\":\"byte\",\"window\":64}");
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int i = 0; i < 2000; i++) {
		struct rec_point p = random_point(&r, opts), back;
		json_object *o = through_text(rec_point_to_json(&p));
		struct hb_err err = { 0 };

		if (rec_point_from_json(o, &line, &back, &err))
			fail_msg("%s", err.text);
		assert_same_point(&p, &back);
		js_put(o);
	}
	js_put(opts);
}

static void figures_that_nobody_computes_with_keep_seven_digits(void **state)
{
	struct rec_point p = {
		.ids = { 1, 2, 1, PHASE_MAIN }, .bench = "x.y", .a = "n1", .round = -1, .ranks = 1,
		.batch = 1, .n_metrics = 1,
	}, back;
	json_object *o;

	(void)state;
	p.metrics[0].name = "lat_p50_ns";
	p.metrics[0].s = (struct stat_summary){ 3,       1.0 / 3,  1234.56789012345, 1.0 / 7,
		                                2.0 / 3, 10.0 / 3, 20.0 / 3,         1e9 / 7 };
	o = through_text(rec_point_to_json(&p));
	assert_int_equal(rec_point_from_json(o, &line, &back, NULL), HB_OK);
	assert_true(back.metrics[0].s.p50 == 1234.56789012345);
	assert_true(back.metrics[0].s.lo == 1.0 / 7 && back.metrics[0].s.hi == 2.0 / 3);
	assert_true(back.metrics[0].s.min == 0.3333333 && back.metrics[0].s.p95 == 3.333333);
	assert_true(back.metrics[0].s.p99 == 6.666667 && back.metrics[0].s.max == 142857100.0);
	js_put(o);
}

static void a_group_keeps_its_ranks_unless_the_record_would_be_too_long(void **state)
{
	json_object *ranks = parsed("{\"p50\":[1,2,3,4,5],\"latest\":[{\"rank\":3,\"p50\":5}]}");
	json_object *o, *long_text = json_object_new_object();
	struct rng r;
	char text[3000];

	(void)state;
	rng_seed(&r, 12);
	struct rec_point p = random_point(&r, NULL), back;
	p.per_rank = ranks;
	o = through_text(rec_point_to_json(&p));
	assert_int_equal(rec_point_from_json(o, &line, &back, NULL), HB_OK);
	assert_true(json_object_equal(back.per_rank, ranks));
	js_put(o);

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	js_set_str(long_text, "latest", text);
	p.n_metrics = RECORD_METRICS_MAX;
	for (size_t i = 0; i < p.n_metrics; i++)
		p.metrics[i] = (struct rec_metric){ (const char *[]){ "a", "b", "c", "d", "e", "f",
			                                              "g", "h" }[i],
			                            random_figures(&r) };
	p.per_rank = long_text;
	o = through_text(rec_point_to_json(&p));
	assert_int_equal(rec_point_from_json(o, &line, &back, NULL), HB_OK);
	assert_null(back.per_rank);
	js_put(o);
	js_put(ranks);
	js_put(long_text);
}

static void an_end_reads_back_as_it_was_written(void **state)
{
	(void)state;
	for (int status = UNIT_OK; status <= UNIT_GIVEN_UP; status++) {
		struct rec_end e = { { 1, UINT64_MAX, 2, PHASE_CONTROL },
			             (enum unit_status)status,
			             status ? "libnccl.so.2 not found on n17" : NULL,
			             1.25 };
		struct rec_end back;
		json_object *o = through_text(rec_end_to_json(&e));

		assert_int_equal(rec_end_from_json(o, &line, &back, NULL), HB_OK);
		assert_same_ids(&e.ids, &back.ids);
		assert_int_equal(e.status, back.status);
		assert_same_text(e.reason, back.reason);
		assert_true(back.seconds == 1.25);
		js_put(o);
	}
}

static void long_texts_are_cut_to_fit_a_record(void **state)
{
	/* Bytes that escape to six, quotes, two-byte letters, and bytes that are no UTF-8. */
	static const char *const units[] = { "\x01", "\"", "\xc3\xa9", "\xff", "x", "/" };
	char text[20000];

	(void)state;
	for (size_t u = 0; u < COUNT(units); u++) {
		size_t len = strlen(units[u]), n = 0;
		struct rec_ids ids = { UINT64_MAX, UINT64_MAX, UINT64_MAX, PHASE_CONTROL };
		struct rec_end e = { ids, UNIT_FAILED, text, 1e300 }, back;

		while (n + len < sizeof(text)) {
			memcpy(text + n, units[u], len);
			n += len;
		}
		text[n] = '\0';
		js_put(through_text(rec_fact_to_json(text, text, text, text)));
		js_put(through_text(rec_event_to_json(&ids, text, text, text)));
		json_object *o = through_text(rec_end_to_json(&e));
		assert_int_equal(rec_end_from_json(o, &line, &back, NULL), HB_OK);
		assert_true(strlen(back.reason) >= 300);
		js_put(o);
	}
}

static void a_cut_never_splits_a_letter(void **state)
{
	char text[6001];

	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		size_t n = 0;
		json_object *o, *value;

		for (; n < shift; n++)
			text[n] = 'x';
		for (; n + 3 < sizeof(text); n += 3)
			memcpy(text + n, "\xe2\x82\xac", 3);
		text[n] = '\0';
		o = rec_fact_to_json("n1", "k", text, "test");
		assert_true(json_object_object_get_ex(o, "value", &value));
		assert_null(strstr(json_object_get_string(value), "\xef\xbf\xbd"));
		assert_int_equal(((size_t)json_object_get_string_len(value) - shift) % 3, 0);
		js_put(o);
	}
}

static void a_typical_record_is_short(void **state)
{
	json_object *opts = parsed("{\"buffers\":\"hot\",\"datatype\":\"byte\"}"), *o;
	struct rec_point p = {
		.ids = { 1, 12345, 1, PHASE_MAIN },
		.is_pair = true,
		.bench = "mpi.latency",
		.bytes = 8192,
		.opts = opts,
		.a = "n017",
		.b = "n018",
		.dir = "both",
		.round = 2,
		.ranks = 2,
		.blocks = 20,
		.batch = 10,
		.warmup = 200,
		.spread = 0.00432123,
		.verified = 8192,
		.n_metrics = 1,
	};

	(void)state;
	p.metrics[0].name = "lat_p50_ns";
	p.metrics[0].s = (struct stat_summary){ 2000,    1234.5678, 1345.25, 1340.5,
		                                1350.75, 1456.789,  1567.89, 9876.54321 };
	o = rec_point_to_json(&p);
	assert_true(written_length(o) < 480);
	js_put(o);
	js_put(opts);
}

static void every_name_has_its_value(void **state)
{
	enum phase phase;
	enum unit_status status;

	(void)state;
	for (int i = PHASE_MAIN; i <= PHASE_CONTROL; i++) {
		assert_int_equal(phase_parse(phase_name((enum phase)i), &phase), HB_OK);
		assert_int_equal(phase, i);
	}
	for (int i = UNIT_OK; i <= UNIT_GIVEN_UP; i++) {
		assert_int_equal(unit_status_parse(unit_status_name((enum unit_status)i), &status),
		                 HB_OK);
		assert_int_equal(status, i);
	}
	for (int i = REC_UNKNOWN; i <= REC_END; i++) {
		json_object *o = json_object_new_object();

		js_set_str(o, "type", record_type_name((enum record_type)i));
		assert_int_equal(record_type_of(o), i);
		js_put(o);
	}
	assert_int_equal(phase_parse("Main", &phase), HB_E_FORMAT);
	assert_int_equal(unit_status_parse("", &status), HB_E_FORMAT);
	assert_string_equal(ended_by_name(ENDED_MAX_TIME), "max-time");
}

static void a_benchmarks_status_says_how_its_unit_ended(void **state)
{
	(void)state;
	assert_int_equal(unit_status_of(HB_OK), UNIT_OK);
	assert_int_equal(unit_status_of(HB_E_UNSUPPORTED), UNIT_SKIPPED);
	assert_int_equal(unit_status_of(HB_E_DATA), UNIT_INVALID);
	assert_int_equal(unit_status_of(HB_E_TIMEOUT), UNIT_TIMEOUT);
	assert_int_equal(unit_status_of(HB_E_LIB), UNIT_FAILED);
	assert_int_equal(unit_status_of(-9999), UNIT_FAILED);
}

static void what_is_no_known_record_is_unknown(void **state)
{
	static const char *const texts[] = { "{}",
		                             "[]",
		                             "3",
		                             "{\"type\":3}",
		                             "{\"type\":null}",
		                             "{\"type\":\"Point\"}",
		                             "{\"type\":\"future\"}" };

	(void)state;
	assert_int_equal(record_type_of(NULL), REC_UNKNOWN);
	for (size_t i = 0; i < COUNT(texts); i++) {
		json_object *o = parsed(texts[i]);

		assert_int_equal(record_type_of(o), REC_UNKNOWN);
		js_put(o);
	}
}

#define IDS     "\"step\":1,\"attempt\":1,\"unit\":5,\"phase\":\"main\""
#define FIGURES "{\"n\":9,\"p50\":5,\"lo\":4,\"hi\":6,\"min\":3,\"p95\":7,\"p99\":8,\"max\":9.5}"
#define BODY                                                                                       \
	"\"bench\":\"x.y\",\"bytes\":8,\"opts\":{},\"a\":\"n1\",\"ranks\":2,\"blocks\":3,"         \
	"\"batch\":1,\"ended\":\"precision\""
#define METRICS "\"metrics\":{\"lat_p50_ns\":" FIGURES "}"
#define POINT   "{\"type\":\"point\"," IDS "," BODY "," METRICS "}"
#define PAIR                                                                                       \
	"{\"type\":\"pair\"," IDS "," BODY ",\"b\":\"n2\",\"dir\":\"ab\",\"round\":0," METRICS "}"

static void a_hand_written_record_is_read_and_what_is_unknown_passed_over(void **state)
{
	struct rec_point p;
	json_object *o = parsed("{\"later\":[1,{\"x\":2}],\"type\":\"point\"," METRICS
	                        ",\"spread\":null,\"round\":7,\"b\":\"n9\"," BODY "," IDS "}");

	(void)state;
	assert_int_equal(rec_point_from_json(o, &line, &p, NULL), HB_OK);
	assert_false(p.is_pair);
	assert_null(p.b);
	assert_null(p.dir);
	assert_true(p.round == -1);
	assert_true(isnan(p.spread));
	assert_true(p.metrics[0].s.max == 9.5);
	assert_int_equal(p.ids.unit, 5);
	js_put(o);
}

/* Each row: a text that stands in a good pair record, and what an enemy puts in its place. */
static const struct {
	const char *good, *bad, *told;
} hostile[] = {
	{ "\"step\":1", "\"step\":-1", "$.step" },
	{ "\"step\":1", "\"step\":1.5", "$.step" },
	{ "\"step\":1", "\"step\":\"1\"", "$.step" },
	{ "\"step\":1,", "", "\"step\" is missing" },
	{ "\"step\":1", "\"step\":null", "\"step\" is missing" },
	{ "\"attempt\":1", "\"attempt\":0", "$.attempt" },
	{ "\"unit\":5", "\"unit\":[5]", "$.unit" },
	{ "\"main\"", "\"first\"", "$.phase" },
	{ "\"main\"", "7", "$.phase" },
	{ "\"x.y\"", "\"\"", "$.bench" },
	{ "\"x.y\"", "\"0123456789012345678901234567890123456789012345678901234567890123\"",
	  "$.bench" },
	{ "\"x.y\"", "{}", "$.bench" },
	{ "\"bytes\":8", "\"bytes\":-8", "$.bytes" },
	{ "\"bytes\":8", "\"bytes\":1e3", "$.bytes" },
	{ "\"opts\":{}", "\"opts\":[]", "$.opts" },
	{ "\"opts\":{},", "", "\"opts\" is missing" },
	{ "\"a\":\"n1\"", "\"a\":17", "$.a" },
	{ "\"a\":\"n1\",", "", "\"a\" is missing" },
	{ "\"b\":\"n2\",", "", "\"b\" is missing" },
	{ "\"dir\":\"ab\",", "", "\"dir\"" },
	{ "\"dir\":\"ab\"", "\"dir\":\"up\"", "\"dir\"" },
	{ "\"round\":0", "\"round\":-1", "$.round" },
	{ "\"round\":0", "\"round\":18446744073709551615", "$.round" },
	{ "\"ranks\":2", "\"ranks\":0", "$.ranks" },
	{ "\"ranks\":2", "\"ranks\":4294967298", "$.ranks" },
	{ "\"batch\":1", "\"batch\":0", "$.batch" },
	{ "\"precision\"", "\"boredom\"", "$.ended" },
	{ "\"round\":0", "\"spread\":-0.5", "$.spread" },
	{ "\"round\":0", "\"spread\":\"1\"", "$.spread" },
	{ "\"round\":0", "\"per_rank\":3", "$.per_rank" },
	{ METRICS, "\"metrics\":[]", "$.metrics" },
	{ METRICS, "\"metrics\":{}", "$.metrics" },
	{ "," METRICS, "", "metrics" },
	{ METRICS, "\"metrics\":{\"x\":5}", "$.metrics.x" },
	{ METRICS, "\"metrics\":{\"x\":null}", "$.metrics.x" },
	{ "\"n\":9", "\"n\":0", "$.metrics.lat_p50_ns.n" },
	{ "\"p50\":5", "\"p50\":0", "$.metrics.lat_p50_ns.p50" },
	{ "\"p50\":5", "\"p50\":-5", "$.metrics.lat_p50_ns.p50" },
	{ "\"p50\":5", "\"p50\":null", "\"p50\" is missing" },
	{ "\"p50\":5", "\"p50\":\"5\"", "$.metrics.lat_p50_ns.p50" },
	{ "\"p50\":5", "\"p50\":true", "$.metrics.lat_p50_ns.p50" },
	{ "\"lo\":4", "\"lo\":0.0", "$.metrics.lat_p50_ns.lo" },
	{ ",\"max\":9.5", "", "\"max\" is missing" },
	{ "\"pair\"", "\"end\"", "point or pair" },
};

static void replace(const char *text, const char *good, const char *bad, struct buf *out)
{
	const char *at = strstr(text, good);

	assert_non_null(at);
	buf_add(out, text, (size_t)(at - text));
	buf_puts(out, bad);
	buf_puts(out, at + strlen(good));
}

static void a_hostile_line_is_one_error_that_says_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hostile); i++) {
		struct buf text = BUF_INIT;
		struct hb_err err = { 0 };
		struct rec_point p;
		json_object *o;

		replace(PAIR, hostile[i].good, hostile[i].bad, &text);
		o = parsed(buf_text(&text));
		if (rec_point_from_json(o, &line, &p, &err) != HB_E_FORMAT)
			fail_msg("taken: %s", buf_text(&text));
		if (!strstr(err.text, "records.jsonl:7") || !strstr(err.text, hostile[i].told))
			fail_msg("row %zu says \"%s\", not %s", i, err.text, hostile[i].told);
		js_put(o);
		buf_free(&text);
	}
}

static void figures_beyond_a_double_are_refused(void **state)
{
	static const char *const values[] = { "1e999", "-1e999", "1e-999" };

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		struct buf text = BUF_INIT, value = BUF_INIT;
		struct rec_point p;
		json_object *o = NULL;

		buf_printf(&value, "\"p50\":%s", values[i]);
		replace(PAIR, "\"p50\":5", buf_text(&value), &text);
		/* Whoever meets it first may refuse it. */
		if (!js_parse(buf_text(&text), text.len, "test", &o, NULL))
			assert_int_equal(rec_point_from_json(o, &line, &p, NULL), HB_E_FORMAT);
		js_put(o);
		buf_free(&text);
		buf_free(&value);
	}
}

static void more_metrics_than_fit_are_refused(void **state)
{
	struct rec_point p;

	(void)state;
	for (int n = RECORD_METRICS_MAX; n <= RECORD_METRICS_MAX + 1; n++) {
		struct buf text = BUF_INIT;
		json_object *o;

		buf_puts(&text, "{\"type\":\"point\"," IDS "," BODY ",\"metrics\":{");
		for (int i = 0; i < n; i++)
			buf_printf(&text, "%s\"m%d\":" FIGURES, i ? "," : "", i);
		buf_puts(&text, "}}");
		o = parsed(buf_text(&text));
		assert_int_equal(rec_point_from_json(o, &line, &p, NULL),
		                 n > RECORD_METRICS_MAX ? HB_E_FORMAT : HB_OK);
		js_put(o);
		buf_free(&text);
	}
}

static void every_cut_of_a_record_is_refused_by_the_parser(void **state)
{
	const char *text = PAIR;

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		json_object *o = NULL;

		assert_int_not_equal(js_parse(text, len, "test", &o, NULL), HB_OK);
		assert_null(o);
	}
}

/* One byte of a good record changed at random: taken or refused, never worse. */
static void a_damaged_byte_never_breaks_the_reader(void **state)
{
	char text[] = PAIR;
	struct js_parser *parser = js_parser_new();
	struct rng r;
	int taken = 0, refused = 0;

	(void)state;
	rng_seed(&r, 13);
	for (int i = 0; i < 20000; i++) {
		size_t at = rng_below(&r, sizeof(text) - 1);
		char before = text[at];
		json_object *o = NULL;
		struct rec_point p;

		text[at] = (char)rng_below(&r, 256);
		if (js_parser_line(parser, text, sizeof(text) - 1, "test", &o, NULL) ||
		    rec_point_from_json(o, &line, &p, NULL)) {
			refused++;
		} else {
			taken++;
			assert_true(p.n_metrics >= 1 && p.metrics[0].s.p50 > 0);
		}
		js_put(o);
		text[at] = before;
	}
	js_parser_free(parser);
	assert_true(taken > 0 && refused > taken);
}

static void hostile_ends_are_refused(void **state)
{
	static const char *const texts[] = {
		"{\"type\":\"end\"," IDS ",\"seconds\":1}",
		"{\"type\":\"end\"," IDS ",\"status\":\"fine\",\"seconds\":1}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\"}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"seconds\":-1}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"seconds\":\"1\"}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"seconds\":1,\"reason\":{}}",
		"{\"type\":\"end\",\"status\":\"ok\",\"seconds\":1}",
		POINT,
		"[]",
	};
	struct rec_end e;
	struct rec_ids ids;
	json_object *o;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		o = parsed(texts[i]);
		assert_int_equal(rec_end_from_json(o, &line, &e, NULL), HB_E_FORMAT);
		js_put(o);
	}
	o = parsed("{" IDS "}");
	assert_int_equal(rec_ids_from_json(o, &line, &ids, NULL), HB_OK);
	assert_int_equal(ids.attempt, 1);
	js_put(o);
	assert_int_equal(rec_ids_from_json(NULL, &line, &ids, NULL), HB_E_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_point_reads_back_as_it_was_written),
		cmocka_unit_test(figures_that_nobody_computes_with_keep_seven_digits),
		cmocka_unit_test(a_group_keeps_its_ranks_unless_the_record_would_be_too_long),
		cmocka_unit_test(an_end_reads_back_as_it_was_written),
		cmocka_unit_test(long_texts_are_cut_to_fit_a_record),
		cmocka_unit_test(a_cut_never_splits_a_letter),
		cmocka_unit_test(a_typical_record_is_short),
		cmocka_unit_test(every_name_has_its_value),
		cmocka_unit_test(a_benchmarks_status_says_how_its_unit_ended),
		cmocka_unit_test(what_is_no_known_record_is_unknown),
		cmocka_unit_test(a_hand_written_record_is_read_and_what_is_unknown_passed_over),
		cmocka_unit_test(a_hostile_line_is_one_error_that_says_where),
		cmocka_unit_test(figures_beyond_a_double_are_refused),
		cmocka_unit_test(more_metrics_than_fit_are_refused),
		cmocka_unit_test(every_cut_of_a_record_is_refused_by_the_parser),
		cmocka_unit_test(a_damaged_byte_never_breaks_the_reader),
		cmocka_unit_test(hostile_ends_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
