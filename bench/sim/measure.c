/* From the model's times to the records of a job. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/sim/sim.h"

enum { SAMPLES = 31, BLOCKS = 5, WARMUP = 10, CHECKED = 4096, WRONG = 7 };

enum { END_MAX = 320 };

/* The endpoint of a rank: its node, or where nodes have several devices the one it uses. */
static void end_of(const struct sim_world *w, int rank, char out[END_MAX])
{
	if (w->model.rails > 1)
		snprintf(out, END_MAX, "%.255s/rail%d", sim_node_of(w, rank),
		         rank % w->rpn % w->model.rails);
	else
		snprintf(out, END_MAX, "%.255s", sim_node_of(w, rank));
}

/* A group is as slow as its slowest endpoint; ranks that share one count once. */
static double group_time(const struct sim_rank *r, const struct job *job, const struct sim_what *w)
{
	size_t n = 0, room = (size_t)job->n_ranks;
	char(*names)[END_MAX] = hb_alloc(room * sizeof *names);
	const char **ends = hb_alloc(room * sizeof *ends);

	for (size_t i = 0; i < room; i++) {
		end_of(r->world, job->ranks[i], names[n]);
		if (n > 0 && strcmp(names[n], names[n - 1]) == 0)
			continue;
		ends[n] = names[n];
		n++;
	}
	double ns = sim_group_time_ns(&r->world->model, w, ends, n);
	free(ends);
	free(names);
	return ns;
}

static double true_time(const struct sim_rank *r, const struct job *job, const struct rec_ids *ids,
                        uint64_t bytes, int repeat)
{
	const struct bench_info *info = job->ops->info;
	const struct sim_model *m = &r->world->model;
	char a[END_MAX], b[END_MAX];
	struct sim_what w = { .run = r->world->run_seed,
		              .bench = info->name,
		              .bytes = bytes,
		              .a = a,
		              .repeat = repeat,
		              .occasion = sim_occasion(ids->unit, ids->attempt) };

	if (info->shape == BENCH_GROUP)
		return group_time(r, job, &w);
	end_of(r->world, r->rank, a);
	if (info->shape == BENCH_PAIR &&
	    strcmp(r->node, sim_node_of(r->world, job->ranks[1])) != 0) {
		end_of(r->world, job->ranks[1], b);
		w.b = b;
	}
	double there = sim_time_ns(m, &w);
	if (!w.b || job->dir == DIR_AB)
		return there;
	w.a = b;
	w.b = a;
	double back = sim_time_ns(m, &w);
	return job->dir == DIR_BA ? back : (there + back) / 2.0;
}

/* How much longer it takes because of what others do on the nodes of the job. */
static double disturbed(const struct sim_rank *r, const struct job *job)
{
	double factor = 1;

	for (int i = 0; i < job->n_ranks; i++) {
		const struct sim_fault *f = sim_load_of(r, job->ranks[i], job);
		factor = f ? fmax(factor, f->factor) : factor;
	}
	return factor;
}

/* A rate falls where time rises: its p95 and p99 stay on the slow side of time. */
static struct stat_summary rate(const struct stat_summary *t, double scale)
{
	struct stat_summary s = { t->n,          scale / t->max, scale / t->p50, scale / t->hi,
		                  scale / t->lo, scale / t->p95, scale / t->p99, scale / t->min };
	return s;
}

static void fill_metrics(const struct job *job, uint64_t bytes, const struct stat_summary *time,
                         struct rec_point *p)
{
	const struct bench_info *info = job->ops->info;

	for (const struct metric_info *m = info->metrics;
	     m->name && p->n_metrics < RECORD_METRICS_MAX; m++) {
		struct rec_metric *out = &p->metrics[p->n_metrics];
		double scale = 1e9;
		if (m->unit == UNIT_BPS)
			scale *= (double)bytes;
		if (m->unit == UNIT_BPS && info->bus_factor && strncmp(m->name, "busbw", 5) == 0)
			scale *= info->bus_factor(job->n_ranks);
		if (scale <= 0) /* nothing moved has no bandwidth */
			continue;
		out->name = m->name;
		out->s = m->unit == UNIT_NS ? *time : rate(time, scale);
		p->n_metrics++;
	}
}

