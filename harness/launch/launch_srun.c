/*
 * The launcher `srun`: steps of a Slurm job. Inside an allocation its nodes are measured; outside
 * one is made with salloc, with a time limit from the plan, and a guard cancels it however hpcbench
 * ends.
 */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_nodes.h"
#include "harness/launch/launch_srun.h"

/* An allocation lasts this much longer than it should take: reruns, relaunches, hangs. */
static const double limit_factor = 3, limit_extra_s = 300;

/* What hpcbench says itself. */
static const char *const alloc_refused[] = { "job-name", "nodes", "nodelist", "no-shell",
	                                     "no-kill",  "jobid", "chdir",    "ntasks",
	                                     "wait",     "help",  "version",  "test-only",
	                                     NULL };
static const char *const step_refused[] = { "nodes",       "nodelist", "ntasks",  "jobid",
	                                    "no-kill",     "overlap",  "input",   "export",
	                                    "output",      "error",    "label",   "multi-prog",
	                                    "pty",         "help",     "version", "test-only",
	                                    "no-allocate", NULL };

struct srun_state *srun_state(struct launch_site *s)
{
	if (!s->state)
		s->state = hb_alloc(sizeof(struct srun_state));
	return s->state;
}

/* ---- nodes ---- */

/* The nodes that are asked for, whether or not they can be used. */
static int wanted_nodes(const struct launch_site *s, const char *wanted, struct nodeset *out,
                        struct plan_absent **absent, size_t *n_absent, struct hb_err *err)
{
	const char *of_job = slurm_job_here() ? getenv("SLURM_JOB_NODELIST") : NULL;
	struct nodeset job = { 0 };
	int rc;

	if (!of_job && !wanted)
		return hb_fail(err, HB_E_USAGE,
		               "launcher srun: name the nodes with --nodes, or run inside an "
		               "allocation (salloc, sbatch)");
	rc = nodeset_parse(of_job ? of_job : wanted, &job, err);
	if (rc != HB_OK)
		return of_job ? hb_fail_in(err, "SLURM_JOB_NODELIST") : rc;
	const struct launch_wish wish = { of_job ? wanted : NULL, &job, "this allocation" };
	rc = launch_nodes_within(s, &wish, out, absent, n_absent, err);
	nodeset_free(&job);
	return rc;
}

static char *absent_reason(const struct slurm_node *n)
{
	return hb_format("Slurm says %s%s%s", n->state, n->reason[0] ? ": " : "", n->reason);
}

/* Is this option in a list of "OPT=VAL" or "OPT"? */
static bool has_opt(const char *const *opts, size_t n, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (strncmp(opts[i], name, len) == 0 && (opts[i][len] == '=' || !opts[i][len]))
			return true;
	return false;
}

/*
 * Splits all into the usable ones and the rest. Nodes of a job that runs, or of a reservation that
 * was made for us, need only be up; others must take a new job, or salloc would wait for ever.
 */
static int split_nodes(const struct launch_site *s, const struct nodeset *all,
                       const struct slurm_node *v, struct nodeset *out, struct plan_absent **absent,
                       size_t *n_absent)
{
	bool inside = slurm_job_here() || has_opt(s->alloc, s->n_alloc, "reservation");
	struct hb_err none;

	*out = (struct nodeset){ 0 };
	for (size_t i = 0; i < all->n; i++) {
		if (inside ? v[i].up : v[i].takes)
			nodeset_add(out, all->v[i], &none);
		else
			(*absent)[(*n_absent)++] = (struct plan_absent){ hb_strdup(all->v[i]),
				                                         absent_reason(&v[i]),
				                                         ROLE_NONE };
	}
	return out->n > 0 ? HB_OK : HB_E_LIB;
}

static int srun_nodes(struct launch_site *s, const char *wanted, struct nodeset *out,
                      struct plan_absent **absent, size_t *n_absent, struct hb_err *err)
{
	struct nodeset all = { 0 };
	struct slurm_node *v = NULL;
	int rc = slurm_opts_check("--alloc", s->alloc, s->n_alloc, alloc_refused, err);

