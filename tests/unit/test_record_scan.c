/*
 * The fast reader of record lines against the full one: what it takes, the full one takes and
 * alike; and it takes what our writers write.
 */
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

struct readers {
	struct rec_scan *scan;
	struct js_parser *parser;
};

static int readers_new(void **state)
{
	static struct readers r;

	r.scan = rec_scan_new();
	r.parser = js_parser_new();
	*state = &r;
	return 0;
}

static int readers_free(void **state)
{
	struct readers *r = *state;

	rec_scan_free(r->scan);
	js_parser_free(r->parser);
	return 0;
}

static void assert_same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
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
	assert_string_equal(a->a, b->a);
	assert_same_text(a->b, b->b);
	assert_same_text(a->dir, b->dir);
	assert_true(a->bytes == b->bytes && a->round == b->round && a->ranks == b->ranks);
	assert_true(a->blocks == b->blocks && a->batch == b->batch && a->warmup == b->warmup);
	assert_true(a->ended == b->ended && a->verified == b->verified && a->bad == b->bad);
	assert_true(a->spread == b->spread || (isnan(a->spread) && isnan(b->spread)));
	assert_int_equal(a->n_metrics, b->n_metrics);
	for (size_t i = 0; i < a->n_metrics; i++) {
		assert_string_equal(a->metrics[i].name, b->metrics[i].name);
		assert_memory_equal(&a->metrics[i].s, &b->metrics[i].s,
		                    sizeof(struct stat_summary));
	}
}

/*
 * Reads a line in both ways and fails if they differ where the fast one took it. Returns the type
 * that the fast one saw.
 */
static enum record_type read_both(const struct readers *r, const char *text, size_t len)
{
	const struct js_at at = JS_AT_TOP("line");
	struct rec_point fast, full;
	struct rec_end fast_end, full_end;
	struct hb_err err = { 0 };
	json_object *o = NULL;
	enum record_type type = rec_scan_line(r->scan, text, len, &fast, &fast_end);

	if (type == REC_UNKNOWN)
		return type;
	if (js_parser_line(r->parser, text, len, "line", &o, &err))
		fail_msg("only the fast reader takes %.*s: %s", (int)len, text, err.text);
	assert_int_equal(record_type_of(o), type);
	if (type == REC_END) {
		if (rec_end_from_json(o, &at, &full_end, &err))
			fail_msg("only the fast reader takes %.*s: %s", (int)len, text, err.text);
		assert_same_ids(&fast_end.ids, &full_end.ids);
		assert_int_equal(fast_end.status, full_end.status);
		assert_same_text(fast_end.reason, full_end.reason);
		assert_true(fast_end.seconds == full_end.seconds);
	} else {
		if (rec_point_from_json(o, &at, &full, &err))
			fail_msg("only the fast reader takes %.*s: %s", (int)len, text, err.text);
		assert_same_point(&fast, &full);
		assert_null(fast.opts);
		assert_null(fast.per_rank);
	}
	js_put(o);
	return type;
}

static struct rec_point random_point(struct rng *r, json_object *opts)
{
	static const char *const names[] = { "lat_p50_ns", "algbw_Bps", "busbw_Bps" };
	static const char *const dirs[] = { "ab", "ba", "both" };
	bool is_pair = rng_below(r, 2);
	struct rec_point p = {
		.ids = { 1 + rng_below(r, 9), rng_u64(r) >> (8 + rng_below(r, 50)),
		         1 + rng_below(r, 9), (enum phase)rng_below(r, 4) },
		.is_pair = is_pair,
		.bench = "mpi.latency",
		.bytes = UINT64_C(1) << rng_below(r, 50),
		.opts = opts,
		.a = "n17/mlx5_2:1",
		.b = is_pair ? "n18" : NULL,
		.dir = is_pair ? dirs[rng_below(r, 3)] : NULL,
		.round = is_pair ? (int64_t)rng_below(r, 5) - 1 : -1,
		.ranks = (int)(1 + rng_below(r, 10000)),
		.blocks = rng_below(r, 1000),
		.batch = 1 + rng_below(r, 1000),
		.ended = (enum ended_by)rng_below(r, 3),
		.spread = rng_below(r, 4) ? rng_uniform(r) : NAN,
		.n_metrics = 1 + rng_below(r, COUNT(names)),
	};

