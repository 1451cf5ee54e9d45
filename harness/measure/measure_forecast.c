#include "harness/measure/measure_forecast.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/localize/localize.h"
#include "harness/slurm/slurm.h"

/* ---- which keys of a baseline the plan measures ---- */

/* One case of the plan on so many nodes with so many ranks each, as a key says it. */
struct point {
	const struct bench_info *info;
	char *opts;
	uint64_t bytes;
	int nodes, rpn;
	double node_floor; /* least loss that localize blames a node for */
};

struct points {
	struct point *v;
	size_t n, cap;
	bool peers; /* there are nodes enough to hold one against the others */
};

static char *opts_text(const struct bench_info *info, const void *opts)
{
	json_object *o = info_key_opts(info, opts);
	struct buf text = BUF_INIT;

	js_write(o, JS_SORTED, &text);
	js_put(o);
	return buf_detach(&text);
}

static bool has_shape(const struct points *p, const struct bench_info *info, size_t first,
                      int nodes, int rpn)
{
	for (size_t i = first; i < p->n; i++)
		if (p->v[i].info == info && p->v[i].nodes == nodes && p->v[i].rpn == rpn)
			return true;
	return false;
}

static void add_shape(const struct plan *plan, size_t entry, int nodes, int rpn, struct points *p)
{
	const struct case_list *cases = &plan->cases[entry];
	const struct bench_info *info = plan->suite->entries[entry].info;

	for (size_t i = 0; i < cases->n; i++) {
		hb_grow(&p->v, &p->cap, p->n + 1, sizeof *p->v);
		p->v[p->n++] = (struct point){
			info, opts_text(info, cases->v[i].opts),     cases->v[i].bytes, nodes,
			rpn,  plan->suite->entries[entry].node_floor
		};
	}
}

static int job_nodes(const struct plan_step *s, const struct plan_job *j)
{
	size_t last = SIZE_MAX;
	int n = 0;

	for (int i = 0; i < j->n_ranks; i++) { /* ranks stand node by node */
		n += s->rank_node[j->ranks[i]] != last;
		last = s->rank_node[j->ranks[i]];
	}
	return n > 0 ? n : 1;
}

static void find_points(const struct plan *plan, struct points *p)
{
	*p = (struct points){ .peers = plan->nodes.n > 2 };
	for (size_t e = 0; e < plan->suite->n_entries; e++) {
		size_t first = p->n;
		for (size_t i = 0; i < plan->n_steps; i++) {
			const struct plan_step *s = &plan->steps[i];
			for (size_t k = 0; k < s->n_jobs; k++) {
				const struct plan_job *j = &s->jobs[k];
				if (j->entry != e || j->phase != PHASE_MAIN)
					continue;
				int nodes = job_nodes(s, j), rpn = (j->n_ranks + nodes - 1) / nodes;
				if (!has_shape(p, plan->suite->entries[e].info, first, nodes, rpn))
					add_shape(plan, e, nodes, rpn, p);
			}
		}
	}
}

static void points_free(struct points *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].opts);
	free(p->v);
}

static const struct point *find(const struct points *p, const struct key *k)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct point *x = &p->v[i];
		if (x->bytes == k->bytes && x->nodes == k->nodes && x->rpn == k->rpn &&
		    strcmp(x->info->name, k->bench) == 0 && strcmp(x->opts, k->opts) == 0)
			return x;
	}
	return NULL;
}

static bool is_measured(const void *ctx, const struct base_entry *e)
{
	return find(ctx, &e->key) != NULL;
}

static double blamed(const void *ctx, const struct base_entry *e)
{
	const struct points *p = ctx;
	const struct point *x = find(p, &e->key);

	return p->peers && x && x->info->shape == BENCH_PAIR ? x->node_floor : 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_detectable(const struct measure *m, struct measure_forecast *out)
{
	size_t n = m->plan.nodes.n;
	const char **nodes = hb_alloc((n + 1) * sizeof(const char *));
	struct points points;

	for (size_t i = 0; i < n; i++)
		nodes[i] = m->plan.nodes.v[i];
	qsort(nodes, n, sizeof(const char *), by_text);
	find_points(&m->plan, &points);
	const struct detect_scope scope = { is_measured, blamed, &points, nodes, n, out->rounds };
	detect_run(&m->base, &scope, &out->params, &out->detect);
	points_free(&points);
	free(nodes);
}

/* ---- how long it takes ---- */

static int count_rounds(const struct plan *p)
{
	int64_t most = -1;

	for (size_t i = 0; i < p->n_steps; i++)
		for (size_t k = 0; k < p->steps[i].n_jobs; k++) {
			const struct plan_job *j = &p->steps[i].jobs[k];
			bool pair = p->suite->entries[j->entry].info->shape == BENCH_PAIR;
			if (pair && j->phase == PHASE_MAIN && j->round > most)
				most = j->round;
		}
	return (int)most + 1;
}

void measure_forecast(const struct measure *m, struct measure_forecast *out)
{
	const struct loc_params rule = LOC_PARAMS_DEFAULT;
	bool again = m->req.confirm;
	const struct plan_more_rules rules = {
		.extra_share = again ? rule.extra_share : 0,
		.extra_pairs = rule.extra_pairs,
		.suspects = again && m->has_base ? MEASURE_CONFIRM_MAX : 0,
	};

	*out = (struct measure_forecast){ .params = COMPARE_PARAMS_DEFAULT };
	plan_more(&m->plan, &rules, &out->more);
	out->most_s = m->plan.predicted_s + out->more.extra_s + out->more.confirm_s;
	out->allocates = m->site.ops->allocates && !slurm_job_here();
	out->rounds = count_rounds(&m->plan);
	if (m->has_base)
		find_detectable(m, out);
}

void measure_forecast_free(struct measure_forecast *f)
{
	detect_free(&f->detect);
	*f = (struct measure_forecast){ 0 };
}
