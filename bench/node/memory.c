/*
 * node.memory: sweeps over three arrays by all cores at once, as STREAM does it. The working set is
 * all three arrays over all threads; each thread owns a part that it alone touched first, so that
 * it lies on its own NUMA node. Small working sets are swept several times in an iteration, so that
 * the release of the threads does not show; bytes count as STREAM counts them.
 *
 * By NUMA node: the same sweeps, but the threads of each node are timed by themselves, and their
 * memory may come from nowhere else. The node whose bytes a second are fewest counts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/env.h"
#include "bench/node/memory_kernels.h"
#include "bench/node/node.h"
#include "bench/node/parts.h"
#include "bench/node/team.h"

enum { ARRAYS = 3, ALIGN = 4096 / sizeof(double) };
/*
 * The arrays of a part begin this many cache lines apart beyond whole pages: at equal offsets in
 * their pages a load would wait for the store before it (4 KiB aliasing).
 */
enum { STAGGER = 21 * (64 / sizeof(double)) };
/* Working set that each thread sweeps in an iteration at least: some 100 us against 0.5 us of
 * release.
 */
#define BYTES_A_THREAD_MIN (1 << 20)

struct part {
	double *a, *b, *c;
	uint64_t first; /* number of its first element in the whole */
	size_t n;
	int group; /* of its thread, into groups */
	_Alignas(64) uint64_t start_ns;
	uint64_t end_ns; /* of the latest iteration */
};

/* What is timed as one: the threads of a NUMA node; all of them where the node is measured. */
struct group {
	int numa;
	uint64_t elements;
};

struct memory {
	struct team *team;
	struct part *parts;
	int n_parts;
	void *map; /* all arrays of the case in hand */
	size_t map_len;
	const struct memory_op_row *op;
	uint64_t sweeps; /* in an iteration */
	uint64_t elements, seed, deadline_ns;
	struct sink *sink;
	uint64_t *bad; /* a part */
	int *numa;     /* of each part's thread */
	struct group *groups;
	int n_groups;
	bool by_numa;
	struct parts *seen; /* of each group, where by_numa */
};

static const struct memory_opts *opts_of(const struct bench *b)
{
	return b->opts;
}

/* Threads write into their own at the same moment. */
static struct part *parts_of_lines(size_t n)
{
	struct part *v = aligned_alloc(_Alignof(struct part), n * sizeof(*v));

	if (!v)
		hb_out_of_memory();
	memset(v, 0, n * sizeof(*v));
	return v;
}

static int memory_setup(struct bench *b, struct hb_err *err)
{
	struct memory *m = b->state;
	int *cpus, n_cpus, threads = opts_of(b)->threads;
	int rc = env_core_list(&cpus, &n_cpus, err);

	if (rc < 0)
		return rc;
	if (threads == 0)
		threads = n_cpus;
	rc = team_start(threads, cpus, n_cpus, &m->team, err);
	if (rc < 0) {
		free(cpus);
		return rc;
	}
	m->n_parts = threads;
	m->parts = parts_of_lines((size_t)threads);
	m->bad = hb_alloc((size_t)threads * sizeof(*m->bad));
	m->numa = hb_alloc((size_t)threads * sizeof(*m->numa));
	m->groups = hb_alloc((size_t)threads * sizeof(*m->groups));
	env_numa_of(cpus, n_cpus < threads ? n_cpus : threads, m->numa);
	for (int i = n_cpus; i < threads; i++)
		m->numa[i] = m->numa[i % n_cpus];
	free(cpus);
	return HB_OK;
}

