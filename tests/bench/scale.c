/*
 * bench-scale DIR NODES ROUNDS SUITE: what a large cluster costs. Plans it, reads the plan of the
 * run in DIR (bench-make-run made it alike), collects it, says who is slow and what would decide
 * it, and parses its records alone, for comparison. Prints a line a stage: name, seconds, seconds
 * of CPU and MiB at most used so far; lines that begin with # say how much there was to do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "harness/collect/collect.h"
#include "harness/launch/schedule.h"
#include "harness/localize/localize.h"
#include "harness/store/lines.h"
#include "harness/store/store.h"

struct clock {
	uint64_t wall;
	double cpu;
};
static struct clock began;

static struct clock now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (struct clock){ clock_ns(), (double)t.tv_sec + (double)t.tv_nsec * 1e-9 };
}

static void stage(const char *name)
{
	struct rusage use;
	struct clock end = now();

	getrusage(RUSAGE_SELF, &use);
	printf("%s %.3f %.3f %.0f\n", name, (double)(end.wall - began.wall) * 1e-9,
	       end.cpu - began.cpu, (double)use.ru_maxrss / 1024);
	fflush(stdout);
	began = now();
}

/* A step whose jobs all end well, one after the other; at each end a look at what may start. */
static void schedule(const struct plan_step *step)
{
	size_t *queue = hb_alloc((step->n_jobs + 1) * sizeof *queue), head = 0, tail = 0, ended = 0;
	struct sched s;

	sched_init(&s, step, 0);
	for (int r = 0; r < step->n_ranks; r++)
		sched_joined(&s, r);
	do {
		size_t n = sched_next(&s, queue + tail, step->n_jobs - tail);
		for (size_t i = 0; i < n; i++)
			sched_started(&s, queue[tail++]);
		if (head == tail)
			break;
		const struct plan_job *job = &step->jobs[queue[head++]];
		for (int r = 0; r < job->n_ranks; r++)
			ended += sched_rank_done(&s, job->ranks[r], job->id);
	} while (!sched_finished(&s));
	if (ended != step->n_jobs)
		fprintf(stderr, "bench-scale: only %zu of %zu jobs ended\n", ended, step->n_jobs);
	sched_free(&s);
	free(queue);
}

static int plan(const char *dir, char **argv, struct hb_err *err)
{
	struct plan_params params = { .seed = 42, .rounds = (int)strtol(argv[1], NULL, 10) };
	struct nodeset nodes = { 0 };
	struct suite suite;
	struct plan plan;
	json_object *o = NULL;
	struct buf written = BUF_INIT;
	char text[64], path[4096];

	snprintf(text, sizeof(text), "n[001-%03ld]", strtol(argv[0], NULL, 10));
	snprintf(path, sizeof(path), "%s/plan-again.json", dir);
	int rc = js_read_file(argv[2], 1 << 20, &o, err);
	if (rc == HB_OK)
		rc = suite_from_json(o, argv[2], &suite, err);
	js_put(o);
	if (rc == HB_OK)
		rc = nodeset_parse(text, &nodes, err);
	if (rc != HB_OK)
		return rc;
	began = now();
	rc = plan_make(&suite, &nodes, "sim", &params, &plan, err);
	stage("plan");
	if (rc != HB_OK)
		return rc;
	if (plan.n_steps > 0)
		schedule(&plan.steps[0]);
	stage("schedule");
	plan_write(&plan, &written);
	rc = store_write(path, written.data, written.len, err);
	buf_free(&written);
	stage("plan-write");
	plan_free(&plan);
	suite_free(&suite);
	if (rc == HB_OK)
		rc = plan_read(path, &suite, &plan, err);
	stage("plan-read");
	if (rc != HB_OK)
		return rc;
	plan_free(&plan);
	suite_free(&suite);
	began = now();
	nodeset_free(&nodes);
	return rc;
}

static int scan_line(void *ctx, const struct line *line, struct hb_err *err)
{
	struct rec_point p;
	struct rec_end e;

	(void)err;
	rec_scan_line(ctx, line->text, line->len, &p, &e);
	return HB_OK;
}

static int parse_line(void *ctx, const struct line *line, struct hb_err *err)
{
	json_object *o = NULL;
	int rc = js_parser_line(ctx, line->text, line->len, "records.jsonl", &o, err);

	js_put(o);
	return rc;
}

/* The least that reading the records can cost: lines alone, and each as a JSON value. */
static int parse(const char *dir, struct hb_err *err)
{
	char path[4096];
	struct rec_scan *scan = rec_scan_new();
	struct js_parser *parser = js_parser_new();

	snprintf(path, sizeof(path), "%s/records.jsonl", dir);
	began = now();
	int rc = lines_read(path, JS_LINE_MAX, scan_line, scan, err);
	stage("scan-alone");
	if (rc == HB_OK)
		rc = lines_read(path, JS_LINE_MAX, parse_line, parser, err);
	stage("json-alone");
	rec_scan_free(scan);
	js_parser_free(parser);
	return rc;
}

/* What all cases of a benchmark ask for, benchmark by benchmark, as a run does. */
static size_t ask(const struct sheets *s, const struct findings *f)
{
	const struct loc_params params = LOC_PARAMS_DEFAULT;
	struct loc_sheet *views = hb_alloc((s->n + 1) * sizeof *views);
	struct localized *found = hb_alloc((s->n + 1) * sizeof *found);
	bool *taken = hb_alloc(s->n + 1);
	size_t pairs = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct loc_ask *asks = NULL;
		size_t n = 0;
		for (size_t k = i; k < s->n; k++) {
			if (taken[k] || !sheets_same(&s->v[i], &s->v[k]))
				continue;
			taken[k] = true;
			sheets_view(s, k, NULL, &views[n]);
			found[n++] = f->found[k];
		}
		if (n)
			pairs += localize_ask(views, found, n, &params, s->v[i].loaded, 5, &asks);
		free(asks);
	}
	free(views);
	free(found);
	free(taken);
	return pairs;
}

static int blame(const char *dir, const struct sheets *sheets, struct hb_err *err)
{
	struct findings f;
	size_t pairs;

	began = now();
	findings_make(sheets, NULL, &f);
	stage("localize");
	pairs = ask(sheets, &f);
	stage("ask");
	json_object *o = findings_to_json(&f);
	char *path = hb_format("%s/findings.json", dir);
	int rc = store_write_json(path, o, err);
	stage("findings");
	printf("# %zu sheets, %zu findings, %zu extra pairs\n", sheets->n, f.n, pairs);
	js_put(o);
	free(path);
	findings_free(&f);
	began = now();
	return rc;
}

static int collect(const char *dir, struct hb_err *err)
{
	struct summary s;
	struct sheets sheets;

	began = now();
	int rc = collect_run_sheets(dir, &s, &sheets, NULL, err);
	stage("collect");
	if (rc != HB_OK)
		return rc;
	rc = blame(dir, &sheets, err);
	sheets_free(&sheets);
	if (rc == HB_OK)
		rc = summary_write(dir, &s, err);
	stage("summary");
	summary_free(&s);
	return rc;
}

int main(int argc, char **argv)
{
	struct hb_err err = { HB_OK, "" };
	if (argc != 5) {
		fprintf(stderr, "usage: bench-scale DIR NODES ROUNDS SUITE\n");
		return 64;
	}
	if (plan(argv[1], argv + 2, &err) == HB_OK && collect(argv[1], &err) == HB_OK &&
	    parse(argv[1], &err) == HB_OK)
		return 0;
	fprintf(stderr, "bench-scale: %s\n", err.text);
	return 1;
}
