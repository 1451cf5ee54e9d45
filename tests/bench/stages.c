/*
 * bench-stages DIR: collects a run, reads its summary back, makes a baseline of it and compares,
 * as `check` does. Prints a line a stage: name and figure (seconds, or MiB at most used).
 */
#include <stdio.h>
#include <sys/resource.h>

#include "bench/core/clock.h"
#include "harness/collect/collect.h"
#include "harness/judge/compare.h"

static double since(uint64_t *start)
{
	uint64_t now = clock_ns();
	double s = (double)(now - *start) * 1e-9;
	*start = now;
	return s;
}

static int stages(const char *dir, struct hb_err *err)
{
	struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct summary s, back;
	struct baseline base;
	struct verdicts v;
	struct rusage use;
	uint64_t start = clock_ns();
	int rc = collect_run(dir, &s, err);
	if (rc != HB_OK)
		return rc;
	printf("collect %.4f\n", since(&start));
	getrusage(RUSAGE_SELF, &use);
	printf("collect-mib %.1f\n", (double)use.ru_maxrss / 1024);
	start = clock_ns();
	rc = summary_write(dir, &s, err);
	if (rc == HB_OK)
		printf("write %.4f\n", since(&start));
	summary_free(&s);
	start = clock_ns();
	if (rc != HB_OK || (rc = summary_read(dir, &back, err)) != HB_OK)
		return rc;
	printf("read %.4f\n", since(&start));
	const struct summary *runs[] = { &back };
	baseline_build(runs, 1, &base);
	printf("baseline %.4f\n", since(&start));
	compare_runs(&base, runs, 1, &params, &v);
	printf("compare %.4f\n", since(&start));
	printf("rows %zu\n", back.n_rows);
	verdicts_free(&v);
	baseline_free(&base);
	summary_free(&back);
	return HB_OK;
}

int main(int argc, char **argv)
{
	struct hb_err err = { HB_OK, "" };
	if (argc != 2) {
		fprintf(stderr, "usage: bench-stages DIR\n");
		return 64;
	}
	if (stages(argv[1], &err) == HB_OK)
		return 0;
	fprintf(stderr, "bench-stages: %s\n", err.text);
	return 1;
}
