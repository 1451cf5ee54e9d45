#include "harness/measure/measure_controls.h"

#include "bench/base/mem.h"
#include "harness/cmd/cmd_load.h"
#include "harness/measure/measure_parts.h"
#include "harness/slurm/slurm.h"
#include "harness/store/ledger.h"

/* What is known of nodes before anything runs. */
struct known {
	struct baseline base;
	bool has_base;
	struct ledger ledger;
	json_object *nodes; /* of the ledger; NULL: none */
	struct acks acks;
};

/* A baseline that is not there ends the run later, with its own exit code. */
static void known_open(const struct measure *m, const struct store *s, struct known *k)
{
	char cluster[256];
	bool missing;

	*k = (struct known){ 0 };
	if (s && s->path) {
		ledger_read(s, &k->ledger);
		acks_load(s->path, time(NULL), &k->acks);
	}
	measure_ledger_name(m, cluster);
	k->nodes = k->ledger.clusters ? ledger_nodes(&k->ledger, cluster) : NULL;
	k->has_base = s && m->req.baseline &&
	              load_baseline(s, m->req.baseline, &k->base, &missing, NULL) == HB_OK;
}

static void known_close(struct known *k)
{
	ledger_free(&k->ledger);
	acks_free(&k->acks);
	if (k->has_base)
		baseline_free(&k->base);
}

static const char *base_hw(const struct known *k, const char *node)
{
	json_object *v = NULL;

	return k->has_base && json_object_object_get_ex(k->base.hw, node, &v)
	               ? json_object_get_string(v)
	               : NULL;
}

static const char *class_of(const struct known *k, const char *node)
{
	const char *hw = k->nodes ? ledger_hw(k->nodes, node) : NULL;

	return hw ? hw : base_hw(k, node);
}

/* The newest good turn with any suite; "": never. */
static const char *measured(const struct known *k, const char *node)
{
	json_object *o = NULL, *suites = NULL;
	const char *last = "";

	if (!k->nodes || !json_object_object_get_ex(k->nodes, node, &o) ||
	    !json_object_object_get_ex(o, "suites", &suites))
		return last;
	json_object_object_foreach(suites, name, value)
	{
		(void)value;
		struct ledger_turn t = ledger_turn(k->nodes, node, name);
		if (strcmp(t.last, last) > 0)
			last = t.last;
	}
	return last;
}

static enum accept_known known_of(const struct known *k, const char *node)
{
	if (base_hw(k, node) && !baseline_excluded(&k->base, node))
		return ACCEPT_IN_BASELINE;
	return *measured(k, node) ? ACCEPT_IN_LEDGER : ACCEPT_NEVER_SEEN;
}

/* ---- who is there ---- */

static const char *partition_of(const struct measure_request *r)
{
	const char *name = NULL;

	for (size_t i = 0; i < r->n_alloc; i++)
		if (strncmp(r->alloc[i], "partition=", 10) == 0)
			name = r->alloc[i] + 10;
	return name;
}

/* Outside a job srun knows no nodes until some are named: Slurm says who is idle. */
static int there_now(struct measure *m, struct nodeset *out, struct hb_err *err)
{
	struct plan_absent *absent = NULL;
	size_t n = 0;
	int rc;

	if (m->site.ops == &launcher_srun && !slurm_job_here())
		return slurm_idle(partition_of(&m->req), -1, out, err);
	rc = m->site.ops->nodes(&m->site, NULL, out, &absent, &n, err);
	for (size_t i = 0; i < n; i++) {
		free(absent[i].node);
		free(absent[i].reason);
	}
	free(absent);
	return rc;
}

/* ---- which of them ---- */

