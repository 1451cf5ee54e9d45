#include "bench/sim/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/sim/model_parts.h"

/* What a healthy mid-range cluster shows, so that a model file need not say it. */
static const struct {
	const char *name;
	double latency_ns, bandwidth_Bps;
} built_in[] = {
	{ "mpi.latency", 1400.0, 11.0e9 },         { "mpi.bandwidth", 320.0, 12.1e9 },
	{ "mpi.allreduce", 5200.0, 4.4e9 },        { "node.memory", 900.0, 180.0e9 },
	{ "node.compute", 0.1, 180.0e9 },          { "node.jitter", 6.4e6, 180.0e9 },
	{ "any other benchmark", 2000.0, 10.0e9 },
};

/* What a draw is for: keeps the streams of the different effects apart. */
enum effect {
	EFFECT_LASTING = 1,
	EFFECT_RUN,
	EFFECT_RUN_SIZE,
	EFFECT_SESSION,
	EFFECT_SESSION_SIZE,
	EFFECT_DEVICE,
	EFFECT_PAIR,
	EFFECT_DIP
};

void sim_model_init(struct sim_model *m)
{
	memset(m, 0, sizeof(*m));
	m->seed = 1;
	m->hw = hb_strdup("sim");
	m->node_spread = 0.005;
	m->run_spread = 0.01;
	m->size_correlation = 0.5;
	m->noise = 0.005;
	m->rails = 1;
	m->rail_spread = 0.002;
	m->cross_leaf = 1.0;
}

void sim_model_free(struct sim_model *m)
{
	for (size_t i = 0; i < m->n_benches; i++)
		free(m->benches[i].name);
	for (size_t i = 0; i < m->n_faults; i++) {
		free(m->faults[i].node);
		free(m->faults[i].other);
		free(m->faults[i].bench);
		free(m->faults[i].leaf);
	}
	for (size_t i = 0; i < m->n_leaves; i++)
		free(m->leaves[i]);
	for (size_t i = 0; i < m->n_seats; i++)
		free(m->seats[i].node);
	free(m->leaves);
	free(m->seats);
	free(m->benches);
	free(m->faults);
	free(m->nodes);
	free(m->hw);
	js_put(m->node_hw);
	sim_told_free(&m->facts);
	sim_told_free(&m->counters);
	memset(m, 0, sizeof(*m));
}

static uint64_t hash_text(const char *s)
{
	return s ? rng_hash(s, strlen(s)) : 0;
}

/* How much of an endpoint's name is the node's. */
static size_t node_len(const char *endpoint)
{
	return strcspn(endpoint, "/");
}

/* Whether a fault that names `named` hits the endpoint: itself, or the node it belongs to. */
static bool names(const char *named, const char *endpoint)
{
	size_t n = strlen(named);

	return strncmp(named, endpoint, n) == 0 && (endpoint[n] == '\0' || endpoint[n] == '/');
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2));

	x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
	x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
	return x ^ (x >> 33);
}

/* A standard normal that depends on nothing but its arguments. */
static double draw(const struct sim_model *m, enum effect e, uint64_t who, uint64_t when)
{
	struct rng r;

	rng_stream(&r, mix(m->seed, (uint64_t)e), who, when);
	return rng_normal(&r);
}

/* Part shared by all sizes and part of this size alone, so that their correlation is as asked. */
static double draw_sizes(const struct sim_model *m, enum effect e, uint64_t who, uint64_t when,
                         uint64_t bytes)
{
	double c = m->size_correlation, v = 0.0;

	if (c > 0.0)
		v += sqrt(c) * draw(m, e, who, when);
	if (c < 1.0)
		v += sqrt(1.0 - c) * draw(m, (enum effect)(e + 1), who, mix(when, bytes + 1));
	return v;
}

const char *sim_node_hw(const struct sim_model *m, const char *node)
{
	char name[256];
	json_object *v = NULL;

	snprintf(name, sizeof(name), "%.*s", (int)node_len(node), node);
	if (m->node_hw && json_object_object_get_ex(m->node_hw, name, &v))
		return json_object_get_string(v);
	return m->hw;
}

static int by_node(const void *key, const void *seat)
{
	const char *endpoint = key, *node = ((const struct sim_seat *)seat)->node;
	size_t n = node_len(endpoint);
	int c = strncmp(endpoint, node, n);

	return c == 0 && node[n] != '\0' ? -1 : c;
}

