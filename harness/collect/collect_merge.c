/*
 * Several runs as one. Their plans are joined and every record is read into the joined plan, so
 * that rows, losses and evidence come out as they would of a single run over all nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect.h"
#include "harness/collect/collect_parts.h"

enum { MERGE_MAX = SUMMARY_SHARDS_MAX, NAMES_BYTES = 200 };

/* One of the runs. */
struct part {
	const char *dir;
	struct collect c; /* its plan and suite; what run.json says of its steps */
	struct summary s; /* what run.json says of it */
	struct plan_part at;
	size_t age;     /* 0: the newest */
	bool *replaced; /* of each node of the joined plan: a newer run measured it again */
	size_t n_replaced;
};

struct merge {
	struct part *v;
	size_t n;
	struct collect all;
	size_t *step_part; /* of each step of the joined plan */
};

static int read_part(struct part *p, const char *dir, struct hb_err *err)
{
	p->dir = dir;
	p->c.out = &p->s;
	summary_init(&p->s);
	int rc = collect_plan(&p->c, dir, err);
	if (rc != HB_OK)
		return rc;
	p->c.step_s = hb_alloc((p->c.plan.n_steps + 1) * sizeof(*p->c.step_s));
	p->c.step_reason = hb_alloc((p->c.plan.n_steps + 1) * sizeof(*p->c.step_reason));
	return collect_about(&p->c, dir);
}

/* By shard, then newest first. */
static int by_shard(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	if (x->s.shard != y->s.shard)
		return x->s.shard < y->s.shard ? -1 : 1;
	int c = strcmp(y->s.started, x->s.started);
	return c ? c : strcmp(y->s.run, x->s.run);
}

static int by_age(const void *a, const void *b)
{
	const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
	int c = strcmp(y->s.started, x->s.started);
	return c ? c : strcmp(y->s.run, x->s.run);
}

static void number_ages(struct merge *m)
{
	struct part **v = hb_alloc((m->n + 1) * sizeof(struct part *));
	for (size_t i = 0; i < m->n; i++)
		v[i] = &m->v[i];
	qsort(v, m->n, sizeof(struct part *), by_age);
	for (size_t i = 0; i < m->n; i++)
		v[i]->age = i;
	free(v);
}

/* What must be the same beside the plans' own settings. */
static int check_kind(const struct merge *m, struct hb_err *err)
{
	const struct summary *a = &m->v[0].s;
	for (size_t i = 1; i < m->n; i++) {
		const struct summary *b = &m->v[i].s;
		if (strcmp(m->v[i - 1].s.run, b->run) == 0) /* they are sorted */
			return hb_fail(err, HB_E_USAGE, "run %s is named twice", b->run);
		if (strcmp(a->cluster, b->cluster) != 0 && *a->cluster && *b->cluster)
			return hb_fail(err, HB_E_USAGE,
			               "run %s is of cluster %s and run %s of %s: they cannot be "
			               "merged",
			               a->run, a->cluster, b->run, b->cluster);
		if (!a->shards != !b->shards)
			return hb_fail(
			        err, HB_E_USAGE,
			        "run %s is a part of its nodes (--shard) and run %s is not: they "
			        "cannot be merged",
			        a->shards ? a->run : b->run, a->shards ? b->run : a->run);
		if (a->shards != b->shards || (a->shards && strcmp(a->shard_of, b->shard_of) != 0))
			return hb_fail(err, HB_E_USAGE,
			               "run %s is shard %d/%d and run %s %d/%d, or of other "
			               "nodes: they are no parts of one whole",
			               a->run, a->shard, a->shards, b->run, b->shard, b->shards);
	}
	return HB_OK;
}

