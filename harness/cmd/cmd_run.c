/* `hpcbench run`: measures a suite, stores it, and with a baseline judges it. */
#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_report.h"
#include "harness/cmd/cmd_run.h"
#include "harness/cmd/cmd_run_rows.h"
#include "harness/cmd/progress.h"
#include "harness/plan/plan_shard.h"
#include "harness/report/report_probe.h"
#include "harness/slurm/slurm.h"

enum { ROUNDS_MAX = 65536, PAIRS_MAX = 65536, LABEL_MAX = 256, PORT_MAX = 65535 };

const struct opt_choice cmd_run_records[] = {
	{ "channel", RECORDS_CHANNEL, 0, "ranks connect to this host" },
	{ "files", RECORDS_FILES, 0,
	  "ranks write into the run's folder, which all nodes must see" },
	{ NULL, 0, 0, NULL },
};

#define AT(field) offsetof(struct run_opts, field)
static const struct opt run_opts[] = {
	RUN_ROWS_WHAT("the benchmarks, see hpcbench list suites (quick)"),
	RUN_ROWS_LAUNCHER("local"),
	{ OPT_STRING, 0, "nodes", "NODESET", "which nodes: n[001-064]", NULL, AT(nodes), 0, 0, NULL,
	  0 },
	{ OPT_STRING, 0, "controls", "NODESET",
	  "nodes that are known to be good, of --nodes or beside them: the others are new", NULL,
	  AT(controls), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "shape", "WHO",
	  "who meets whom: rounds (all each other), star (new nodes controls alone), both (with "
	  "--controls the default)",
	  NULL, AT(shape), 0, 0, NULL, 0 },
	RUN_ROWS_ORDER,
	{ OPT_SECONDS, 0, "budget", "T",
	  "leave out what does not fit into this time, beginning with the nodes that were measured "
	  "last",
	  NULL, AT(budget), RUN_BUDGET_MIN_S, RUN_BUDGET_MAX_S, NULL, 0 },
	{ OPT_STRING, 0, "shard", "I/N", "only part I of N of the nodes: one task of a job array",
	  NULL, AT(shard), 0, 0, NULL, 0 },
	RUN_ROWS_CLUSTER,
	RUN_ROWS_RESULT,
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

static int parse_whole(const char *name, const char *text, uint64_t max, uint64_t *out,
                       struct hb_err *err)
{
	size_t len = strlen(text);
	uint64_t v = 0;

	if (len == 0 || strspn(text, "0123456789") != len || len > 19)
		return hb_fail(err, HB_E_USAGE, "--%s '%.64s': a whole number is wanted", name,
		               text);
	for (size_t i = 0; i < len; i++)
		v = v * 10 + (uint64_t)(text[i] - '0');
	if (v > max)
		return hb_fail(err, HB_E_USAGE, "--%s %s: at most %llu", name, text,
		               (unsigned long long)max);
	*out = v;
	return HB_OK;
}

static int parse_ports(const char *text, int *lo, int *hi, struct hb_err *err)
{
	const char *dash = strchr(text, '-');
	uint64_t from = 0, to = 0;
	char *first = hb_strndup(text, dash ? (size_t)(dash - text) : strlen(text));
	int rc = parse_whole("port-range", first, PORT_MAX, &from, err);

	if (rc == HB_OK)
		rc = parse_whole("port-range", dash ? dash + 1 : first, PORT_MAX, &to, err);
	free(first);
	if (rc == HB_OK && (from == 0 || to < from))
		rc = hb_fail(err, HB_E_USAGE,
		             "--port-range '%.40s': LO-HI with 1 <= LO <= HI is wanted", text);
	*lo = (int)from;
	*hi = (int)to;
	return rc;
}

static void fill_cluster(const struct run_opts *o, struct measure_request *r)
{
	r->files = o->records == RECORDS_FILES;
	r->control_address = o->control_address;
	r->alloc = (const char *const *)o->alloc.v;
	r->n_alloc = o->alloc.n;
	r->step = (const char *const *)o->step.v;
	r->n_step = o->step.n;
}

static int fill_request(const struct run_opts *o, const struct measure_inject *inject,
                        struct measure_request *r, struct hb_err *err)
{
	uint64_t rounds = 0, pairs = 0;
	int rc = HB_OK;

	*r = (struct measure_request){ .suite = o->suite,
		                       .bench = o->bench,
		                       .nodes = o->nodes,
		                       .launcher = o->launcher,
		                       .sizes = o->sizes,
		                       .label = o->label,
		                       .baseline = o->baseline,
		                       .rules = o->rules,
		                       .rounds = -1,
		                       .precision = o->precision,
		                       .max_time_s = o->max_time,
		                       .confirm = !o->no_confirm,
		                       .max_pairs = -1,
		                       .controls = o->controls,
		                       .topology = o->topology,
		                       .shape = o->shape ? plan_shape_parse(o->shape) : -1,
		                       .inject = inject->spec ? inject : NULL,
		                       .hold_groups = o->hold_groups,
		                       .facts_only = o->facts_only,
		                       .signal_fd = -1 };
	if (o->label && strlen(o->label) > LABEL_MAX)
		return hb_fail(err, HB_E_USAGE, "--label: at most %d bytes, not %zu", LABEL_MAX,
		               strlen(o->label));
	if (o->shape && r->shape < 0)
		return hb_fail(err, HB_E_USAGE, "--shape '%.40s': rounds, star or both is wanted",
		               o->shape);
	if (o->rounds && strcmp(o->rounds, "all") == 0) {
		r->rounds = 0;
	} else if (o->rounds) {
		rc = parse_whole("rounds", o->rounds, ROUNDS_MAX, &rounds, err);
		if (rc == HB_OK && rounds == 0)
			rc = hb_fail(err, HB_E_USAGE, "--rounds 0: at least 1, or all");
		r->rounds = (int)rounds;
	}
	if (rc == HB_OK && o->max_pairs) {
		rc = parse_whole("max-pairs", o->max_pairs, PAIRS_MAX, &pairs, err);
		r->max_pairs = (int)pairs;
	}
	if (rc == HB_OK && o->port_range)
		rc = parse_ports(o->port_range, &r->port_lo, &r->port_hi, err);
	fill_cluster(o, r);
	r->budget_s = o->budget;
	if (rc == HB_OK && o->shard)
		rc = plan_shard_parse(o->shard, &r->shard, &r->shards, err);
	r->max_wait_s = o->max_wait;
	r->resume = o->resume;
	if (rc == HB_OK && o->seed)
		return parse_whole("seed", o->seed, INT64_MAX, &r->seed, err);
	/* Small enough to be typed again, and exact in every JSON reader. */
	if (getrandom(&r->seed, sizeof r->seed, 0) != (ssize_t)sizeof r->seed)
		r->seed = (uint64_t)time(NULL);
	r->seed %= 1000000000;
	return rc;
}

/* Blocks the signals that ask to stop and reads them from a descriptor instead. */
static int open_signals(sigset_t *old)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		/* What is ignored on purpose (nohup) stays ignored. */
		if (sigaction(wanted[i], NULL, &now) != 0 || now.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static const char *command_of(const struct run_opts *o)
{
	return o->command ? o->command : "run";
}

static void print_result(const struct common *common, const struct run_opts *o,
                         const struct measure *m)
{
	struct drained drained = { 0 };
	if (!m->has_summary)
		return;
	if (o->facts_only || report_is_probe(&m->summary, &m->told.facts)) {
		cmd_probe_print(common, o, m);
		return;
	}
	if (o->drain)
		cmd_accept_drain(m, &drained);
	const struct summary *one = &m->summary;
	struct report_run in = { .runs = &one,
		                 .n = 1,
		                 .v = m->judged ? &m->verdicts : NULL,
		                 .base = m->req.baseline,
		                 .dir = m->dir,
		                 .code = m->code,
		                 .past_code = -1,
		                 .launcher = m->req.launcher,
		                 .acks = &m->acks,
		                 .b = m->has_base ? &m->base : NULL,
		                 .f = m->sheets.n ? &m->findings : NULL,
		                 .why = run_diagnosis_of(&m->why),
		                 .attained = &m->why.attained,
		                 .wire = m->why.wire,
		                 .accept = m->accepting ? &m->acceptance : NULL,
		                 .drained = drained.v,
		                 .n_drained = drained.n };
	struct doc *d = report_run_doc(&in);
	cmd_print(common, d);
	doc_free(d);
	cmd_accept_drain_free(&drained);
}

static int measure(const struct common *common, const struct run_opts *o, struct measure *m,
                   const struct store *s)
{
	struct progress progress;
	struct hb_err err;
	sigset_t old;

	progress_init(&progress, common->quiet, common->verbose);
	if (m->suite.note)
		progress_note(&progress, "info", m->suite.note);
	if (m->budget_note)
		progress_note(&progress, "info", m->budget_note);
	if (m->polite_note)
		progress_note(&progress, "info", m->polite_note);
	if (m->topo_note)
		progress_note(&progress, "warn", m->topo_note);
	if (m->causes.warning)
		progress_note(&progress, "warn", m->causes.warning);
	if (m->ledger_note)
		progress_note(&progress, "warn", m->ledger_note);
	m->req.signal_fd = open_signals(&old);
	m->req.progress = progress_update;
	m->req.note = progress_note;
	m->req.output = progress_output;
	m->req.ctx = &progress;
	int rc = measure_run(m, s, &err);
	progress_end(&progress);
	if (m->req.signal_fd >= 0)
		close(m->req.signal_fd);
	if (rc != HB_OK)
		cmd_error(command_of(o), &err);
	print_result(common, o, m);
	/* A second signal that is still pending would now end us before the code is returned. */
	return m->code;
}

static int run_with(const struct common *common, const struct run_opts *o,
                    const struct measure_request *req, char **id)
{
	struct store s = { 0 };
	struct measure m;
	struct hb_err err;
	int code = CODE_OK;

	/* A dry run needs the store only to find a baseline; what it knows of nodes may be missing.
	 */
	if (store_open(common->store, !o->dry_run, &s, &err) != HB_OK) {
		if (!o->dry_run || o->baseline)
			return cmd_error(command_of(o), &err);
		s.path = NULL;
	}
	if (measure_prepare(req, &s, &m, &code, &err) != HB_OK) {
		store_close(&s);
		return cmd_error_text(command_of(o), code, "%s", err.text);
	}
	if (o->dry_run)
		code = cmd_run_dry(common, &m);
	else
		code = measure(common, o, &m, &s);
	*id = hb_strdup(m.id);
	measure_free(&m);
	store_close(&s);
	return code;
}

/* All that a run of one profile needs beside it. */
struct run_task {
	const struct common *common;
	const struct run_opts *opts;
	struct measure_request req;
};

static int run_one(void *ctx, const struct profile *p, char **id)
{
	struct run_task *t = ctx;

	t->req.profile = p;
	return run_with(t->common, t->opts, &t->req, id);
}

const char *cmd_run_partition(const void *own)
{
	const struct run_opts *o = own;
	const char *job = getenv("SLURM_JOB_ID"), *name = NULL;

	if (job && *job)
		return getenv("SLURM_JOB_PARTITION");
	for (size_t i = 0; i < o->alloc.n; i++)
		if (strncmp(o->alloc.v[i], "partition=", 10) == 0)
			name = o->alloc.v[i] + 10;
	return name;
}

/* Options of an allocation where none is made; the configuration's are for when there is one. */
static int check_alloc(const struct common *common, const struct run_opts *o, struct hb_err *err)
{
	const char *job = slurm_job_here(), *arg, *name;
	const struct launcher_ops *ops;

	name = o->max_wait > 0 && cmd_said(common, "max-wait") ? "max-wait"
	       : o->alloc.n > 0 && cmd_said(common, "alloc")   ? "alloc"
	                                                       : NULL;
	if (!name || o->resume || launcher_find(o->launcher, &ops, &arg, err) != HB_OK)
		return HB_OK; /* an unknown launcher is told later */
	if (!ops->allocates)
		return hb_fail(err, HB_E_USAGE,
		               "--%s is for an allocation, and launcher %s makes none; srun does, "
		               "outside of a job",
		               name, ops->name);
	return job ? hb_fail(err, HB_E_USAGE, "--%s is for a new allocation; this is inside job %s",
	                     name, job)
	           : HB_OK;
}

int cmd_run_go(const struct common *common, const struct run_opts *o)
{
	struct measure_inject inject = { 0 };
	struct run_task task = { .common = common, .opts = o };
	struct hb_err err;
	int rc = HB_OK;

	if (o->resume && o->profile && strchr(o->profile, ','))
		return cmd_error_text(
		        command_of(o), CODE_USAGE,
		        "--resume goes on with one run; say --no-profile or one name");
	rc = check_alloc(common, o, &err);
	if (rc == HB_OK && o->inject)
		rc = measure_inject_parse(o->inject, &inject, &err);
	if (rc == HB_OK)
		rc = fill_request(o, &inject, &task.req, &err);
	task.req.config = common->config;
	int code = rc == HB_OK ? cmd_run_profiles(common, o->profile, run_one, &task)
	                       : cmd_error(command_of(o), &err);
	measure_inject_free(&inject);
	return code;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	if (argc > 0)
		return cmd_error_text("run", CODE_USAGE,
		                      "what is '%.64s'? A suite is named with --suite", argv[0]);
	return cmd_run_go(common, opts);
}

static int plan(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct run_opts o = *(const struct run_opts *)opts;

	o.command = "plan";
	o.dry_run = 1;
	if (argc > 0)
		return cmd_error_text("plan", CODE_USAGE,
		                      "what is '%.64s'? A suite is named with --suite", argv[0]);
	return cmd_run_go(common, &o);
}

const struct command cmd_run = {
	.name = "run",
	.usage = "[--suite NAME|FILE] [--launcher L] [--baseline NAME] [options]",
	.summary = "measure, store, and compare with a baseline",
	.text = "Without options: the suite quick on this host. Everything measured is stored, "
	        "also when the run is interrupted. With a baseline what looks slow is measured "
	        "again beside a good control before it is called regressed. Exits 0 when nothing "
	        "is wrong, 10 on findings, 11 when something is suspect, 12 without the baseline, "
	        "13 when something was not measured, 20 when hpcbench or the launcher failed. "
	        "With --resume the suite, the nodes, the seed, the launcher and the label are the "
	        "run's; what else the command line says of them is not looked at",
	.opts = run_opts,
	.opts_size = sizeof(struct run_opts),
	.partition = cmd_run_partition,
	.run = run,
};

const struct command cmd_plan = {
	.name = "plan",
	.usage = "[--suite NAME|FILE] [--launcher L] [--baseline NAME] [options]",
	.summary = "what a run would start, how long it takes, what it would find",
	.text = "The same as hpcbench run --dry-run, with the options of run (and their "
	        "configuration). Nothing is started. Prints the steps with their commands, the "
	        "jobs, "
	        "the time that they should take and what may join it (extra pairs, the confirming "
	        "rerun), and with a baseline the smallest slowdown that one run would find: of a "
	        "node "
	        "and of the cluster against the baseline, of a node against the others of the run.",
	.opts = run_opts,
	.opts_size = sizeof(struct run_opts),
	.like = "run",
	.partition = cmd_run_partition,
	.run = plan,
};
