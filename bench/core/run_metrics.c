/* From times to the figures of a record. */
#include "bench/core/run.h"

#include <string.h>

/* value = scale * time or scale / time */
struct figure {
	bool rate;
	double scale;
};

static double messages_per_iteration(const struct bench *b)
{
	if (!(b->info->flags & BENCH_WINDOWED) || !b->ops->bytes_moved || b->bytes == 0)
		return 1;
	return b->ops->bytes_moved(b) / (double)b->bytes;
}

static struct figure figure_of(const struct bench *b, const struct metric_info *m)
{
	struct figure f = { true, 0 };

	switch (m->unit) {
	case UNIT_NS:
		f.rate = false;
		f.scale = b->info->flags & BENCH_ROUND_TRIP ? 0.5 : 1;
		break;
	case UNIT_BPS:
		f.scale = b->ops->bytes_moved ? b->ops->bytes_moved(b) * 1e9 : 0;
		if (strncmp(m->name, "busbw", 5) == 0 && b->info->bus_factor)
			f.scale *= b->info->bus_factor(b->nranks);
		break;
	case UNIT_PER_S:
		f.scale = (b->ops->operations ? b->ops->operations(b) : messages_per_iteration(b)) *
		          1e9;
		break;
	case UNIT_BYTES:
	case UNIT_COUNT:
	case UNIT_RATIO: break; /* no time to take them from */
	}
	return f;
}

static struct stat_summary apply(struct figure f, const struct stat_summary *t)
{
	struct stat_summary s = { .n = t->n };

	if (!f.rate) {
		s.min = t->min * f.scale;
		s.p50 = t->p50 * f.scale;
		s.lo = t->lo * f.scale;
		s.hi = t->hi * f.scale;
		s.p95 = t->p95 * f.scale;
		s.p99 = t->p99 * f.scale;
		s.max = t->max * f.scale;
		return s;
	}
	/* The longest time is the least rate; p95 and p99 stay on the slow side of time. */
	s.min = f.scale / t->max;
	s.p50 = f.scale / t->p50;
	s.lo = f.scale / t->hi;
	s.hi = f.scale / t->lo;
	s.p95 = f.scale / t->p95;
	s.p99 = f.scale / t->p99;
	s.max = f.scale / t->min;
	return s;
}

void run_metrics(const struct bench *b, const struct run_result *r, struct rec_point *out)
{
	out->bytes = b->bytes;
	out->ranks = b->nranks;
	out->blocks = r->blocks;
	out->batch = r->batch;
	out->warmup = r->warmup;
	out->ended = r->ended;
	out->spread = r->spread;
	out->verified = r->verified;
	out->bad = r->bad;
	out->n_metrics = 0;
	for (const struct metric_info *m = b->info->metrics; m->name; m++) {
		struct figure f = figure_of(b, m);

		/* Nothing moved has no bandwidth. */
		if (!(f.scale > 0) || out->n_metrics == RECORD_METRICS_MAX)
			continue;
		struct rec_metric *to = &out->metrics[out->n_metrics++];

		to->name = m->name;
		if (!b->ops->figure || !b->ops->figure(b, m, &to->s))
			to->s = apply(f, &r->time);
	}
}