static int join(struct merge *m, struct hb_err *err)
{
	struct plan **plans = hb_alloc((m->n + 1) * sizeof(struct plan *));
	const char **names = hb_alloc((m->n + 1) * sizeof(const char *));
	struct plan_part *at = hb_alloc((m->n + 1) * sizeof(*at));
	for (size_t i = 0; i < m->n; i++) {
		plans[i] = &m->v[i].c.plan;
		names[i] = m->v[i].s.run;
	}
	int rc = plan_join(plans, names, m->n, &m->all.plan, at, err);
	for (size_t i = 0; rc == HB_OK && i < m->n; i++)
		m->v[i].at = at[i];
	if (rc == HB_OK) {
		m->all.suite = m->v[0].c.suite;
		m->v[0].c.suite = (struct suite){ 0 };
		m->all.plan.suite = &m->all.suite;
	}
	free(at);
	free(names);
	free(plans);
	return rc;
}

static int read_records(struct merge *m, struct hb_err *err)
{
	struct collect *all = &m->all;
	int rc = HB_OK;
	for (size_t i = 0; rc == HB_OK && i < m->n; i++) {
		struct part *p = &m->v[i];
		all->part = p->s.run;
		all->unit0 = p->at.unit0;
		all->step0 = p->at.step0;
		all->n_units = p->c.plan.next_unit - 1;
		all->n_steps = p->c.plan.n_steps;
		all->bad_lines = 0;
		for (size_t s = 0; s < all->n_steps; s++) {
			m->step_part[all->step0 + s] = i;
			all->step_reason[all->step0 + s] = p->c.step_reason[s];
			p->c.step_reason[s] = NULL;
			all->step_s[all->step0 + s] = p->c.step_s[s];
		}
		rc = collect_records(all, p->dir, err);
	}
	return rc;
}

/* ---- nodes that several runs measured ---- */

/* Of each node: the newest part that has it, one with figures before one without. */
static size_t *find_owners(const struct merge *m)
{
	const struct collect *c = &m->all;
	size_t n = c->plan.nodes.n, *owner = hb_realloc_array(NULL, n, sizeof(*owner));
	bool *good = hb_alloc(n * sizeof(*good));
	for (size_t i = 0; i < n; i++)
		owner[i] = SIZE_MAX;
	for (uint64_t i = 1; i < c->plan.next_unit; i++) {
		const struct unit_state *u = &c->units[i];
		if (u->step == UINT32_MAX)
			continue;
		size_t part = m->step_part[u->step];
		bool ok = collect_outcome(c, u).quality == ROW_OK;
		for (int r = 0; r < unit_job(c, u)->n_ranks; r++) {
			size_t node = job_node(c, u, r), now = owner[node];
			bool newer = now == SIZE_MAX || m->v[part].age < m->v[now].age;
			if (good[node] == ok ? newer : ok)
				owner[node] = part;
			good[node] = good[node] || ok;
		}
	}
	free(good);
	return owner;
}

static void mark_replaced(struct part *p, size_t node, size_t n)
{
	if (!p->replaced)
		p->replaced = hb_alloc(n * sizeof(*p->replaced));
	p->n_replaced += !p->replaced[node];
	p->replaced[node] = true;
}

/* A unit counts if all its nodes are of its own run. */
static void drop_replaced(struct merge *m)
{
	struct collect *c = &m->all;
	size_t *owner = find_owners(m);
	for (uint64_t i = 1; i < c->plan.next_unit; i++) {
		struct unit_state *u = &c->units[i];
		bool keep = true;
		if (u->step == UINT32_MAX)
			continue;
		size_t part = m->step_part[u->step];
		for (int r = 0; r < unit_job(c, u)->n_ranks; r++) {
			size_t node = job_node(c, u, r);
			if (owner[node] == part)
				continue;
			keep = false;
			mark_replaced(&m->v[part], node, c->plan.nodes.n);
		}
		if (!keep)
			u->step = UINT32_MAX;
	}
	free(owner);
}

static bool wholly_replaced(const struct part *p)
{
	return p->n_replaced > 0 && p->n_replaced == p->c.plan.nodes.n;
}

/* ---- what the merged run says of itself ---- */

