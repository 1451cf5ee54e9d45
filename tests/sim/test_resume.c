/*
 * A run that is killed again and again, at moments that the seed draws, and resumed each time: what
 * the journal had told stays, nothing is measured twice, and in the end everything is there.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/buf.h"
#include "bench/base/json.h"
#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/store/lines.h"

/* UNITS: 8 nodes, 5 rounds of 4 pairs, 3 sizes of latency and in both directions 2 of bandwidth. */
enum { KILLS = 100, UNITS = 5 * 4 * (3 + 2 * 2), RUN_MS = 700, WAIT_MS = 60000 };

struct bed {
	char dir[64];
	struct rng rng;
	int kills;
	unsigned char told[UNITS + 1]; /* ended well, as the journal said at some kill */
};

/* What records.jsonl holds of each unit. */
struct seen {
	unsigned ends_ok[UNITS + 1], points[UNITS + 1];
	struct js_parser *parser;
	bool journal;
	unsigned char *told;
};

static int take(void *ctx, const struct line *line, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("line");
	struct seen *s = ctx;
	const char *type = "", *status = "";
	uint64_t unit = 0;
	json_object *o = NULL;

	if (!line->text ||
	    js_parser_line(s->parser, line->text, line->len, "line", &o, err) != HB_OK)
		return HB_OK; /* the line that the kill cut */
	js_get_str(o, &at, "type", JS_OPTIONAL, &type, err);
	js_get_str(o, &at, "status", JS_OPTIONAL, &status, err);
	js_get_u64(o, &at, "unit", JS_OPTIONAL, &unit, err);
	assert_true(unit <= UNITS);
	if (s->journal) {
		if (strcmp(type, "unit-end") == 0 && strcmp(status, "ok") == 0)
			s->told[unit] = 1;
	} else if (strcmp(type, "end") == 0) {
		s->ends_ok[unit] += strcmp(status, "ok") == 0;
	} else if (strcmp(type, "pair") == 0) {
		s->points[unit]++;
	}
	js_put(o);
	return HB_OK;
}

static void read_lines(const char *run, const char *name, struct seen *s)
{
	char *path = hb_format("%s/%s", run, name);
	struct hb_err err;

	s->parser = js_parser_new();
	assert_int_equal(lines_read(path, JS_LINE_MAX, take, s, &err), HB_OK);
	js_parser_free(s->parser);
	free(path);
}

/* Starts hpcbench in the bed's folder, its output thrown away. */
static pid_t start(const struct bed *b, const char *const *words)
{
	const char *argv[16] = { HPCBENCH_PROGRAM, "run", "--store", "store" };
	union { /* exec changes no word */
		const char **in;
		char *const *out;
	} cast = { argv };
	int n = 4;
	pid_t pid = fork();

	for (; words[n - 4]; n++)
		argv[n] = words[n - 4];
	if (pid != 0)
		return pid;
	if (chdir(b->dir) != 0 || !freopen("out", "w", stdout) || !freopen("err", "w", stderr))
		_exit(99);
	execv(HPCBENCH_PROGRAM, cast.out);
	_exit(98);
}

/* True if it ended by itself, and then well. */
static bool killed_after(pid_t pid, int ms)
{
	int status;

	usleep((useconds_t)ms * 1000);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		return true;
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

/* The only run of the store; NULL: it was killed before there was one, or before it had a plan. */
static char *the_run(const struct bed *b)
{
	char *cmd_dir = hb_format("%s/store/runs", b->dir), *found = NULL;
	DIR *d = opendir(cmd_dir);

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.') {
			assert_null(found);
			found = hb_format("%s/%s", cmd_dir, e->d_name);
		}
	if (d)
		closedir(d);
	free(cmd_dir);
	return found;
}

static bool has(const char *run, const char *name)
{
	char *path = hb_format("%s/%s", run, name);
	bool found = access(path, F_OK) == 0;

	free(path);
	return found;
}

static void clear(const struct bed *b, const char *what)
{
	char *path = hb_format("%s/%s", b->dir, what);
	const char *const argv[] = { "/bin/rm", "-rf", path, NULL };
	union {
		const char *const *in;
		char *const *out;
	} cast = { argv };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execv(argv[0], cast.out);
		_exit(98);
	}
	waitpid(pid, &status, 0);
	free(path);
}

/* One run, killed and resumed until it is done; the number of kills it took. */
static void run_through(struct bed *b)
{
	static const char *const fresh[] = { "--launcher", "sim:m.json", "--suite",      "pairs",
		                             "--seed",     "3",          "--no-confirm", NULL };
	static const char *const again[] = { "--resume", "latest", "--no-confirm", NULL };
	struct seen s = { .told = b->told };
	char *run = NULL;
	bool killed = true;

	clear(b, "store");
	memset(b->told, 0, sizeof b->told);
	while (killed) {
		bool can = run && has(run, "plan.json") && has(run, "run.json");
		if (!can)
			clear(b, "store");
		pid_t pid = start(b, can ? again : fresh);
		int ms = b->kills < KILLS ? (int)rng_below(&b->rng, RUN_MS / 3) : WAIT_MS;
		if (ms == WAIT_MS) {
			int status;
			assert_int_equal(waitpid(pid, &status, 0), pid);
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
			killed = false;
		} else {
			killed = killed_after(pid, ms);
		}
		b->kills += killed;
		free(run);
		run = the_run(b);
		if (run) {
			s.journal = true;
			read_lines(run, "journal.jsonl", &s);
		}
	}
	assert_non_null(run);
	s.journal = false;
	read_lines(run, "records.jsonl", &s);
	assert_true(has(run, "summary.json"));
	for (unsigned u = 1; u <= UNITS; u++) {
		/* Ended well once: what had been told was not measured again. */
		assert_int_equal(s.ends_ok[u], 1);
		assert_true(s.points[u] >= 1);
		assert_true(b->told[u]);
	}
	free(run);
}

static void a_killed_run_goes_on_where_it_was(void **state)
{
	struct bed b = { .kills = 0 };
	FILE *f;
	int runs = 0;

	(void)state;
	snprintf(b.dir, sizeof b.dir, "/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(b.dir));
	char *model = hb_format("%s/m.json", b.dir);
	f = fopen(model, "we");
	assert_non_null(f);
	fprintf(f, "{\"schema\":1,\"nodes\":\"n[1-8]\",\"delay_ms\":20}\n");
	fclose(f);
	free(model);
	rng_stream(&b.rng, 20261130, 1, 1);
	while (b.kills < KILLS) {
		run_through(&b);
		runs++;
	}
	print_message("%d kills in %d runs\n", b.kills, runs);
	clear(&b, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_killed_run_goes_on_where_it_was) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
