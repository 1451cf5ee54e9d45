/* The configuration's text and layers: what is accepted, what is refused and how, who wins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/config/config.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct values {
	char *store, *suite, *pairs, *step_name;
	int json, no_confirm;
	double max_time;
	uint64_t buffer;
	struct opt_strings alloc, step;
};

#define AT(field) offsetof(struct values, field)
static const struct opt common[] = {
	{ OPT_STRING, 0, "store", "DIR", "", NULL, AT(store), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "json", NULL, "", NULL, AT(json), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#define RUN_ROWS                                                                                   \
	{ OPT_GROUP, 0, NULL, NULL, "What", NULL, 0, 0, 0, NULL, 0 },                              \
	        { OPT_STRING, 0, "suite", "NAME", "", NULL, AT(suite), 0, 0, NULL, 0 },            \
	        { OPT_STRING, 0, "max-pairs", "N", "", "0", AT(pairs), 0, 0, NULL, 0 },            \
	        { OPT_FLAG, 0, "no-confirm", NULL, "", NULL, AT(no_confirm), 0, 0, NULL, 0 },      \
	        { OPT_SECONDS, 0, "max-time", "T", "", "1s", AT(max_time), 0.1, 60, NULL, 0 },     \
	        { OPT_BYTES, 0, "buffer", "SIZE", "", "1Ki", AT(buffer), 1, 1 << 20, NULL, 0 },    \
	        { OPT_STRINGS, 0, "alloc", "OPT=VAL", "", NULL, AT(alloc), 0, 0, NULL, 0 },        \
	{                                                                                          \
		OPT_STRINGS, 0, "step", "OPT=VAL", "", NULL, AT(step), 0, 0, NULL, 0               \
	}
static const struct opt run[] = {
	RUN_ROWS,
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
/* A command with the name of a common option. */
static const struct opt store[] = {
	{ OPT_FLAG, 0, "all", NULL, "", NULL, AT(json), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
static const struct config_table tables[] = {
	{ NULL, common }, { "run", run }, { "store", store }, { NULL, NULL }
};
/* Everything that run takes, as the command line has it. */
static const struct opt all[] = {
	RUN_ROWS,
	{ OPT_STRING, 0, "store", "DIR", "", NULL, AT(store), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "json", NULL, "", NULL, AT(json), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
enum { ROW_STORE = 8, ROW_SUITE = 1, ROW_TIME = 4 };

static const char whole[] =
        "{ \"schema\": 1, \"$schema\": \"x\", \"comment\": \"y\", \"store\": \"/data\",\n"
        "  \"run\": {\"suite\": \"nightly\", \"max-pairs\": 4, \"max-time\": \"500ms\",\n"
        "    \"buffer\": 4096, \"no-confirm\": true, \"alloc\": [\"account=x\", \"time=30\"],\n"
        "    \"step\": \"mpi=pmix\", \"json\": true},\n"
        "  \"partitions\": {\"gpu\": {\"alloc\": [\"account=g\"], \"step\": [\"gres=gpu:4\"]}},\n"
        "  \"profiles\": [{\"name\": \"ompi5\", \"arch\": \"x86_64\", \"mpi_type\": \"pmix\",\n"
        "    \"mpirun\": \"/opt/bin/mpirun\", \"helpers\": \"/opt/h\", \"env\": [\"A=b=c\"],\n"
        "    \"wrap\": [\"/usr/bin/numactl\", \"--localalloc\"]}, {\"name\": \"plain\"}] }\n";

static struct config_layer parsed(const char *text, const char *source)
{
	struct config_layer l;
	struct hb_err err = { .code = HB_OK };
	if (config_parse(text, strlen(text), source, tables, &l, &err) != HB_OK)
		fail_msg("%s", err.text);
	return l;
}

static void applied(const struct config *c, const struct config_use *use, struct values *v,
                    struct config_origin *origin)
{
	struct hb_err err = { .code = HB_OK };
	*v = (struct values){ 0 };
	opt_defaults(all, v);
	if (config_apply(c, "run", all, use, v, origin, &err) != HB_OK)
		fail_msg("%s", err.text);
}

static void a_file_sets_options_profiles_and_partitions(void **state)
{
	struct config_layer l = parsed(whole, "a.json");
	struct config c = { .v = &l, .n = 1 };
	struct config_origin origin[COUNT(all)] = { { ORIGIN_DEFAULT, NULL } };
	struct values v;
	(void)state;
	applied(&c, NULL, &v, origin);
	assert_string_equal(v.store, "/data");
	assert_string_equal(v.suite, "nightly");
	assert_string_equal(v.pairs, "4");
	assert_true(v.max_time == 0.5 && v.buffer == 4096 && v.no_confirm == 1 && v.json == 1);
	assert_int_equal(v.alloc.n, 2);
	assert_int_equal(v.step.n, 1);
	assert_string_equal(v.step.v[0], "mpi=pmix");
	assert_int_equal(origin[ROW_STORE].kind, ORIGIN_FILE);
	assert_string_equal(origin[ROW_STORE].file, "a.json");
	opt_free(all, &v);

	const struct profile *p = config_profile(&c, "ompi5");
	assert_non_null(p);
	assert_string_equal(p->mpi_type, "pmix");
	assert_string_equal(p->mpirun, "/opt/bin/mpirun");
	assert_string_equal(p->helpers, "/opt/h");
	assert_int_equal(p->n_env, 1);
	assert_string_equal(p->env[0], "A=b=c");
	assert_int_equal(p->n_wrap, 2);
	assert_string_equal(p->wrap[1], "--localalloc");
	assert_null(config_profile(&c, "ompi"));
	assert_true(config_has_partition(&c, "gpu"));
	assert_false(config_has_partition(&c, "cpu"));
	config_layer_free(&l);
}

static void a_profile_is_written_as_it_is_read(void **state)
{
	struct config_layer l = parsed(whole, "a.json");
	struct buf text = BUF_INIT;
	(void)state;
	for (size_t i = 0; i < l.n_profiles; i++) {
		json_object *o = profile_to_json(&l.profiles[i]);
		buf_clear(&text);
		buf_puts(&text, "{\"schema\":1,\"profiles\":[");
		js_write(o, JS_PLAIN, &text);
		buf_puts(&text, "]}");
		js_put(o);
		struct config_layer again = parsed(buf_text(&text), "b.json");
		o = profile_to_json(&again.profiles[0]);
		struct buf second = BUF_INIT;
		js_write(o, JS_PLAIN, &second);
		assert_non_null(strstr(buf_text(&text), buf_text(&second)));
		buf_free(&second);
		js_put(o);
		config_layer_free(&again);
	}
	buf_free(&text);
	config_layer_free(&l);
}

static void later_layers_win_and_lists_add_up(void **state)
{
	struct config_layer l[] = {
		parsed("{\"schema\":1,\"store\":\"/one\",\"run\":{\"suite\":\"a\",\"max-time\":2,"
		       "\"alloc\":[\"account=x\",\"qos=low\"]},\"profiles\":[{\"name\":\"p\","
		       "\"mpirun\":\"one\"},{\"name\":\"q\"}]}",
		       "one"),
		parsed("{\"schema\":1,\"run\":{\"suite\":\"b\",\"max-time\":null,"
		       "\"alloc\":[\"account=y\"]},\"profiles\":[{\"name\":\"p\"}]}",
		       "two"),
	};
	struct config c = { .v = l, .n = 2 };
	struct config_origin origin[COUNT(all)] = { { ORIGIN_DEFAULT, NULL } };
	struct values v;
	(void)state;
	applied(&c, NULL, &v, origin);
	assert_string_equal(v.store, "/one");
	assert_string_equal(origin[ROW_STORE].file, "one");
	assert_string_equal(v.suite, "b");
	assert_string_equal(origin[ROW_SUITE].file, "two");
	/* null: as if nobody had said it. */
	assert_true(v.max_time == 1);
	assert_int_equal(origin[ROW_TIME].kind, ORIGIN_DEFAULT);
	assert_int_equal(v.alloc.n, 2);
	assert_string_equal(v.alloc.v[0], "qos=low");
	assert_string_equal(v.alloc.v[1], "account=y");
	opt_free(all, &v);
	assert_null(config_profile(&c, "p")->mpirun);
	assert_string_equal(config_profile_source(&c, config_profile(&c, "p")), "two");
	const struct profile **list = config_profiles(&c);
	assert_non_null(list[0]);
	assert_non_null(list[1]);
	assert_null(list[2]);
	free(list);
	for (size_t i = 0; i < COUNT(l); i++)
		config_layer_free(&l[i]);
}

static void a_partition_joins_and_inside_a_job_nothing_is_allocated(void **state)
{
	struct config_layer l = parsed(whole, "a.json");
	struct config c = { .v = &l, .n = 1 };
	struct values v;
	(void)state;
	applied(&c, &(struct config_use){ .partition = "gpu" }, &v, NULL);
	assert_int_equal(v.alloc.n, 2);
	assert_string_equal(v.alloc.v[0], "time=30");
	assert_string_equal(v.alloc.v[1], "account=g");
	assert_int_equal(v.step.n, 2);
	assert_string_equal(v.step.v[1], "gres=gpu:4");
	opt_free(all, &v);
	applied(&c, &(struct config_use){ .partition = "gpu", .in_job = true }, &v, NULL);
	assert_int_equal(v.alloc.n, 0);
	assert_int_equal(v.step.n, 2);
	opt_free(all, &v);
	config_layer_free(&l);
}

static void a_command_may_have_the_name_of_an_option(void **state)
{
	struct config_layer l = parsed("{\"schema\":1,\"store\":{\"all\":true}}", "a.json");
	struct config c = { .v = &l, .n = 1 };
	struct values v;
	(void)state;
	applied(&c, NULL, &v, NULL);
	assert_null(v.store);
	opt_free(all, &v);
	config_layer_free(&l);
}

static void the_environment_goes_before_files_and_names_itself_when_wrong(void **state)
{
	struct config_layer l = parsed(whole, "a.json");
	struct config c = { .v = &l, .n = 1 };
	struct config_origin origin[COUNT(all)] = { { ORIGIN_DEFAULT, NULL } };
	struct hb_err err;
	struct values v;
	(void)state;
	setenv("HPCBENCH_MAX_TIME", "3s", 1);
	setenv("HPCBENCH_STORE", "", 1);
	setenv("HPCBENCH_STEP", "7", 1); /* the control channel's, not the option's */
	applied(&c, NULL, &v, origin);
	assert_true(v.max_time == 3);
	assert_int_equal(origin[ROW_TIME].kind, ORIGIN_ENV);
	assert_string_equal(v.store, "/data");
	assert_int_equal(v.step.n, 1);
	opt_free(all, &v);
	setenv("HPCBENCH_MAX_TIME", "soon", 1);
	v = (struct values){ 0 };
	opt_defaults(all, &v);
	assert_int_equal(config_apply(&c, "run", all, NULL, &v, NULL, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "HPCBENCH_MAX_TIME=soon"));
	opt_free(all, &v);
	unsetenv("HPCBENCH_MAX_TIME");
	unsetenv("HPCBENCH_STORE");
	unsetenv("HPCBENCH_STEP");
	config_layer_free(&l);
}

static void no_option_takes_a_variable_that_helpers_use(void **state)
{
	static const char *const names[] = { "step",     "run",        "ranks",     "node",
		                             "files",    "token",      "control",   "attempt",
		                             "bind",     "exec-path",  "data-path", "fault",
		                             "sim-seed", "sysfs-root", NULL };
	(void)state;
	for (size_t i = 0; names[i]; i++) {
		struct opt row = { .type = OPT_STRING, .name = names[i] };
		assert_null(config_env_name(&row));
	}
	struct opt row = { .type = OPT_STRING, .name = "control-address" };
	char *name = config_env_name(&row);
	assert_string_equal(name, "HPCBENCH_CONTROL_ADDRESS");
	free(name);
	row.type = OPT_STRINGS;
	assert_null(config_env_name(&row));
}

static void a_slip_in_a_variable_is_found(void **state)
{
	size_t at = 0, found = 0;
	const char *variable;
	char *near;
	(void)state;
	setenv("HPCBENCH_STOR", "x", 1);
	setenv("HPCBENCH_NODE", "n1", 1);
	setenv("HPCBENCH_SUITE", "x", 1);
	for (; (variable = config_env_unknown(tables, &at, &near)) != NULL; free(near)) {
		if (strncmp(variable, "HPCBENCH_STOR=", 14) == 0) {
			assert_string_equal(near, "HPCBENCH_STORE");
			found++;
		}
		assert_null(strstr(variable, "HPCBENCH_NODE="));
		assert_null(strstr(variable, "HPCBENCH_SUITE="));
	}
	assert_int_equal(found, 1);
	unsetenv("HPCBENCH_STOR");
	unsetenv("HPCBENCH_NODE");
	unsetenv("HPCBENCH_SUITE");
}

static void what_is_wrong_is_told_with_file_place_and_the_nearest_word(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "{}", "f.json: $.schema: missing" },
		{ "{\"schema\":2}", "f.json: $.schema: 2 is out of range" },
		{ "[]", "must be one object" },
		{ "", "f.json: " },
		{ "{\"schema\":1,\"stor\":1}", "unknown key \"stor\"; did you mean \"store\"?" },
		{ "{\"schema\":1,\"shema\":1}", "did you mean \"schema\"?" },
		{ "{\"schema\":1,\"suite\":\"x\"}", "write \"run\": {\"suite\": ...}" },
		{ "{\"schema\":1,\"store\":7.5}", "f.json: $.store: expected text" },
		{ "{\"schema\":1,\"store\":\"a\\u0000b\"}", "may not contain" },
		{ "{\"schema\":1,\"json\":\"perhaps\"}", "$.json: \"perhaps\": not a switch" },
		{ "{\"schema\":1,\"run\":7}", "$.run: expected an object of options" },
		{ "{\"schema\":1,\"run\":{\"suit\":\"x\"}}",
		  "$.run: unknown key \"suit\"; did you mean \"suite\"?" },
		{ "{\"schema\":1,\"run\":{\"max-time\":\"2h\"}}",
		  "$.run.max-time: \"2h\": out of" },
		{ "{\"schema\":1,\"run\":{\"buffer\":-1}}", "$.run.buffer" },
		{ "{\"schema\":1,\"run\":{\"alloc\":[1]}}", "$.run.alloc[0]: expected text" },
		{ "{\"schema\":1,\"partitions\":[]}", "$.partitions: expected an object" },
		{ "{\"schema\":1,\"partitions\":{\"g\":{\"aloc\":[]}}}",
		  "$.partitions.g: unknown key \"aloc\"; did you mean \"alloc\"?" },
		{ "{\"schema\":1,\"partitions\":{\"g\":{\"alloc\":[{}]}}}",
		  "$.partitions.g.alloc[0]: expected text" },
		{ "{\"schema\":1,\"profiles\":{}}", "$.profiles: expected an array" },
		{ "{\"schema\":1,\"profiles\":[{}]}", "$.profiles[0].name: missing" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a,b\"}]}", "$.profiles[0].name" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"../x\"}]}", "$.profiles[0].name" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"default\"}]}", "choose another name" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\"},{\"name\":\"a\"}]}",
		  "$.profiles[1]: a second profile \"a\"" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"evn\":[]}]}",
		  "did you mean \"env\"?" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"env\":[\"X\"]}]}",
		  "$.profiles[0].env[0]: must look like NAME=VALUE" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"env\":[\"1X=2\"]}]}",
		  "NAME=VALUE" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"env\":[\"HPCBENCH_TOKEN=2\"]}]}",
		  "not for profiles" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"wrap\":[\"\"]}]}", "wrap[0]" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"wrap\":\"x\"}]}", "wrap" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"mpi_type\":\"a b\"}]}",
		  "mpi_type" },
		{ "{\"schema\":1,\"profiles\":[{\"name\":\"a\",\"helpers\":\"rel\"}]}",
		  "whole path" },
		{ "{\"schema\":1,\"schema\":1}", "f.json: " },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct config_layer l;
		struct hb_err err = { .code = HB_OK };
		int rc = config_parse(rows[i].text, strlen(rows[i].text), "f.json", tables, &l,
		                      &err);
		if (rc == HB_OK || !strstr(err.text, rows[i].error) ||
		    strncmp(err.text, "f.json: ", 8) != 0)
			fail_msg("%s: %d %s", rows[i].text, rc, err.text);
		assert_null(l.o);
		assert_null(l.profiles);
	}
}

/* Whatever the bytes are: accepted or refused with the source in front, never worse. */
static void try_bytes(const char *text, size_t len)
{
	char *exact = hb_alloc(len + 1);
	struct config_layer l;
	struct hb_err err = { .code = HB_OK };
	memcpy(exact, text, len);
	int rc = config_parse(exact, len, "f.json", tables, &l, &err);
	if (rc == HB_OK) {
		struct config c = { .v = &l, .n = 1 };
		struct values v = { 0 };
		opt_defaults(all, &v);
		assert_int_equal(config_apply(&c, "run", all,
		                              &(struct config_use){ .partition = "gpu" }, &v, NULL,
		                              &err),
		                 HB_OK);
		opt_free(all, &v);
	} else {
		assert_int_equal(strncmp(err.text, "f.json", 6), 0);
	}
	config_layer_free(&l);
	free(exact);
}

static void cut_and_mutated_files_are_refused_or_mean_something(void **state)
{
	static const char bytes[] = "{}[]\":,0-9.e\\\n\0ntf\xff";
	size_t len = strlen(whole);
	char *copy = hb_strdup(whole);
	struct rng r;
	(void)state;
	for (size_t n = 0; n < len; n++)
		try_bytes(whole, n);
	rng_seed(&r, 7);
	for (int i = 0; i < 20000; i++) {
		memcpy(copy, whole, len);
		for (uint64_t k = 1 + rng_below(&r, 3); k > 0; k--)
			copy[rng_below(&r, len)] = bytes[rng_below(&r, sizeof bytes - 1)];
		try_bytes(copy, len);
	}
	free(copy);
}

static void what_is_huge_or_deep_is_refused(void **state)
{
	struct buf b = BUF_INIT;
	struct config_layer l;
	struct hb_err err;
	(void)state;
	buf_puts(&b, "{\"schema\":1,\"comment\":\"");
	buf_pad(&b, 'x', CONFIG_FILE_MAX);
	buf_puts(&b, "\"}");
	assert_int_equal(config_parse(buf_text(&b), b.len, "f", tables, &l, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "larger than 256 KiB"));
	buf_clear(&b);
	buf_puts(&b, "{\"schema\":1,\"comment\":");
	buf_pad(&b, '[', 5000);
	assert_int_equal(config_parse(buf_text(&b), b.len, "f", tables, &l, &err), HB_E_FORMAT);
	buf_clear(&b);
	buf_puts(&b, "{\"schema\":1,\"profiles\":[{\"name\":\"a\"}");
	for (int i = 0; i < CONFIG_PROFILES_MAX; i++)
		buf_printf(&b, ",{\"name\":\"p%d\"}", i);
	buf_puts(&b, "]}");
	assert_int_equal(config_parse(buf_text(&b), b.len, "f", tables, &l, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "at most 64 profiles"));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_sets_options_profiles_and_partitions),
		cmocka_unit_test(a_profile_is_written_as_it_is_read),
		cmocka_unit_test(later_layers_win_and_lists_add_up),
		cmocka_unit_test(a_partition_joins_and_inside_a_job_nothing_is_allocated),
		cmocka_unit_test(a_command_may_have_the_name_of_an_option),
		cmocka_unit_test(the_environment_goes_before_files_and_names_itself_when_wrong),
		cmocka_unit_test(no_option_takes_a_variable_that_helpers_use),
		cmocka_unit_test(a_slip_in_a_variable_is_found),
		cmocka_unit_test(what_is_wrong_is_told_with_file_place_and_the_nearest_word),
		cmocka_unit_test(cut_and_mutated_files_are_refused_or_mean_something),
		cmocka_unit_test(what_is_huge_or_deep_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
