/* `hpcbench accept`: a run with new nodes and controls, and a decision about each new node. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_run.h"
#include "harness/cmd/cmd_run_rows.h"
#include "harness/cmd/progress.h"
#include "harness/measure/measure_controls.h"

#define AT(field) offsetof(struct run_opts, field)
static const struct opt accept_opts[] = {
	RUN_ROWS_WHAT("the benchmarks, see hpcbench list suites (acceptance)"),
	RUN_ROWS_LAUNCHER("srun"),
	{ OPT_STRING, 0, "controls", "NODESET|auto|none",
	  "nodes that are known to be good; auto: idle ones of the same hardware class, of the "
	  "baseline first, then those with good figures",
	  "auto", AT(controls), 0, 0, NULL, 0 },
	RUN_ROWS_ORDER,
	{ OPT_SECONDS, 0, "budget", "T", "fewer rounds of pairs, if they do not fit into this time",
	  NULL, AT(budget), RUN_BUDGET_MIN_S, RUN_BUDGET_MAX_S, NULL, 0 },
	RUN_ROWS_CLUSTER,
	RUN_ROWS_RESULT,
	{ OPT_FLAG, 0, "drain", NULL,
	  "take nodes that are rejected and confirmed out of service in Slurm, at most one in "
	  "twenty of the run's nodes, or one",
	  NULL, AT(drain), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

/* What the command line makes of the two node sets; strings are owned. */
struct sets {
	struct nodeset new_nodes;
	char *nodes, *controls, *note;
};

/* Controls that are named: they must be others than the new nodes. */
static int named(const struct run_opts *o, struct sets *s, struct hb_err *err)
{
	struct nodeset controls = { 0 };
	int rc = nodeset_parse(o->controls, &controls, err);

	if (rc != HB_OK)
		return hb_fail(err, HB_E_USAGE, "--controls: %.400s", err->text);
	for (size_t i = 0; rc == HB_OK && i < controls.n; i++)
		if (nodeset_find(&s->new_nodes, controls.v[i]) >= 0)
			rc = hb_fail(err, HB_E_USAGE,
			             "%.80s is a new node and a control; a node that is judged "
			             "cannot be what it is judged by",
			             controls.v[i]);
	if (rc == HB_OK && controls.n < ACCEPT_CONTROLS_MIN)
		rc = hb_fail(err, HB_E_USAGE,
		             "--controls: %zu node%s; at least %d are needed, or none at all "
		             "(--controls none)",
		             controls.n, controls.n == 1 ? "" : "s", ACCEPT_CONTROLS_MIN);
	if (rc == HB_OK)
		s->controls = nodeset_text(&controls);
	nodeset_free(&controls);
	return rc;
}

static int none(struct sets *s, struct hb_err *err)
{
	if (s->new_nodes.n < ACCEPT_ALONE_MIN)
		return hb_fail(err, HB_E_USAGE,
		               "--controls none: new nodes can only judge each other from %d on, "
		               "there %s %zu",
		               ACCEPT_ALONE_MIN, s->new_nodes.n == 1 ? "is" : "are",
		               s->new_nodes.n);
	s->controls = hb_strdup("");
	return HB_OK;
}

static int automatic(const struct common *common, const struct run_opts *o, struct sets *s,
                     struct hb_err *err)
{
	const struct measure_request r = { .launcher = o->launcher,
		                           .baseline = o->baseline,
		                           .alloc = (const char *const *)o->alloc.v,
		                           .n_alloc = o->alloc.n,
		                           .step = (const char *const *)o->step.v,
		                           .n_step = o->step.n,
		                           .signal_fd = -1 };
	struct store store = { 0 };
	struct progress progress;
	int rc = store_open(common->store, false, &store, err);

	if (rc != HB_OK) /* nothing was measured yet, so nothing is known of nodes */
		store = (struct store){ 0 };
	rc = measure_controls_auto(&r, store.path ? &store : NULL, &s->new_nodes, &s->controls,
	                           &s->note, err);
	if (store.path)
		store_close(&store);
	if (rc != HB_OK)
		return rc;
	progress_init(&progress, common->quiet, common->verbose);
	progress_note(&progress, "info", s->note);
	return HB_OK;
}