/* Which threads are timed as one. */
static void make_groups(struct memory *m)
{
	int *ids = hb_alloc((size_t)m->n_parts * sizeof(*ids));

	m->n_groups = 0;
	for (int i = 0; i < m->n_parts; i++) {
		int numa = m->by_numa ? m->numa[i] : 0, g = 0;

		while (g < m->n_groups && m->groups[g].numa != numa)
			g++;
		if (g == m->n_groups) {
			ids[g] = numa;
			m->groups[m->n_groups++] = (struct group){ numa, 0 };
		}
		m->parts[i].group = g;
		m->groups[g].elements += m->parts[i].n;
	}
	parts_free(m->seen);
	m->seen = m->by_numa ? parts_new("numa", ids, m->n_groups) : NULL;
	free(ids);
}

/* More than half of what is free would push others out, and the figures with them. */
static int check_room(uint64_t bytes, struct hb_err *err)
{
	uint64_t available = env_memory_available();

	if (available > 0 && bytes > available / 2)
		return hb_fail(err, HB_E_UNSUPPORTED,
		               "a working set of %" PRIu64 " MiB is more than half of the %" PRIu64
		               " MiB available on this node",
		               bytes >> 20, available >> 20);
	return HB_OK;
}

static void unmap(struct memory *m)
{
	if (m->map)
		munmap(m->map, m->map_len);
	m->map = NULL;
}

/* Parts begin on pages, so that no page has two owners. */
static int map_arrays(struct memory *m, struct hb_err *err)
{
	size_t share = (size_t)m->elements / (size_t)m->n_parts, at = 0;
	size_t rest = (size_t)m->elements % (size_t)m->n_parts;
	size_t each = (share + 1 + ALIGN - 1) / ALIGN * ALIGN + STAGGER;
	size_t part = (each * ARRAYS + ALIGN - 1) / ALIGN * ALIGN;

	m->map_len = part * (size_t)m->n_parts * sizeof(double);
	m->map = mmap(NULL, m->map_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->map == MAP_FAILED) {
		m->map = NULL;
		return hb_fail(err, HB_E_UNSUPPORTED, "no memory for arrays of %zu MiB: %s",
		               m->map_len >> 20, strerror(errno));
	}
	for (int i = 0; i < m->n_parts; i++) {
		struct part *p = &m->parts[i];

		p->a = (double *)m->map + part * (size_t)i;
		p->b = p->a + each;
		p->c = p->b + each;
		p->n = share + ((size_t)i < rest);
		p->first = at;
		at += p->n;
		if (m->by_numa)
			env_bind_memory(p->a, part * sizeof(double), m->numa[i]);
	}
	return HB_OK;
}

static void fill_part(void *arg, int member)
{
	const struct memory *m = arg;
	const struct part *p = &m->parts[member];

	memory_fill(p->a, p->b, p->c, p->n, m->seed, p->first);
}

static void sweep_part(void *arg, int member)
{
	const struct memory *m = arg;
	struct part *p = &m->parts[member];

	p->start_ns = clock_ns();
	for (uint64_t i = 0; i < m->sweeps; i++)
		m->op->run(p->a, p->b, p->c, p->n);
	p->end_ns = clock_ns();
}

static void check_part(void *arg, int member)
{
	const struct memory *m = arg;
	const struct part *p = &m->parts[member];

	m->bad[member] = memory_count_bad(m->op, p->a, p->n, m->seed, p->first);
}

static bool single(uint64_t mask)
{
	return (mask & (mask - 1)) == 0;
}

static int choose(struct memory *m, const struct memory_opts *o, struct hb_err *err)
{
	int op = o->ops ? __builtin_ctzll(o->ops) : -1;

	if (op < 0 || op > MEMORY_TRIAD || !single(o->ops) || !single(o->where) ||
	    !single(o->stores))
		return hb_fail(err, HB_E_USAGE, "node.memory measures one operation at a time");
	m->by_numa = (o->where >> MEMORY_NUMA & 1) != 0;
	m->op = o->stores >> STORES_STREAMING & 1 ? &memory_streaming_ops[op] : &memory_ops[op];
	if (!m->op->run)
		return hb_fail(err, HB_E_UNSUPPORTED,
		               "no streaming stores are built in for this kind of processor");
	return HB_OK;
}