	if (rc == HB_OK)
		rc = slurm_opts_check("--step", s->step, s->n_step, step_refused, err);
	if (rc == HB_OK && s->n_alloc > 0 && slurm_job_here())
		rc = hb_fail(err, HB_E_USAGE,
		             "--alloc is for a new allocation; this is inside job %s",
		             slurm_job_here());
	if (rc == HB_OK)
		rc = wanted_nodes(s, wanted, &all, absent, n_absent, err);
	if (rc != HB_OK)
		return rc;
	rc = slurm_nodes(&all, s->signal_fd, &v, err);
	if (rc == HB_OK && split_nodes(s, &all, v, out, absent, n_absent) != HB_OK)
		rc = hb_fail(err, HB_E_LIB, "none of the nodes can be used; %.80s: %.200s",
		             (*absent)[*n_absent - 1].node, (*absent)[*n_absent - 1].reason);
	if (rc == HB_OK) {
		for (size_t i = 0; i < all.n && !s->first_node; i++)
			if (strcmp(all.v[i], out->v[0]) == 0)
				s->first_node = hb_strdup(v[i].address);
	}
	free(v);
	nodeset_free(&all);
	return rc;
}

/* All nodes of the own job are ours, whichever are measured. */
static int srun_busy(struct launch_site *s, const struct nodeset *mine, struct launch_busy *out,
                     struct hb_err *err)
{
	const char *of_job = slurm_job_here() ? getenv("SLURM_JOB_NODELIST") : NULL;
	struct nodeset all = { 0 };
	struct slurm_busy told;
	struct hb_err none;

	if (of_job && nodeset_parse(of_job, &all, &none) != HB_OK)
		return hb_fail(err, HB_E_FORMAT, "SLURM_JOB_NODELIST: %.100s", none.text);
	for (size_t i = 0; !of_job && i < mine->n; i++)
		nodeset_add(&all, mine->v[i], &none);
	int rc = slurm_busy_ask(&all, s->signal_fd, &told, err);
	if (rc == HB_OK)
		*out = (struct launch_busy){ told.nodes, told.busy };
	nodeset_free(&all);
	return rc;
}

/* ---- the allocation ---- */

static int allocate(struct launch_site *s, const struct plan *plan, struct hb_err *err)
{
	struct srun_state *st = srun_state(s);
	char *name = hb_format("hpcbench-%s", plan->run);
	struct slurm_alloc_params p = { .job_name = name,
		                        .nodes = &plan->nodes,
		                        .seconds = limit_factor * plan->predicted_s + limit_extra_s,
		                        .opts = s->alloc,
		                        .n_opts = s->n_alloc,
		                        .max_wait_s = s->max_wait_s,
		                        .signal_fd = s->signal_fd,
		                        .note = s->note,
		                        .ctx = s->ctx };
	int rc = slurm_guard_open(name, &st->guard, err);

	if (rc == HB_OK)
		rc = slurm_allocate(&p, &s->job, err);
	if (rc == HB_OK)
		slurm_guard_job(st->guard, s->job);
	free(name);
	return rc;
}

static int srun_open(struct launch_site *s, const struct plan *plan, struct hb_err *err)
{
	struct srun_state *st = srun_state(s);
	const char *job = slurm_job_here();
	int rc = slurm_config_read(s->signal_fd, &st->config, err);

	if (rc != HB_OK)
		return rc;
	s->cluster = st->config.cluster[0] ? hb_strdup(st->config.cluster) : NULL;
	s->port_lo = st->config.port_lo;
	s->port_hi = st->config.port_hi;
	if (job)
		s->job = strtoull(job, NULL, 10);
	else
		rc = allocate(s, plan, err);
	return rc == HB_OK ? srun_mpi_type(s, plan, err) : rc;
}

static void srun_close(struct launch_site *s)
{
	struct srun_state *st = s->state;

	if (!st)
		return;
	slurm_guard_close(st->guard);
	free(st);
	s->state = NULL;
}

/* ---- commands ---- */

bool srun_has_step_opt(const struct launch_site *s, const char *name)
{
	return has_opt(s->step, s->n_step, name);
}

static void add_nodes(const struct launch_what *w, struct launch_command *c)
{
	struct nodeset some = { 0 };
	struct buf list = BUF_INIT;
	struct hb_err none;
	int ranks = 0;

	for (int i = 0; i < w->step->n_ranks; i++) {
		const char *name = w->plan->nodes.v[w->step->rank_node[i]];
		if (w->left_out && w->left_out[i])
			continue;
		ranks++;
		if (some.n == 0 || strcmp(some.v[some.n - 1], name) != 0)
			nodeset_add(&some, name, &none); /* ranks stand node by node */
	}
	nodeset_format(&some, &list);
	launch_command_arg(c, "--nodes=%zu", some.n);
	launch_command_arg(c, "--ntasks=%d", ranks);
	launch_command_arg(c, "--ntasks-per-node=%d", w->step->rpn);
	launch_command_arg(c, "--nodelist=%s", buf_text(&list));
	buf_free(&list);
	nodeset_free(&some);
}

