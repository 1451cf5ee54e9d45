#include "harness/collect/collect.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

static int by_name(const void *a, const void *b, void *nodes)
{
	char *const *v = nodes;
	return strcmp(v[*(const size_t *)a], v[*(const size_t *)b]);
}

int collect_plan(struct collect *c, const char *dir, struct hb_err *err)
{
	char *path = hb_format("%s/plan.json", dir);
	int rc = plan_read(path, &c->suite, &c->plan, err);
	if (rc != HB_OK)
		rc = hb_fail(err, HB_E_FORMAT, "%s is not a run that can be read: %.300s", dir,
		             err ? err->text : "");
	free(path);
	return rc;
}

void collect_prepare(struct collect *c)
{
	size_t n = c->plan.nodes.n;
	c->n_units = c->plan.next_unit - 1;
	c->n_steps = c->plan.n_steps;
	collect_units_init(c);
	c->node_hw = hb_alloc(n * sizeof(*c->node_hw));
	c->step_reason = hb_alloc((c->plan.n_steps + 1) * sizeof(*c->step_reason));
	c->disturbed = hb_alloc(c->plan.n_steps + 1);
	c->step_s = hb_alloc((c->plan.n_steps + 1) * sizeof(*c->step_s));
	c->counted = hb_alloc((n + 1) * sizeof(*c->counted));
	facts_init(&c->told.facts);
	for (size_t i = 0; i < n; i++)
		facts_add_node(&c->told.facts, c->plan.nodes.v[i], NULL);
	c->by_name = hb_realloc_array(NULL, n, sizeof(*c->by_name));
	for (size_t i = 0; i < n; i++)
		c->by_name[i] = i;
	qsort_r(c->by_name, n, sizeof(*c->by_name), by_name, c->plan.nodes.v);
}

/*
 * A node that never spoke has no class of its own. Where all others agree it is one of them, so
 * that its empty rows stand under the key that it is missed from.
 */
static void guess_hw(struct collect *c)
{
	const char *only = NULL;
	for (size_t i = 0; i < c->plan.nodes.n; i++) {
		const char *hw = c->node_hw[i];
		if (hw && only && strcmp(hw, only) != 0)
			return;
		only = hw ? hw : only;
	}
	for (size_t i = 0; only && i < c->plan.nodes.n; i++)
		if (!c->node_hw[i])
			c->node_hw[i] = hb_strdup(only);
}

static void number_hw(struct collect *c)
{
	size_t n = c->plan.nodes.n;
	c->hw_id = hb_alloc(n * sizeof(*c->hw_id));
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		/* Classes are few: the search ends at the first node of the same one. */
		while (k < i && ((c->node_hw[k] == NULL) != (c->node_hw[i] == NULL) ||
		                 (c->node_hw[i] && strcmp(c->node_hw[k], c->node_hw[i]) != 0)))
			k++;
		c->hw_id[i] = k;
	}
}

static void tell_hw(struct collect *c)
{
	for (size_t i = 0; i < c->plan.nodes.n; i++)
		if (c->node_hw[i])
			js_set_str(c->out->hw, c->plan.nodes.v[i], c->node_hw[i]);
}

static int by_value(const void *a, const void *b)
{
	return strcmp(json_object_get_string(*(json_object *const *)a),
	              json_object_get_string(*(json_object *const *)b));
}

static void sort_fingerprint(json_object *fingerprint)
{
	json_object_object_foreach(fingerprint, key, values)
	{
		(void)key;
		json_object_array_sort(values, by_value);
	}
}

void collect_free(struct collect *c)
{
	for (size_t i = 0; c->node_hw && i < c->plan.nodes.n; i++)
		free(c->node_hw[i]);
	for (size_t i = 0; c->step_reason && i < c->plan.n_steps; i++)
		free(c->step_reason[i]);
	free(c->node_hw);
	free(c->hw_id);
	free(c->step_reason);
	free(c->disturbed);
	free(c->step_s);
	free(c->counted);
	run_told_free(&c->told);
	free(c->by_name);
	for (size_t i = 0; i < c->n_rails; i++)
		free(c->rails[i]);
	free(c->rails);
	collect_units_free(c);
	plan_free(&c->plan);
	suite_free(&c->suite);
}