static int memory_prepare(struct bench *b, struct hb_err *err)
{
	struct memory *m = b->state;
	uint64_t least;
	int rc = choose(m, opts_of(b), err);

	unmap(m);
	if (!rc)
		rc = check_room(b->bytes, err);
	if (rc < 0)
		return rc;
	m->seed = b->seed;
	m->deadline_ns = b->deadline_ns;
	m->elements = b->bytes / (ARRAYS * sizeof(double));
	if (m->elements < (uint64_t)m->n_parts)
		return hb_fail(err, HB_E_USAGE,
		               "a working set of %" PRIu64 " bytes is too small for %d threads",
		               b->bytes, m->n_parts);
	least = (uint64_t)BYTES_A_THREAD_MIN * (uint64_t)m->n_parts;
	m->sweeps = (least + b->bytes - 1) / b->bytes;
	rc = map_arrays(m, err);
	if (rc < 0)
		return rc;
	make_groups(m);
	team_run(m->team, 1, fill_part, NULL, m);
	return HB_OK;
}

/* From the first start to the last end among the threads of a group. */
static double time_of(const struct memory *m, int group)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (int i = 0; i < m->n_parts; i++) {
		const struct part *p = &m->parts[i];

		if (p->group != group)
			continue;
		first = p->start_ns < first ? p->start_ns : first;
		last = p->end_ns > last ? p->end_ns : last;
	}
	return (double)(int64_t)(last - first);
}

/* The time in which the slowest group would move the mean group's bytes. */
static double slowest_group(const struct memory *m)
{
	double worst = 0, mean = (double)m->elements / m->n_groups;

	for (int g = 0; g < m->n_groups; g++) {
		double ns = time_of(m, g) * mean / (double)m->groups[g].elements;

		parts_push(m->seen, g, ns);
		worst = ns > worst ? ns : worst;
	}
	return worst;
}

static int take_time(void *arg, double ns)
{
	struct memory *m = arg;

	sink_push(m->sink, m->by_numa ? slowest_group(m) : ns);
	return m->deadline_ns > 0 && clock_ns() > m->deadline_ns ? HB_E_TIMEOUT : HB_OK;
}

static int memory_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	struct memory *m = b->state;

	m->sink = sink;
	if (team_run(m->team, n, sweep_part, take_time, m) == HB_E_TIMEOUT)
		return hb_fail(err, HB_E_TIMEOUT, "the sweeps did not end before the deadline");
	return HB_OK;
}

static int memory_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	struct memory *m = b->state;

	(void)err;
	team_run(m->team, 1, fill_part, NULL, m);
	team_run(m->team, 1, sweep_part, NULL, m);
	team_run(m->team, 1, check_part, NULL, m);
	*checked = m->elements;
	*bad = 0;
	for (int i = 0; i < m->n_parts; i++)
		*bad += m->bad[i];
	return HB_OK;
}

static double memory_bytes_moved(const struct bench *b)
{
	const struct memory *m = b->state;

	return m->op->arrays * (double)sizeof(double) * (double)m->elements * (double)m->sweeps /
	       m->n_groups;
}

static json_object *memory_parts(const struct bench *b)
{
	const struct memory *m = b->state;

	return m->seen ? parts_json(m->seen, NULL, NULL) : NULL;
}

static void memory_teardown(struct bench *b)
{
	struct memory *m = b->state;

	team_stop(m->team);
	unmap(m);
	free(m->parts);
	free(m->bad);
	free(m->numa);
	free(m->groups);
	parts_free(m->seen);
	*m = (struct memory){ 0 };
}

const struct bench_ops node_memory = {
	.info = &info_node_memory,
	.state_size = sizeof(struct memory),
	.setup = memory_setup,
	.prepare = memory_prepare,
	.iterate = memory_iterate,
	.verify = memory_verify,
	.bytes_moved = memory_bytes_moved,
	.parts = memory_parts,
	.teardown = memory_teardown,
};
