/*
 * What was not measured, told as shortly as it is true: the whole cluster where nothing of a
 * benchmark came, a node where none of its units did, else the pair.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/collect/collect_parts.h"

enum { TEXT_MAX = 400, GROUP_NAMES_MAX = 80 };
static const char cluster[] = "cluster";

/* Losses told already: a table of their places by hash, so that thousands stay cheap. */
struct told {
	size_t *slot; /* index + 1, 0: free */
	size_t n, cap;
};

static uint64_t loss_hash(const struct summary_loss *l)
{
	uint64_t h = rng_hash(l->subject, strlen(l->subject));
	h = h * 31 + (l->bench ? rng_hash(l->bench, strlen(l->bench)) : 0);
	return h * 31 + rng_hash(l->reason, strlen(l->reason)) + (uint64_t)l->status;
}

static bool same_loss(const struct summary_loss *a, const struct summary_loss *b)
{
	return a->status == b->status && strcmp(a->subject, b->subject) == 0 &&
	       strcmp(a->reason, b->reason) == 0 && a->bench && b->bench &&
	       strcmp(a->bench, b->bench) == 0;
}

static size_t *find_slot(const struct summary *s, const struct told *t,
                         const struct summary_loss *l)
{
	size_t i = (size_t)loss_hash(l) & (t->cap - 1);
	while (t->slot[i] && !same_loss(&s->losses[t->slot[i] - 1], l))
		i = (i + 1) & (t->cap - 1);
	return &t->slot[i];
}

static void grow(const struct summary *s, struct told *t)
{
	size_t *old = t->slot, old_cap = t->cap;
	if (t->n * 2 < t->cap)
		return;
	t->cap = t->cap ? t->cap * 2 : 64;
	t->slot = hb_alloc(t->cap * sizeof(*t->slot));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i])
			*find_slot(s, t, &s->losses[old[i] - 1]) = old[i];
	free(old);
}

static void tell(struct summary *s, struct told *t, const char *subject, const char *bench,
                 const struct outcome *o, const char *prefix)
{
	char reason[TEXT_MAX];
	snprintf(reason, sizeof(reason), "%s%s", prefix, o->reason ? o->reason : "");
	struct summary_loss l = { .reason = reason, .status = o->status };
	l.subject = hb_strdup(subject);
	l.bench = hb_strdup(bench);
	grow(s, t);
	size_t *slot = find_slot(s, t, &l);
	if (*slot) {
		free(l.subject);
		free(l.bench);
		return;
	}
	l.reason = hb_strdup(reason);
	hb_grow(&s->losses, &s->cap_losses, s->n_losses + 1, sizeof(*s->losses));
	s->losses[s->n_losses++] = l;
	*slot = s->n_losses;
	t->n++;
}

/* One benchmark's units, main ones and those of the rerun apart. */
struct look {
	struct collect *c;
	const struct bench_info *info;
	unsigned char *good;  /* of each node: has a main unit that is ok */
	unsigned char *alive; /* of each node: the same, of any benchmark over several nodes */
	size_t *lost;         /* of each node: main pairs of the benchmark that were lost */
	struct told told;
};

/* Not of the main part: nobody's coverage depends on it. */
static bool is_rerun(const struct plan_job *j)
{
	return j->phase != PHASE_MAIN;
}

/* Nothing of this benchmark came, and for one reason: 1 and *why. */
static bool wholly_lost(struct look *l, struct outcome *why)
{
	bool any = false;
	for (uint64_t i = 0; i < l->c->plan.next_unit; i++) {
		const struct unit_state *u = &l->c->units[i];
		if (u->step == UINT32_MAX || unit_job(l->c, u)->cases.info != l->info ||
		    is_rerun(unit_job(l->c, u)))
			continue;
		struct outcome o = collect_outcome(l->c, u);
		if (o.status == UNIT_OK ||
		    (any && (o.status != why->status || strcmp(o.reason, why->reason) != 0)))
			return false;
		*why = o;
		any = true;
	}
	return any;
}

