/*
 * What is measured next, and when it is enough. Rank 0 decides between blocks and tells the
 * others; run_block.c does the timed part.
 */
#include "bench/core/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/agree.h"
#include "bench/core/clock.h"
#include "bench/core/run_parts.h"

enum { BLOCKS_MIN = 5, BLOCKS_MANY = 128, SAMPLES_A_BLOCK_MIN = 3, SAMPLES_A_BLOCK_MAX = 1 << 16 };
enum { PROBE_GROWTH = 4, PROBE_MAX = 1 << 20, CLOCK_CALLS = 201 };

#define BLOCK_NS_MAX       20e6 /* long enough for many samples, short enough for many blocks */
#define BLOCKS_IN_MAX_TIME 20.0
#define PROBE_NS           50e3 /* a probe this long tells the time of one iteration */
#define SHORT_NS           1e3  /* iterations below this are measured in batches ... */
#define BATCH_NS           2e3  /* ... that last at least this long, */
#define CLOCK_SHARE        50.0 /* and this many times a clock reading */
#define WARM_UP_SHARE      0.25 /* of max_time */
#define WARM_UP_AGREE      0.02 /* relative difference of two block medians */
#define DEADLINE_SHARE     0.5  /* of a case's deadline may go into timed blocks */
#define INJECT_MAX         10.0

enum stage { STAGE_PROBE, STAGE_WARM_UP, STAGE_MEASURE, STAGE_STOP };

/* What rank 0 tells the others before each block. */
struct plan {
	uint64_t stage, samples, batch;
	int64_t failed; /* a status: rank 0 found what makes going on useless */
};

struct run {
	struct bench *b;
	const struct run_params *params;
	struct run_result *out;
	int timer; /* the rank whose time counts; -1: the slowest of each sample */
	double inject, max_time_ns;
	struct block block;
	double *own; /* this rank's samples of the measured blocks, groups only */
	size_t n_own, cap_own;

