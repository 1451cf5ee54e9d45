/*
 * hpcbench-sim: plays the cluster of a model file, a process for each rank, over the same control
 * channel that real helpers use.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/sim/sim.h"

enum { MODEL_FILE_MAX = 4 * 1024 * 1024, RANKS_MAX = 4096 };

struct sim_opts {
	char *model, *nodes;
	int rpn, version, die_together;
	uint64_t seed;
};

#define AT(field) offsetof(struct sim_opts, field)
static const struct opt sim_opts[] = {
	{ OPT_STRING, 0, "model", "FILE", "the cluster", NULL, AT(model), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "nodes", "LIST", "node names with commas, in rank order", NULL, AT(nodes),
	  0, 0, NULL, 0 },
	{ OPT_INT, 0, "rpn", "N", "ranks on each node", "1", AT(rpn), 1, RANKS_MAX, NULL, 0 },
	{ OPT_U64, 0, "seed", "N", "what stands for this run", "1", AT(seed), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "die-together", NULL, "end everybody when one rank dies, as mpirun does",
	  NULL, AT(die_together), 0, 1, NULL, 0 },
	{ OPT_FLAG, 0, "version", NULL, "print the version", NULL, AT(version), 0, 1, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

/* ---- one rank ---- */

static int send_object(struct sim_rank *r, json_object *o, struct hb_err *err)
{
	int rc = control_send(r->control, o, err);

	js_put(o);
	return rc;
}

/* meta once a step, rank once a rank, as every helper tells them. */
static int introduce(struct sim_rank *r, struct hb_err *err)
{
	const struct sim_world *w = r->world;
	json_object *o = json_object_new_object();
	int rc;

	js_set_str(o, "type", record_type_name(REC_RANK));
	js_set_i64(o, "rank", r->rank);
	js_set_str(o, "host", r->node);
	js_set_str(o, "binding", "not bound");
	js_set_str(o, "hw", sim_node_hw(&w->model, r->node));
	js_set_str(o, "transport", NULL);
	js_set_i64(o, "pid", getpid());
	rc = send_object(r, o, err);
	if (rc != HB_OK || r->rank != 0)
		return rc;
	o = json_object_new_object();
	js_set_str(o, "type", record_type_name(REC_META));
	js_set_u64(o, "schema", RECORD_SCHEMA);
	js_set_str(o, "helper", "sim");
	js_set_str(o, "version", HPCBENCH_VERSION);
	js_set_str(o, "nodes", strlen(w->node_list) < RECORD_MAX / 2 ? w->node_list : NULL);
	js_set_i64(o, "ranks", w->size);
	rc = send_object(r, o, err);
	if (rc != HB_OK)
		return rc;
	return send_object(
	        r, rec_fact_to_json(r->node, "hpcbench-sim", HPCBENCH_VERSION, "built in"), err);
}

static int do_job(struct sim_rank *r, json_object *msg, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("job");
	struct job job;
	int repeat = 0, rc = job_from_json(msg, &r->world->helper, &job, err);

	if (rc == HB_OK)
		rc = js_get_int(msg, &at, "repeat", JS_OPTIONAL, 0, 1 << 20, &repeat, err);
	if (rc != HB_OK)
		return rc;
	sim_fault_at_job(r, &job);
	if (job.ranks[0] == r->rank)
		rc = sim_measure(r, &job, repeat, err);
	json_object *done = json_object_new_object();
	js_set_str(done, "msg", "done");
	js_set_u64(done, "job", job.id);
	js_set_str(done, "status", "ok");
	js_set_str(done, "reason", NULL);
	js_set_obj(done, "load", sim_load_json(r, &job));
	r->jobs++;
	job_free(&job);
	if (rc == HB_OK)
		return send_object(r, done, err);
	js_put(done);
	return rc;
}

static int run_rank(const struct sim_world *w, int rank)
{
	struct sim_rank r = { .world = w, .rank = rank, .node = sim_node_of(w, rank) };
	struct control_hello hello = {
		r.node, sim_node_hw(&w->model, r.node), "sim", HPCBENCH_VERSION, rank, w->size, 0
	};
	struct hb_err err;
	json_object *msg;
	int rc;

	sim_fault_before_start(&r);
	rc = control_start(r.node, &r.control, &err);
	if (rc == HB_OK) {
		sim_fault_before_hello(&r);
		rc = control_join(r.control, &hello, &err);
	}
	if (rc == HB_OK) {
		r.emit = emit_control_new(r.control);
		rc = introduce(&r, &err);
		if (rc == HB_OK)
			rc = sim_tell_facts(&r, &err);
		while (rc == HB_OK && (rc = control_next(r.control, &msg, &err)) == HB_OK) {
			rc = do_job(&r, msg, &err);
			js_put(msg);
		}
		if (rc == HB_E_CANCELLED)
			sim_tell_counters(&r);
		r.emit->close(r.emit);
	}
	control_close(r.control);
	if (rc == HB_E_CANCELLED)
		return HB_EXIT_OK;
	fprintf(stderr, "hpcbench-sim: rank %d on %s: %s\n", rank, r.node, err.text);
	return hb_exit_of(rc);
}

/* ---- all of them ---- */

