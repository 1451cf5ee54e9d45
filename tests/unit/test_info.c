/* The catalog: every row is complete and its defaults measure something; cases and keys. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/buf.h"
#include "bench/base/info.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void every_row_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; catalog[i]; i++) {
		const struct bench_info *info = catalog[i];

		/* "all" stands for every value of a set. */
		for (const struct opt *row = info->opts; row->type != OPT_END; row++)
			for (const struct opt_choice *c = row->choices; c && c->name; c++)
				assert_true(row->type != OPT_SET || strcmp(c->name, "all") != 0);
		char helper[16];
		bool sizes = false;

		assert_non_null(strchr(info->name, '.'));
		assert_true(strlen(info->name) < 64);
		assert_true(strlen(info->summary) > 0);
		assert_non_null(info->cases);
		assert_true(info->min_ranks >= 1);
		assert_true(info->max_ranks == 0 || info->max_ranks >= info->min_ranks);
		assert_true(info->floor > 0 && info->floor < 1);
		bool tells = (info->flags & BENCH_TELLS) != 0;
		assert_true(tells ? !info->metrics[0].name : info->metrics[0].judged);
		assert_true(!(info->flags & BENCH_MEETS) || info->max_ranks > 0);
		assert_true(!(info->flags & BENCH_BUSBW) == !info->bus_factor);
		for (const struct opt *row = info->opts; row->type != OPT_END; row++) {
			sizes |= row->type == OPT_SIZES && !strcmp(row->name, "sizes");
			assert_true(row->offset < info->opts_size);
			assert_true(row->type == OPT_SIZES || row->flags & OPT_KEY);
		}
		assert_int_equal(sizes, info_sizes(info) != NULL);
		info_helper_name(info, helper, sizeof(helper));
		assert_true(!strcmp(helper, "mpi") || !strcmp(helper, "node"));
		assert_ptr_equal(catalog_find(info->name), info);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(catalog[j]->name, info->name);
	}
}

static void metric_names_carry_their_unit(void **state)
{
	static const struct {
		const char *suffix;
		enum unit unit;
		bool higher;
	} rules[] = {
		{ "_ns", UNIT_NS, false },
		{ "_Bps", UNIT_BPS, true },
		{ "_per_s", UNIT_PER_S, true },
	};

	(void)state;
	for (size_t i = 0; catalog[i]; i++) {
		for (const struct metric_info *m = catalog[i]->metrics; m->name; m++) {
			size_t len = strlen(m->name), found = 0;

			assert_ptr_equal(info_metric(catalog[i], m->name), m);
			for (size_t r = 0; r < COUNT(rules); r++) {
				size_t n = strlen(rules[r].suffix);

				if (len <= n || strcmp(m->name + len - n, rules[r].suffix) != 0)
					continue;
				found++;
				assert_int_equal(m->unit, rules[r].unit);
				/* What nobody wants may come at a rate too, and is not judged. */
				if (m->judged || m->unit != UNIT_PER_S)
					assert_int_equal(m->higher_is_better, rules[r].higher);
			}
			assert_int_equal(found, 1);
		}
		assert_null(info_metric(catalog[i], "no_such_metric"));
	}
}

static void the_defaults_of_every_benchmark_give_cases(void **state)
{
	(void)state;
	for (size_t i = 0; catalog[i]; i++) {
		void *opts = info_opts_new(catalog[i]);
		struct case_list list = { 0 };
		struct hb_err err = { 0 };

		if (catalog[i]->cases(catalog[i], opts, &list, &err))
			fail_msg("%s", err.text);
		assert_true(list.n > 0);
		assert_ptr_equal(list.info, catalog[i]);
		case_list_free(&list);
		assert_int_equal(list.n, 0);
		case_list_free(&list);
		info_opts_free(catalog[i], opts);
		info_opts_free(catalog[i], NULL);
	}
}

static void assert_key(const struct bench_info *info, const void *opts, const char *want)
{
	json_object *key = info_key_opts(info, opts);
	struct buf text = BUF_INIT;

	js_write(key, JS_SORTED, &text);
	assert_string_equal(buf_text(&text), want);
	buf_free(&text);
	js_put(key);
}