void collect_finish(struct collect *c)
{
	struct buf later = BUF_INIT;
	tell_hw(c);
	collect_again(c);
	guess_hw(c);
	number_hw(c);
	sort_fingerprint(c->out->fingerprint);
	collect_told(c);
	if (c->sheets)
		collect_sheets_begin(c);
	collect_rows(c);
	collect_losses(c);
	if (c->plan.later.n) {
		nodeset_format(&c->plan.later, &later);
		c->out->later = buf_detach(&later);
		c->out->later_runs = c->plan.later_runs;
	}
}

void collect_leave_out(struct collect *c, const struct nodeset *without)
{
	struct plan *p = &c->plan;
	size_t kept = 0;
	for (size_t i = 0; i < without->n; i++) {
		size_t node = collect_find_node(c, without->v[i]);
		if (node == SIZE_MAX)
			continue;
		free(c->node_hw[node]);
		c->node_hw[node] = NULL;
		facts_forget(&c->told.facts, node);
		for (uint64_t k = 0; k < p->next_unit; k++) {
			struct unit_state *u = &c->units[k];
			const struct plan_job *j = u->step == UINT32_MAX ? NULL : unit_job(c, u);
			for (int r = 0; j && r < j->n_ranks; r++)
				if (u->step != UINT32_MAX && job_node(c, u, r) == node)
					u->step = UINT32_MAX;
		}
	}
	for (size_t i = 0; i < p->n_absent; i++) {
		if (nodeset_find(without, p->absent[i].node) < 0) {
			p->absent[kept++] = p->absent[i];
			continue;
		}
		free(p->absent[i].node);
		free(p->absent[i].reason);
	}
	p->n_absent = kept;
}

static int one_run(const char *dir, const struct nodeset *without, struct summary *out,
                   struct sheets *sheets, struct run_told *told, struct hb_err *err)
{
	struct collect c = { .out = out, .sheets = sheets, .want_told = told };
	summary_init(out);
	int rc = collect_plan(&c, dir, err);
	if (rc != HB_OK) {
		summary_free(out);
		return rc;
	}
	collect_prepare(&c);
	rc = collect_about(&c, dir);
	if (rc == HB_OK)
		rc = collect_records(&c, dir, err);
	if (rc == HB_OK && without)
		collect_leave_out(&c, without);
	if (rc == HB_OK)
		collect_finish(&c);
	else
		summary_free(out);
	collect_free(&c);
	return rc;
}

int collect_run(const char *dir, struct summary *out, struct hb_err *err)
{
	return collect_run_without(dir, NULL, out, err);
}

int collect_run_without(const char *dir, const struct nodeset *without, struct summary *out,
                        struct hb_err *err)
{
	return one_run(dir, without, out, NULL, NULL, err);
}

int collect_run_sheets(const char *dir, struct summary *out, struct sheets *sheets,
                       struct run_told *told, struct hb_err *err)
{
	*sheets = (struct sheets){ 0 };
	if (told)
		*told = (struct run_told){ 0 };
	return one_run(dir, NULL, out, sheets, told, err);
}

/* A first try that was disturbed has another one to come. */
static bool is_done(const struct attempt *a)
{
	return a && a->ended && a->status != UNIT_GIVEN_UP && !(a->disturbed && a->id == 1);
}

int collect_lines(struct collect *c, const char *dir, struct hb_err *err)
{
	int rc = collect_plan(c, dir, err);

	if (rc < 0)
		return rc;
	collect_prepare(c);
	return collect_records(c, dir, err);
}

int collect_done(const char *dir, uint64_t *tries, unsigned char *ended, uint64_t n,
                 struct hb_err *err)
{
	struct summary none;
	struct collect c = { .out = &none };
	int rc;

	summary_init(&none);
	rc = collect_lines(&c, dir, err);
	for (uint64_t i = 0; rc == HB_OK && i < n && i < c.plan.next_unit; i++) {
		const struct unit_state *u = collect_unit(&c, i);
		if (!u)
			continue;
		const struct attempt *cur = u->cur;
		tries[i] = cur ? cur->id : 0;
		ended[i] = is_done(u->whole) || is_done(cur);
	}
	collect_free(&c);
	summary_free(&none);
	return rc;
}
