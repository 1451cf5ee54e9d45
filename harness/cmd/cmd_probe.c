/* `hpcbench probe`: facts of nodes alone, and where they differ. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_run.h"
#include "harness/cmd/cmd_run_rows.h"
#include "harness/report/report_probe.h"

#define AT(field) offsetof(struct run_opts, field)
static const struct opt probe_opts[] = {
	{ OPT_GROUP, 0, NULL, NULL, "What is asked", NULL, 0, 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "suite", "NAME|FILE", "how nodes are asked (probe)", NULL, AT(suite), 0, 0,
	  NULL, 0 },
	RUN_ROWS_LAUNCHER(NULL),
	{ OPT_STRING, 0, "nodes", "NODESET", "which nodes: the same as NODES", NULL, AT(nodes), 0,
	  0, NULL, 0 },
	{ OPT_STRING, 0, "topology", "FILE|slurm|none",
	  "which node hangs on which leaf switch: nothing of a probe depends on it", "none",
	  AT(topology), 0, 0, NULL, 0 },
	RUN_ROWS_CLUSTER,
	{ OPT_GROUP, 0, NULL, NULL, "What becomes of it", NULL, 0, 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "baseline", "NAME|FILE", "tell what is not as it was in this baseline",
	  NULL, AT(baseline), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "rules", "PATH",
	  "rules of this site beside those that come along: a file, or a folder of *.json", NULL,
	  AT(rules), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "format", "FORMAT", "one of hpcbench list formats (text)", NULL,
	  AT(format), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "label", "TEXT", "a word of yours to find the run again", NULL, AT(label),
	  0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "dry-run", NULL, "only show what would be started, as hpcbench plan does",
	  NULL, AT(dry_run), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

void cmd_probe_print(const struct common *common, const struct run_opts *o, const struct measure *m)
{
	struct facts base = { 0 };
	struct report_probe in = { .s = &m->summary,
		                   .facts = &m->told.facts,
		                   .base_name = m->req.baseline,
		                   .why = m->why.known ? &m->why.d : NULL,
		                   .dir = m->dir,
		                   .code = m->code };
	bool known = m->has_base && m->base.facts &&
	             facts_from_json(m->base.facts, m->base.name ? m->base.name : "baseline", &base,
	                             NULL) == HB_OK;

	if (known)
		in.base = &base;
	struct doc *d = report_probe_doc(&in);

	cmd_print_as(common, d, o->format);
	doc_free(d);
	if (known)
		facts_free(&base);
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct run_opts o = *(const struct run_opts *)opts; /* what it owns stays with opts */
	char suite[] = "probe", local[] = "local", srun[] = "srun";

	if (argc > 1)
		return cmd_error_text("probe", CODE_USAGE,
		                      "one node set is wanted, not %d, as in hpcbench probe "
		                      "n[17-20,25]",
		                      argc);
	if (o.format && !report_find(o.format))
		return cmd_error_text("probe", CODE_USAGE,
		                      "no format \"%s\", see hpcbench list formats", o.format);
	char *named = argc == 1 ? hb_strdup(argv[0]) : NULL;
	o.command = "probe";
	o.facts_only = true;
	o.no_confirm = 1;
	if (!o.suite)
		o.suite = suite;
	if (named)
		o.nodes = named;
	if (!o.launcher)
		o.launcher = o.nodes ? srun : local;
	int code = cmd_run_go(common, &o);

	free(named);
	return code;
}

const struct command cmd_probe = {
	.name = "probe",
	.usage = "[NODES] [--launcher L] [--baseline NAME] [options]",
	.summary = "what the nodes are, and where they differ",
	.text = "Measures nothing: each node tells what it is, from firmware to environment, and "
	        "checks names and connections to others. Prints what nodes of one hardware class "
	        "do not agree about, what is not as it was in the baseline, and what is wrong "
	        "between hosts: addresses that two nodes have, names that resolve to different "
	        "things, connections that failed, clocks that differ. Without NODES this host, "
	        "with NODES those of Slurm. It is stored as any run; facts.json has every fact "
	        "with its source. Exits 0 when nothing is wrong (also where nodes differ), 10 when "
	        "two nodes have one address or something else is surely wrong, 13 when a node was "
	        "not reached, 12 without the baseline, 20 when hpcbench or the launcher failed",
	.opts = probe_opts,
	.opts_size = sizeof(struct run_opts),
	.partition = cmd_run_partition,
	.run = run,
};
