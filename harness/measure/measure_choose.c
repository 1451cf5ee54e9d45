#include "harness/measure/measure_choose.h"

#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/measure/measure_parts.h"
#include "harness/plan/plan_budget.h"
#include "harness/plan/plan_shard.h"

/* ---- part I of N ---- */

/* n9 before n10: digits by their value, the rest by its bytes. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	while (*x && *y) {
		size_t dx = strspn(x, "0123456789"), dy = strspn(y, "0123456789");
		if (dx && dy) {
			size_t zx = strspn(x, "0"), zy = strspn(y, "0");
			zx -= zx == dx;
			zy -= zy == dy;
			int c = dx - zx != dy - zy ? (dx - zx < dy - zy ? -1 : 1)
			                           : strncmp(x + zx, y + zy, dx - zx);
			if (c)
				return c;
			x += dx;
			y += dy;
		} else if (*x != *y) {
			break;
		} else {
			x++;
			y++;
		}
	}
	int c = strcmp(x, y);
	return c ? c : strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_borrowed(struct nodeset *s, char *name)
{
	hb_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = name;
}

/* Everything that the launcher has, usable or not: each task must divide the same set. */
static void whole_set(const struct measure *m, struct nodeset *all)
{
	for (size_t i = 0; i < m->nodes.n; i++)
		add_borrowed(all, m->nodes.v[i]);
	for (size_t i = 0; i < m->n_absent; i++)
		add_borrowed(all, m->absent[i].node);
	if (all->n)
		qsort(all->v, all->n, sizeof *all->v, by_name);
}

static bool holds(const struct nodeset *part, const char *name)
{
	return bsearch(&name, part->v, part->n, sizeof *part->v, by_name) != NULL;
}

/* Drops the nodes that are not of this part, which is sorted. */
static void keep_part(struct measure *m, const struct nodeset *part)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nodes.n; i++) {
		if (holds(part, m->nodes.v[i]))
			m->nodes.v[n++] = m->nodes.v[i];
		else
			free(m->nodes.v[i]);
	}
	m->nodes.n = n;
	n = 0;
	for (size_t i = 0; i < m->n_absent; i++) {
		if (holds(part, m->absent[i].node)) {
			m->absent[n++] = m->absent[i];
		} else {
			free(m->absent[i].node);
			free(m->absent[i].reason);
		}
	}
	m->n_absent = n;
}

/* --nodes, cut before the launcher sees it. */
static int cut_named(struct measure *m, char **wanted, struct hb_err *err)
{
	const struct measure_request *r = &m->req;
	struct nodeset all = { 0 }, part = { 0 };
	int rc = nodeset_parse(r->nodes, &all, err);

	if (rc == HB_OK)
		rc = plan_shard_cut(&m->suite, &all, r->shard, r->shards, &part, err);
	if (rc == HB_OK) {
		m->shard_of = nodeset_text(&all);
		*wanted = nodeset_text(&part);
	}
	nodeset_free(&all);
	nodeset_free(&part);
	return rc;
}

/* All that the launcher has, cut afterwards. */
static int cut_found(struct measure *m, struct hb_err *err)
{
	const struct measure_request *r = &m->req;
	struct nodeset all = { 0 }, part = { 0 };

	whole_set(m, &all);
	int rc = plan_shard_cut(&m->suite, &all, r->shard, r->shards, &part, err);
	if (rc == HB_OK) {
		m->shard_of = nodeset_text(&all);
		keep_part(m, &part);
		if (m->nodes.n == 0)
			rc = hb_fail(err, HB_E_LIB, "--shard %d/%d: none of its nodes can be used",
			             r->shard, r->shards);
	}
	free(all.v); /* its names are borrowed */
	nodeset_free(&part);
	return rc;
}

/* --nodes and those of --controls that are not in it. */
static int join_controls(const struct measure_request *r, char **wanted, struct hb_err *err)
{
	struct nodeset all = { 0 }, controls = { 0 };
	int rc = nodeset_parse(r->nodes, &all, err);

	if (rc == HB_OK && nodeset_parse(r->controls, &controls, err) != HB_OK)
		rc = hb_fail_in(err, "--controls");
	for (size_t i = 0; rc == HB_OK && i < controls.n; i++)
		if (nodeset_find(&all, controls.v[i]) < 0)
			rc = nodeset_add(&all, controls.v[i], err);
	if (rc == HB_OK)
		*wanted = nodeset_text(&all);
	nodeset_free(&all);
	nodeset_free(&controls);
	return rc;
}

int measure_nodes(struct measure *m, struct hb_err *err)
{
	const struct measure_request *r = &m->req;
	char *wanted = NULL;
	int rc = HB_OK;

	if (r->shards && r->controls)
		return hb_fail(err, HB_E_USAGE,
		               "--controls and --shard: the parts run at the same time and "
		               "cannot share controls; leave one of them out");
	if (r->shards && r->nodes)
		rc = cut_named(m, &wanted, err);
	else if (r->controls && *r->controls && r->nodes)
		rc = join_controls(r, &wanted, err);

	if (rc == HB_OK)
		rc = m->site.ops->nodes(&m->site, wanted ? wanted : r->nodes, &m->nodes, &m->absent,
		                        &m->n_absent, err);
	if (rc == HB_OK && r->shards && !r->nodes)
		rc = cut_found(m, err);
	free(wanted);
	return rc;
}