void srun_words(const struct launch_site *s, struct launch_command *c)
{
	const char *job = slurm_job_here();

	c->missing_hint = "Slurm's commands must be in PATH on this host";
	launch_command_arg(c, "srun");
	if (s->job)
		launch_command_arg(c, "--jobid=%llu", (unsigned long long)s->job);
	else
		launch_command_arg(c, "--jobid=%s", job ? job : "...");
	launch_command_arg(c, "--overlap");
	launch_command_arg(c, "--no-kill");
	/* A task that fails ends the step; srun would wait for ever for the others. */
	launch_command_arg(c, "--kill-on-bad-exit=1");
	launch_command_arg(c, "--input=none");
	launch_command_arg(c, "--export=ALL");
}

static int srun_on_nodes(const struct launch_site *s, const struct nodeset *nodes,
                         struct launch_command *out, struct hb_err *err)
{
	struct buf list = BUF_INIT;

	(void)err;
	nodeset_format(nodes, &list);
	srun_words(s, out);
	launch_command_arg(out, "--nodes=%zu", nodes->n);
	launch_command_arg(out, "--ntasks-per-node=1");
	launch_command_arg(out, "--nodelist=%s", buf_text(&list));
	launch_command_arg(out, "--mpi=none");
	launch_command_arg(out, "--cpu-bind=none");
	buf_free(&list);
	return HB_OK;
}

static int srun_command(const struct launch_what *w, struct launch_command *out, struct hb_err *err)
{
	const struct launch_site *s = w->site;
	const struct srun_state *st = s->state;
	const char *told = s->profile ? s->profile->mpi_type : NULL;
	bool mpi = strcmp(w->step->helper, "mpi") == 0;

	srun_words(s, out);
	add_nodes(w, out);
	if (!srun_has_step_opt(s, "distribution"))
		launch_command_arg(out, "--distribution=block");
	if (!mpi)
		launch_command_arg(out, "--mpi=none");
	else if (!srun_has_step_opt(s, "mpi") && (!st || st->mpi[0] || !s->job))
		launch_command_arg(out, "--mpi=%s",
		                   st && st->mpi[0] ? st->mpi
		                   : told           ? told
		                                    : "...");
	/* One rank a node chooses its core itself, near the network device. */
	if (w->step->rpn == 1 && !srun_has_step_opt(s, "cpu-bind"))
		launch_command_arg(out, "--cpu-bind=none");
	for (size_t i = 0; i < s->n_step; i++)
		if (mpi || strncmp(s->step[i], "mpi=", 4) != 0)
			launch_command_arg(out, "--%s", s->step[i]);
	if (mpi && w->step->rpn == 1)
		launch_command_env(out, "HPCBENCH_BIND=nic");
	return launch_helper_words(s, w->step->helper, out, err);
}

/* ---- why a step ended ---- */

static void srun_explain(const char *text, struct launch_cause *out)
{
	struct slurm_failure f;

	slurm_failure_parse(text, &f);
	*out = (struct launch_cause){ 0 };
	if (f.cause == SLURM_UNKNOWN)
		return;
	out->name = slurm_cause_name(f.cause);
	/* A launch that failed on one node alone: its slurmd is gone, or its program cannot run. */
	out->again = f.cause == SLURM_NODE_FAILED || f.cause == SLURM_PROGRAM ||
	             (f.cause == SLURM_NO_LAUNCH && f.node[0]);
	snprintf(out->node, sizeof out->node, "%s", f.node);
	snprintf(out->text, sizeof out->text, "%s", f.text);
}

const struct launcher_ops launcher_srun = {
	.name = "srun",
	.summary = "nodes of a Slurm job; outside of one it is allocated",
	.remote = true,
	.at_once = LAUNCH_AT_ONCE,
	.allocates = true,
	.leaves_out = true,
	.nodes = srun_nodes,
	.busy = srun_busy,
	.open = srun_open,
	.left_s = launch_slurm_left_s,
	.look = launch_slurm_look,
	.facts = launch_slurm_facts,
	.command = srun_command,
	.on_nodes = srun_on_nodes,
	.explain = srun_explain,
	.forget = srun_mpi_forget,
	.close = srun_close,
	.connect_ms = 120000,
	.straggle_ms = 30000,
	.slack_ms = 5000,
};
