/*
 * bench-loop: what the measuring loop adds to an iteration, in ns: the median that run_case
 * reports less the mean of the bare call, interleaved, median of the rounds. Two benchmarks that
 * do nothing real: one that returns at once (the loop takes it in batches) and one that computes
 * for about 3 us (one sample an iteration, so a clock reading is in it).
 */
#include <stdio.h>

#include "bench/base/stat.h"
#include "bench/core/clock.h"
#include "bench/core/run.h"

enum { ROUNDS = 15, STRETCHES = 41, CALLS = 50, WORK = 1200 };

static const struct metric_info metrics[] = { { "lat_p50_ns", UNIT_NS, false, true },
	                                      { NULL, UNIT_NS, false, false } };
static const struct opt no_opts[] = { { OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 } };
static const struct bench_info info = { .name = "null.call",
	                                .summary = "nothing",
	                                .shape = BENCH_LOCAL,
	                                .min_ranks = 1,
	                                .max_ranks = 1,
	                                .metrics = metrics,
	                                .opts = no_opts };

static int call_nothing(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	volatile uint64_t *x = b->state;
	(void)sink;
	(void)err;
	for (uint64_t i = 0; i < n; i++)
		*x += i;
	return HB_OK;
}

static int call_work(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	volatile uint64_t *state = b->state;
	uint64_t x = *state + 1;
	(void)sink;
	(void)err;
	for (uint64_t i = 0; i < n * WORK; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	*state = x;
	return HB_OK;
}

/* The median of short stretches: being interrupted costs one of them only. */
static double bare_ns(struct bench *b)
{
	double ns[STRETCHES];
	for (int k = 0; k < STRETCHES; k++) {
		uint64_t start = clock_ns();
		for (int i = 0; i < CALLS; i++)
			b->ops->iterate(b, 1, NULL, NULL);
		ns[k] = (double)(clock_ns() - start) / CALLS;
	}
	return stat_median(ns, STRETCHES);
}

static int measure(const char *name, const struct bench_ops *ops)
{
	struct run_params params = RUN_PARAMS_DEFAULT;
	double over[ROUNDS], bare[ROUNDS];
	uint64_t state = 0, batch = 0;
	struct comm *comm = comm_solo_open();
	struct bench b = { .ops = ops, .info = &info, .bytes = 8, .max_bytes = 8, .comm = comm };
	b.nranks = 1;
	b.state = &state;
	params.max_time_s = 0.05;
	params.precision = 0.0001;
	for (int i = 0; i < ROUNDS; i++) {
		struct run_result r;
		struct hb_err err = { HB_OK, "" };
		double before = bare_ns(&b);
		if (run_case(&b, &params, &r, &err) != HB_OK) {
			fprintf(stderr, "bench-loop: %s\n", err.text);
			return 1;
		}
		bare[i] = (before + bare_ns(&b)) / 2;
		over[i] = r.time.p50 - bare[i];
		batch = r.batch;
		run_result_free(&r);
	}
	printf("%s %.1f %.1f %llu\n", name, stat_median(bare, ROUNDS), stat_median(over, ROUNDS),
	       (unsigned long long)batch);
	comm->ops->close(comm);
	return 0;
}

/* What a rank reads before and after each job, in us. */
static void watch(void)
{
	struct load_reading before, after;
	struct load_span span;
	double us[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_ns();
		load_read(&before);
		load_read(&after);
		load_between(&before, &after, NULL, &span);
		us[i] = (double)(clock_ns() - start) / 1e3;
	}
	printf("load %.1f\n", stat_median(us, ROUNDS));
}

int main(void)
{
	static const struct bench_ops nothing = { .info = &info, .iterate = call_nothing };
	static const struct bench_ops work = { .info = &info, .iterate = call_work };
	watch();
	return measure("batched", &nothing) || measure("single", &work);
}