size_t sim_leaf_of(const struct sim_model *m, const char *endpoint)
{
	const struct sim_seat *s = NULL;

	if (m->n_seats > 0)
		s = bsearch(endpoint, m->seats, m->n_seats, sizeof(*m->seats), by_node);
	return s ? s->leaf : SIM_NO_LEAF;
}

/* The number of an endpoint's device; -1: it is a whole node. */
static long rail_of(const char *endpoint)
{
	const char *device = endpoint + node_len(endpoint);
	char *end;

	if (strncmp(device, "/rail", 5) != 0 || device[5] < '0' || device[5] > '9')
		return -1;
	long n = strtol(device + 5, &end, 10);
	return *end == '\0' ? n : -1;
}

static bool in_bench(const struct sim_fault *f, const char *bench)
{
	return !f->bench || strcmp(f->bench, bench) == 0;
}

/* Of an endpoint in what it does in this direction. */
static double end_fault_log(const struct sim_model *m, const char *bench, const char *end,
                            enum sim_dir dir)
{
	double v = 0.0;

	for (size_t i = 0; i < m->n_faults; i++) {
		const struct sim_fault *f = &m->faults[i];
		bool hit = (f->kind == SIM_SLOW_NODE && f->dir == dir && names(f->node, end)) ||
		           (f->kind == SIM_SLOW_RAIL && dir == SIM_DIR_BOTH &&
		            f->rail == rail_of(end));

		if (hit && in_bench(f, bench))
			v += log(f->factor);
	}
	return v;
}

/* Whether a fault of the leaf, in its direction, hits what goes from one leaf to another. */
static bool leaf_hit(const struct sim_model *m, const struct sim_fault *f, size_t from, size_t to)
{
	size_t leaf = 0;

	if (from == to)
		return false;
	while (leaf < m->n_leaves && strcmp(m->leaves[leaf], f->leaf) != 0)
		leaf++;
	return leaf < m->n_leaves &&
	       ((from == leaf && f->dir != SIM_DIR_IN) || (to == leaf && f->dir != SIM_DIR_OUT));
}

/* Of the way from a to b. */
static double way_log(const struct sim_model *m, const char *bench, const char *a, const char *b)
{
	size_t from = sim_leaf_of(m, a), to = sim_leaf_of(m, b);
	double v = from != to ? log(m->cross_leaf) : 0.0;

	for (size_t i = 0; i < m->n_faults; i++) {
		const struct sim_fault *f = &m->faults[i];
		bool hit = f->kind == SIM_SLOW_LEAF && leaf_hit(m, f, from, to);

		if (f->kind == SIM_SLOW_LINK)
			hit = (f->dir != SIM_DIR_IN && names(f->node, a) && names(f->other, b)) ||
			      (f->dir != SIM_DIR_OUT && names(f->node, b) && names(f->other, a));
		if (hit && in_bench(f, bench))
			v += log(f->factor);
	}
	return v;
}

/* What this one measurement of the pair draws, whichever way it is measured. */
static double occasion_log(const struct sim_model *m, const struct sim_what *w)
{
	uint64_t who, when;
	double v = 0.0;
	struct rng r;

	if (!(m->pair_noise > 0.0) && !(m->dips.rate > 0.0))
		return 0.0;
	who = mix(hash_text(w->a) + hash_text(w->b), hash_text(w->bench));
	when = mix(mix(mix(w->run, (uint64_t)w->repeat), w->occasion), w->bytes);
	if (m->pair_noise > 0.0)
		v += m->pair_noise * draw(m, EFFECT_PAIR, who, when);
	if (m->dips.rate > 0.0) {
		rng_stream(&r, mix(m->seed, (uint64_t)EFFECT_DIP), who, when);
		if (rng_uniform(&r) < m->dips.rate)
			v -= log1p(-(m->dips.low + (m->dips.high - m->dips.low) * rng_uniform(&r)));
	}
	return v;
}

uint64_t sim_occasion(uint64_t unit, uint64_t attempt)
{
	return mix(unit, attempt);
}