static void note(struct summary *out, const char *text)
{
	if (!out->notes)
		out->notes = json_object_new_array();
	json_object_array_add(out->notes, js_str(text));
}

static void add_part_loss(struct summary *out, const char *subject, const char *reason)
{
	collect_add_loss(out, subject, reason);
	out->losses[out->n_losses - 1].status = UNIT_GIVEN_UP;
	out->partial = true;
}

static char *part_name(const struct part *p)
{
	return p->s.shards ? hb_format("shard %d/%d", p->s.shard, p->s.shards)
	                   : hb_format("run %s", p->s.run);
}

static void tell_replaced(struct summary *out, const struct part *p, const struct nodeset *all)
{
	struct nodeset names = { 0 };
	struct buf b = BUF_INIT;
	if (p->n_replaced == 0)
		return;
	names.v = hb_realloc_array(NULL, p->n_replaced, sizeof(*names.v)); /* borrowed */
	for (size_t i = 0; i < all->n; i++)
		if (p->replaced[i])
			names.v[names.n++] = all->v[i];
	nodeset_format(&names, &b);
	free(names.v);
	char *text = b.len <= NAMES_BYTES
	                     ? hb_format("%s of run %s: another run has newer figures, those count",
	                                 buf_text(&b), p->s.run)
	                     : hb_format("%zu nodes of run %s: another run has newer figures, "
	                                 "those count",
	                                 p->n_replaced, p->s.run);
	note(out, text);
	free(text);
	buf_free(&b);
}

static void tell_unfinished(struct summary *out, const struct part *p)
{
	if (!p->s.partial || wholly_replaced(p))
		return;
	char *name = part_name(p);
	char *why = hb_format("run %s was interrupted, or steps of it are missing", p->s.run);
	add_part_loss(out, name, why);
	free(name);
	free(why);
}

/* The shards that nobody measured, and which nodes that are. */
static void tell_missing(const struct merge *m)
{
	const struct summary *a = &m->v[0].s;
	size_t n = (size_t)a->shards, next = 0;
	struct nodeset whole = { 0 };
	if (n == 0)
		return;
	bool known = nodeset_parse(a->shard_of, &whole, NULL) == HB_OK;
	for (size_t i = 1; i <= n; i++) {
		bool found = false;
		for (; next < m->n && (size_t)m->v[next].s.shard <= i; next++)
			found = found || (size_t)m->v[next].s.shard == i;
		if (found)
			continue;
		struct nodeset part = whole;
		struct buf b = BUF_INIT;
		size_t from = whole.n * (i - 1) / n;
		part.v = whole.v ? whole.v + from : NULL;
		part.n = known ? whole.n * i / n - from : 0;
		if (part.n)
			nodeset_format(&part, &b);
		char *name = hb_format("shard %zu/%zu", i, n);
		char *why = hb_format("there is no run of it%s%.*s", b.len ? ": " : "",
		                      (int)NAMES_BYTES, buf_text(&b));
		add_part_loss(m->all.out, name, why);
		free(name);
		free(why);
		buf_free(&b);
	}
	nodeset_free(&whole);
}

static void copy_about(const struct merge *m)
{
	const struct part *oldest = &m->v[0];
	struct summary *out = m->all.out;
	bool one_label = true;
	for (size_t i = 0; i < m->n; i++) {
		const struct part *p = &m->v[i];
		const char *label = p->s.label ? p->s.label : "";
		oldest = p->age > oldest->age ? p : oldest;
		out->named = out->named || p->s.named;
		out->injected = out->injected || p->s.injected;
		one_label = one_label && strcmp(label, m->v[0].s.label ? m->v[0].s.label : "") == 0;
		for (size_t k = 0; k < p->s.n_losses; k++) /* of run.json */
			collect_add_loss(out, p->s.run, p->s.losses[k].reason);
	}
	out->run = hb_format("%s+%zu", oldest->s.run, m->n - 1);
	out->suite = hb_strdup(oldest->s.suite);
	out->started = hb_strdup(oldest->s.started);
	out->cluster = hb_strdup(oldest->s.cluster);
	out->user = hb_strdup(oldest->s.user);
	out->label = one_label ? hb_strdup(oldest->s.label) : NULL;
	out->merged = m->n;
	out->parts = json_object_new_array();
	for (size_t i = 0; i < m->n; i++)
		json_object_array_add(out->parts, js_str(m->v[i].s.run));
}