/* These texts are part of every stored key: a change here orphans all baselines. */
static void the_keys_of_the_defaults_are_what_they_have_always_been(void **state)
{
	static const struct {
		const char *bench, *key;
	} rows[] = {
		{ "mpi.latency", "{\"buffers\":\"hot\",\"datatype\":\"byte\"}" },
		{ "mpi.bandwidth", "{\"buffers\":\"hot\",\"datatype\":\"byte\",\"window\":64}" },
		{ "mpi.allreduce",
		  "{\"buffers\":\"hot\",\"datatype\":\"float\",\"sync\":\"barrier\"}" },
		{ "node.memory", "{\"op\":\"triad\",\"threads\":0}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bench_info *info = catalog_find(rows[i].bench);
		void *opts = info_opts_new(info);
		struct case_list list;

		assert_key(info, opts, rows[i].key);
		assert_int_equal(info->cases(info, opts, &list, NULL), HB_OK);
		for (size_t c = 0; c < list.n; c++)
			assert_key(info, list.v[c].opts, rows[i].key);
		case_list_free(&list);
		info_opts_free(info, opts);
	}
}

static void cases_are_axes_times_sizes_with_sizes_fastest(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *key;
	} want[] = {
		{ 4096, "{\"op\":\"copy\",\"threads\":2}" },
		{ 1048576, "{\"op\":\"copy\",\"threads\":2}" },
		{ 4096, "{\"op\":\"add\",\"threads\":2}" },
		{ 1048576, "{\"op\":\"add\",\"threads\":2}" },
		{ 4096, "{\"op\":\"triad\",\"threads\":2}" },
		{ 1048576, "{\"op\":\"triad\",\"threads\":2}" },
	};
	const struct bench_info *info = &info_node_memory;
	void *opts = info_opts_new(info);
	struct case_list list;

	(void)state;
	assert_int_equal(opt_set(info->opts, opts, "op", "triad,copy,add", NULL), HB_OK);
	assert_int_equal(opt_set(info->opts, opts, "sizes", "1Mi,4Ki", NULL), HB_OK);
	assert_int_equal(opt_set(info->opts, opts, "threads", "2", NULL), HB_OK);
	assert_int_equal(info->cases(info, opts, &list, NULL), HB_OK);
	assert_int_equal(list.n, COUNT(want));
	for (size_t i = 0; i < list.n; i++) {
		assert_true(list.v[i].bytes == want[i].bytes);
		assert_key(info, list.v[i].opts, want[i].key);
	}
	case_list_free(&list);
	info_opts_free(info, opts);
}

static void all_operations_are_four(void **state)
{
	const struct bench_info *info = &info_node_memory;
	void *opts = info_opts_new(info);
	struct case_list list;

	(void)state;
	assert_int_equal(opt_set(info->opts, opts, "op", "all", NULL), HB_OK);
	assert_int_equal(opt_set(info->opts, opts, "sizes", "4Ki", NULL), HB_OK);
	assert_int_equal(info->cases(info, opts, &list, NULL), HB_OK);
	assert_int_equal(list.n, 4);
	for (size_t i = 0; i < list.n; i++)
		assert_true(((struct memory_opts *)list.v[i].opts)->ops == UINT64_C(1) << i);
	case_list_free(&list);
	info_opts_free(info, opts);
}