static int send_end(struct sim_rank *r, const struct rec_ids *ids, enum unit_status status,
                    const char *reason, double seconds, struct hb_err *err)
{
	struct rec_end end = { *ids, status, reason, seconds };
	json_object *o = rec_end_to_json(&end);
	int rc = r->emit->record(r->emit, o, err);

	js_put(o);
	return rc;
}

static int send_figures(struct sim_rank *r, const struct job *job, size_t i, double *samples,
                        uint64_t bad, struct hb_err *err)
{
	const struct bench_info *info = job->ops->info;
	double sorted[SAMPLES], blocks[BLOCKS];
	struct stat_summary time;
	struct rec_point p = { .ids = job->ids,
		               .is_pair = info->shape == BENCH_PAIR,
		               .bench = info->name,
		               .bytes = job->cases.v[i].bytes,
		               .a = job->a,
		               .round = job->round,
		               .ranks = job->n_ranks,
		               .blocks = BLOCKS,
		               .batch = 1,
		               .warmup = WARMUP,
		               .ended = ENDED_PRECISION,
		               .spread = r->world->model.noise / sqrt(SAMPLES),
		               .verified = CHECKED,
		               .bad = bad };
	int rc;

	p.ids.unit = job->units[i];
	if (p.is_pair) {
		p.b = job->b;
		p.dir = direction_name(job->dir);
	}
	memcpy(sorted, samples, sizeof sorted);
	stat_summarize(sorted, SAMPLES, &time);
	fill_metrics(job, p.bytes, &time, &p);
	for (size_t k = 0; k < BLOCKS; k++)
		blocks[k] = stat_median(samples + k * (SAMPLES / BLOCKS), SAMPLES / BLOCKS);
	p.opts = info_key_opts(info, job->cases.v[i].opts);
	json_object *o = rec_point_to_json(&p);
	rc = r->emit->record(r->emit, o, err);
	js_put(o);
	js_put(p.opts);
	if (rc == HB_OK && p.n_metrics > 0)
		rc = emit_series(r->emit, &p.ids,
		                 &(struct emit_series){ p.metrics[0].name, samples, SAMPLES, blocks,
		                                        BLOCKS },
		                 err);
	return rc;
}

static void delay(double ms)
{
	struct timespec t = { (time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6) };

	while (ms > 0 && nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* The sum of a job over its cases; only a failure to tell is returned. */
int sim_measure(struct sim_rank *r, const struct job *job, int repeat, struct hb_err *err)
{
	const char *bench = job->ops->info->name;
	int partner = sim_fault_partner(r, job);
	uint64_t bad = sim_has(r, SIM_WRONG_DATA, bench) ? WRONG : 0;
	int rc = HB_OK;

	for (size_t i = 0; i < job->cases.n && rc == HB_OK; i++) {
		struct rec_ids ids = job->ids;
		double samples[SAMPLES], ns, all = 0;
		char why[160];

		ids.unit = job->units[i];
		delay(r->world->model.delay_ms);
		if (sim_has(r, SIM_MISSING_RECORDS, bench))
			continue;
		if (partner >= 0) {
			snprintf(why, sizeof why, "no answer from rank %d on %.100s", partner,
			         sim_node_of(r->world, partner));
			rc = send_end(r, &ids, UNIT_TIMEOUT, why, 0, err);
			continue;
		}
		ns = true_time(r, job, &ids, job->cases.v[i].bytes, repeat) * job->params.inject *
		     disturbed(r, job);
		rng_stream(&r->rng, r->world->run_seed ^ job->seed, ids.unit, ids.attempt);
		for (size_t k = 0; k < SAMPLES; k++)
			all += samples[k] = sim_sample_ns(&r->world->model, ns, &r->rng);
		if (!(job->ops->info->flags & BENCH_TELLS))
			rc = send_figures(r, job, i, samples, bad, err);
		snprintf(why, sizeof why, "%d of %d elements are wrong", WRONG, CHECKED);
		if (rc == HB_OK)
			rc = send_end(r, &ids, bad ? UNIT_INVALID : UNIT_OK, bad ? why : NULL,
			              all / 1e9, err);
	}
	return rc;
}
