/* The command line: finding commands, common options, and what happens when output cannot go out.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"

struct probe_opts {
	char *name;
	int count;
};

static const struct opt probe_opts[] = {
	{ OPT_STRING, 'n', "name", "TEXT", "a name", "none", offsetof(struct probe_opts, name), 0,
	  0, NULL, 0 },
	{ OPT_INT, 0, "count", "N", "a number", "3", offsetof(struct probe_opts, count), 0, 9, NULL,
	  0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* Prints everything it was given, so that one string tells whether parsing was right. */
static int probe(const struct common *c, const void *opts, int argc, const char **argv)
{
	const struct probe_opts *o = opts;
	printf("store=%s json=%d quiet=%d verbose=%d color=%d name=%s count=%d:",
	       c->store ? c->store : "-", c->json, c->quiet, c->verbose, c->color, o->name,
	       o->count);
	for (int i = 0; i < argc; i++)
		printf(" [%s]", argv[i]);
	printf("\n");
	return 11;
}

/* More than any buffer between us and the reader holds. */
static int flood(const struct common *c, const void *opts, int argc, const char **argv)
{
	(void)c;
	(void)opts;
	(void)argc;
	(void)argv;
	for (int i = 0; i < 100000; i++)
		printf("line %d of many\n", i);
	return 0;
}

static const struct command cmd_probe = { .name = "probe",
	                                  .usage = "WORD...",
	                                  .summary = "print what it was given",
	                                  .opts = probe_opts,
	                                  .opts_size = sizeof(struct probe_opts),
	                                  .run = probe };
