/*
 * What one bad node costs. At 1,024 ranks with real processes and connections, once each; at 16 and
 * 64 in process, with the same decisions (schedule.h, tiers.h) in an imaginary time, over many
 * seeds of who it is, when, and how.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/launch/launch_parts.h"
#include "tests/unit/launch_bed.h"

enum { SEEDS = 200, RANKS = 1024, ROUNDS = 3, SIZES = 2, ALARM_S = 280 };

/* ---- 1,024 ranks, real ---- */

#define OPS(COMMAND, CONNECT, STRAGGLE, SLACK)                                                     \
	{                                                                                          \
		.name = "sim", .summary = "", .arg = "FILE", .leaves_out = true,                   \
		.command = COMMAND, .connect_ms = CONNECT, .straggle_ms = STRAGGLE,                \
		.slack_ms = SLACK                                                                  \
	}
/* Short only where the wait is what is tested, and then long enough for a busy host. */
static const struct launcher_ops ops_silent = OPS(sim_plain, 120000, 120000, 12000),
                                 ops_dead = OPS(sim_together, 120000, 120000, 120000),
                                 ops_never = OPS(sim_plain, 120000, 12000, 120000);

/* Everything without n77 is measured, n77 is named with these words, in so many more starts. */
static void one_of_many(const struct launcher_ops *ops, const char *kind, const char *more,
                        const char *words, size_t extra_most)
{
	char path[64] = "/tmp/hpcbench-model-XXXXXX", text[200];
	int fd = mkstemp(path);
	int len = snprintf(text, sizeof text,
	                   "{\"schema\":1,\"faults\":[{\"kind\":\"%s\",\"node\":\"n77\"%s}]}", kind,
	                   more);
	struct bed *b;

	assert_int_equal(write(fd, text, (size_t)len), len);
	close(fd);
	b = run_on("n[1-1024]", ops, path, -1, 0);
	unlink(path);
	size_t starts = count(&b->journal, "\"step-start\"", NULL, NULL), ok = ends(b, "ok");
	size_t others = (RANKS / 2 - 1) * ROUNDS * SIZES;

	print_message("%s of %d: %zu extra launches, %zu of %d measurements\n", kind, RANKS,
	              starts - 1, ok, RANKS / 2 * ROUNDS * SIZES);
	assert_true(starts - 1 <= extra_most);
	if (ok < others)
		fail_msg("others were not measured: %.3000s", buf_text(&b->notes));
	if (count(&b->records, "\"type\":\"event\"", "on n77", words) == 0)
		fail_msg("n77 is not named: %.3000s", buf_text(&b->notes));
	/* Nobody else is told to be lost. */
	assert_int_equal(count(&b->records, "\"rank-lost\"", NULL, NULL),
	                 count(&b->records, "\"rank-lost\"", "on n77", NULL));
	bed_free(b);
}

static void one_silent_rank_of_1024_costs_no_launch(void **state)
{
	(void)state;
	one_of_many(&ops_silent, "silent-rank", ",\"after\":1", "no answer from", 0);
}

static void one_dying_node_of_1024_costs_two_launches_at_most(void **state)
{
	(void)state;
	/* Long enough for a busy host to see who went before it was ended with all others. */
	setenv("HPCBENCH_SIM_NOTICE_MS", "4000", 1);
	one_of_many(&ops_dead, "dead-node", ",\"after\":1", "closed", 2);
	unsetenv("HPCBENCH_SIM_NOTICE_MS");
}

static void one_node_of_1024_that_never_starts_costs_one_launch(void **state)
{
	(void)state;
	one_of_many(&ops_never, "never-starts", "", "ever ran there", 1);
}

/* ---- many seeds, in process ---- */

enum kind { SILENT, DEAD, NEVER, HANGS, KINDS };
static const char *const kind_names[KINDS] = { "silent rank", "dying node", "never starts",
	                                       "hangs start-up" };

struct play {
	struct plan plan;
	const struct plan_step *step;
	struct sched s;
	struct tiers t;
	struct rng rng;
	enum kind kind;
	size_t node;   /* the bad one; here its rank's number, too */
	size_t after;  /* jobs that it does well in each start */
	bool together; /* the launcher ends everybody with the first that dies */
	size_t taken;  /* jobs that it began in this start */
	int probes;
	enum kind named; /* as what; KINDS: not at all */
};

/* The node is out; told as this. */
static void lose(struct play *p, size_t node, enum kind as)
{
	sched_lost(&p->s, (int)node);
	tiers_lost(&p->t, node);
	if (node == p->node)
		p->named = as;
	else
		fail_msg("node %zu was named, %zu is bad", node, p->node);
}

/* A job in which the bad node turns bad. False: the start is over with it. */
static bool goes_wrong(struct play *p, size_t j)
{
	const struct plan_job *job = &p->step->jobs[j];
	int late[2];

	if (p->kind == SILENT) {
		for (int i = 0; i < 2; i++)
			if (job->ranks[i] != (int)p->node)
				sched_rank_done(&p->s, job->ranks[i], job->id);
		assert_int_equal(sched_expired(&p->s, j, late), 1);
		lose(p, (size_t)late[0], SILENT);
		return true;
	}
	sched_gone(&p->s, (int)p->node);
	sched_give_up(&p->s, j, (int)p->node);
	if (tiers_died(&p->t, p->node))
		lose(p, p->node, DEAD);
	for (int i = 0; p->together && i < p->step->n_ranks; i++)
		sched_gone(&p->s, i);
	return !p->together;
}

