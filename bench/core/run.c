/*
 * One case from beginning to end, on every rank: run_decide.c says at rank 0 what is measured next,
 * run_block.c does the timed part.
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

enum { CLOCK_CALLS = 201 };

#define DEADLINE_SHARE 0.5 /* of a case's deadline may go into timed blocks */
#define INJECT_MAX     10.0

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
		run_next_plan(r, &plan);
	rc = ops->bcast(b->comm, &plan, sizeof(plan), 0, err);
	if (rc < 0)
		return rc;
	if (plan.failed < 0)
		return hb_fail(err, (enum hb_status)plan.failed, "another rank failed");
	*stopped = plan.stage == STAGE_STOP;
	if (*stopped)
		return HB_OK;
	rc = block_time(b, r->timer, plan.samples, plan.batch, r->inject, &r->block, err);
	load_count(&b->moved, b, plan.samples * plan.batch);
	rc = agree_status(b->comm, rc, err);
	if (rc < 0)
		return rc;
	rc = collect_block(r, &plan, err);
	if (b->rank != 0)
		return rc;
	if (!rc)
		rc = run_judge(r, &plan, r->slow, err);
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
		const uint64_t *c = &counts[(size_t)i * 2];

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

	load_count(&b->moved, b, 1);
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
	r.inject = fmin(fmax(params->inject, 1.0), INJECT_MAX);
	r.max_time_ns = params->max_time_s * 1e9;
	b->deadline_ns = 0;
	if (params->deadline_s > 0) {
		b->deadline_ns = clock_ns() + (uint64_t)(params->deadline_s * 1e9);
		r.max_time_ns = fmin(r.max_time_ns, DEADLINE_SHARE * params->deadline_s * 1e9);
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