	for (size_t i = 0; i < p.n_metrics && i < COUNT(names); i++) {
		/* From 1e-30 to 1e30, so that exponents and long fractions occur. */
		double p50 = pow(10, 60 * rng_uniform(r) - 30);

		if (rng_below(r, 3))
			p50 = 1 + floor(1e6 * rng_uniform(r)) / 8;
		p.metrics[i].name = names[i];
		p.metrics[i].s = (struct stat_summary){ 1 + rng_below(r, 1000),
			                                p50 * 0.9,
			                                p50,
			                                p50 * 0.99,
			                                p50 * 1.01,
			                                p50 * 1.2,
			                                p50 * 1.3,
			                                p50 * 9 };
	}
	return p;
}

static void our_writers_lines_are_taken_and_read_alike(void **state)
{
	json_object *opts[2] = { json_object_new_object(), json_object_new_object() };
	struct buf text = BUF_INIT;
	struct rng r;

	rng_seed(&r, 31);
	js_set_str(opts[1], "datatype", "byte");
	js_set_u64(opts[1], "window", 64);
	for (int i = 0; i < 5000; i++) {
		struct rec_point p = random_point(&r, opts[rng_below(&r, 2)]);
		struct rec_end e = { p.ids, i % 2 ? UNIT_OK : UNIT_TIMEOUT,
			             i % 2 ? NULL : "no answer within 5 s", rng_uniform(&r) };
		json_object *o = rec_point_to_json(&p);

		buf_clear(&text);
		js_write(o, JS_PLAIN, &text);
		js_put(o);
		assert_int_equal(read_both(*state, buf_text(&text), text.len),
		                 p.is_pair ? REC_PAIR : REC_POINT);
		o = rec_end_to_json(&e);
		buf_clear(&text);
		js_write(o, JS_PLAIN, &text);
		js_put(o);
		assert_int_equal(read_both(*state, buf_text(&text), text.len), REC_END);
	}
	buf_free(&text);
	js_put(opts[0]);
	js_put(opts[1]);
}

#define IDS     "\"step\":1,\"attempt\":1,\"unit\":5,\"phase\":\"main\""
#define FIGURES "{\"n\":9,\"p50\":5.25,\"lo\":4,\"hi\":6,\"min\":3,\"p95\":7,\"p99\":8,\"max\":9}"
#define PAIR_TEXT                                                                                  \
	"{\"type\":\"pair\"," IDS ",\"bench\":\"x.y\",\"bytes\":8,\"opts\":{\"k\":\"v\"},"         \
	"\"a\":\"n1\",\"b\":\"n2\",\"dir\":\"ab\",\"round\":0,\"ranks\":2,\"blocks\":3,"           \
	"\"batch\":1,\"ended\":\"precision\",\"spread\":0.01,\"metrics\":{\"lat_p50_ns\":" FIGURES \
	",\"x\":" FIGURES "}}"
#define END                                                                                        \
	"{\"type\":\"end\"," IDS ",\"status\":\"failed\",\"reason\":\"it broke\",\"seconds\":1.5}"

/* One object, so that places in it can be told. */
static const char pair[] = PAIR_TEXT;

static void a_damaged_line_is_never_taken_where_the_full_reader_refuses(void **state)
{
	/* What an enemy would try, besides random bytes. */
	static const char likely[] = "{}[]\",:\\0123456789.-+eEnulltrue \t\n\x7f\xc3";
	static const char *const lines[] = { pair, END };
	struct rng r;
	int taken = 0, refused = 0;

	rng_seed(&r, 32);
	for (int i = 0; i < 60000; i++) {
		const char *line = lines[rng_below(&r, COUNT(lines))];
		size_t len = strlen(line), changes = 1 + rng_below(&r, 2);
		char text[1000];

		memcpy(text, line, len + 1);
		for (size_t c = 0; c < changes; c++) {
			size_t at = rng_below(&r, len);
			char byte = (char)rng_below(&r, 256);

			if (rng_below(&r, 4))
				byte = likely[rng_below(&r, sizeof(likely))];

			switch (rng_below(&r, 3)) {
			case 0: text[at] = byte; break;
			case 1:
				memmove(text + at, text + at + 1, len - at - 1);
				len--;
				break;
			default:
				memmove(text + at + 1, text + at, len - at);
				text[at] = byte;
				len++;
			}
		}
		if (read_both(*state, text, len) == REC_UNKNOWN)
			refused++;
		else
			taken++;
	}
	assert_true(taken > 1000 && refused > 1000);
}