/* Which nodes have a good main unit of the benchmark, or with NULL of any over several nodes. */
static void mark_good(const struct collect *c, const struct bench_info *of, unsigned char *good)
{
	memset(good, 0, c->plan.nodes.n);
	for (uint64_t i = 0; i < c->plan.next_unit; i++) {
		const struct unit_state *u = &c->units[i];
		if (u->step == UINT32_MAX)
			continue;
		const struct plan_job *j = unit_job(c, u);
		if ((of ? j->cases.info != of : j->cases.info->shape == BENCH_LOCAL) ||
		    is_rerun(j) || collect_outcome(c, u).status != UNIT_OK)
			continue;
		for (int r = 0; r < j->n_ranks; r++)
			good[job_node(c, u, r)] = 1;
	}
}

static void count_lost(struct look *l)
{
	memset(l->lost, 0, l->c->plan.nodes.n * sizeof(*l->lost));
	for (uint64_t i = 0; i < l->c->plan.next_unit; i++) {
		const struct unit_state *u = &l->c->units[i];
		if (u->step == UINT32_MAX || unit_job(l->c, u)->cases.info != l->info ||
		    is_rerun(unit_job(l->c, u)) || collect_outcome(l->c, u).status == UNIT_OK)
			continue;
		for (int r = 0; r < unit_job(l->c, u)->n_ranks; r++)
			l->lost[job_node(l->c, u, r)]++;
	}
}

static void tell_pair(struct look *l, const struct unit_state *u, const struct outcome *o,
                      const char *prefix)
{
	char *const *names = l->c->plan.nodes.v;
	size_t a = job_node(l->c, u, 0), b = job_node(l->c, u, 1);
	char *pair = hb_format("%s-%s", names[a < b ? a : b], names[a < b ? b : a]);
	tell(l->c->out, &l->told, pair, l->info->name, o, prefix);
	free(pair);
}

/*
 * A pair is lost through the node that has no good figure; where both have some, through the one
 * that lost more pairs than the other: a rank that fell silent half way lost all of its rest.
 */
static void lost_pair(struct look *l, const struct unit_state *u, const struct outcome *o)
{
	char *const *names = l->c->plan.nodes.v;
	size_t a = job_node(l->c, u, 0), b = job_node(l->c, u, 1);
	/* Measured once more by itself because its ends are known to be well. */
	if (unit_job(l->c, u)->instead) {
		tell_pair(l, u, o, "lost twice, while both answer others: ");
		return;
	}
	if (l->good[a] && l->good[b] && l->lost[a] != l->lost[b]) {
		size_t guilty = l->lost[a] > l->lost[b] ? a : b;
		tell(l->c->out, &l->told, names[guilty], l->info->name, o, "");
		return;
	}
	if (l->good[a] && l->good[b]) {
		tell_pair(l, u, o, "");
		return;
	}
	if (!l->good[a])
		tell(l->c->out, &l->told, names[a], l->info->name, o, "");
	if (!l->good[b])
		tell(l->c->out, &l->told, names[b], l->info->name, o, "");
}

/* "group n[1,4]: "; the whole set needs no name. */
static char *group_prefix(const struct collect *c, const struct unit_state *u)
{
	const struct plan_step *s = &c->plan.steps[u->step];
	const struct plan_job *j = unit_job(c, u);
	struct buf b = BUF_INIT;
	/* Several runs together have smaller steps than nodes. */
	if (j->n_ranks == s->n_ranks && c->plan.nodes.n * (size_t)s->rpn == (size_t)s->n_ranks)
		return hb_strdup("");
	plan_job_nodes(&c->plan, s, j, &b);
	char *text = b.len <= GROUP_NAMES_MAX ? hb_format("group %s: ", buf_text(&b))
	                                      : hb_format("group of %d ranks with %s: ", j->n_ranks,
	                                                  c->plan.nodes.v[job_node(c, u, 0)]);
	buf_free(&b);
	return text;
}

/* A node without any good figure over several nodes is what its groups were lost through. */
static void lost_group(struct look *l, const struct unit_state *u, const struct outcome *o)
{
	const struct plan_job *j = unit_job(l->c, u);
	bool found = false;
	for (int r = 0; r < j->n_ranks; r++) {
		size_t node = job_node(l->c, u, r);
		if (l->alive[node] || (r > 0 && node == job_node(l->c, u, r - 1)))
			continue;
		found = true;
		tell(l->c->out, &l->told, l->c->plan.nodes.v[node], l->info->name, o, "");
	}
	if (found)
		return;
	char *prefix = group_prefix(l->c, u);
	tell(l->c->out, &l->told, cluster, l->info->name, o, prefix);
	free(prefix);
}