/* Which nodes are new, and which are the controls. */
static int find_sets(const struct common *common, const struct run_opts *o, const char *nodes,
                     struct sets *s, struct hb_err *err)
{
	int rc = nodeset_parse(nodes, &s->new_nodes, err);

	if (rc != HB_OK)
		return hb_fail(err, HB_E_USAGE, "%.400s", err->text);
	if (s->new_nodes.n == 0)
		return hb_fail(err, HB_E_USAGE, "NODES names no node");
	if (strcmp(o->controls, "none") == 0)
		rc = none(s, err);
	else if (strcmp(o->controls, "auto") == 0)
		rc = automatic(common, o, s, err);
	else
		rc = named(o, s, err);
	s->nodes = nodeset_text(&s->new_nodes);
	return rc;
}

static void sets_free(struct sets *s)
{
	nodeset_free(&s->new_nodes);
	free(s->nodes);
	free(s->controls);
	free(s->note);
}

/* What cannot be; NULL: nothing. */
static const char *contradiction(const struct run_opts *o)
{
	if (o->drain && strcmp(o->launcher, "srun") != 0)
		return "--drain is for nodes of Slurm: it needs --launcher srun";
	if (o->drain && o->profile && strchr(o->profile, ','))
		return "--drain: with several profiles a node has several decisions; give one";
	if (o->drain && o->inject)
		return "--drain: what is slowed down on purpose (--inject) is nobody's fault";
	return NULL;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct run_opts o = *(const struct run_opts *)opts; /* what it owns stays with opts */
	const char *wrong = contradiction(&o);
	bool resumed = o.resume && strcmp(o.resume, "job") != 0;
	char suite[] = "acceptance", shape[] = "rounds";
	struct sets s = { 0 };
	struct hb_err err;

	if (wrong)
		return cmd_error_text("accept", CODE_USAGE, "%s", wrong);
	if (argc == 0 && !resumed)
		return cmd_error_text("accept", CODE_USAGE,
		                      "needs the new nodes, as in hpcbench accept n[17-20] "
		                      "--controls n[01-08]");
	if (argc > 1)
		return cmd_error_text("accept", CODE_USAGE,
		                      "one node set is wanted, not %d, as in hpcbench accept "
		                      "n[17-20,25]",
		                      argc);
	o.command = "accept";
	o.hold_groups = o.records != RECORDS_FILES;
	if (!o.suite && !o.bench)
		o.suite = suite;
	o.controls = NULL;
	if (!resumed) {
		int rc = find_sets(common, opts, argv[0], &s, &err);
		if (rc != HB_OK) {
			sets_free(&s);
			return cmd_error("accept", &err);
		}
		o.nodes = s.nodes;
		o.controls = s.controls;
		if (!*s.controls)
			o.shape = shape;
	}
	int code = cmd_run_go(common, &o);
	sets_free(&s);
	return code;
}

const struct command cmd_accept = {
	.name = "accept",
	.usage = "NODES [--controls NODESET|auto|none] [--baseline NAME] [options]",
	.summary = "measure new nodes beside good ones, and decide about each",
	.text = "A run in which each of NODES is measured alone, then with several controls, nodes "
	        "that are known to be good, so that what the fabric does at that hour is the same "
	        "for both; what looks slow is measured again, and collectives run over the nodes "
	        "that are accepted. Each new node is accepted, rejected, not decided or not "
	        "measured, with the evidence, the number of controls behind it, the smallest loss "
	        "that would have been noticed and, where it is rejected, the command that drains "
	        "it. A control that is slow itself is told and acquits nobody. It is stored as any "
	        "run; hpcbench report prints the decisions again. Exits 0 when all are accepted, "
	        "10 "
	        "when one is rejected, 13 when one was not measured, 12 without the baseline, 11 "
	        "when one is not decided, 20 when hpcbench or the launcher failed. With --resume "
	        "RUN the nodes are the run's. Nothing is changed on the cluster but with --drain",
	.opts = accept_opts,
	.opts_size = sizeof(struct run_opts),
	.partition = cmd_run_partition,
	.run = run,
};
