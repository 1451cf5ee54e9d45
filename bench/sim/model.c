#include "bench/sim/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

/* What a healthy mid-range cluster shows, so that a model file need not say it. */
static const struct {
	const char *name;
	double latency_ns, bandwidth_Bps;
} built_in[] = {
	{ "mpi.latency", 1400.0, 11.0e9 },         { "mpi.bandwidth", 320.0, 12.1e9 },
	{ "mpi.allreduce", 5200.0, 4.4e9 },        { "node.memory", 900.0, 180.0e9 },
	{ "any other benchmark", 2000.0, 10.0e9 },
};

/* What a draw is for: keeps the streams of the different effects apart. */
enum effect {
	EFFECT_LASTING = 1,
	EFFECT_RUN,
	EFFECT_RUN_SIZE,
	EFFECT_SESSION,
	EFFECT_SESSION_SIZE
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
}

void sim_model_free(struct sim_model *m)
{
	for (size_t i = 0; i < m->n_benches; i++)
		free(m->benches[i].name);
	for (size_t i = 0; i < m->n_faults; i++) {
		free(m->faults[i].node);
		free(m->faults[i].other);
		free(m->faults[i].bench);
	}
	free(m->benches);
	free(m->faults);
	free(m->nodes);
	free(m->hw);
	js_put(m->node_hw);
	memset(m, 0, sizeof(*m));
}

static uint64_t hash_text(const char *s)
{
	return s ? rng_hash(s, strlen(s)) : 0;
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
	json_object *v = NULL;

	if (m->node_hw && json_object_object_get_ex(m->node_hw, node, &v))
		return json_object_get_string(v);
	return m->hw;
}

/* Of a node in what it does in this direction, b NULL; or of the link a-b. */
static double fault_log(const struct sim_model *m, const char *bench, const char *a, const char *b,
                        enum sim_dir dir)
{
	double v = 0.0;

	for (size_t i = 0; i < m->n_faults; i++) {
		const struct sim_fault *f = &m->faults[i];

		if (f->bench && strcmp(f->bench, bench) != 0)
			continue;
		if (f->kind == SIM_SLOW_NODE && !b && f->dir == dir && strcmp(f->node, a) == 0)
			v += log(f->factor);
		if (f->kind == SIM_SLOW_LINK && b &&
		    ((strcmp(f->node, a) == 0 && strcmp(f->other, b) == 0) ||
		     (strcmp(f->node, b) == 0 && strcmp(f->other, a) == 0)))
			v += log(f->factor);
	}
	return v;
}

/* Log effect on the time of one node: above 0 is slower. */
static double node_log(const struct sim_model *m, uint64_t run_seed, const char *bench,
                       uint64_t bytes, const char *node, int repeat)
{
	uint64_t hb = hash_text(bench), who = mix(hash_text(node), hb);
	uint64_t when = mix(run_seed, (uint64_t)repeat);
	double c = m->subject_correlation, run = 0.0,
	       v = fault_log(m, bench, node, NULL, SIM_DIR_BOTH);

	if (m->node_spread > 0.0)
		v += m->node_spread * draw(m, EFFECT_LASTING, who, 0);
	if (m->run_spread > 0.0) {
		if (c < 1.0)
			run += sqrt(1.0 - c) * draw_sizes(m, EFFECT_RUN, who, when, bytes);
		if (c > 0.0)
			run += sqrt(c) * draw_sizes(m, EFFECT_SESSION, hb, when, bytes);
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

double sim_time_ns(const struct sim_model *m, uint64_t run_seed, const char *bench, uint64_t bytes,
                   const char *a, const char *b, int repeat)
{
	double latency, bandwidth, ea, eb, both;

	base_figures(m, bench, &latency, &bandwidth);
	ea = node_log(m, run_seed, bench, bytes, a, repeat);
	if (!b || strcmp(a, b) == 0)
		return (latency + (double)bytes / bandwidth * 1e9) * exp(ea);
	eb = node_log(m, run_seed, bench, bytes, b, repeat);
	ea += fault_log(m, bench, a, NULL, SIM_DIR_OUT);
	eb += fault_log(m, bench, b, NULL, SIM_DIR_IN);
	both = fault_log(m, bench, a, b, SIM_DIR_BOTH);
	return latency * exp(ea + eb + both) +
	       (double)bytes / bandwidth * 1e9 * exp(fmax(ea, eb) + both);
}

double sim_group_time_ns(const struct sim_model *m, uint64_t run_seed, const char *bench,
                         uint64_t bytes, const char *const *nodes, size_t n, int repeat)
{
	double worst = NAN;

	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, sim_time_ns(m, run_seed, bench, bytes, nodes[i], NULL, repeat));
	return worst;
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
		bool here = f->node ? node && strcmp(f->node, node) == 0 : f->rank == rank;

		if (f->kind == kind && here && jobs >= f->after &&
		    (!f->bench || (bench && strcmp(f->bench, bench) == 0)))
			return f;
	}
	return NULL;
}