static const struct command cmd_flood = {
	.name = "flood", .usage = "", .summary = "print much", .run = flood
};
/* As `run` has them: options that a partition of the configuration adds to. */
struct run_opts {
	struct opt_strings alloc, step;
};
static const struct opt run_opts[] = {
	{ OPT_STRINGS, 0, "alloc", "OPT=VAL", "of the job", NULL, offsetof(struct run_opts, alloc),
	  0, 0, NULL, 0 },
	{ OPT_STRINGS, 0, "step", "OPT=VAL", "of steps", NULL, offsetof(struct run_opts, step), 0,
	  0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
static const char *run_partition(const void *own)
{
	const struct run_opts *o = own;
	if (getenv("SLURM_JOB_ID"))
		return getenv("SLURM_JOB_PARTITION");
	for (size_t i = 0; i < o->alloc.n; i++)
		if (strncmp(o->alloc.v[i], "partition=", 10) == 0)
			return o->alloc.v[i] + 10;
	return NULL;
}
static int run_run(const struct common *c, const void *opts, int argc, const char **argv)
{
	const struct run_opts *o = opts;
	printf("store=%s alloc", c->store ? c->store : "-");
	for (size_t i = 0; i < o->alloc.n; i++)
		printf(" %s", o->alloc.v[i]);
	printf(" step");
	for (size_t i = 0; i < o->step.n; i++)
		printf(" %s", o->step.v[i]);
	for (int i = 0; i < argc; i++)
		printf(" [%s]", argv[i]);
	printf("\n");
	return 0;
}
static const struct command cmd_run = { .name = "run",
	                                .usage = "",
	                                .summary = "print its lists",
	                                .opts = run_opts,
	                                .opts_size = sizeof(struct run_opts),
	                                .partition = run_partition,
	                                .run = run_run };
extern const struct command cmd_help, cmd_version;
const struct command *const commands[] = { &cmd_probe, &cmd_flood,   &cmd_run,
	                                   &cmd_help,  &cmd_version, NULL };

struct result {
	int code;
	char out[8192], err[1024];
};

static void read_all(int fd, char *to, size_t size)
{
	size_t n = 0;
	ssize_t got;
	char rest[4096];
	while ((got = n + 1 < size ? read(fd, to + n, size - 1 - n) : read(fd, rest, sizeof rest)) >
	       0)
		n += n + 1 < size ? (size_t)got : 0;
	to[n] = '\0';
	close(fd);
}

/* Runs words in a child whose standard output is out (a path; NULL: read here; "": no reader). */
static struct result run_to(const char *out, int argc, const char *const *argv)
{
	struct result r = { 0 };
	int po[2], pe[2], status;
	assert_int_equal(pipe(po), 0);
	assert_int_equal(pipe(pe), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = out && *out ? open(out, O_WRONLY) : po[1];
		(void)signal(SIGPIPE, SIG_IGN);
		close(po[0]);
		dup2(fd, 1);
		dup2(pe[1], 2);
		char **words = hb_alloc(((size_t)argc + 1) * sizeof *words);
		for (int i = 0; i < argc; i++)
			words[i] = hb_strdup(argv[i]);
		_exit(cmd_main(argc, words));
	}
	close(po[1]);
	close(pe[1]);
	if (out && !*out)
		close(po[0]);
	else
		read_all(po[0], r.out, sizeof r.out);
	read_all(pe[0], r.err, sizeof r.err);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	r.code = WEXITSTATUS(status);
	return r;
}

#define RUN(...)                                                                                   \
	run_to(NULL,                                                                               \
	       (int)(sizeof((const char *[]){ "hpcbench", __VA_ARGS__ }) / sizeof(const char *)),  \
	       (const char *[]){ "hpcbench", __VA_ARGS__, NULL })

static void common_options_stand_before_and_after_the_command(void **state)
{
	(void)state;
	struct result a = RUN("--store", "S", "--json", "probe", "x", "-q", "--name=N", "y");
	assert_string_equal(a.out, "store=S json=1 quiet=1 verbose=0 color=0 name=N count=3: [x] "
	                           "[y]\n");
	assert_int_equal(a.code, 11);
	struct result b = RUN("-v", "--color=never", "probe", "--store=T", "-n", "M", "--count",
	                      "9");
	assert_string_equal(b.out, "store=T json=0 quiet=0 verbose=1 color=2 name=M count=9:\n");
}

static void a_value_that_is_a_commands_name_is_not_the_command(void **state)
{
	(void)state;
	struct result r = RUN("--store", "flood", "probe");
	assert_string_equal(r.out,
	                    "store=flood json=0 quiet=0 verbose=0 color=0 name=none count=3:\n");
}

static void an_unknown_command_names_the_nearest(void **state)
{
	(void)state;
	struct result r = RUN("porbe");
	assert_int_equal(r.code, CODE_USAGE);
	assert_string_equal(r.err, "hpcbench: no command \"porbe\"; did you mean \"probe\"?\n");
	r = RUN("something-else");
	assert_string_equal(r.err, "hpcbench: no command \"something-else\"; try hpcbench help\n");
	assert_string_equal(r.out, "");
}

static void bad_options_are_one_line_and_exit_64(void **state)
{
	(void)state;
	struct result r = RUN("probe", "--nam", "x");
	assert_int_equal(r.code, CODE_USAGE);
	assert_non_null(strstr(r.err, "hpcbench probe: "));
	assert_non_null(strstr(r.err, "--name"));
	r = RUN("probe", "--count", "10");
	assert_int_equal(r.code, CODE_USAGE);
	r = RUN("--store");
	assert_int_equal(r.code, CODE_USAGE);
	r = RUN("probe", "--color=\x1b[31m");
	assert_int_equal(r.code, CODE_USAGE);
	assert_null(strchr(r.err, '\x1b'));
}

static void no_command_is_an_error_that_lists_them(void **state)
{
	(void)state;
	struct result r = RUN("--json");
	assert_int_equal(r.code, CODE_USAGE);
	assert_non_null(strstr(r.err, "probe, flood, run, help, version"));
}

static void help_and_version_answer_wherever_they_stand(void **state)
{
	(void)state;
	struct result a = RUN("help", "probe"), b = RUN("probe", "--help"),
	              c = RUN("-h", "probe", "x");
	assert_int_equal(a.code, 0);
	assert_non_null(strstr(a.out, "Usage: hpcbench probe WORD..."));
	assert_non_null(strstr(a.out, "--count"));
	assert_non_null(strstr(a.out, "--store"));
	assert_string_equal(a.out, b.out);
	assert_string_equal(a.out, c.out);
	struct result d = RUN("--version"), e = RUN("version");
	assert_string_equal(d.out, "hpcbench " HPCBENCH_VERSION "\n");
	assert_string_equal(d.out, e.out);
}

static void help_as_json_describes_every_option(void **state)
{
	(void)state;
	struct result r = RUN("help", "probe", "--json");
	json_object *o = NULL, *list = NULL;
	struct hb_err err;
	struct js_at at = JS_AT_TOP("help");
	assert_int_equal(js_parse(r.out, strlen(r.out), "help", &o, &err), HB_OK);
	assert_int_equal(js_get_arr(o, &at, "commands", JS_REQUIRED, &list, &err), HB_OK);
	assert_int_equal(json_object_array_length(list), 1);
	assert_non_null(strstr(r.out, "\"count\""));
	js_put(o);
}

static void a_full_disk_behind_standard_output_is_exit_20(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	const char *argv[] = { "hpcbench", "version", NULL };
	struct result r = run_to("/dev/full", 2, argv);
	assert_int_equal(r.code, CODE_BROKEN);
	assert_non_null(strstr(r.err, "cannot write to standard output"));
	const char *much[] = { "hpcbench", "flood", NULL };
	r = run_to("/dev/full", 2, much);
	assert_int_equal(r.code, CODE_BROKEN);
}

static void a_reader_that_went_away_changes_nothing(void **state)
{
	(void)state;
	const char *argv[] = { "hpcbench", "flood", NULL };
	struct result r = run_to("", 2, argv);
	assert_int_equal(r.code, 0);
	assert_string_equal(r.err, "");
}

static const char configured[] =
        "{\"schema\":1,\"store\":\"/conf\",\"probe\":{\"count\":5,\"name\":\"c\"},"
        "\"run\":{\"alloc\":[\"account=x\"]},"
        "\"partitions\":{\"gpu\":{\"alloc\":[\"account=g\",\"time=5\"],"
        "\"step\":[\"gres=gpu:4\"]}}}";

/* Runs with a user's file that has this text. */
static struct result configured_run(const char *text, int argc, const char *const *argv)
{
	char folder[] = "/tmp/hpcbench-cmd-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char *dir = hb_format("%s/hpcbench", folder), *path = hb_format("%s/hpcbench.json", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	setenv("XDG_CONFIG_HOME", folder, 1);
	struct result r = run_to(NULL, argc, argv);
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(rmdir(folder), 0);
	free(path);
	free(dir);
	return r;
}
#define CONFIGURED(text, ...)                                                                      \
	configured_run(text, (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)),      \
	               (const char *[]){ __VA_ARGS__ })

static void the_configuration_goes_before_defaults_and_behind_the_line(void **state)
{
	(void)state;
	struct result r = CONFIGURED(configured, "hpcbench", "probe", "--count", "7", "w");
	assert_string_equal(r.out, "store=/conf json=0 quiet=0 verbose=0 color=0 name=c count=7: "
	                           "[w]\n");
	setenv("HPCBENCH_STORE", "/env", 1);
	r = CONFIGURED(configured, "hpcbench", "probe", "--no-count", "--no-name");
	assert_string_equal(r.out, "store=/env json=0 quiet=0 verbose=0 color=0 name=none "
	                           "count=3:\n");
	unsetenv("HPCBENCH_STORE");
}

static void options_of_a_partition_stand_before_those_of_the_line(void **state)
{
	(void)state;
	struct result r = CONFIGURED(configured, "hpcbench", "run", "--alloc", "partition=gpu",
	                             "--alloc=time=9", "w");
	assert_string_equal(r.out, "store=/conf alloc account=g partition=gpu time=9 step "
	                           "gres=gpu:4 [w]\n");
	r = CONFIGURED(configured, "hpcbench", "run", "--alloc", "partition=other");
	assert_string_equal(r.out, "store=/conf alloc account=x partition=other step\n");
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_JOB_PARTITION", "gpu", 1);
	r = CONFIGURED(configured, "hpcbench", "run");
	assert_string_equal(r.out, "store=/conf alloc step gres=gpu:4\n");
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_JOB_PARTITION");
}

static void a_wrong_configuration_stops_what_would_use_it(void **state)
{
	(void)state;
	static const char wrong[] = "{\"schema\":1,\"probe\":{\"count\":50}}";
	struct result r = CONFIGURED(wrong, "hpcbench", "probe");
	assert_int_equal(r.code, 64);
	assert_string_equal(r.out, "");
	assert_non_null(strstr(r.err, "hpcbench.json: $.probe.count: \"50\": out of range"));
	r = CONFIGURED(wrong, "hpcbench", "probe", "--help");
	assert_int_equal(r.code, 0);
	r = CONFIGURED(wrong, "hpcbench", "version");
	assert_int_equal(r.code, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_options_stand_before_and_after_the_command),
		cmocka_unit_test(a_value_that_is_a_commands_name_is_not_the_command),
		cmocka_unit_test(an_unknown_command_names_the_nearest),
		cmocka_unit_test(bad_options_are_one_line_and_exit_64),
		cmocka_unit_test(no_command_is_an_error_that_lists_them),
		cmocka_unit_test(help_and_version_answer_wherever_they_stand),
		cmocka_unit_test(help_as_json_describes_every_option),
		cmocka_unit_test(the_configuration_goes_before_defaults_and_behind_the_line),
		cmocka_unit_test(options_of_a_partition_stand_before_those_of_the_line),
		cmocka_unit_test(a_wrong_configuration_stops_what_would_use_it),
		cmocka_unit_test(a_full_disk_behind_standard_output_is_exit_20),
		cmocka_unit_test(a_reader_that_went_away_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
