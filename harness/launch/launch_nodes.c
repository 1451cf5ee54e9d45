#include "harness/launch/launch_nodes.h"

#include "bench/base/mem.h"
#include "harness/slurm/slurm.h"

int launch_nodes_within(const struct launch_site *s, const struct launch_wish *wish,
                        struct nodeset *out, struct plan_absent **absent, size_t *n_absent,
                        struct hb_err *err)
{
	const char *wanted = wish->wanted, *what = wish->what;
	struct nodeset asked = { 0 };
	struct hb_err none;
	int rc = HB_OK;

	*out = (struct nodeset){ 0 };
	if (wanted)
		rc = nodeset_parse(wanted, &asked, err);
	const struct nodeset *from = wanted ? &asked : wish->all;
	*absent = hb_alloc((from->n + 1) * sizeof **absent);
	for (size_t i = 0; i < from->n && rc == HB_OK; i++) {
		const char *name = from->v[i];
		if (!wanted || nodeset_find(wish->all, name) >= 0)
			nodeset_add(out, name, &none);
		else if (s->resume)
			(*absent)[(*n_absent)++] = (struct plan_absent){
				hb_strdup(name), hb_format("not in %s", what), ROLE_NONE
			};
		else
			rc = hb_fail(err, HB_E_USAGE, "node %.80s is not in %.120s", name, what);
	}
	if (rc == HB_OK && out->n == 0)
		rc = hb_fail(err, HB_E_USAGE, "none of the nodes is in %.120s", what);
	if (rc != HB_OK)
		nodeset_free(out);
	nodeset_free(&asked);
	return rc;
}

int launch_slurm_look(struct launch_site *s, const struct plan *plan, char **reason,
                      struct hb_err *err)
{
	struct slurm_node *v = NULL;
	struct hb_err why;
	int rc = slurm_nodes(&plan->nodes, s->signal_fd, &v, &why);

	(void)err;
	if (rc != HB_OK && rc != HB_E_CANCELLED && s->note)
		s->note(s->ctx, "warn", why.text);
	for (size_t i = 0; rc == HB_OK && i < plan->nodes.n; i++)
		if (!v[i].up)
			reason[i] = hb_format("Slurm says %s%s%s", v[i].state,
			                      v[i].reason[0] ? ": " : "", v[i].reason);
	free(v);
	return HB_OK;
}

/* Of one node, on its way to who asked. */
struct teller {
	launch_fact_fn *tell;
	void *ctx;
	size_t node;
};

static void pass_on(void *ctx, const char *key, const char *value)
{
	const struct teller *t = ctx;

	t->tell(t->ctx, t->node, key, value, "scontrol show node");
}

int launch_slurm_facts(struct launch_site *s, const struct nodeset *nodes, launch_fact_fn *tell,
                       void *ctx, struct hb_err *err)
{
	struct slurm_node *v = NULL;
	int rc = slurm_nodes(nodes, s->signal_fd, &v, err);

	for (size_t i = 0; rc == HB_OK && i < nodes->n; i++) {
		struct teller t = { tell, ctx, i };
		slurm_node_facts(&v[i], pass_on, &t);
	}
	free(v);
	return rc;
}

double launch_slurm_left_s(struct launch_site *s)
{
	const char *here = slurm_job_here();
	uint64_t job = s->job ? s->job : here ? strtoull(here, NULL, 10) : 0;

	return job ? slurm_left_s(job, s->signal_fd) : -1;
}
