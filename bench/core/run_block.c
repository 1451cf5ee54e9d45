/* The timed part of the loop: nothing here allocates, prints or talks between two clock readings.
 */
#include "bench/core/run_parts.h"

#include <math.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

/* Busy waiting, as a slow device would keep the rank busy. */
static uint64_t wait_until(uint64_t end_ns)
{
	uint64_t now;

	do
		now = clock_ns();
	while (now < end_ns);
	return now;
}

void sink_push(struct sink *s, double ns)
{
	if (s->n >= s->want) {
		s->trouble = "pushed more samples than iterations";
		return;
	}
	if (!isfinite(ns) || ns <= 0) {
		s->trouble = "pushed a time that is not above 0";
		return;
	}
	if (s->inject > 1.0) {
		uint64_t start = clock_ns();

		ns += (double)(wait_until(start + (uint64_t)((s->inject - 1.0) * ns)) - start);
	}
	s->sum += ns;
	if (++s->in_batch < s->batch)
		return;
	s->v[s->n++] = s->sum;
	s->sum = 0;
	s->in_batch = 0;
}

/* Consecutive samples share a clock reading, so that a sample costs one. */
static int time_shared(struct bench *b, uint64_t samples, uint64_t batch, double *v,
                       struct sink *sink, struct hb_err *err)
{
	int (*const iterate)(struct bench *, uint64_t, struct sink *,
	                     struct hb_err *) = b->ops->iterate;
	uint64_t start = clock_ns();

	for (uint64_t i = 0; i < samples; i++) {
		int rc = iterate(b, batch, sink, err);
		uint64_t end = clock_ns();

		if (rc < 0)
			return rc;
		v[i] = (double)(int64_t)(end - start);
		start = end;
	}
	return HB_OK;
}

static int time_injected(struct bench *b, uint64_t samples, uint64_t batch, double inject,
                         double *v, struct sink *sink, struct hb_err *err)
{
	uint64_t start = clock_ns();

	for (uint64_t i = 0; i < samples; i++) {
		int rc = b->ops->iterate(b, batch, sink, err);
		uint64_t end = clock_ns();

		if (rc < 0)
			return rc;
		end = wait_until(end + (uint64_t)((inject - 1.0) * (double)(end - start)));
		v[i] = (double)(int64_t)(end - start);
		start = end;
	}
	return HB_OK;
}

/* Groups: everybody starts each sample together, and each rank's own duration counts. */
static int time_synced(struct bench *b, uint64_t samples, uint64_t batch, double inject, double *v,
                       struct sink *sink, struct hb_err *err)
{
	for (uint64_t i = 0; i < samples; i++) {
		uint64_t start, end;
		int rc = b->comm->ops->barrier(b->comm, err);

		if (rc < 0)
			return rc;
		start = clock_ns();
		rc = b->ops->iterate(b, batch, sink, err);
		end = clock_ns();
		if (rc < 0)
			return rc;
		if (inject > 1.0)
			end = wait_until(end + (uint64_t)((inject - 1.0) * (double)(end - start)));
		v[i] = (double)(int64_t)(end - start);
	}
	return HB_OK;
}

static int time_nothing(struct bench *b, uint64_t samples, uint64_t batch, struct sink *sink,
                        struct hb_err *err)
{
	int rc = HB_OK;

	for (uint64_t i = 0; !rc && i < samples; i++)
		rc = b->ops->iterate(b, batch, sink, err);
	return rc;
}

static int time_self(struct bench *b, uint64_t samples, uint64_t batch, bool counts,
                     struct sink *sink, struct hb_err *err)
{
	int rc = b->ops->iterate(b, samples * batch, sink, err);

	if (rc < 0 || !counts)
		return rc;
	if (sink->trouble)
		return hb_fail(err, HB_E_LIB, "%s %s", b->info->name, sink->trouble);
	if (sink->n != samples)
		return hb_fail(err, HB_E_LIB, "%s gave %zu of %llu samples", b->info->name, sink->n,
		               (unsigned long long)samples);
	return HB_OK;
}

/* From the time of a batch to that of one iteration. */
static int check_and_scale(double *v, size_t n, uint64_t batch, struct hb_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!(v[i] >= 0))
			return hb_fail(err, HB_E_DATA,
			               "the clock went backwards by %.0f ns: figures of this node "
			               "cannot be believed (see its clocksource)",
			               -v[i]);
		v[i] /= (double)batch;
	}
	return HB_OK;
}

int block_time(struct bench *b, int timer, uint64_t samples, uint64_t batch, double inject,
               struct block *out, struct hb_err *err)
{
	bool counts = timer < 0 || timer == b->rank;
	struct sink sink = { .want = samples, .batch = batch, .inject = counts ? inject : 1.0 };
	uint64_t start;
	int rc;

	hb_grow(&out->v, &out->cap, samples, sizeof(*out->v));
	sink.v = out->v;
	out->n = 0;
	rc = b->comm->ops->barrier(b->comm, err);
	if (rc < 0)
		return rc;
	start = clock_ns();
	if (b->info->flags & BENCH_SELF_TIMED)
		rc = time_self(b, samples, batch, counts, &sink, err);
	else if (b->info->shape == BENCH_GROUP)
		rc = time_synced(b, samples, batch, inject, out->v, &sink, err);
	else if (!counts)
		rc = time_nothing(b, samples, batch, &sink, err);
	else if (inject > 1.0)
		rc = time_injected(b, samples, batch, inject, out->v, &sink, err);
	else
		rc = time_shared(b, samples, batch, out->v, &sink, err);
	out->wall_ns = (double)(int64_t)(clock_ns() - start);
	if (rc < 0)
		return rc;
	out->n = counts ? samples : 0;
	return check_and_scale(out->v, out->n, batch, err);
}
