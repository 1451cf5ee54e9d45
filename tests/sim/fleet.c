#include "tests/sim/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "harness/plan/plan.h"

static const struct {
	const char *bench, *metric;
	uint64_t bytes;
	bool directions;
} cases[FLEET_CASES] = {
	{ "mpi.latency", "latency", 8, false },
	{ "mpi.latency", "latency", 1 << 10, false },
	{ "mpi.latency", "latency", 64 << 10, false },
	{ "mpi.bandwidth", "bandwidth", 256 << 10, true },
	{ "mpi.bandwidth", "bandwidth", 4 << 20, true },
};

/* The median of 31 samples has 1.2533 / sqrt(31) of their spread. */
static const double median_share = 0.225;

void fleet_make(struct fleet *f, size_t nodes, double node_spread, double run_spread, uint64_t seed)
{
	struct sheets *s = &f->sheets;

	*f = (struct fleet){ 0 };
	sim_model_init(&f->model);
	f->model.seed = seed;
	f->model.node_spread = node_spread;
	f->model.run_spread = run_spread;
	f->model.pair_noise = f->model.noise * median_share;
	s->n_nodes = nodes;
	s->nodes = hb_alloc(nodes * sizeof(*s->nodes));
	for (size_t i = 0; i < nodes; i++)
		s->nodes[i] = hb_format("n%zu", i + 1);
	s->v = hb_alloc(FLEET_CASES * sizeof(*s->v));
	s->n = s->cap = FLEET_CASES;
	for (size_t k = 0; k < s->n; k++) {
		struct sheet *v = &s->v[k];

		*v = (struct sheet){ .entry = k > 2, .delta = LOC_DELTA, .loaded = nodes > 3 };
		v->key = (struct key){ .bench = hb_strdup(cases[k].bench),
			               .metric = hb_strdup(cases[k].metric),
			               .opts = hb_strdup("{}"),
			               .class_ = hb_strdup("remote"),
			               .hw = hb_strdup("sim"),
			               .bytes = cases[k].bytes,
			               .nodes = 2,
			               .rpn = 1 };
		key_make(&v->key);
		v->n_ends = nodes;
		v->ends = hb_alloc(nodes * sizeof(*v->ends));
		for (size_t i = 0; i < nodes; i++)
			v->ends[i] = (struct loc_end){ (uint32_t)i, LOC_NONE, LOC_NONE };
	}
}

void fleet_free(struct fleet *f)
{
	sheets_free(&f->sheets);
	sim_model_free(&f->model);
}

void fleet_slow(struct fleet *f, size_t a, size_t b, const char *bench, double loss)
{
	struct sim_model *m = &f->model;

	m->faults = hb_realloc_array(m->faults, m->n_faults + 1, sizeof(*m->faults));
	m->faults[m->n_faults++] = (struct sim_fault){
		.kind = b == SIZE_MAX ? SIM_SLOW_NODE : SIM_SLOW_LINK,
		.node = hb_strdup(f->sheets.nodes[a]),
		.other = b == SIZE_MAX ? NULL : hb_strdup(f->sheets.nodes[b]),
		.bench = bench ? hb_strdup(bench) : NULL,
		.rank = -1,
		.rail = -1,
		.factor = 1 / (1 - loss),
	};
}

static double one_way(struct fleet *f, size_t k, uint32_t a, uint32_t b)
{
	struct sim_what w = { .run = f->run,
		              .bench = cases[k].bench,
		              .bytes = cases[k].bytes,
		              .a = f->sheets.nodes[a],
		              .b = f->sheets.nodes[b],
		              .occasion = f->occasion };

	return -log(sim_time_ns(&f->model, &w));
}