/* ---- what fits ---- */

static void find_classes(struct measure *m, json_object *known, struct measure_choice *c)
{
	c->hw = hb_alloc((m->nodes.n + 1) * sizeof(const char *));
	for (size_t i = 0; i < m->nodes.n; i++) {
		json_object *hw = NULL;
		c->hw[i] = ledger_hw(known, m->nodes.v[i]);
		if (!c->hw[i] && m->has_base &&
		    json_object_object_get_ex(m->base.hw, m->nodes.v[i], &hw))
			c->hw[i] = json_object_get_string(hw);
	}
}

static size_t *turns_of(const struct measure *m, json_object *known)
{
	size_t n = m->nodes.n, *order = hb_alloc((n + 1) * sizeof *order);
	struct plan_past *past = hb_alloc((n + 1) * sizeof *past);
	char *suite = measure_suite_name(m), now[32];

	measure_now(now);
	for (size_t i = 0; i < n; i++) {
		struct ledger_turn t = ledger_turn(known, m->nodes.v[i], suite);
		bool tried = ledger_had(&t) == t.tried;
		past[i] = (struct plan_past){ ledger_had(&t), tried ? t.tried_run : t.run, t.last };
	}
	plan_turns(past, n, now, m->req.seed, order);
	free(suite);
	free(past);
	return order;
}

static void say_what_fits(struct measure *m, const struct plan_params *p,
                          const struct plan_fit *fit, size_t all, int rounds)
{
	struct buf b = BUF_INIT;
	char budget[32], needs[32];

	units_format_duration(m->req.budget_s, budget, sizeof budget);
	units_format_duration(fit->predicted_s, needs, sizeof needs);
	buf_printf(&b, "--budget %s: ", budget);
	if (fit->n < all)
		buf_printf(&b, "%zu of %zu nodes", fit->n, all);
	if (fit->rounds != rounds)
		buf_printf(&b, "%s%d rounds of pairs instead of %s%.0d", fit->n < all ? ", " : "",
		           fit->rounds, rounds ? "" : "all", rounds);
	buf_printf(&b, ", which should take %s", needs);
	if (fit->n < all)
		buf_printf(&b, "; every node is measured within %d runs", p->later_runs);
	m->budget_note = buf_detach(&b);
}

/* Without them nothing can be compared; the others keep their order. */
static void controls_first(const struct measure *m, const struct nodeset *controls, size_t *order)
{
	size_t n = m->nodes.n, k = 0;
	size_t *sorted = hb_alloc((n + 1) * sizeof *sorted);

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++)
			if ((nodeset_find(controls, m->nodes.v[order[i]]) < 0) == (pass == 1))
				sorted[k++] = order[i];
	memcpy(order, sorted, n * sizeof *order);
	free(sorted);
}

/* Fewer rounds, then fewer nodes: their names and classes move along. */
static int fit_budget(struct measure *m, json_object *known, struct plan_params *p,
                      struct measure_choice *c, struct hb_err *err)
{
	size_t all = m->nodes.n, *order = turns_of(m, known);
	int rounds = p->rounds;
	struct plan_fit fit;
	if (p->controls)
		controls_first(m, p->controls, order);
	int rc = plan_fit(&m->suite, &m->nodes, p, m->req.budget_s, order, &fit, err);

	if (rc == HB_OK && fit.n > 0 && fit.n < all) {
		struct nodeset kept;
		plan_keep(&m->nodes, order, fit.n, &kept, &c->later);
		for (size_t i = 0, k = 0; i < all && k < kept.n; i++)
			if (strcmp(m->nodes.v[i], kept.v[k]) == 0)
				c->hw[k++] = c->hw[i];
		nodeset_free(&m->nodes);
		m->nodes = kept;
		p->later = &c->later;
		p->later_runs = (int)((all + fit.n - 1) / fit.n);
	}
	if (rc == HB_OK) {
		p->rounds = fit.rounds;
		if (fit.n < all || fit.rounds != rounds)
			say_what_fits(m, p, &fit, all, rounds);
	}
	free(order);
	return rc;
}

int measure_choose(struct measure *m, const struct store *s, struct plan_params *p,
                   struct measure_choice *c, struct hb_err *err)
{
	char cluster[256];

	*c = (struct measure_choice){ 0 };
	if (s && s->path)
		ledger_read(s, &c->ledger);
	if (c->ledger.warning)
		m->ledger_note = hb_strdup(c->ledger.warning);
	measure_ledger_name(m, cluster);
	json_object *known = c->ledger.clusters ? ledger_nodes(&c->ledger, cluster) : NULL;
	find_classes(m, known, c);
	p->hw = c->hw;
	return m->req.budget_s > 0 ? fit_budget(m, known, p, c, err) : HB_OK;
}

void measure_choice_free(struct measure_choice *c)
{
	ledger_free(&c->ledger);
	nodeset_free(&c->later);
	free(c->hw);
	*c = (struct measure_choice){ 0 };
}