/* Jobs of one start, which end in any order. */
static void measure(struct play *p)
{
	size_t next[64], *running = hb_alloc(p->step->n_jobs * sizeof *running), n = 0;

	p->taken = 0;
	for (bool on = true; on;) {
		size_t more = sched_next(&p->s, next, 64);

		for (size_t i = 0; i < more; i++) {
			sched_started(&p->s, next[i]);
			running[n++] = next[i];
		}
		if (n == 0)
			break;
		size_t at = (size_t)rng_below(&p->rng, n), j = running[at];
		const struct plan_job *job = &p->step->jobs[j];
		bool bad = job->ranks[0] == (int)p->node || job->ranks[1] == (int)p->node;

		running[at] = running[--n];
		if (bad && p->kind < NEVER && p->taken++ >= p->after) {
			on = goes_wrong(p, j);
			continue;
		}
		sched_rank_done(&p->s, job->ranks[0], job->id);
		sched_rank_done(&p->s, job->ranks[1], job->id);
	}
	free(running);
}

/* One start of whoever is not out. False: it was the last one. */
static bool start(struct play *p)
{
	bool probe = p->t.searches;
	bool in = !p->t.lost[p->node] && tiers_in_probe(&p->t, p->node), came;
	size_t node = 0;

	if (!probe)
		tiers_started(&p->t);
	came = !in || p->kind < NEVER;
	if (probe) {
		p->probes++;
		if (tiers_probed(&p->t, came ? PROBE_CAME : PROBE_HANGS, &node) == TIERS_NODE)
			lose(p, node, HANGS);
		return true;
	}
	if (!came && p->kind == HANGS)
		return tiers_search(&p->t);
	if (!came) {
		lose(p, p->node, NEVER);
		return tiers_may_start(&p->t);
	}
	for (int i = 0; i < p->step->n_ranks; i++)
		if (!p->t.lost[i])
			sched_joined(&p->s, i);
	measure(p);
	if (!sched_worth_relaunch(&p->s) || !tiers_may_start(&p->t))
		return false;
	sched_relaunch(&p->s);
	return true;
}

/* How many jobs without the bad node were measured, and how many there are. */
static void count_others(const struct play *p, size_t *done, size_t *all)
{
	*done = *all = 0;
	for (size_t j = 0; j < p->step->n_jobs; j++) {
		const int *ranks = p->step->jobs[j].ranks;

		if (ranks[0] == (int)p->node || ranks[1] == (int)p->node)
			continue;
		(*all)++;
		*done += p->s.job[j] == JOB_DONE;
	}
}

struct tally {
	int right, extra_most, probes_most;
	size_t done, all;
};

static void play_one(struct play *p, struct tally *sum)
{
	size_t done, all;
	int extra;

	p->step = &p->plan.steps[0];
	p->named = KINDS;
	p->probes = 0;
	sched_init(&p->s, p->step, 0);
	tiers_init(&p->t, p->step, p->plan.nodes.n);
	while (start(p))
		;
	count_others(p, &done, &all);
	extra = p->t.starts - 1;
	sum->done += done;
	sum->all += all;
	/* One that died in its last job alone need not be brought back to be known. */
	sum->right += p->named == p->kind ||
	              (p->kind == DEAD && p->named == KINDS && p->t.deaths[p->node] == 1);
	sum->extra_most = extra > sum->extra_most ? extra : sum->extra_most;
	sum->probes_most = p->probes > sum->probes_most ? p->probes : sum->probes_most;
	sched_free(&p->s);
	tiers_free(&p->t);
}

static void over_seeds(const char *nodes, int log2_nodes)
{
	struct bed b = { 0 };
	struct play p = { 0 };

	make_plan(&b, nodes);
	p.plan = b.plan;
	for (int kind = 0; kind < KINDS; kind++) {
		struct tally sum = { 0 };

		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			rng_stream(&p.rng, seed, (uint64_t)kind, b.plan.nodes.n);
			p.kind = (enum kind)kind;
			p.node = (size_t)rng_below(&p.rng, b.plan.nodes.n);
			p.after = (size_t)rng_below(&p.rng, ROUNDS);
			p.together = rng_below(&p.rng, 2) == 1;
			play_one(&p, &sum);
		}
		print_message("%s, %-14s: named rightly %d of %d; others measured %zu of %zu; "
		              "extra launches %d, and %d probes at most\n",
		              nodes, kind_names[kind], sum.right, SEEDS, sum.done, sum.all,
		              sum.extra_most, sum.probes_most);
		assert_int_equal(sum.right, SEEDS);
		assert_int_equal(sum.done, sum.all);
		assert_true(sum.extra_most <= 2);
		assert_true(sum.probes_most <= (kind == HANGS ? log2_nodes + 2 : 0));
	}
	plan_free(&b.plan);
	suite_free(&b.suite);
}

static void every_bad_node_of_16_is_named_and_costs_itself_only(void **state)
{
	(void)state;
	over_seeds("n[1-16]", 4);
}

static void every_bad_node_of_64_is_named_and_costs_itself_only(void **state)
{
	(void)state;
	over_seeds("n[1-64]", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bad_node_of_16_is_named_and_costs_itself_only),
		cmocka_unit_test(every_bad_node_of_64_is_named_and_costs_itself_only),
		cmocka_unit_test(one_silent_rank_of_1024_costs_no_launch),
		cmocka_unit_test(one_dying_node_of_1024_costs_two_launches_at_most),
		cmocka_unit_test(one_node_of_1024_that_never_starts_costs_one_launch),
	};

	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