	/* Of rank 0 alone. */
	enum stage stage;
	double clock_ns;          /* cost of a reading */
	double iter_ns, wall_ns;  /* of one iteration: as timed, and with what lies between */
	double last_median;       /* of the warm-up block before; 0: none */
	double warm_ns, timed_ns; /* spent so far */
	uint64_t batch, samples;  /* of the next blocks */
	uint64_t iterations;      /* measured */
	double *slow;             /* the block as it counts */
	size_t cap_slow, cap_samples, cap_medians;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* Batch and length of the next blocks, from what an iteration has been seen to take. */
static void choose_block(struct run *r)
{
	double iter = larger(r->iter_ns, 0.1), wall = larger(r->wall_ns, 0.1), batch = 1, samples;
	double clock_limit = CLOCK_SHARE * r->clock_ns;

	if (!(r->b->info->flags & BENCH_SELF_TIMED) && iter < larger(SHORT_NS, clock_limit))
		batch = ceil(larger(BATCH_NS, clock_limit) / iter);
	/* Rather longer samples than lost ones. */
	batch = larger(batch, ceil(r->max_time_ns / wall / (0.75 * RUN_SAMPLES_MAX)));
	if (r->params->max_iters > 0)
		batch = smaller(batch, (double)r->params->max_iters);
	samples = smaller(r->max_time_ns / BLOCKS_IN_MAX_TIME, BLOCK_NS_MAX) / (wall * batch);
	samples = smaller(larger(samples, SAMPLES_A_BLOCK_MIN), SAMPLES_A_BLOCK_MAX);
	r->batch = (uint64_t)batch;
	r->samples = (uint64_t)samples;
}

static void next_plan(struct run *r, struct plan *plan)
{
	uint64_t room = RUN_SAMPLES_MAX - r->out->n_samples, left;

	*plan = (struct plan){ r->stage, r->samples, r->batch, HB_OK };
	if (r->params->max_iters > 0) {
		left = (r->params->max_iters - r->iterations) / r->batch;
		room = left < room ? left : room;
	}
	if (plan->samples > room)
		plan->samples = room;
	if (plan->samples == 0)
		plan->samples = 1;
}

static void start_measuring(struct run *r)
{
	choose_block(r);
	r->stage = STAGE_MEASURE;
}

static bool warm_enough(const struct run *r)
{
	return r->warm_ns >= WARM_UP_SHARE * r->max_time_ns ||
	       (r->params->max_iters > 0 && r->out->warmup >= r->params->max_iters);
}

static void after_probe(struct run *r, double wall_ns)
{
	if (warm_enough(r)) {
		start_measuring(r);
	} else if (wall_ns >= PROBE_NS || r->batch >= PROBE_MAX) {
		choose_block(r);
		r->stage = STAGE_WARM_UP;
	} else {
		r->batch *= PROBE_GROWTH;
	}
}

static void after_warm_up(struct run *r, double median)
{
	double limit = larger(r->params->precision, WARM_UP_AGREE) * r->last_median;

	if (fabs(median - r->last_median) <= limit || warm_enough(r)) {
		start_measuring(r);
	} else {
		r->last_median = median;
		choose_block(r);
	}
}

/* Half the order-statistic interval of the median of v, relative to it. */
static double relative_interval(const double *v, size_t n)
{
	double *sorted = hb_realloc_array(NULL, n, sizeof(*v)), median, half;
	size_t lo, hi;

	memcpy(sorted, v, n * sizeof(*v));
	stat_sort(sorted, n);
	stat_median_interval(n, &lo, &hi);
	median = stat_quantile_sorted(sorted, n, 0.5);
	half = (sorted[hi] - sorted[lo]) / 2;
	free(sorted);
	return median > 0 ? half / median : 0;
}

/* Sorting all medians after each of many blocks would cost more than the blocks. */
static bool time_to_look(uint64_t blocks)
{
	return blocks >= BLOCKS_MIN && (blocks < BLOCKS_MANY || blocks % (BLOCKS_MANY / 4) == 0);
}

static void keep_block(struct run *r, const double *v, size_t n, double median)
{
	struct run_result *out = r->out;

	hb_grow(&out->samples, &r->cap_samples, out->n_samples + n, sizeof(*v));
	memcpy(out->samples + out->n_samples, v, n * sizeof(*v));
	out->n_samples += n;
	hb_grow(&out->block_medians, &r->cap_medians, out->blocks + 1, sizeof(*v));
	out->block_medians[out->blocks++] = median;
	r->iterations += n * r->batch;
}

static void after_block(struct run *r, const double *v, size_t n, double median)
{
	struct run_result *out = r->out;
	bool full, late = r->timed_ns >= r->max_time_ns;

	keep_block(r, v, n, median);
	full = out->n_samples >= RUN_SAMPLES_MAX ||
	       (r->params->max_iters > 0 && r->iterations + r->batch > r->params->max_iters);
	if (!full && !late && !time_to_look(out->blocks))
		return;
	/* One block has no spread between blocks: that of its samples stands in. */
	out->spread = out->blocks > 1 ? relative_interval(out->block_medians, out->blocks)
	                              : relative_interval(v, n);
	if (out->blocks >= BLOCKS_MIN && out->spread <= r->params->precision)
		out->ended = ENDED_PRECISION;
	else if (late)
		out->ended = ENDED_MAX_TIME;
	else if (full)
		out->ended = ENDED_MAX_ITERS;
	else
		return;
	r->stage = STAGE_STOP;
}

/* Rank 0 looks at a block as it counts. */
static int judge_block(struct run *r, const struct plan *plan, const double *v, struct hb_err *err)
{
	size_t n = plan->samples;
	double median = stat_median(v, n);

	if (r->b->deadline_ns > 0 && clock_ns() >= r->b->deadline_ns)
		return hb_fail(err, HB_E_TIMEOUT, "not finished within %g s",
		               r->params->deadline_s);
	if (plan->stage != STAGE_PROBE && !(median > 0))
		return hb_fail(err, HB_E_DATA,
		               "the clock stood still during %" PRIu64 " iterations", plan->batch);
	if (plan->stage != STAGE_MEASURE) {
		r->iter_ns = median;
		r->wall_ns = r->block.wall_ns / (double)n / (double)plan->batch;
		r->out->warmup += n * plan->batch;
		r->warm_ns += r->block.wall_ns;
	} else {
		r->timed_ns += r->block.wall_ns;
	}
	if (plan->stage == STAGE_PROBE)
		after_probe(r, r->block.wall_ns);
	else if (plan->stage == STAGE_WARM_UP)
		after_warm_up(r, median);
	else
		after_block(r, v, n, median);
	return HB_OK;
}

/* Brings the times that count to rank 0, in r->slow. */
static int collect_block(struct run *r, const struct plan *plan, struct hb_err *err)
{
	struct comm *c = r->b->comm;
	size_t n = plan->samples;
	struct buf got = BUF_INIT;
	int rc;

	if (r->b->rank == 0)
		hb_grow(&r->slow, &r->cap_slow, n, sizeof(*r->slow));
	if (r->timer < 0) {
		if (plan->stage == STAGE_MEASURE) {
			hb_grow(&r->own, &r->cap_own, r->n_own + n, sizeof(*r->own));
			memcpy(r->own + r->n_own, r->block.v, n * sizeof(*r->own));
			r->n_own += n;
		}
		return c->ops->reduce_max(c, r->block.v, r->slow, n, 0, err);
	}
	if (r->timer == 0) {
		if (r->b->rank == 0)
			memcpy(r->slow, r->block.v, n * sizeof(*r->slow));
		return HB_OK;
	}
	rc = c->ops->gatherv(c, r->block.v, r->block.n * sizeof(*r->block.v), &got, NULL, 0, err);
	if (!rc && r->b->rank == 0 && got.len == n * sizeof(*r->slow))
		memcpy(r->slow, got.data, got.len);
	else if (!rc && r->b->rank == 0)
		rc = hb_fail(err, HB_E_LIB, "the timing rank sent %zu bytes of samples, not %zu",
		             got.len, n * sizeof(*r->slow));
	buf_free(&got);
	return rc;
}

/*
 * One block on every rank: plan, time, agree, collect. Sets *stopped when the plan says so. What
 * rank 0 finds wrong afterwards reaches the others as a plan.
 */
static int one_block(struct run *r, bool *stopped, struct hb_err *err)
{
	struct bench *b = r->b;
	const struct comm_ops *ops = b->comm->ops;
	struct plan plan = { 0 };
	int rc;

	if (b->rank == 0)
		next_plan(r, &plan);
	rc = ops->bcast(b->comm, &plan, sizeof(plan), 0, err);
	if (rc < 0)
		return rc;
	if (plan.failed < 0)
		return hb_fail(err, (enum hb_status)plan.failed, "another rank failed");
	*stopped = plan.stage == STAGE_STOP;
	if (*stopped)
		return HB_OK;
	rc = block_time(b, r->timer, plan.samples, plan.batch, r->inject, &r->block, err);
	rc = agree_status(b->comm, rc, err);
	if (rc < 0)
		return rc;
	rc = collect_block(r, &plan, err);
	if (b->rank != 0)
		return rc;
	if (!rc)
		rc = judge_block(r, &plan, r->slow, err);
	if (rc < 0 && rc != HB_E_TIMEOUT) {
		plan = (struct plan){ STAGE_STOP, 0, 0, rc };
		ops->bcast(b->comm, &plan, sizeof(plan), 0, NULL);
	}
	return rc;
}

/* Each rank's own median, at rank 0: it shows who is late. */
static int collect_medians(struct run *r, struct hb_err *err)
{
	double mine = stat_median(r->own, r->n_own);
	struct buf got = BUF_INIT;
	struct comm *c = r->b->comm;
	int rc = c->ops->gatherv(c, &mine, sizeof(mine), &got, NULL, 0, err);

	if (!rc && r->b->rank == 0) {
		r->out->rank_p50 = hb_alloc((size_t)r->b->nranks * sizeof(mine));
		memcpy(r->out->rank_p50, got.data, (size_t)r->b->nranks * sizeof(mine));
	}
	buf_free(&got);
	return rc;
}

/* Adds up what the ranks counted and names the ranks that saw wrong data. */
static int judge_data(struct run *r, const uint64_t *counts, struct hb_err *err)
{
	struct buf who = BUF_INIT;

	for (int i = 0; i < r->b->nranks; i++) {
		const uint64_t *c = &counts[2 * i];

		r->out->verified += c[0];
		r->out->bad += c[1];
		if (c[1] > 0)
			buf_printf(&who, "%s rank %d: %" PRIu64 " of %" PRIu64, who.len ? "," : "",
			           i, c[1], c[0]);
	}
	if (r->out->bad > 0)
		hb_fail(err, HB_E_DATA, "wrong data: elements that differ on%s", buf_text(&who));
	buf_free(&who);
	return r->out->bad > 0 ? HB_E_DATA : HB_OK;
}

static int verify_data(struct run *r, struct hb_err *err)
{
	struct bench *b = r->b;
	struct comm *c = b->comm;
	uint64_t mine[2] = { 0, 0 };
	struct buf got = BUF_INIT;
	int rc = b->ops->verify(b, &mine[0], &mine[1], err), judged = HB_OK;

	rc = agree_status(c, rc, err);
	if (rc < 0)
		return rc;
	rc = c->ops->gatherv(c, mine, sizeof(mine), &got, NULL, 0, err);
	if (!rc && b->rank == 0) {
		uint64_t *counts = hb_alloc((size_t)b->nranks * sizeof(mine));

		memcpy(counts, got.data, (size_t)b->nranks * sizeof(mine));
		judged = judge_data(r, counts, err);
		free(counts);
	}
	buf_free(&got);
	if (!rc)
		rc = c->ops->bcast(c, &judged, sizeof(judged), 0, err);
	if (!rc && judged < 0 && b->rank != 0)
		hb_fail(err, (enum hb_status)judged, "wrong data on some rank");
	return rc < 0 ? rc : judged;
}

static enum unit_status unit_status_of(int rc)
{
	switch (rc) {
	case HB_OK: return UNIT_OK;
	case HB_E_UNSUPPORTED: return UNIT_SKIPPED;
	case HB_E_TIMEOUT: return UNIT_TIMEOUT;
	case HB_E_DATA: return UNIT_INVALID;
	default: return UNIT_FAILED;
	}
}

static void summarize(struct run_result *out)
{
	double *copy = hb_realloc_array(NULL, out->n_samples, sizeof(*copy));

	memcpy(copy, out->samples, out->n_samples * sizeof(*copy));
	stat_summarize(copy, out->n_samples, &out->time);
	free(copy);
}

static int measure(struct run *r, struct hb_err *err)
{
	struct bench *b = r->b;
	bool stopped = false;
	int rc = b->ops->prepare ? b->ops->prepare(b, err) : HB_OK;

	rc = agree_status(b->comm, rc, err);
	while (!rc && !stopped)
		rc = one_block(r, &stopped, err);
	if (!rc && r->timer < 0)
		rc = collect_medians(r, err);
	if (!rc && r->params->verify && b->ops->verify)
		rc = verify_data(r, err);
	return rc;
}

int run_case(struct bench *b, const struct run_params *params, struct run_result *out,
             struct hb_err *err)
{
	struct run r = { .b = b, .params = params, .out = out, .batch = 1, .samples = 1 };
	bool reversed = b->info->shape == BENCH_PAIR && b->dir == DIR_BA &&
	                (b->info->flags & BENCH_DIRECTED);
	double min_ns;
	int rc;