static void measure(struct fleet *f, size_t k, uint32_t a, uint32_t b, bool extra, bool isolated)
{
	struct sheet *s = &f->sheets.v[k];
	struct loc_pair *p;

	hb_grow(&s->pairs, &s->cap_pairs, s->n_pairs + 1, sizeof(*s->pairs));
	p = &s->pairs[s->n_pairs++];
	*p = (struct loc_pair){ .a = a, .b = b, .extra = extra, .isolated = isolated };
	p->silent = LOC_NONE;
	f->occasion++;
	p->y = p->ab = p->ba = NAN;
	if (!cases[k].directions) {
		p->y = one_way(f, k, a, b);
		return;
	}
	p->ab = one_way(f, k, a, b);
	f->occasion++;
	p->ba = one_way(f, k, b, a);
	p->y = fmin(p->ab, p->ba);
}

static void main_part(struct fleet *f)
{
	struct pair_round *r;
	int n = plan_rounds((int)f->sheets.n_nodes, FLEET_ROUNDS, f->run + f->model.seed, &r);

	for (size_t k = 0; k < FLEET_CASES; k++) {
		f->sheets.v[k].n_pairs = 0;
		for (int i = 0; i < n; i++)
			for (int p = 0; p < r[i].n; p++)
				measure(f, k, (uint32_t)r[i].pairs[p][0],
				        (uint32_t)r[i].pairs[p][1], false, false);
	}
	plan_rounds_free(r, n);
}

/* The cases [first, end) of one benchmark. */
static size_t ask(struct fleet *f, size_t first, size_t end, const struct baseline *base,
                  const struct findings *found)
{
	const struct loc_params params = LOC_PARAMS_DEFAULT;
	struct loc_sheet view[FLEET_CASES] = { 0 };
	struct loc_ask *v;
	size_t n;

	for (size_t k = first; k < end; k++)
		sheets_view(&f->sheets, k, base, &view[k - first]);
	n = localize_ask(view, found->found + first, end - first, &params,
	                 f->sheets.v[first].loaded, f->run + f->model.seed, &v);
	for (size_t k = first; k < end; k++)
		for (size_t i = 0; i < n; i++)
			measure(f, k, v[i].a, v[i].b, true, v[i].isolated && f->sheets.v[k].loaded);
	free(v);
	return n;
}

void fleet_run(struct fleet *f, uint64_t run, const struct baseline *base, struct findings *out)
{
	size_t extra = 0;

	f->run = run;
	f->occasion = 0;
	main_part(f);
	findings_make(&f->sheets, base, out);
	for (size_t k = 0, end; k < FLEET_CASES; k = end) {
		for (end = k + 1;
		     end < FLEET_CASES && sheets_same(&f->sheets.v[k], &f->sheets.v[end]);)
			end++;
		extra += ask(f, k, end, base, out);
	}
	if (extra == 0)
		return;
	findings_free(out);
	findings_make(&f->sheets, base, out);
}

void fleet_baseline(struct fleet *f, int runs, struct baseline *out)
{
	double sum[FLEET_CASES] = { 0 }, squares[FLEET_CASES] = { 0 };
	double n = (double)f->sheets.n_nodes * runs;

	*out = (struct baseline){ .name = hb_strdup("stored"),
		                  .entries = hb_alloc(FLEET_CASES * sizeof(*out->entries)),
		                  .n_entries = FLEET_CASES };
	for (int r = 0; r < runs; r++) {
		struct findings found;

		fleet_run(f, 1000 + (uint64_t)r, NULL, &found);
		for (size_t k = 0; k < FLEET_CASES; k++)
			for (size_t i = 0; i < found.found[k].n_nodes; i++) {
				sum[k] += found.found[k].nodes[i].score;
				squares[k] += pow(found.found[k].nodes[i].score, 2);
			}
		findings_free(&found);
	}
	for (size_t k = 0; k < FLEET_CASES; k++)
		out->entries[k] = (struct base_entry){
			.key = f->sheets.v[k].key, /* borrowed */
			.kind = SUBJECT_NODE,
			.runs = runs,
			.mean = sum[k] / n,
			.s_run = sqrt((squares[k] - sum[k] * sum[k] / n) / (n - 1)),
			.s_node = 0,
		};
}

void fleet_baseline_free(struct baseline *b)
{
	free(b->name);
	free(b->entries);
}
