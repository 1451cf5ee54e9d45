/* Runs a job: probe, setup, its cases, teardown; and tells what came of each unit. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/agree.h"
#include "bench/core/clock.h"
#include "bench/core/helper_parts.h"

enum { LATEST_RANKS = 16, SUBSET_TAGS = 16384 };

struct work {
	const struct job *job;
	struct emit *emit;
	struct bench bench;
	int worst;         /* status of the cases so far ... */
	struct hb_err why; /* ... and its reason */
};

static bool speaks(const struct work *w)
{
	return w->bench.rank == 0;
}

/* Which status of two says more about the job. */
static int weight(int status)
{
	switch (status) {
	case HB_OK: return 0;
	case HB_E_UNSUPPORTED: return 1;
	case HB_E_DATA: return 2;
	case HB_E_TIMEOUT: return 4;
	default: return 3;
	}
}

static void remember(struct work *w, int status, const struct hb_err *err)
{
	if (weight(status) <= weight(w->worst))
		return;
	w->worst = status;
	w->why = *err;
}

static int send_record(struct work *w, json_object *record, struct hb_err *err)
{
	int rc = w->emit->record(w->emit, record, err);

	js_put(record);
	return rc;
}

static int send_end(struct work *w, size_t i, enum unit_status status, const char *reason,
                    double seconds, struct hb_err *err)
{
	struct rec_end end = { .ids = w->job->ids, .status = status, .seconds = seconds };

	if (!speaks(w))
		return HB_OK;
	end.ids.unit = w->job->units[i];
	end.reason = status == UNIT_OK ? NULL : reason;
	return send_record(w, rec_end_to_json(&end), err);
}

/* Units from the given one on end alike: what stopped the job stops them all. */
static int end_rest(struct work *w, size_t from, enum unit_status status, const char *reason,
                    struct hb_err *err)
{
	int rc = HB_OK;

	for (size_t i = from; !rc && i < w->job->cases.n; i++)
		rc = send_end(w, i, status, reason, 0, err);
	return rc;
}

struct late {
	int rank;
	double p50;
};

static int later_first(const void *a, const void *b)
{
	double x = ((const struct late *)a)->p50, y = ((const struct late *)b)->p50;

	return (x < y) - (x > y);
}

/* Quantiles over the ranks' own medians, and the latest ranks by their number in the step. */
static json_object *per_rank_json(const struct job *j, const double *p50, int n)
{
	static const double at[] = { 0, 0.25, 0.5, 0.75, 1 };
	json_object *o = json_object_new_object(), *quantiles = json_object_new_array(),
	            *latest = json_object_new_array();
	struct late *ranks = hb_alloc((size_t)n * sizeof(*ranks));

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		json_object_array_add(quantiles, js_f64(stat_quantile(p50, (size_t)n, at[i])));
	for (int i = 0; i < n; i++)
		ranks[i] = (struct late){ j->ranks[i], p50[i] };
	qsort(ranks, (size_t)n, sizeof(*ranks), later_first);
	for (int i = 0; i < n && i < LATEST_RANKS; i++) {
		json_object *one = json_object_new_object();

		js_set_i64(one, "rank", ranks[i].rank);
		js_set_f64(one, "p50", ranks[i].p50);
		json_object_array_add(latest, one);
	}
	free(ranks);
	js_set_obj(o, "p50", quantiles);
	js_set_obj(o, "latest", latest);
	return o;
}

static int send_figures(struct work *w, size_t i, const struct run_result *r, struct hb_err *err)
{
	const struct job *j = w->job;
	struct rec_point p = { .ids = j->ids, .bench = j->ops->info->name, .a = j->a };
	int rc;

	p.ids.unit = j->units[i];
	p.is_pair = j->ops->info->shape == BENCH_PAIR;
	p.b = p.is_pair ? j->b : NULL;
	p.dir = p.is_pair ? direction_name(j->dir) : NULL;
	p.round = j->round;
	run_metrics(&w->bench, r, &p);
	p.opts = info_key_opts(j->ops->info, j->cases.v[i].opts);
	if (r->rank_p50)
		p.per_rank = per_rank_json(j, r->rank_p50, j->n_ranks);
	else if (j->ops->parts)
		p.per_rank = j->ops->parts(&w->bench);
	rc = send_record(w, rec_point_to_json(&p), err);
	js_put(p.opts);
	js_put(p.per_rank);
	if (rc < 0 || p.n_metrics == 0)
		return rc;
	return emit_series(w->emit, &p.ids,
	                   &(struct emit_series){ p.metrics[0].name, r->samples, r->n_samples,
	                                          r->block_medians, (size_t)r->blocks },
	                   err);
}