/* Log effect on the time of one endpoint: above 0 is slower. */
static double end_log(const struct sim_model *m, const struct sim_what *w, const char *end)
{
	size_t len = node_len(end);
	uint64_t hb = hash_text(w->bench), who = mix(rng_hash(end, len), hb);
	uint64_t when = mix(w->run, (uint64_t)w->repeat);
	double c = m->subject_correlation, run = 0.0,
	       v = end_fault_log(m, w->bench, end, SIM_DIR_BOTH);

	if (m->node_spread > 0.0)
		v += m->node_spread * draw(m, EFFECT_LASTING, who, 0);
	if (m->rail_spread > 0.0 && end[len] == '/')
		v += m->rail_spread * draw(m, EFFECT_DEVICE, mix(hash_text(end), hb), 0);
	if (m->run_spread > 0.0) {
		if (c < 1.0)
			run += sqrt(1.0 - c) * draw_sizes(m, EFFECT_RUN, who, when, w->bytes);
		if (c > 0.0)
			run += sqrt(c) * draw_sizes(m, EFFECT_SESSION, hb, when, w->bytes);
	}
	return v + m->run_spread * run;
}

static void base_figures(const struct sim_model *m, const char *bench, double *latency,
                         double *bandwidth)
{
	size_t last = sizeof(built_in) / sizeof(built_in[0]) - 1, i = 0;

	for (size_t k = 0; k < m->n_benches; k++) {
		if (strcmp(m->benches[k].name, bench) == 0) {
			*latency = m->benches[k].latency_ns;
			*bandwidth = m->benches[k].bandwidth_Bps;
			return;
		}
	}
	while (i < last && strcmp(built_in[i].name, bench) != 0)
		i++;
	*latency = built_in[i].latency_ns;
	*bandwidth = built_in[i].bandwidth_Bps;
}

double sim_time_ns(const struct sim_model *m, const struct sim_what *w)
{
	double latency, bandwidth, ea, eb, both;

	base_figures(m, w->bench, &latency, &bandwidth);
	ea = end_log(m, w, w->a);
	if (!w->b || strcmp(w->a, w->b) == 0)
		return (latency + (double)w->bytes / bandwidth * 1e9) * exp(ea);
	eb = end_log(m, w, w->b);
	ea += end_fault_log(m, w->bench, w->a, SIM_DIR_OUT);
	eb += end_fault_log(m, w->bench, w->b, SIM_DIR_IN);
	both = way_log(m, w->bench, w->a, w->b) + occasion_log(m, w);
	return latency * exp(ea + eb + both) +
	       (double)w->bytes / bandwidth * 1e9 * exp(fmax(ea, eb) + both);
}

/* Of the up-links that a group spans. */
static double group_way_log(const struct sim_model *m, const char *bench, const char *const *nodes,
                            size_t n)
{
	double worst = 0.0;

	for (size_t k = 0; k < m->n_faults; k++) {
		const struct sim_fault *f = &m->faults[k];
		size_t inside = 0;

		if (f->kind != SIM_SLOW_LEAF || f->dir != SIM_DIR_BOTH || !in_bench(f, bench))
			continue;
		for (size_t i = 0; i < n; i++) {
			size_t leaf = sim_leaf_of(m, nodes[i]);
			inside += leaf != SIM_NO_LEAF && strcmp(m->leaves[leaf], f->leaf) == 0;
		}
		if (inside > 0 && inside < n)
			worst = fmax(worst, log(f->factor));
	}
	return worst;
}

double sim_group_time_ns(const struct sim_model *m, const struct sim_what *w,
                         const char *const *nodes, size_t n)
{
	struct sim_what one = *w;
	double worst = NAN;

	one.b = NULL;
	for (size_t i = 0; i < n; i++) {
		one.a = nodes[i];
		worst = fmax(worst, sim_time_ns(m, &one));
	}
	return worst * exp(group_way_log(m, w->bench, nodes, n));
}

double sim_sample_ns(const struct sim_model *m, double true_ns, struct rng *r)
{
	return true_ns * exp(m->noise * rng_normal(r));
}

const struct sim_fault *sim_fault_find(const struct sim_model *m, enum sim_fault_kind kind,
                                       const char *node, int rank, const char *bench, uint64_t jobs)
{
	for (size_t i = 0; i < m->n_faults; i++) {
		const struct sim_fault *f = &m->faults[i];
		bool here = f->node ? node && names(f->node, node) : f->rank == rank;

		if (f->kind == kind && here && jobs >= f->after &&
		    (!f->bench || (bench && strcmp(f->bench, bench) == 0)))
			return f;
	}
	return NULL;
}
