/* Options on the command line, and copies of their values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "bench/base/opt.h"
#include "bench/base/rng.h"
#include "opt_table.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the command line ---- */

static void defaults_are_parsed_from_their_text(void **state)
{
	(void)state;
	struct opt_values v;
	opt_table_start(&v);
	assert_int_equal(v.quiet, 0);
	assert_int_equal(v.confirm, 1);
	assert_int_equal(v.window, 64);
	assert_int_equal(v.delta, -7);
	assert_int_equal(v.sync, SYNC_A);
	assert_true(v.seed == 1 && v.bytes == 65536);
	assert_true(v.ops == (UINT64_C(7) | UINT64_C(1) << 62));
	assert_true(v.max_time == 1 && v.precision == 0.01 && v.limit == 0);
	assert_null(v.label);
	assert_string_equal(v.sizes, "8..1Mi");
	assert_int_equal(v.bench.n, 0);
	opt_free(opt_table, &v);
	assert_null(v.sizes);
	opt_free(opt_table, &v);
}

static void every_way_to_write_an_option_is_understood(void **state)
{
	(void)state;
	struct opt_values v;
	struct buf left = BUF_INIT;
	struct hb_err err = { .code = HB_OK };
	opt_table_start(&v);
	if (opt_table_parse(&v,
	                    "a --window=8 --no-confirm b -q --sync roundtime -t 200ms -p0.5% -l x "
	                    "--bench mpi.latency -bmpi.bandwidth --seed 18446744073709551615 "
	                    "--ops=triad,add "
	                    "--datatype=float --buffer 1Mi --sizes 8,16 --delta -12 - --label= -- "
	                    "--quiet c",
	                    NULL, &left, &err))
		fail_msg("%s", err.text);
	assert_string_equal(buf_text(&left), "a b - --quiet c");
	assert_int_equal(v.window, 8);
	assert_int_equal(v.confirm, 0);
	assert_int_equal(v.quiet, 1);
	assert_int_equal(v.sync, SYNC_B);
	assert_int_equal(v.type, 5);
	assert_int_equal(v.delta, -12);
	assert_true(v.max_time == 0.2 && v.precision == 0.005);
	assert_true(v.seed == UINT64_MAX && v.bytes == 1 << 20);
	assert_true(v.ops == (UINT64_C(4) | UINT64_C(1) << 62));
	assert_string_equal(v.label, "");
	assert_string_equal(v.sizes, "8,16");
	assert_int_equal(v.bench.n, 2);
	assert_string_equal(v.bench.v[0], "mpi.latency");
	assert_string_equal(v.bench.v[1], "mpi.bandwidth");
	opt_free(opt_table, &v);
	buf_free(&left);
}

static void switches_take_words_too_and_the_last_one_wins(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int quiet;
	} rows[] = { { "--quiet=yes", 1 },
		     { "--quiet=no", 0 },
		     { "--quiet=1", 1 },
		     { "--quiet=false", 0 },
		     { "--quiet=on", 1 },
		     { "--quiet --no-quiet", 0 },
		     { "--no-quiet --quiet", 1 },
		     { "-qq", 1 },
		     { "-qw9", 1 },
		     { "--quiet=true --quiet=off", 0 } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct opt_values v;
		opt_table_start(&v);
		assert_int_equal(opt_table_parse(&v, rows[i].text, NULL, NULL, NULL), HB_OK);
		assert_int_equal(v.quiet, rows[i].quiet);
		opt_free(opt_table, &v);
	}
}

static void with_no_in_front_an_option_is_as_if_nobody_had_said_it(void **state)
{
	struct opt_values v;
	(void)state;
	opt_table_start(&v);
	assert_int_equal(opt_table_parse(&v,
	                                 "--window=3 --label=x --bench=a --bench=b --sizes=8 "
	                                 "--max-time=2s --no-window --no-label --no-bench "
	                                 "--no-sizes --no-max-time --bench=c",
	                                 NULL, NULL, NULL),
	                 HB_OK);
	assert_int_equal(v.window, 64);
	assert_null(v.label);
	assert_string_equal(v.sizes, "8..1Mi");
	assert_true(v.max_time == 1);
	assert_int_equal(v.bench.n, 1);
	assert_string_equal(v.bench.v[0], "c");
	opt_free(opt_table, &v);
}