static void numbers_are_those_of_json_and_exact(void **state)
{
	static const struct {
		const char *text;
		bool taken;
	} rows[] = {
		{ "5", true },
		{ "0.1", true },
		{ "123456.789", true },
		{ "0.30000000000000004", true },
		{ "1e3", true },
		{ "1.5E-3", true },
		{ "2.2250738585072014e-308", true },
		{ "179769313486231570000.5", false },
		{ "0", false },
		{ "0.0", false },
		{ "-1", false },
		{ "+1", false },
		{ "01", false },
		{ "1.", false },
		{ ".5", false },
		{ "1e", false },
		{ "1e999", false },
		{ "1e-999", false },
		{ "0x10", false },
		{ "NaN", false },
		{ "Infinity", false },
		{ "1 ", false },
		{ "\"1\"", false },
		{ "null", false },
		{ "true", false },
		{ "[1]", false },
		{ "99999999999999999999999", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *at = strstr(pair, "5.25");
		struct buf text = BUF_INIT;

		buf_add(&text, pair, (size_t)(at - pair));
		buf_puts(&text, rows[i].text);
		buf_puts(&text, at + 4);
		if ((read_both(*state, buf_text(&text), text.len) == REC_PAIR) != rows[i].taken)
			fail_msg("%s", rows[i].text);
		buf_free(&text);
	}
}

static void lines_of_another_form_are_left_to_the_full_reader(void **state)
{
	static const char *const lines[] = {
		"",
		"{",
		"{}",
		"null",
		"{\"type\":\"pair\"}",
		"{\"type\":\"meta\"," IDS "}",
		"{\"type\":\"future\"," IDS "}",
		" " END,
		END " ",
		END END,
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"seconds\":1,\"later\":2}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"seconds\":1,\"seconds\":1}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"seconds\":1,\"type\":\"end\"}",
		"{\"type\":\"end\"," IDS ",\"status\":\"ok\",\"reason\":\"a\\nb\",\"seconds\":1}",
		"{\"type\":\"end\"," IDS
		",\"status\":\"ok\",\"reason\":\"\xc3\xa9\",\"seconds\":1}",
	};

	for (size_t i = 0; i < COUNT(lines); i++)
		assert_int_equal(read_both(*state, lines[i], strlen(lines[i])), REC_UNKNOWN);
	for (size_t len = 0; len < strlen(pair); len++)
		assert_int_equal(read_both(*state, pair, len), REC_UNKNOWN);
	assert_int_equal(read_both(*state, pair, strlen(pair)), REC_PAIR);
	/* The terminating byte is not part of a line. */
	assert_int_equal(read_both(*state, pair, strlen(pair) + 1), REC_UNKNOWN);
	rec_scan_free(NULL);
}

static void options_are_checked_each_time_they_change(void **state)
{
	static const struct {
		const char *opts;
		bool taken;
	} rows[] = {
		{ "{\"k\":\"v\"}", true },
		{ "{\"k\":\"w\"}", true },
		{ "{\"k\":\"w\"}", true },
		{ "{\"k\":w}", false },
		{ "{\"k\":\"w\",}", false },
		{ "{\"k\":1,\"k\":2}", false },
		{ "{}", true },
		{ "{\"k\":\"}\"}", false },
		{ "{\"k\":{}}", false },
		{ "{\"k\":[1]}", false },
		{ "[]", false },
		{ "{\"k\":01}", false },
		{ "{\"k\":\"\xff\"}", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *good = "{\"k\":\"v\"}", *at = strstr(pair, good);
		struct buf text = BUF_INIT;

		buf_add(&text, pair, (size_t)(at - pair));
		buf_puts(&text, rows[i].opts);
		buf_puts(&text, at + strlen(good));
		if ((read_both(*state, buf_text(&text), text.len) == REC_PAIR) != rows[i].taken)
			fail_msg("%s", rows[i].opts);
		buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_writers_lines_are_taken_and_read_alike),
		cmocka_unit_test(a_damaged_line_is_never_taken_where_the_full_reader_refuses),
		cmocka_unit_test(numbers_are_those_of_json_and_exact),
		cmocka_unit_test(lines_of_another_form_are_left_to_the_full_reader),
		cmocka_unit_test(options_are_checked_each_time_they_change),
	};

	return cmocka_run_group_tests(tests, readers_new, readers_free);
}