/* The child's pid, or -1. */
static pid_t fork_rank(const struct sim_world *w, int rank)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	/* With its parent gone nobody would end a silent rank. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(HB_EXIT_BROKEN);
	_exit(run_rank(w, rank));
}

static int run_all(const struct sim_world *w, bool die_together)
{
	pid_t *pids = hb_alloc((size_t)w->size * sizeof *pids);
	const char *ms = getenv("HPCBENCH_SIM_NOTICE_MS");
	const long wait_ms = ms && *ms ? strtol(ms, NULL, 10) : 200; /* until mpirun would see it */
	const struct timespec notice = { wait_ms / 1000, wait_ms % 1000 * 1000000 };
	int rc = HB_EXIT_OK, status, n = 0;
	pid_t pid;

	for (; n < w->size && rc == HB_EXIT_OK; n++) {
		pids[n] = fork_rank(w, n);
		if (pids[n] < 0) {
			fprintf(stderr, "hpcbench-sim: fork: %s\n", strerror(errno));
			rc = HB_EXIT_BROKEN;
			break;
		}
	}
	/* What became of a rank is no proof of anything: its end records are. */
	while ((pid = wait(&status)) > 0 || errno == EINTR) {
		bool died = pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		if (died && die_together)
			nanosleep(&notice, NULL);
		for (int i = 0; i < n; i++) {
			if (pids[i] == pid)
				pids[i] = 0;
			if (died && die_together && pids[i] > 0)
				kill(pids[i], SIGTERM);
		}
	}
	free(pids);
	return rc;
}

static int split_nodes(struct sim_world *w, const char *list, struct hb_err *err)
{
	size_t cap = 0;

	w->node_list = list;
	for (const char *at = list; *at;) {
		size_t len = strcspn(at, ",");
		if (len == 0 || w->n_nodes >= RANKS_MAX)
			return hb_fail(err, HB_E_USAGE,
			               "--nodes: an empty name, or more than %d nodes", RANKS_MAX);
		hb_grow(&w->nodes, &cap, w->n_nodes + 1, sizeof *w->nodes);
		w->nodes[w->n_nodes++] = hb_strndup(at, len);
		at += len + (at[len] == ',');
	}
	if (w->n_nodes == 0 || w->n_nodes * (size_t)w->rpn > RANKS_MAX)
		return hb_fail(err, HB_E_USAGE, "%zu nodes with %d ranks each; 1 to %d ranks",
		               w->n_nodes, w->rpn, RANKS_MAX);
	w->size = (int)w->n_nodes * w->rpn;
	return HB_OK;
}

/* A job names its benchmark; every one of the catalog can be simulated. */
static void fill_helper(struct sim_world *w)
{
	size_t n = 0;

	while (catalog[n])
		n++;
	w->ops = hb_alloc((n + 1) * sizeof *w->ops);
	w->benches = hb_alloc((n + 1) * sizeof(const struct bench_ops *));
	for (size_t i = 0; i < n; i++) {
		w->ops[i].info = catalog[i];
		w->benches[i] = &w->ops[i];
	}
	w->helper.name = "sim";
	w->helper.benches = w->benches;
}

static void free_world(struct sim_world *w)
{
	sim_model_free(&w->model);
	for (size_t i = 0; i < w->n_nodes; i++)
		free(w->nodes[i]);
	free(w->nodes);
	free(w->benches);
	free(w->ops);
}

static int load(struct sim_world *w, const struct sim_opts *o, struct hb_err *err)
{
	json_object *model;
	int rc;

	if (!o->model || !o->nodes)
		return hb_fail(err, HB_E_USAGE, "needs --model FILE and --nodes LIST");
	if (!control_wanted())
		return hb_fail(err, HB_E_USAGE, "is started by hpcbench run --launcher sim:%s",
		               o->model);
	w->rpn = o->rpn;
	w->run_seed = o->seed;
	rc = js_read_file(o->model, MODEL_FILE_MAX, &model, err);
	if (rc != HB_OK)
		return rc;
	rc = sim_model_from_json(model, o->model, &w->model, err);
	js_put(model);
	if (rc == HB_OK)
		rc = split_nodes(w, o->nodes, err);
	fill_helper(w);
	return rc;
}

/* The exit status. */
static int play(struct sim_opts *o, int argc, const char **argv)
{
	struct sim_world world = { .rpn = 1 };
	struct hb_err err;
	int rc = opt_parse(sim_opts, o, &argc, argv, NULL, &err);

	if (rc == HB_OK && o->version) {
		puts("hpcbench-sim " HPCBENCH_VERSION);
		return HB_EXIT_OK;
	}
	if (rc == HB_OK && argc > 1)
		rc = hb_fail(&err, HB_E_USAGE, "what is '%.64s'?", argv[1]);
	if (rc == HB_OK)
		rc = load(&world, o, &err);
	if (rc == HB_OK) {
		rc = run_all(&world, o->die_together);
	} else {
		fprintf(stderr, "hpcbench-sim: %s\n", err.text);
		rc = rc == HB_E_USAGE ? HB_EXIT_USAGE : HB_EXIT_BROKEN;
	}
	free_world(&world);
	return rc;
}

int main(int argc, char **argv)
{
	struct sim_opts o = { 0 };
	union {
		char **in;
		const char **out;
	} words = { argv };

	opt_defaults(sim_opts, &o);
	int rc = play(&o, argc, words.out);
	opt_free(sim_opts, &o);
	return rc;
}