static void lost_unit(struct look *l, const struct unit_state *u, const struct outcome *o)
{
	const struct plan_job *j = unit_job(l->c, u);
	const char *node = l->c->plan.nodes.v[job_node(l->c, u, 0)];
	bool many = l->c->plan.nodes.n > 1;
	if (is_rerun(j))
		tell(l->c->out, &l->told, j->subject, l->info->name, o, "confirming rerun: ");
	else if (l->info->shape == BENCH_PAIR && many)
		lost_pair(l, u, o);
	else if (l->info->shape == BENCH_GROUP && many)
		lost_group(l, u, o);
	else
		tell(l->c->out, &l->told, node, l->info->name, o, "");
}

/* Figures came, but foreign load spoiled them: nobody is to blame, so nobody but the pair is named.
 * Rows of single nodes say so themselves. */
static void disturbed_unit(struct look *l, const struct unit_state *u, const struct outcome *o)
{
	const struct plan_job *j = unit_job(l->c, u);
	bool many = l->c->plan.nodes.n > 1;
	if (is_rerun(j)) {
		tell(l->c->out, &l->told, j->subject, l->info->name, o, "confirming rerun: ");
	} else if (many && l->info->shape == BENCH_PAIR) {
		tell_pair(l, u, o, "");
	} else if (many && l->info->shape == BENCH_GROUP) {
		char *prefix = group_prefix(l->c, u);
		tell(l->c->out, &l->told, cluster, l->info->name, o, prefix);
		free(prefix);
	}
}

static void look_at(struct look *l)
{
	struct outcome why = { 0 };
	bool whole = wholly_lost(l, &why);
	if (whole)
		tell(l->c->out, &l->told, l->c->plan.nodes.n > 1 ? cluster : l->c->plan.nodes.v[0],
		     l->info->name, &why, "");
	else
		mark_good(l->c, l->info, l->good);
	count_lost(l);
	for (uint64_t i = 0; i < l->c->plan.next_unit; i++) {
		const struct unit_state *u = &l->c->units[i];
		if (u->step == UINT32_MAX || unit_job(l->c, u)->cases.info != l->info ||
		    (whole && !is_rerun(unit_job(l->c, u))) ||
		    unit_job(l->c, u)->phase == PHASE_EXTRA)
			continue;
		struct outcome o = collect_outcome(l->c, u);
		if (o.status != UNIT_OK)
			lost_unit(l, u, &o);
		else if (o.quality == ROW_DISTURBED)
			disturbed_unit(l, u, &o);
	}
}

/* Nothing of the benchmark was measured on a node that was not there. */
static void lost_absent(struct look *l)
{
	const struct plan *p = &l->c->plan;
	for (size_t i = 0; i < p->n_absent; i++) {
		const struct outcome o = { NULL, ROW_NOT_MEASURED, UNIT_GIVEN_UP,
			                   p->absent[i].reason };
		tell(l->c->out, &l->told, p->absent[i].node, l->info->name, &o, "");
	}
}

/* What told its facts has no rows to show for it. */
static uint64_t count_told(const struct collect *c)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < c->plan.next_unit; i++) {
		const struct unit_state *u = &c->units[i];
		n += u->step != UINT32_MAX && (unit_job(c, u)->cases.info->flags & BENCH_TELLS) &&
		     collect_outcome(c, u).status == UNIT_OK;
	}
	return n;
}

void collect_losses(struct collect *c)
{
	c->out->told = count_told(c);
	struct look l = { .c = c,
		          .good = hb_alloc(c->plan.nodes.n),
		          .alive = hb_alloc(c->plan.nodes.n),
		          .lost = hb_alloc(c->plan.nodes.n * sizeof(*l.lost)) };
	mark_good(c, NULL, l.alive);
	for (size_t e = 0; e < c->suite.n_entries; e++) {
		bool seen = false;
		l.info = c->suite.entries[e].info;
		for (size_t k = 0; k < e; k++)
			seen = seen || c->suite.entries[k].info == l.info;
		if (seen)
			continue;
		lost_absent(&l);
		look_at(&l);
	}
	free(l.good);
	free(l.alive);
	free(l.lost);
	free(l.told.slot);
}