static void a_flag_that_is_called_no_is_cleared_by_its_plain_name(void **state)
{
	static const struct opt table[] = {
		{ OPT_FLAG, 0, "no-confirm", NULL, "never again", NULL, 0, 0, 0, NULL, 0 },
		{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
	};
	const char *argv[] = { "prog", "--no-confirm", "--confirm", NULL };
	int argc = 3, off = 0;
	(void)state;
	assert_int_equal(opt_parse(table, &off, &argc, argv, NULL, NULL), HB_OK);
	assert_int_equal(off, 0);
	argv[1] = "--confirm";
	argv[2] = "--no-confirm";
	argc = 3;
	assert_int_equal(opt_parse(table, &off, &argc, argv, NULL, NULL), HB_OK);
	assert_int_equal(off, 1);
}

static void what_is_wrong_on_the_command_line_is_one_clear_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "--max-time=soon",
		  "--max-time=soon: not a duration; write 10s, 200ms, 5m, 8h or 2d" },
		{ "-t soon", "-t=soon: not a duration; write 10s, 200ms, 5m, 8h or 2d" },
		{ "--sizs=8", "unknown option --sizs; did you mean --sizes?" },
		{ "--sizs", "unknown option --sizs; did you mean --sizes?" },
		{ "--elephant", "unknown option --elephant; --help lists the options" },
		{ "--secre", "unknown option --secre; --help lists the options" },
		{ "--no-windw", "unknown option --no-windw; --help lists the options" },
		{ "-z", "unknown option -z; --help lists the options" },
		{ "-qz", "unknown option -z; --help lists the options" },
		{ "--window=0", "--window=0: out of range; 1 to 4096 is allowed" },
		{ "--window=4097", "--window=4097: out of range; 1 to 4096 is allowed" },
		{ "--window=99999999999", "--window=99999999999: out of range; 1 to 4096 is "
		                          "allowed" },
		{ "--window=8x", "--window=8x: not a whole number" },
		{ "--window=", "--window=: not a whole number" },
		{ "--window=1.5", "--window=1.5: not a whole number" },
		{ "--delta=2147483648", "--delta=2147483648: too large" },
		{ "--delta=--1", "--delta=--1: not a whole number" },
		{ "--window", "--window needs a value; write --window=N" },
		{ "--label --quiet", "--label needs a value; write --label=TEXT" },
		{ "-l", "-l needs a value; write --label=TEXT" },
		{ "--no-quiet=1", "--no-quiet takes no value" },
		{ "--quiet=maybe", "--quiet=maybe: not a switch; write yes or no" },
		{ "--seed=18446744073709551616",
		  "--seed=18446744073709551616: not a whole number from 0 to 2^64 - 1" },
		{ "--seed=-1", "--seed=-1: not a whole number from 0 to 2^64 - 1" },
		{ "--buffer=0", "--buffer=0: out of range; 1 B to 1 GiB is allowed" },
		{ "--buffer=2Gi", "--buffer=2Gi: out of range; 1 B to 1 GiB is allowed" },
		{ "--max-time=2h", "--max-time=2h: out of range; 1 ms to 1 h 0 m is allowed" },
		{ "--precision=60%", "--precision=60%: out of range; 0.01% to 50% is allowed" },
		{ "--precision=5", "--precision=5: that is 500 %; write 5% or 0.05" },
		{ "--limit=-1%", "--limit=-1%: may not be negative" },
		{ "--sync=barier",
		  "--sync=barier: not a choice; did you mean barrier? (barrier or roundtime)" },
		{ "--sync=", "--sync=: not a choice; write barrier or roundtime" },
		{ "--datatype=float16", "datatype=float16 is not available in this version" },
		{ "--ops=copy,gather", "ops=gather is not available in this version" },
		{ "--ops=copy,trid", "--ops=copy,trid: \"trid\" is not a choice; did you mean "
		                     "triad? (copy, scale, add or triad)" },
		{ "--ops=copy,", "--ops=copy,: \"\" is not a choice; write copy, scale, add or "
		                 "triad" },
		{ "--ops=copy,all", "--ops=copy,all: \"all\" is not a choice; write copy, scale, "
		                    "add or triad" },
		{ "--sizes=8..4", "--sizes=8..4: a range of sizes begins above its end" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct opt_values v;
		struct hb_err err = { .code = HB_OK };
		opt_table_start(&v);
		assert_int_equal(opt_table_parse(&v, rows[i].text, NULL, NULL, &err), HB_E_USAGE);
		assert_string_equal(err.text, rows[i].error);
		assert_int_equal(err.code, HB_E_USAGE);
		assert_int_equal(opt_table_parse(&v, rows[i].text, NULL, NULL, NULL), HB_E_USAGE);
		opt_free(opt_table, &v);
	}
}

static void a_value_that_is_refused_leaves_the_old_one(void **state)
{
	(void)state;
	static const char *const bad[] = { "window=0",   "sync=x",     "seed=-1",    "buffer=0",
		                           "ops=x",      "ops=copy,x", "max-time=x", "precision=2",
		                           "sizes=9..1", "delta=x",    "quiet=x" };
	struct opt_values v, same;
	opt_table_start(&v);
	opt_table_start(&same);
	for (size_t i = 0; i < COUNT(bad); i++) {
		char *name = hb_strdup(bad[i]);
		char *value = strchr(name, '=');
		*value++ = '\0';
		assert_int_equal(opt_set(opt_table, &v, name, value, NULL), HB_E_USAGE);
		free(name);
	}
	json_object *a = opt_to_json(opt_table, &v, 0), *b = opt_to_json(opt_table, &same, 0);
	assert_true(json_object_equal(a, b));
	js_put(a);
	js_put(b);
	opt_free(opt_table, &v);
	opt_free(opt_table, &same);
}

