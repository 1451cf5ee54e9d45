/*
 * node.jitter: each core does the same fixed work again and again, in quanta of some 100 us that
 * nothing but the core itself can make longer. A round is 64 of them on every core at once. What
 * counts is the round of the slowest core: that is what a job waits for whose ranks meet after
 * each. A quantum much longer than the others of its round was interrupted: by a daemon, by the
 * firmware, by another guest of a hypervisor. A core that is throttled shows no interruptions, but
 * long rounds.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/env.h"
#include "bench/node/jitter_quantum.h"
#include "bench/node/node.h"
#include "bench/node/parts.h"
#include "bench/node/team.h"

/* 4 cycles a step at best: 100 us at 3 GHz. */
enum { QUANTA = 64, STEPS = 75000 };
/* An interruption is what makes a quantum this much longer than the round's median. */
#define INTERRUPTED_NS 10000.0

struct core {
	_Alignas(64) uint64_t x; /* the chain goes on from quantum to quantum */
	uint64_t steps, interruptions;
	double round_ns, work_ns, worst_ns; /* of the latest round; of all of them; by how much the
	                                       longest quantum was too long */
	double quantum_ns[QUANTA];
	int cpu;
};

struct jitter {
	struct core *cores;
	int *cpus, n_cpus;
	struct team *team;
	struct parts *seen;
	struct sink *sink;
	uint64_t deadline_ns, seed;
};

static int jitter_setup(struct bench *b, struct hb_err *err)
{
	struct jitter *j = b->state;
	int rc = env_core_list(&j->cpus, &j->n_cpus, err);

	if (rc < 0)
		return rc;
	j->cores = aligned_alloc(_Alignof(struct core), (size_t)j->n_cpus * sizeof(*j->cores));
	if (!j->cores)
		return hb_fail(err, HB_E_NOMEM, "no memory for %d cores", j->n_cpus);
	j->seen = parts_new("cpu", j->cpus, j->n_cpus);
	return team_start(j->n_cpus, j->cpus, j->n_cpus, &j->team, err);
}

static int jitter_prepare(struct bench *b, struct hb_err *err)
{
	struct jitter *j = b->state;

	(void)err;
	j->deadline_ns = b->deadline_ns;
	j->seed = b->seed;
	for (int i = 0; i < j->n_cpus; i++)
		j->cores[i] = (struct core){ .x = b->seed + (uint64_t)i, .cpu = j->cpus[i] };
	parts_clear(j->seen);
	return HB_OK;
}

static void one_round(void *arg, int member)
{
	struct jitter *j = arg;
	struct core *c = &j->cores[member];
	double usual;

	c->round_ns = 0;
	for (int i = 0; i < QUANTA; i++) {
		uint64_t start = clock_ns();

		c->x = jitter_quantum(c->x, STEPS, c->cpu);
		c->quantum_ns[i] = (double)(int64_t)(clock_ns() - start);
		c->round_ns += c->quantum_ns[i];
	}
	c->steps += (uint64_t)QUANTA * STEPS;
	c->work_ns += c->round_ns;
	usual = stat_median(c->quantum_ns, QUANTA);
	for (int i = 0; i < QUANTA; i++) {
		double more = c->quantum_ns[i] - usual;

		c->interruptions += more > INTERRUPTED_NS;
		c->worst_ns = more > c->worst_ns ? more : c->worst_ns;
	}
}

static int take_time(void *arg, double ns)
{
	struct jitter *j = arg;
	double worst = 0;

	(void)ns;
	for (int i = 0; i < j->n_cpus; i++) {
		parts_push(j->seen, i, j->cores[i].round_ns);
		worst = j->cores[i].round_ns > worst ? j->cores[i].round_ns : worst;
	}
	sink_push(j->sink, worst);
	return j->deadline_ns > 0 && clock_ns() > j->deadline_ns ? HB_E_TIMEOUT : HB_OK;
}

static int jitter_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	struct jitter *j = b->state;

	j->sink = sink;
	if (team_run(j->team, n, one_round, take_time, j) == HB_E_TIMEOUT)
		return hb_fail(err, HB_E_TIMEOUT, "the rounds did not end before the deadline");
	return HB_OK;
}

/* Where the chain is after so many steps, by doubling: mul and add of 1, 2, 4 ... steps. */
static uint64_t jump(uint64_t x, uint64_t steps)
{
	uint64_t mul = JITTER_MUL, add = JITTER_ADD;

	for (; steps > 0; steps >>= 1) {
		if (steps & 1)
			x = x * mul + add;
		add = add * mul + add;
		mul *= mul;
	}
	return x;
}

static int jitter_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	const struct jitter *j = b->state;

	(void)err;
	*checked = *bad = 0;
	for (int i = 0; i < j->n_cpus; i++) {
		const struct core *c = &j->cores[i];

		*checked += c->steps;
		*bad += c->x != jump(j->seed + (uint64_t)i, c->steps);
	}
	return HB_OK;
}

/* As if one more had come: in a time without any the rate is not 0, only low. */
static double interruptions_per_s(const struct core *c)
{
	return c->work_ns > 0 ? (double)(c->interruptions + 1) / (c->work_ns / 1e9) : 0;
}

/* The core that has most of it, and the range over the cores. */
static bool over_cores(const struct jitter *j, double (*of)(const struct core *c),
                       struct stat_summary *out)
{
	double least = 0, most = 0;

	for (int i = 0; i < j->n_cpus; i++) {
		double v = of(&j->cores[i]);

		least = i == 0 || v < least ? v : least;
		most = v > most ? v : most;
	}
	*out = (struct stat_summary){ .n = (uint64_t)j->n_cpus,
		                      .min = least,
		                      .p50 = most,
		                      .lo = most,
		                      .hi = most,
		                      .p95 = most,
		                      .p99 = most,
		                      .max = most };
	return least > 0;
}

/* A nanosecond where nothing was ever longer than usual: figures are above 0. */
static double worst_ns(const struct core *c)
{
	return c->worst_ns > 1 ? c->worst_ns : 1;
}

static bool jitter_figure(const struct bench *b, const struct metric_info *m,
                          struct stat_summary *out)
{
	const struct jitter *j = b->state;

	if (strcmp(m->name, "interruptions_per_s") == 0)
		return over_cores(j, interruptions_per_s, out);
	if (strcmp(m->name, "worst_ns") == 0)
		return over_cores(j, worst_ns, out);
	return false;
}

static void add_figures(void *ctx, int part, json_object *o)
{
	const struct jitter *j = ctx;
	const struct core *c = &j->cores[part];

	js_set_u64(o, "interruptions", c->interruptions);
	js_set_f64(o, "worst", c->worst_ns);
}

static json_object *jitter_parts(const struct bench *b)
{
	struct jitter *j = b->state;

	return parts_json(j->seen, add_figures, j);
}

static void jitter_teardown(struct bench *b)
{
	struct jitter *j = b->state;

	team_stop(j->team);
	free(j->cpus);
	free(j->cores);
	parts_free(j->seen);
	*j = (struct jitter){ 0 };
}

const struct bench_ops node_jitter = {
	.info = &info_node_jitter,
	.state_size = sizeof(struct jitter),
	.setup = jitter_setup,
	.prepare = jitter_prepare,
	.iterate = jitter_iterate,
	.verify = jitter_verify,
	.figure = jitter_figure,
	.parts = jitter_parts,
	.teardown = jitter_teardown,
};
