/*
 * The launcher `mpirun`: ranks on several nodes without srun. Nodes come from a host file, the
 * batch job that this runs in, or --nodes; mpirun reaches them in its own way (ssh, the batch
 * system).
 */
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/launch/launch_mpirun.h"
#include "harness/launch/launch_nodes.h"
#include "harness/slurm/slurm.h"

struct mpirun_state *mpirun_state(struct launch_site *s)
{
	if (!s->state)
		s->state = hb_alloc(sizeof(struct mpirun_state));
	return s->state;
}

void mpirun_close(struct launch_site *s)
{
	struct mpirun_state *st = s->state;

	if (!st)
		return;
	nodeset_free(&st->nodes);
	nodeset_free(&st->hosts);
	free(st);
	s->state = NULL;
}

/* ---- nodes ---- */

/* Nodes of the job go by Slurm's names; whoever names a host file means that instead. */
static bool by_slurm(const struct launch_site *s)
{
	return !s->arg && slurm_job_here() && getenv("SLURM_JOB_NODELIST");
}

/* The hosts there are; none where only --nodes says them. *what: where from, for errors. */
static int find_hosts(const struct launch_site *s, struct nodeset *out, const char **what,
                      struct hb_err *err)
{
	const char *pbs = getenv("PBS_NODEFILE");

	*what = s->arg;
	if (s->arg)
		return mpirun_hosts_read(s->arg, out, err);
	if (by_slurm(s)) {
		*what = "this allocation";
		return nodeset_parse(getenv("SLURM_JOB_NODELIST"), out, err) == HB_OK
		               ? HB_OK
		               : hb_fail_in(err, "SLURM_JOB_NODELIST");
	}
	if (pbs && *pbs) {
		*what = "PBS_NODEFILE";
		return mpirun_hosts_read(pbs, out, err) == HB_OK ? HB_OK
		                                                 : hb_fail_in(err, "PBS_NODEFILE");
	}
	return HB_OK;
}

/* Helpers call their host by its first label; an address has no labels. */
static size_t short_len(const char *host)
{
	return strspn(host, "0123456789.") == strlen(host) ? strlen(host) : strcspn(host, ".");
}

static int name_nodes(struct mpirun_state *st, const char *what, struct hb_err *err)
{
	int rc = HB_OK;

	for (size_t i = 0; i < st->hosts.n && rc == HB_OK; i++) {
		const char *host = st->hosts.v[i];
		char *name = hb_strndup(host, short_len(host));
		if (nodeset_find(&st->nodes, name) >= 0)
			rc = hb_fail(err, HB_E_USAGE,
			             "%.80s: host %.80s and another one are both called %.60s",
			             what, host, name);
		else
			rc = nodeset_add(&st->nodes, name, err);
		free(name);
	}
	return rc;
}

static int mpirun_nodes(struct launch_site *s, const char *wanted, struct nodeset *out,
                        struct plan_absent **absent, size_t *n_absent, struct hb_err *err)
{
	struct mpirun_state *st = mpirun_state(s);
	const char *what = NULL;
	int rc = find_hosts(s, &st->hosts, &what, err);

	if (rc == HB_OK && !what) {
		if (!wanted)
			return hb_fail(err, HB_E_USAGE,
			               "launcher mpirun: name the nodes with --nodes or in a host "
			               "file (mpirun:FILE), or run inside a job of Slurm or PBS");
		what = "--nodes";
		rc = nodeset_parse(wanted, &st->hosts, err);
		wanted = NULL;
	}
	if (rc == HB_OK)
		rc = name_nodes(st, what, err);
	const struct launch_wish wish = { wanted, &st->nodes, what };
	if (rc == HB_OK)
		rc = launch_nodes_within(s, &wish, out, absent, n_absent, err);
	if (rc == HB_OK) {
		long first = nodeset_find(&st->nodes, out->v[0]);
		s->first_node = hb_strdup(st->hosts.v[first >= 0 ? first : 0]);
	}
	return rc;
}

static int mpirun_open(struct launch_site *s, const struct plan *plan, struct hb_err *err)
{
	const char *job = slurm_job_here();

	(void)plan;
	(void)err;
	if (job)
		s->job = strtoull(job, NULL, 10);
	return HB_OK;
}

static int mpirun_look(struct launch_site *s, const struct plan *plan, char **reason,
                       struct hb_err *err)
{
	return by_slurm(s) ? launch_slurm_look(s, plan, reason, err) : HB_OK;
}

static int mpirun_facts(struct launch_site *s, const struct nodeset *nodes, launch_fact_fn *tell,
                        void *ctx, struct hb_err *err)
{
	return by_slurm(s) ? launch_slurm_facts(s, nodes, tell, ctx, err) : HB_OK;
}

/* ---- the job's end ---- */

/* PBS says how long a job may take, and writes the file of its nodes when it starts it. */
static double pbs_left_s(void)
{
	const char *text = getenv("PBS_WALLTIME"), *file = getenv("PBS_NODEFILE");
	char *end;
	struct stat s;

	if (!text || *text < '0' || *text > '9' || !file || stat(file, &s) != 0)
		return -1;
	double limit = strtod(text, &end), left = limit - difftime(time(NULL), s.st_mtime);
	if (*end || limit <= 0)
		return -1;
	return left > 0 ? left : 0;
}

static double mpirun_left_s(struct launch_site *s)
{
	return slurm_job_here() ? launch_slurm_left_s(s) : pbs_left_s();
}

/* ---- commands ---- */

/* What mpirun shall call a node of the plan. */
static const char *host_of(const struct mpirun_state *st, const char *node)
{
	long at = st ? nodeset_find(&st->nodes, node) : -1;

	return at >= 0 ? st->hosts.v[at] : node;
}

static int mpirun_command(const struct launch_what *w, struct launch_command *out,
                          struct hb_err *err)
{
	const struct plan_step *step = w->step;
	const char **hosts = hb_alloc(((size_t)step->n_ranks + 1) * sizeof *hosts);
	bool mpi = strcmp(step->helper, "mpi") == 0;
	struct mpirun_layout l = { .hosts = hosts, .rpn = step->rpn };
	size_t before = 0;

	for (int i = 0; i < step->n_ranks; i++) {
		size_t node = step->rank_node[i];
		if (w->left_out && w->left_out[i])
			continue;
		if (l.n_hosts == 0 || node != before) /* ranks stand node by node */
			hosts[l.n_hosts++] = host_of(w->site->state, w->plan->nodes.v[node]);
		before = node;
	}
	l.bind = mpi && step->rpn > 1 ? MPIRUN_BIND_CORE : MPIRUN_BIND_NONE;
	/* One rank a node chooses its core itself, near the network device. */
	if (mpi && step->rpn == 1)
		launch_command_env(out, "HPCBENCH_BIND=nic");
	int rc = mpirun_words(w, &l, out, err);
	free(hosts);
	return rc;
}

const struct launcher_ops launcher_mpirun = {
	.name = "mpirun",
	.summary = "hosts of a file, of a Slurm or PBS job or of --nodes, through mpirun",
	.arg = "FILE",
	.arg_optional = true,
	.remote = true,
	.leaves_out = true,
	.nodes = mpirun_nodes,
	.open = mpirun_open,
	.left_s = mpirun_left_s,
	.look = mpirun_look,
	.facts = mpirun_facts,
	.command = mpirun_command,
	.explain = mpirun_explain,
	.close = mpirun_close,
	.connect_ms = 120000,
	.straggle_ms = 30000,
	.slack_ms = 5000,
};