/* Sizes that a benchmark cannot measure, and what the error must name. */
static void sizes_that_cannot_be_measured_are_refused(void **state)
{
	static const struct {
		const char *bench, *datatype, *sizes, *told;
	} rows[] = {
		{ "mpi.latency", "double", "0,8,12", "12 is not a multiple of 8" },
		{ "mpi.bandwidth", "byte", "0,8", "0 is below" },
		{ "mpi.bandwidth", "int32", "6", "6 is not a multiple of 4" },
		{ "mpi.bandwidth", "byte", "4Gi", "elements" },
		{ "mpi.allreduce", "float", "0", "0 is below the least, 4" },
		{ "mpi.allreduce", "float", "1..16", "below the least, 4" },
		{ "mpi.allreduce", "float", "10",
		  "10 is not a multiple of 4, the size of a float" },
		{ "mpi.allreduce", "double", "4", "4 is not a multiple of 8" },
		{ "node.memory", NULL, "100", "100 is below the least, 4096" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bench_info *info = catalog_find(rows[i].bench);
		void *opts = info_opts_new(info);
		struct case_list list;
		struct hb_err err = { 0 };

		if (rows[i].datatype)
			assert_int_equal(
			        opt_set(info->opts, opts, "datatype", rows[i].datatype, NULL),
			        HB_OK);
		assert_int_equal(opt_set(info->opts, opts, "sizes", rows[i].sizes, NULL), HB_OK);
		assert_int_equal(info->cases(info, opts, &list, &err), HB_E_USAGE);
		if (!strstr(err.text, rows[i].told) || !strstr(err.text, rows[i].bench))
			fail_msg("\"%s\" does not say \"%s\"", err.text, rows[i].told);
		assert_int_equal(list.n, 0);
		assert_null(list.v);
		info_opts_free(info, opts);
	}
}

static void an_empty_message_has_a_latency(void **state)
{
	const struct bench_info *info = &info_mpi_latency;
	void *opts = info_opts_new(info);
	struct case_list list;

	(void)state;
	assert_int_equal(opt_set(info->opts, opts, "sizes", "0,8", NULL), HB_OK);
	assert_int_equal(info->cases(info, opts, &list, NULL), HB_OK);
	assert_int_equal(list.n, 2);
	assert_true(list.v[0].bytes == 0);
	case_list_free(&list);
	info_opts_free(info, opts);
}

static void axes_multiply_and_more_cases_than_the_limit_are_refused(void **state)
{
	/* Masks are set by hand below: 62 * 62 cases a size, so four sizes fit and five do not. */
	static const struct opt_choice choices[] = { { "a", 0, 0, "" },
		                                     { "b", 1, 0, "" },
		                                     { NULL, 0, 0, NULL } };
	struct two_axes {
		char *sizes;
		uint64_t first, second;
	};
	static const struct opt rows[] = {
		{ OPT_SIZES, 0, "sizes", "L", "", "1", offsetof(struct two_axes, sizes), 0, 0, NULL,
		  0 },
		{ OPT_SET, 0, "first", "S", "", "all", offsetof(struct two_axes, first), 0, 0,
		  choices, OPT_KEY | OPT_AXIS },
		{ OPT_SET, 0, "second", "S", "", "all", offsetof(struct two_axes, second), 0, 0,
		  choices, OPT_KEY | OPT_AXIS },
		{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
	};
	static const struct bench_info info = {
		.name = "test.axes",
		.opts_size = sizeof(struct two_axes),
		.opts = rows,
		.cases = info_cases_product,
	};
	struct two_axes *opts = info_opts_new(&info);
	struct case_list list;
	struct hb_err err = { 0 };

	(void)state;
	assert_int_equal(info.cases(&info, opts, &list, NULL), HB_OK);
	assert_int_equal(list.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct two_axes *o = list.v[i].opts;

		assert_true(o->first == 1u << (i / 2) && o->second == 1u << (i % 2));
	}
	case_list_free(&list);

	opts->first = (UINT64_C(1) << 62) - 1;
	opts->second = (UINT64_C(1) << 62) - 1;
	assert_int_equal(info.cases(&info, opts, &list, NULL), HB_OK);
	assert_int_equal(list.n, 62 * 62);
	case_list_free(&list);
	assert_int_equal(opt_set(rows, opts, "sizes", "1,2,4,8,16", NULL), HB_OK);
	assert_int_equal(info.cases(&info, opts, &list, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "16384"));
	opts->second = 0;
	assert_int_equal(info.cases(&info, opts, &list, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "second"));
	info_opts_free(&info, opts);
}

static void values_of_later_versions_and_foreign_ones_are_refused(void **state)
{
	static const struct {
		const char *bench, *option, *value;
	} rows[] = {
		{ "mpi.latency", "buffers", "cold" },     { "mpi.bandwidth", "buffers", "cold" },
		{ "mpi.allreduce", "sync", "roundtime" }, { "mpi.allreduce", "buffers", "cold" },
		{ "mpi.allreduce", "datatype", "byte" },  { "mpi.latency", "window", "4" },
		{ "mpi.latency", "sync", "barrier" },     { "mpi.allreduce", "window", "4" },
		{ "mpi.bandwidth", "window", "0" },       { "mpi.bandwidth", "datatype", "half" },
		{ "node.memory", "op", "divide" },        { "node.memory", "threads", "-1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bench_info *info = catalog_find(rows[i].bench);
		void *opts = info_opts_new(info);
		struct hb_err err = { 0 };

		assert_int_equal(opt_set(info->opts, opts, rows[i].option, rows[i].value, &err),
		                 HB_E_USAGE);
		assert_non_null(strstr(err.text, rows[i].option));
		info_opts_free(info, opts);
	}
}

static void a_key_sets_the_options_it_came_from(void **state)
{
	(void)state;
	for (size_t i = 0; catalog[i]; i++) {
		const struct bench_info *info = catalog[i];
		void *opts = info_opts_new(info), *back = info_opts_new(info);
		json_object *key, *again;
		const struct js_at at = JS_AT_TOP("key");
		struct hb_err err = { 0 };

		if (info == &info_node_memory)
			assert_int_equal(opt_set(info->opts, opts, "op", "scale", NULL), HB_OK);
		else if (info == &info_node_compute)
			assert_int_equal(opt_set(info->opts, opts, "cores", "one", NULL), HB_OK);
		else if (info_sizes(info))
			assert_int_equal(opt_set(info->opts, opts, "datatype", "double", NULL),
			                 HB_OK);
		key = info_key_opts(info, opts);
		if (opt_from_json(info->opts, back, key, &at, &err))
			fail_msg("%s", err.text);
		again = info_key_opts(info, back);
		assert_true(json_object_equal(key, again));
		js_put(key);
		js_put(again);
		info_opts_free(info, opts);
		info_opts_free(info, back);
	}
}

static void names_are_found_and_near_ones_suggested(void **state)
{
	char name[4];

	(void)state;
	assert_null(catalog_find("mpi.latenzy"));
	assert_null(catalog_find(""));
	assert_string_equal(catalog_nearest("mpi.latenzy"), "mpi.latency");
	assert_string_equal(catalog_nearest("mpi.alreduce"), "mpi.allreduce");
	assert_null(catalog_nearest("something else altogether"));
	info_helper_name(&info_node_memory, name, sizeof(name));
	assert_string_equal(name, "nod"); /* cut, never past the end */
	assert_string_equal(info_shape_name(BENCH_LOCAL), "local");
	assert_string_equal(info_shape_name(BENCH_PAIR), "pair");
	assert_string_equal(info_shape_name(BENCH_GROUP), "group");
}

static void the_bus_factor_of_allreduce_is_twice_n_minus_one_over_n(void **state)
{
	static const struct {
		int ranks;
		double factor;
	} rows[] = { { 1, 0 }, { 2, 1 }, { 4, 1.5 }, { 64, 2.0 * 63 / 64 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_true(fabs(info_mpi_allreduce.bus_factor(rows[i].ranks) - rows[i].factor) <
		            1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(metric_names_carry_their_unit),
		cmocka_unit_test(the_defaults_of_every_benchmark_give_cases),
		cmocka_unit_test(the_keys_of_the_defaults_are_what_they_have_always_been),
		cmocka_unit_test(cases_are_axes_times_sizes_with_sizes_fastest),
		cmocka_unit_test(all_operations_are_four),
		cmocka_unit_test(sizes_that_cannot_be_measured_are_refused),
		cmocka_unit_test(an_empty_message_has_a_latency),
		cmocka_unit_test(axes_multiply_and_more_cases_than_the_limit_are_refused),
		cmocka_unit_test(values_of_later_versions_and_foreign_ones_are_refused),
		cmocka_unit_test(a_key_sets_the_options_it_came_from),
		cmocka_unit_test(names_are_found_and_near_ones_suggested),
		cmocka_unit_test(the_bus_factor_of_allreduce_is_twice_n_minus_one_over_n),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
