/*
 * bench-scale DIR NODES ROUNDS SUITE: what a large cluster costs. Plans it, reads the plan of the
 * run in DIR (bench-make-run made it alike), collects it and parses its records alone, for
 * comparison. Prints a line a stage: name, seconds, seconds of CPU and MiB
 * at most used so far.
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

/* All messages of a step whose jobs all end well, each one a look at what may start. */
static void schedule(const struct plan_step *step)
{
	size_t *next = hb_alloc((step->n_jobs + 1) * sizeof *next), n;
	struct sched s;

	sched_init(&s, step, 0);
	for (int r = 0; r < step->n_ranks; r++)
		sched_joined(&s, r);
	while ((n = sched_next(&s, next, step->n_jobs)) > 0) {
		for (size_t i = 0; i < n; i++)
			sched_started(&s, next[i]);
		for (size_t i = 0; i < n; i++) {
			const struct plan_job *job = &step->jobs[next[i]];
			size_t none;
			for (int r = 0; r < job->n_ranks; r++)
				sched_rank_done(&s, job->ranks[r], job->id);
			if (i + 1 < n && (sched_finished(&s) || sched_next(&s, &none, 1) > 0))
				break;
		}
	}
	sched_free(&s);
	free(next);
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

static int collect(const char *dir, struct hb_err *err)
{
	struct summary s;

	began = now();
	int rc = collect_run(dir, &s, err);
	stage("collect");
	if (rc != HB_OK)
		return rc;
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