/* Measures one case and tells of it. Only a failure to tell is returned. */
static int do_case(struct work *w, size_t i, struct hb_err *err)
{
	struct hb_err why = { HB_OK, "" };
	struct run_result r;
	uint64_t start = clock_ns();
	int rc = HB_OK, status;

	w->bench.bytes = w->job->cases.v[i].bytes;
	w->bench.opts = w->job->cases.v[i].opts;
	status = run_case(&w->bench, &w->job->params, &r, &why);
	remember(w, status, &why);
	/* Wrong data come with their figures, marked by the end record. */
	if (speaks(w) && (status == HB_OK || status == HB_E_DATA) && r.n_samples > 0)
		rc = send_figures(w, i, &r, err);
	run_result_free(&r);
	if (!rc)
		rc = send_end(w, i, unit_status_of(status), why.text,
		              (double)(clock_ns() - start) / 1e9, err);
	return rc;
}

static int do_cases(struct work *w, struct hb_err *err)
{
	int rc = HB_OK;
	size_t i;

	for (i = 0; !rc && i < w->job->cases.n && !w->bench.comm->broken; i++)
		rc = do_case(w, i, err);
	if (!rc)
		rc = end_rest(w, i, UNIT_GIVEN_UP, "an earlier case of this job did not end", err);
	return rc;
}

static void set_deadline(struct comm *c, uint64_t *deadline_ns, double seconds)
{
	*deadline_ns = seconds > 0 ? clock_ns() + (uint64_t)(seconds * 1e9) : 0;
	c->deadline_ns = *deadline_ns;
}

/* probe and setup, for the case with the largest size. */
static int start_bench(struct bench *b, const struct job *j, struct hb_err *err)
{
	int rc;

	b->ops = j->ops;
	b->info = j->ops->info;
	b->dir = j->dir;
	b->seed = j->seed;
	b->nranks = j->n_ranks;
	b->opts = j->cases.v[0].opts;
	for (size_t i = 0; i < j->cases.n; i++) {
		if (j->cases.v[i].bytes > b->max_bytes) {
			b->max_bytes = j->cases.v[i].bytes;
			b->opts = j->cases.v[i].opts;
		}
	}
	b->bytes = b->max_bytes;
	b->state = hb_alloc(b->ops->state_size ? b->ops->state_size : 1);
	set_deadline(b->comm, &b->deadline_ns, j->params.deadline_s);
	rc = b->ops->probe ? b->ops->probe(b, err) : HB_OK;
	rc = agree_status(b->comm, rc, err);
	if (rc < 0)
		return rc;
	return agree_status(b->comm, b->ops->setup ? b->ops->setup(b, err) : HB_OK, err);
}

/* The ranks of the job by themselves, rank i being ranks[i]. */
static int join(struct work *w, struct comm *world, struct hb_err *err)
{
	const struct job *j = w->job;
	int me = world->ops->rank(world), size = world->ops->size(world), rc;
	uint64_t deadline;

	w->bench.rank = -1;
	for (int i = 0; i < j->n_ranks; i++) {
		if (j->ranks[i] >= size)
			return hb_fail(err, HB_E_USAGE, "the job names rank %d of %d", j->ranks[i],
			               size);
		if (j->ranks[i] == me)
			w->bench.rank = i;
	}
	if (w->bench.rank < 0)
		return hb_fail(err, HB_E_USAGE, "rank %d was sent a job that does not name it", me);
	set_deadline(world, &deadline, j->params.deadline_s);
	rc = world->ops->subset(world, j->ranks, j->n_ranks, (int)(j->id % SUBSET_TAGS),
	                        &w->bench.comm, err);
	world->deadline_ns = 0;
	return rc;
}

int job_run(const struct job *j, struct comm *world, struct emit *e, struct hb_err *err)
{
	struct work w = { .job = j, .emit = e };
	struct hb_err why = { HB_OK, "" };
	int rc, told;

	if (j->ops->info->flags & BENCH_TELLS)
		return job_tell(j, world, e, err);
	rc = join(&w, world, &why);
	if (rc < 0 || !w.bench.comm) {
		remember(&w, rc, &why);
		told = end_rest(&w, 0, unit_status_of(rc), why.text, err);
	} else {
		rc = start_bench(&w.bench, j, &why);
		remember(&w, rc, &why);
		told = rc < 0 ? end_rest(&w, 0, unit_status_of(rc), why.text, err)
		              : do_cases(&w, err);
		if (j->ops->teardown)
			j->ops->teardown(&w.bench);
		if (j->moved)
			*j->moved = w.bench.moved;
		free(w.bench.state);
		w.bench.comm->ops->close(w.bench.comm);
	}
	if (told < 0)
		return told;
	if (err && w.worst < 0)
		*err = w.why;
	return w.worst;
}
