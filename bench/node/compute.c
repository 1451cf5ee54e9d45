/*
 * node.compute: fixed work in registers, a vectorised multiply-add, on each core: one core after
 * the other (what each can by itself), or all at once (what is left of it when all are warm). What
 * counts is the slowest core, for that is what everybody waits for.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/env.h"
#include "bench/node/compute_kernels.h"
#include "bench/node/node.h"
#include "bench/node/parts.h"
#include "bench/node/team.h"

/* Some 50 to 200 us; even, so that the sums come back to where they were. A core that slept gets
 * some of it before its time is taken. */
enum { ROUNDS = 1 << 16, WARM_ROUNDS = ROUNDS / 8 };

struct compute {
	const struct compute_kernel *kernel;
	struct compute_work *work; /* of each core */
	double *took_ns;           /* of each core, in the latest iteration */
	int *cpus, n_cpus;
	struct team *team;
	bool one; /* the team is one thread that goes from core to core */
	struct parts *seen;
	struct sink *sink;
	uint64_t deadline_ns, seed;
	int unbound; /* a core that could not be bound to; -1: none */
};

static int compute_setup(struct bench *b, struct hb_err *err)
{
	struct compute *c = b->state;
	int rc = env_core_list(&c->cpus, &c->n_cpus, err);

	if (rc < 0)
		return rc;
	c->kernel = compute_kernels;
	while (!c->kernel->can())
		c->kernel++;
	c->work = aligned_alloc(_Alignof(struct compute_work),
	                        (size_t)c->n_cpus * sizeof(*c->work));
	if (!c->work)
		return hb_fail(err, HB_E_NOMEM, "no memory for %d cores", c->n_cpus);
	c->took_ns = hb_alloc((size_t)c->n_cpus * sizeof(*c->took_ns));
	c->seen = parts_new("cpu", c->cpus, c->n_cpus);
	return HB_OK;
}

/* What lane i of a core begins with: whole numbers, no two alike. */
static double begins_with(uint64_t seed, int core, int lane)
{
	return (double)(((seed + (uint64_t)core * COMPUTE_LANES_MAX + (uint64_t)lane) *
	                 0x9e3779b97f4a7c15u) >>
	                40);
}

static void fill(struct compute *c)
{
	for (int i = 0; i < c->n_cpus; i++) {
		c->work[i] =
		        (struct compute_work){ .factor = -1, .addend = 1 + i, .cpu = c->cpus[i] };
		for (int k = 0; k < COMPUTE_LANES_MAX; k++)
			c->work[i].acc[k] = begins_with(c->seed, i, k);
	}
}

static int compute_prepare(struct bench *b, struct hb_err *err)
{
	struct compute *c = b->state;
	uint64_t cores = ((const struct compute_opts *)b->opts)->cores;

	if (cores == 0 || (cores & (cores - 1)))
		return hb_fail(err, HB_E_USAGE, "node.compute measures one way at a time");
	c->one = (cores >> COMPUTE_ONE & 1) != 0;
	c->deadline_ns = b->deadline_ns;
	c->seed = b->seed;
	c->unbound = -1;
	fill(c);
	parts_clear(c->seen);
	team_stop(c->team);
	c->team = NULL;
	return c->one ? team_start(1, NULL, 0, &c->team, err)
	              : team_start(c->n_cpus, c->cpus, c->n_cpus, &c->team, err);
}

static void work_on(struct compute *c, int core, uint64_t rounds)
{
	c->work[core].rounds = rounds;
	c->kernel->run(&c->work[core]);
}

static void timed_on(struct compute *c, int core)
{
	uint64_t start;

	work_on(c, core, WARM_ROUNDS);
	start = clock_ns();
	work_on(c, core, ROUNDS);
	c->took_ns[core] = (double)(int64_t)(clock_ns() - start);
}

static void step(void *arg, int member)
{
	struct compute *c = arg;

	if (!c->one) {
		timed_on(c, member);
		return;
	}
	for (int i = 0; i < c->n_cpus; i++) {
		if (env_bind_cpu(c->cpus[i], NULL) < 0)
			c->unbound = i;
		timed_on(c, i);
	}
}

static int take_time(void *arg, double ns)
{
	struct compute *c = arg;
	double worst = 0;

	(void)ns;
	for (int i = 0; i < c->n_cpus; i++) {
		parts_push(c->seen, i, c->took_ns[i]);
		worst = c->took_ns[i] > worst ? c->took_ns[i] : worst;
	}
	sink_push(c->sink, worst);
	return c->deadline_ns > 0 && clock_ns() > c->deadline_ns ? HB_E_TIMEOUT : HB_OK;
}

static int compute_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	struct compute *c = b->state;

	c->sink = sink;
	if (team_run(c->team, n, step, take_time, c) == HB_E_TIMEOUT)
		return hb_fail(err, HB_E_TIMEOUT, "the cores were not done before the deadline");
	if (c->unbound >= 0)
		return hb_fail(err, HB_E_UNSUPPORTED, "no thread can be bound to processor %d",
		               c->cpus[c->unbound]);
	return HB_OK;
}

/* Everything that was done since prepare must have given back what was there. */
static int compute_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	struct compute *c = b->state;

	(void)err;
	*checked = *bad = 0;
	team_run(c->team, 1, step, NULL, c);
	for (int i = 0; i < c->n_cpus; i++) {
		for (int k = 0; k < c->kernel->lanes; k++) {
			double right = begins_with(c->seed, i, k), got = c->work[i].acc[k];

			*bad += !(got >= right && got <= right);
			++*checked;
		}
	}
	return HB_OK;
}

static double compute_operations(const struct bench *b)
{
	const struct compute *c = b->state;

	return (double)ROUNDS * c->kernel->lanes;
}

static json_object *compute_parts(const struct bench *b)
{
	const struct compute *c = b->state;
	json_object *o = parts_json(c->seen, NULL, NULL);

	if (o)
		js_set_str(o, "kernel", c->kernel->name);
	return o;
}

static void compute_teardown(struct bench *b)
{
	struct compute *c = b->state;

	team_stop(c->team);
	free(c->cpus);
	free(c->work);
	free(c->took_ns);
	parts_free(c->seen);
	*c = (struct compute){ 0 };
}

const struct bench_ops node_compute = {
	.info = &info_node_compute,
	.state_size = sizeof(struct compute),
	.setup = compute_setup,
	.prepare = compute_prepare,
	.iterate = compute_iterate,
	.verify = compute_verify,
	.operations = compute_operations,
	.parts = compute_parts,
	.teardown = compute_teardown,
};