static void tell(const struct known *k, const struct accept_candidate *v, const size_t *chosen,
                 size_t n, const struct measure_request *r, char **note)
{
	struct buf text = BUF_INIT;

	buf_puts(&text, "controls:");
	for (int known = ACCEPT_IN_BASELINE; known <= ACCEPT_NEVER_SEEN; known++) {
		struct nodeset set = { 0 };
		struct hb_err none;
		const char *oldest = "";
		for (size_t i = 0; i < n; i++) {
			const struct accept_candidate *c = &v[chosen[i]];
			if ((int)c->known != known)
				continue;
			const char *last = measured(k, c->node);
			if (!*oldest || strcmp(last, oldest) < 0)
				oldest = last;
			nodeset_add(&set, c->node, &none);
		}
		if (set.n == 0)
			continue;
		buf_puts(&text, text.len > 9 ? ", " : " ");
		nodeset_format(&set, &text);
		if (known == ACCEPT_IN_BASELINE)
			buf_printf(&text, " (in the baseline %s)", r->baseline);
		else if (known == ACCEPT_IN_LEDGER)
			buf_printf(&text, " (good figures since %.10s)", oldest);
		else
			buf_puts(&text, " (never measured before)");
		nodeset_free(&set);
	}
	buf_puts(&text, "; --controls names others");
	*note = buf_detach(&text);
}

static int choose(const struct known *k, const struct nodeset *there,
                  const struct nodeset *new_nodes, const struct measure_request *r, char **controls,
                  char **note, struct hb_err *err)
{
	struct accept_candidate *v = hb_alloc((there->n + 1) * sizeof *v);
	const char **new_hw = hb_alloc((new_nodes->n + 1) * sizeof *new_hw);
	size_t chosen[ACCEPT_AUTO_MAX], n = 0, taken;
	struct nodeset set = { 0 };
	struct buf text = BUF_INIT;
	int rc = HB_OK;

	for (size_t i = 0; i < new_nodes->n; i++)
		new_hw[i] = class_of(k, new_nodes->v[i]);
	for (size_t i = 0; i < there->n; i++) {
		const char *node = there->v[i];
		if (nodeset_find(new_nodes, node) < 0 && !acks_touch_node(&k->acks, node))
			v[n++] = (struct accept_candidate){ node, class_of(k, node),
				                            known_of(k, node) };
	}
	taken = accept_choose_controls(v, n, new_hw, new_nodes->n, chosen);
	if (taken < ACCEPT_CONTROLS_MIN)
		rc = hb_fail(err, HB_E_USAGE,
		             "found %zu node%s that could be a control: there now, not new, not "
		             "known trouble, of the new nodes' hardware class; %d are needed: "
		             "name good nodes with --controls, or say --controls none",
		             taken, taken == 1 ? "" : "s", ACCEPT_CONTROLS_MIN);
	for (size_t i = 0; rc == HB_OK && i < taken; i++)
		rc = nodeset_add(&set, v[chosen[i]].node, err);
	if (rc == HB_OK) {
		nodeset_format(&set, &text);
		*controls = buf_detach(&text);
		tell(k, v, chosen, taken, r, note);
	}
	nodeset_free(&set);
	free(new_hw);
	free(v);
	return rc;
}

int measure_controls_auto(const struct measure_request *r, const struct store *s,
                          const struct nodeset *new_nodes, char **controls, char **note,
                          struct hb_err *err)
{
	struct measure m = { .req = *r };
	struct nodeset there = { 0 };
	struct known k = { 0 };

	*controls = *note = NULL;
	m.site = (struct launch_site){ .alloc = r->alloc,
		                       .step = r->step,
		                       .n_alloc = r->n_alloc,
		                       .n_step = r->n_step,
		                       .profile = r->profile,
		                       .signal_fd = -1 };
	m.req.signal_fd = -1;
	int rc = launcher_find(r->launcher, &m.site.ops, &m.site.arg, err);
	if (rc == HB_OK)
		rc = there_now(&m, &there, err);
	if (rc == HB_OK)
		known_open(&m, s, &k);
	if (rc == HB_OK)
		rc = choose(&k, &there, new_nodes, r, controls, note, err);
	known_close(&k);
	nodeset_free(&there);
	launch_site_close(&m.site);
	return rc;
}
