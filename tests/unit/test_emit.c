#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/emit.h"
#include "bench/core/run.h"

/* Keeps what it is given. */
struct keep {
	struct emit base;
	json_object *records;
	size_t longest;
	int fail_after; /* records; 0: never */
};

static int keep_record(struct emit *e, json_object *record, struct hb_err *err)
{
	struct keep *k = (struct keep *)e;
	struct buf text = BUF_INIT;

	if (k->fail_after && json_object_array_length(k->records) >= (size_t)k->fail_after)
		return hb_fail(err, HB_E_IO, "full");
	js_write(record, JS_PLAIN, &text);
	if (text.len > k->longest)
		k->longest = text.len;
	buf_free(&text);
	return json_object_array_add(k->records, json_object_get(record));
}

static struct keep keep_new(void)
{
	return (struct keep){ .base = { keep_record, NULL }, .records = json_object_new_array() };
}

static const struct rec_ids ids = { 3, 17, 2, PHASE_EXTRA };

/* The chunks are whole, in order, short enough, and together they are v. */
static void check_chunks(const struct keep *k, const double *v, size_t n, const char *kept)
{
	size_t of = json_object_array_length(k->records), at = 0;
	struct js_at top = JS_AT_TOP("chunk");

	for (size_t i = 0; i < of; i++) {
		json_object *o = json_object_array_get_idx(k->records, i), *values = NULL;
		uint64_t seq = 99, total = 99, unit = 0;
		const char *how = "", *what = "";

		assert_int_equal(record_type_of(o), REC_SAMPLES);
		assert_int_equal(js_get_u64(o, &top, "seq", JS_REQUIRED, &seq, NULL), 0);
		assert_int_equal(js_get_u64(o, &top, "of", JS_REQUIRED, &total, NULL), 0);
		assert_int_equal(js_get_u64(o, &top, "unit", JS_REQUIRED, &unit, NULL), 0);
		assert_int_equal(js_get_str(o, &top, "kept", JS_REQUIRED, &how, NULL), 0);
		assert_int_equal(js_get_str(o, &top, "v_unit", JS_REQUIRED, &what, NULL), 0);
		assert_string_equal(what, "ns/iteration");
		assert_int_equal(js_get_arr(o, &top, "v", JS_REQUIRED, &values, NULL), 0);
		assert_int_equal(seq, i);
		assert_int_equal(total, of);
		assert_int_equal(unit, 17);
		assert_string_equal(how, kept);
		for (size_t j = 0; j < json_object_array_length(values); j++, at++) {
			double got = json_object_get_double(json_object_array_get_idx(values, j));

			assert_true(at < n);
			assert_memory_equal(&got, &v[at], sizeof(got)); /* exactly */
		}
	}
	assert_int_equal(at, n);
	assert_true(k->longest <= RECORD_MAX);
}

static int emit_values(struct keep *k, const char *metric, const double *v, size_t n,
                       const double *medians, size_t n_medians, struct hb_err *err)
{
	struct emit_series series = { metric, v, n, medians, n_medians };

	return emit_series(&k->base, &ids, &series, err);
}

static void samples_are_kept_exactly_in_chunks(void **state)
{
	static const size_t counts[] = { 1, 2, 150, 151, 9999, RUN_SAMPLES_KEPT };
	struct hb_err err = { HB_OK, "" };
	double *v = hb_alloc(RUN_SAMPLES_KEPT * sizeof(*v));

	(void)state;
	for (int i = 0; i < RUN_SAMPLES_KEPT; i++)
		v[i] = i % 3 ? 1234.0 + i : (1e15 + i) / 7; /* short ones and 17 digits */
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct keep k = keep_new();

		assert_int_equal(emit_values(&k, "lat_p50_ns", v, counts[i], v, 1, &err), HB_OK);
		check_chunks(&k, v, counts[i], "all");
		js_put(k.records);
	}
	free(v);
}

static void many_samples_are_kept_as_block_medians(void **state)
{
	struct hb_err err = { HB_OK, "" };
	double *v = hb_alloc((RUN_SAMPLES_KEPT + 1) * sizeof(*v));
	double medians[] = { 1.5, 2.5, 3.5 };
	struct keep k = keep_new();

	(void)state;
	for (int i = 0; i <= RUN_SAMPLES_KEPT; i++)
		v[i] = 2;
	assert_int_equal(emit_values(&k, "lat_p50_ns", v, RUN_SAMPLES_KEPT + 1, medians, 3, &err),
	                 HB_OK);
	check_chunks(&k, medians, 3, "blocks");
	js_put(k.records);
	free(v);
}

static void no_samples_give_no_chunk_and_a_failure_stops(void **state)
{
	struct hb_err err = { HB_OK, "" };
	double *v = hb_alloc(5000 * sizeof(*v));
	struct keep k = keep_new();

	(void)state;
	assert_int_equal(emit_values(&k, "m", v, 0, v, 0, &err), HB_OK);
	assert_int_equal(json_object_array_length(k.records), 0);
	k.fail_after = 2;
	for (int i = 0; i < 5000; i++)
		v[i] = 123456;
	assert_int_equal(emit_values(&k, "m", v, 5000, v, 1, &err), HB_E_IO);
	assert_int_equal(json_object_array_length(k.records), 2);
	js_put(k.records);
	free(v);
}

