/* The launcher `local`: processes of this host, MPI ranks through mpirun. */
#include <sched.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_mpirun.h"

enum { HOST_MAX = 256 };

static void short_host(char out[HOST_MAX])
{
	if (gethostname(out, HOST_MAX - 1) != 0 || !out[0])
		snprintf(out, HOST_MAX, "localhost");
	out[HOST_MAX - 1] = '\0';
	out[strcspn(out, ".")] = '\0';
}

static int local_nodes(struct launch_site *s, const char *wanted, struct nodeset *out,
                       struct plan_absent **absent, size_t *n_absent, struct hb_err *err)
{
	char host[HOST_MAX];
	int rc;

	mpirun_state(s);
	(void)absent;
	(void)n_absent;
	short_host(host);
	*out = (struct nodeset){ 0 };
	if (!wanted)
		return nodeset_add(out, host, err);
	rc = nodeset_parse(wanted, out, err);
	if (rc != HB_OK)
		return rc;
	if (out->n != 1 || (strcmp(out->v[0], host) != 0 && strcmp(out->v[0], "localhost") != 0)) {
		nodeset_free(out);
		return hb_fail(err, HB_E_USAGE,
		               "launcher local runs on this host (%s) only, "
		               "not on '%.128s'",
		               host, wanted);
	}
	nodeset_free(out);
	*out = (struct nodeset){ 0 };
	return nodeset_add(out, host, err);
}

/* The first of the hardware threads that share a core with cpu; cpu itself where unknown. */
static int core_of(int cpu)
{
	char path[96];
	int first = cpu;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
	         cpu);
	FILE *f = fopen(path, "re");
	if (!f)
		return cpu;
	char line[64];
	/* "0,4" or "0-1": the first number is the first sibling. */
	if (fgets(line, sizeof line, f) && line[0] >= '0' && line[0] <= '9')
		first = (int)strtol(line, NULL, 10);
	fclose(f);
	return first;
}

/* Whole cores this process may use: mpirun binds to cores, not to hardware threads. */
static int cores_allowed(void)
{
	cpu_set_t mine, cores;

	CPU_ZERO(&cores);
	if (sched_getaffinity(0, sizeof mine, &mine) != 0)
		return 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int core = CPU_ISSET((size_t)cpu, &mine) ? core_of(cpu) : -1;
		if (core >= 0 && core < CPU_SETSIZE)
			CPU_SET((size_t)core, &cores);
	}
	return CPU_COUNT(&cores);
}

static int local_command(const struct launch_what *w, struct launch_command *out,
                         struct hb_err *err)
{
	const struct plan_step *step = w->step;
	const struct mpirun_layout here = {
		.rpn = step->n_ranks,
		.bind = cores_allowed() >= step->n_ranks ? MPIRUN_BIND_CORE : MPIRUN_BIND_CROWD,
	};

	launch_command_env(out, "HPCBENCH_NODE=%s", w->plan->nodes.v[step->rank_node[0]]);
	if (strcmp(step->helper, "mpi") == 0)
		return mpirun_words(w, &here, out, err);
	if (step->n_ranks != 1)
		return hb_fail(err, HB_E_UNSUPPORTED,
		               "launcher local starts hpcbench-%s with one rank, not %d",
		               step->helper, step->n_ranks);
	return launch_helper_words(w->site, step->helper, out, err);
}

const struct launcher_ops launcher_local = {
	.name = "local",
	.summary = "this host; MPI ranks through mpirun",
	.used_beside = true,
	.nodes = local_nodes,
	.command = local_command,
	.explain = mpirun_explain,
	.close = mpirun_close,
	.connect_ms = 60000,
	.straggle_ms = 15000,
	.slack_ms = 10000,
};