static void tell(const struct merge *m)
{
	struct buf b = BUF_INIT;
	copy_about(m);
	for (size_t i = 0; i < m->n && b.len <= NAMES_BYTES; i++) {
		const struct part *p = &m->v[i];
		buf_printf(&b, "%s%s", i ? ", " : "", p->s.run);
		if (p->s.shards)
			buf_printf(&b, " (%d/%d)", p->s.shard, p->s.shards);
	}
	char *text = hb_format("made of %zu runs: %s%s", m->n, buf_text(&b),
	                       b.len > NAMES_BYTES ? " and more" : "");
	note(m->all.out, text);
	free(text);
	buf_free(&b);
	tell_missing(m);
	for (size_t i = 0; i < m->n; i++) {
		tell_unfinished(m->all.out, &m->v[i]);
		tell_replaced(m->all.out, &m->v[i], &m->all.plan.nodes);
	}
}

/* ---- all of it ---- */

static void merge_free(struct merge *m)
{
	if (m->all.plan.suite)
		collect_free(&m->all);
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i].c.plan.suite)
			collect_free(&m->v[i].c);
		summary_free(&m->v[i].s);
		free(m->v[i].replaced);
	}
	free(m->step_part);
	free(m->v);
}

static int all_runs(const char *const *dirs, size_t n, const struct nodeset *without,
                    struct summary *out, struct sheets *sheets, struct run_told *told,
                    struct hb_err *err)
{
	struct merge m = { .v = hb_alloc((n + 1) * sizeof(*m.v)),
		           .all = { .out = out, .sheets = sheets, .want_told = told } };
	int rc = n == 0 || n > MERGE_MAX
	                 ? hb_fail(err, HB_E_USAGE, "1 to %d runs can be merged", MERGE_MAX)
	                 : HB_OK;
	summary_init(out);
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		m.n++;
		rc = read_part(&m.v[i], dirs[i], err);
	}
	if (rc == HB_OK) {
		qsort(m.v, m.n, sizeof(*m.v), by_shard);
		for (size_t i = 0; i < m.n; i++) { /* they have moved */
			m.v[i].c.out = &m.v[i].s;
			m.v[i].c.plan.suite = &m.v[i].c.suite;
		}
		number_ages(&m);
		rc = check_kind(&m, err);
	}
	if (rc == HB_OK)
		rc = join(&m, err);
	if (rc == HB_OK) {
		collect_prepare(&m.all);
		m.step_part = hb_alloc((m.all.plan.n_steps + 1) * sizeof(*m.step_part));
		rc = read_records(&m, err);
	}
	if (rc == HB_OK) {
		drop_replaced(&m);
		if (without)
			collect_leave_out(&m.all, without);
		tell(&m);
		collect_finish(&m.all);
	} else {
		summary_free(out);
	}
	merge_free(&m);
	return rc;
}

int collect_runs(const char *const *dirs, size_t n, const struct nodeset *without,
                 struct summary *out, struct hb_err *err)
{
	return all_runs(dirs, n, without, out, NULL, NULL, err);
}

int collect_runs_sheets(const char *const *dirs, size_t n, const struct nodeset *without,
                        struct summary *out, struct sheets *sheets, struct run_told *told,
                        struct hb_err *err)
{
	*sheets = (struct sheets){ 0 };
	if (told)
		*told = (struct run_told){ 0 };
	return all_runs(dirs, n, without, out, sheets, told, err);
}