static void a_file_gets_a_line_a_record_and_is_never_overwritten(void **state)
{
	char dir[] = "/tmp/hpcbench-emit-XXXXXX", path[64];
	struct hb_err err = { HB_OK, "" };
	struct emit *e = NULL, *again = NULL;
	struct buf text = BUF_INIT;
	json_object *o;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/records", dir);
	assert_int_equal(emit_file_new(path, &e, &err), HB_OK);
	for (int i = 0; i < 2; i++) {
		o = rec_event_to_json(&ids, "info", i ? "two" : "one", "line\nbreak");
		assert_int_equal(e->record(e, o, &err), HB_OK);
		js_put(o);
	}
	e->close(e);
	assert_int_equal(emit_file_new(path, &again, &err), HB_E_IO);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "name a new file"));
	assert_int_equal(buf_read_file(&text, path, 1 << 20, &err), HB_OK);
	assert_int_equal(text.data[text.len - 1], '\n');
	assert_non_null(strstr(buf_text(&text), "\"code\":\"one\""));
	*strchr(text.data, '\n') = '\0';
	assert_int_equal(js_parse(text.data, strlen(text.data), path, &o, &err), HB_OK);
	js_put(o);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(emit_file_new(path, &again, &err), HB_E_IO); /* its folder is gone */
	buf_free(&text);
}

static json_object *some_pair(const char *dir, uint64_t bytes, uint64_t bad, json_object *opts)
{
	struct rec_point p = { .ids = ids,
		               .is_pair = true,
		               .bench = "mpi.bandwidth",
		               .bytes = bytes,
		               .opts = opts,
		               .a = "n1",
		               .b = "n2",
		               .dir = dir,
		               .round = -1,
		               .ranks = 2,
		               .blocks = 5,
		               .batch = 1,
		               .warmup = 9,
		               .ended = ENDED_PRECISION,
		               .spread = 0.004,
		               .verified = 64,
		               .bad = bad,
		               .n_metrics = 2 };

	p.metrics[0].name = "algbw_Bps";
	p.metrics[0].s =
	        (struct stat_summary){ 40, 9e9, 1e10, 9.9e9, 1.01e10, 9.5e9, 9.2e9, 1.1e10 };
	p.metrics[1].name = "lat_p50_ns";
	p.metrics[1].s = (struct stat_summary){ 40, 1400, 1500, 1450, 1550, 1600, 1700, 1800 };
	return rec_point_to_json(&p);
}

static void put(struct emit *e, json_object *o)
{
	struct hb_err err = { HB_OK, "" };

	if (e->record(e, o, &err) < 0)
		fail_msg("%s", err.text);
	js_put(o);
}

static void a_table_has_a_row_a_case_and_repeats_no_heading(void **state)
{
	static const char expected[] =
	        "# mpi.bandwidth: n1 > n2, 2 ranks, window=64\n"
	        "       bytes     algbw MB/s     lat_p50 us    +- %         "
	        "   p99   samples  batch "
	        "ended by, checked elements\n"
	        "      64 KiB        10000.0          1.500    1.00         "
	        "9200.0        40      1 "
	        "precision, 64 ok\n"
	        "       1 MiB        10000.0          1.500    1.00         "
	        "9200.0        40      1 "
	        "precision, 64, 3 WRONG\n"
	        "case 17: invalid: wrong data\n"
	        "# mpi.bandwidth: n1 < n2, 2 ranks, window=64\n"
	        "       bytes     algbw MB/s     lat_p50 us    +- %         "
	        "   p99   samples  batch "
	        "ended by, checked elements\n"
	        "      64 KiB        10000.0          1.500    1.00         "
	        "9200.0        40      1 "
	        "precision, 64 ok\n"
	        "warn: the clock is slow\n"
	        "n1                           sw.kernel                6.1  (uname)\n"
	        "n1/eth0                      net.speed_bps            ?  (no carrier)\n";
	struct rec_end end = { ids, UNIT_OK, NULL, 1.5 };
	json_object *opts = json_object_new_object();
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct emit *e = emit_table_new(out);

	(void)state;
	js_set_u64(opts, "window", 64);
	put(e, some_pair("ab", 65536, 0, opts));
	put(e, rec_end_to_json(&end));
	put(e, some_pair("ab", 1 << 20, 3, opts));
	end.status = UNIT_INVALID;
	end.reason = "wrong data";
	put(e, rec_end_to_json(&end));
	put(e, some_pair("ba", 65536, 0, opts));
	put(e, rec_event_to_json(&ids, "warn", "clock-slow", "the clock is slow"));
	put(e, rec_fact_to_json("n1", "sw.kernel", "6.1", "uname"));
	put(e, rec_fact_to_json("n1/eth0", "net.speed_bps", NULL, "no carrier"));
	e->close(e);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	js_put(opts);
}

static void a_table_that_cannot_be_written_is_an_error(void **state)
{
	struct hb_err err = { HB_OK, "" };
	FILE *full = fopen("/dev/full", "w");
	struct emit *e;
	json_object *o;

	(void)state;
	if (!full)
		skip();
	e = emit_table_new(full);
	o = rec_event_to_json(&ids, "warn", "c", "text");
	assert_int_equal(e->record(e, o, &err), HB_E_IO);
	js_put(o);
	e->close(e);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_kept_exactly_in_chunks),
		cmocka_unit_test(many_samples_are_kept_as_block_medians),
		cmocka_unit_test(no_samples_give_no_chunk_and_a_failure_stops),
		cmocka_unit_test(a_file_gets_a_line_a_record_and_is_never_overwritten),
		cmocka_unit_test(a_table_has_a_row_a_case_and_repeats_no_heading),
		cmocka_unit_test(a_table_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