	*out = (struct run_result){ .status = UNIT_FAILED };
	r.timer = b->info->shape == BENCH_GROUP ? -1 : reversed;
	r.inject = smaller(larger(params->inject, 1.0), INJECT_MAX);
	r.max_time_ns = params->max_time_s * 1e9;
	b->deadline_ns = 0;
	if (params->deadline_s > 0) {
		b->deadline_ns = clock_ns() + (uint64_t)(params->deadline_s * 1e9);
		r.max_time_ns = smaller(r.max_time_ns, DEADLINE_SHARE * params->deadline_s * 1e9);
	}
	b->comm->deadline_ns = b->deadline_ns;
	if (b->rank == 0)
		clock_cost(CLOCK_CALLS, &min_ns, &r.clock_ns);
	rc = measure(&r, err);
	if (rc == HB_E_TIMEOUT)
		b->comm->broken = 1;
	out->status = unit_status_of(rc);
	out->batch = r.batch;
	if (b->rank == 0 && out->n_samples > 0)
		summarize(out);
	free(r.block.v);
	free(r.own);
	free(r.slow);
	return rc;
}

void run_result_free(struct run_result *r)
{
	free(r->samples);
	free(r->block_medians);
	free(r->rank_p50);
	*r = (struct run_result){ .status = r->status };
}
