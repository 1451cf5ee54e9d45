/* What is measured next, and when it is enough: rank 0's decisions between blocks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/run_parts.h"

enum { BLOCKS_MIN = 5, BLOCKS_MANY = 128, SAMPLES_A_BLOCK_MIN = 3, SAMPLES_A_BLOCK_MAX = 1 << 16 };
enum { PROBE_GROWTH = 4, PROBE_MAX = 1 << 20 };

#define BLOCK_NS_MAX       20e6 /* long enough for many samples, short enough for many blocks */
#define BLOCKS_IN_MAX_TIME 20.0
#define PROBE_NS           50e3 /* a probe this long tells the time of one iteration */
#define SHORT_NS           1e3  /* iterations below this are measured in batches ... */
#define BATCH_NS           2e3  /* ... that last at least this long, */
#define CLOCK_SHARE        50.0 /* and this many times a clock reading */
#define WARM_UP_SHARE      0.25 /* of max_time */
#define WARM_UP_AGREE      0.02 /* relative difference of two block medians */

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

void run_next_plan(const struct run *r, struct plan *plan)
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
	if (out->blocks >= BLOCKS_MIN && out->spread <= r->params->precision &&
	    !(r->b->info->flags & BENCH_RARE))
		out->ended = ENDED_PRECISION;
	else if (late)
		out->ended = ENDED_MAX_TIME;
	else if (full)
		out->ended = ENDED_MAX_ITERS;
	else
		return;
	r->stage = STAGE_STOP;
}

int run_judge(struct run *r, const struct plan *plan, const double *v, struct hb_err *err)
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