static void unknown_options_are_left_for_the_next_table_when_asked(void **state)
{
	(void)state;
	struct opt_values v;
	struct buf left = BUF_INIT;
	int unknown = 99;
	opt_table_start(&v);
	assert_int_equal(opt_table_parse(&v,
	                                 "run --quiet --nodes n1 -z --foo=3 -qz x -- --window=2",
	                                 &unknown, &left, NULL),
	                 HB_OK);
	assert_int_equal(unknown, 4);
	/* The two dashes stay too: whoever comes next must stop there as well. */
	assert_string_equal(buf_text(&left), "run --nodes n1 -z --foo=3 -qz x -- --window=2");
	assert_int_equal(v.quiet, 1);
	assert_int_equal(v.window, 64);
	assert_int_equal(opt_table_parse(&v, "a b", &unknown, NULL, NULL), HB_OK);
	assert_int_equal(unknown, 0);
	opt_free(opt_table, &v);
	buf_free(&left);
}

static void single_options_are_set_by_name(void **state)
{
	(void)state;
	struct opt_values v;
	struct hb_err err;
	opt_table_start(&v);
	assert_int_equal(opt_set(opt_table, &v, "label", "one", &err), HB_OK);
	assert_int_equal(opt_set(opt_table, &v, "label", v.label + 1, &err), HB_OK);
	assert_string_equal(v.label, "ne");
	assert_int_equal(opt_set(opt_table, &v, "windw", "1", &err), HB_E_USAGE);
	assert_string_equal(err.text, "unknown option windw; did you mean window?");
	assert_int_equal(opt_set(opt_table, &v, "elephant", "1", &err), HB_E_USAGE);
	assert_string_equal(err.text, "unknown option elephant");
	assert_int_equal(opt_set(opt_table, &v, "window", "0", &err), HB_E_USAGE);
	assert_string_equal(err.text, "window=0: out of range; 1 to 4096 is allowed");
	assert_int_equal(err.code, HB_E_USAGE);
	assert_int_equal(opt_set(opt_table, &v, "datatype", "float16", &err), HB_E_USAGE);
	assert_string_equal(err.text, "datatype=float16 is not available in this version");
	opt_free(opt_table, &v);
}

static void random_words_never_crash(void **state)
{
	(void)state;
	static const char *const parts[] = { "--",
		                             "-",
		                             "=",
		                             "window",
		                             "no-",
		                             "quiet",
		                             "label",
		                             "q",
		                             "w",
		                             "8",
		                             "ops",
		                             "copy",
		                             ",",
		                             "\xff",
		                             "sizes",
		                             "..",
		                             "99999999999999999999",
		                             "%",
		                             "bench",
		                             "1Ki" };
	struct rng r;
	rng_seed(&r, 8);
	for (int i = 0; i < 20000; i++) {
		struct opt_values v;
		struct buf line = BUF_INIT, left = BUF_INIT;
		int unknown;
		opt_table_start(&v);
		for (int w = 0; w < 4; w++) {
			buf_puts(&line, w ? " " : "");
			for (uint64_t k = rng_below(&r, 5); k > 0; k--)
				buf_puts(&line, parts[rng_below(&r, COUNT(parts))]);
		}
		opt_table_parse(&v, buf_text(&line), i % 2 ? &unknown : NULL, &left, NULL);
		assert_true(left.len <= line.len);
		opt_free(opt_table, &v);
		buf_free(&line);
		buf_free(&left);
	}
}

/* ---- copies ---- */

static void a_copy_owns_its_texts(void **state)
{
	(void)state;
	struct opt_values a, b;
	opt_table_start(&a);
	memset(&b, 0, sizeof(b));
	assert_int_equal(opt_table_parse(&a, "-l name -b x -b y --window=3 --seed 5 -p 2%", NULL,
	                                 NULL, NULL),
	                 HB_OK);
	opt_copy(opt_table, &a, &b);
	opt_free(opt_table, &a);
	assert_string_equal(b.label, "name");
	assert_string_equal(b.sizes, "8..1Mi");
	assert_int_equal(b.bench.n, 2);
	assert_string_equal(b.bench.v[1], "y");
	assert_int_equal(b.window, 3);
	assert_true(b.seed == 5 && b.precision == 0.02);
	opt_free(opt_table, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_parsed_from_their_text),
		cmocka_unit_test(every_way_to_write_an_option_is_understood),
		cmocka_unit_test(switches_take_words_too_and_the_last_one_wins),
		cmocka_unit_test(with_no_in_front_an_option_is_as_if_nobody_had_said_it),
		cmocka_unit_test(a_flag_that_is_called_no_is_cleared_by_its_plain_name),
		cmocka_unit_test(what_is_wrong_on_the_command_line_is_one_clear_line),
		cmocka_unit_test(a_value_that_is_refused_leaves_the_old_one),
		cmocka_unit_test(unknown_options_are_left_for_the_next_table_when_asked),
		cmocka_unit_test(single_options_are_set_by_name),
		cmocka_unit_test(random_words_never_crash),
		cmocka_unit_test(a_copy_owns_its_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
