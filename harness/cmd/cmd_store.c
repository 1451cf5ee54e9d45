/* `hpcbench store`: keeps the store small and whole, and moves runs between stores. */
#include "harness/cmd/cmd_store.h"

#define AT(field) offsetof(struct store_opts, field)
static const struct opt store_opts[] = {
	{ OPT_GROUP, 0, NULL, NULL, "prune: which runs may go; all that is said must allow it",
	  NULL, 0, 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "keep-days", "D", "those that are older than D days", NULL, AT(keep_days),
	  0, 0, NULL, 0 },
	{ OPT_STRING, 0, "keep", "N", "all but the newest N (of the label)", NULL, AT(keep), 0, 0,
	  NULL, 0 },
	{ OPT_STRING, 0, "label", "TEXT", "only runs with this label", NULL, AT(label), 0, 0, NULL,
	  0 },
	{ OPT_FLAG, 0, "samples-only", NULL,
	  "remove the single timings (samples.jsonl) alone: figures and verdicts stay, what "
	  "stands behind them can no longer be shown",
	  NULL, AT(samples_only), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "dry-run", NULL, "only tell what would go", NULL, AT(dry_run), 0, 0, NULL,
	  0 },
	{ OPT_GROUP, 0, NULL, NULL, "export", NULL, 0, 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "to", "FILE.tar|DIR",
	  "a new archive, or a folder, which then is a store itself (hpcbench-ID.tar)", NULL,
	  AT(to), 0, 0, NULL, 0 },
	{ OPT_STRINGS, 0, "baseline", "NAME", "this baseline too; may be repeated", NULL,
	  AT(baselines), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "no-samples", NULL, "without the single timings", NULL, AT(no_samples), 0, 0,
	  NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

static const struct {
	const char *name;
	int (*run)(const struct common *common, const struct store_opts *o, const struct store *s,
	           int argc, const char **argv);
	bool writes; /* makes the store where it is missing */
} actions[] = { { "prune", cmd_store_prune, false },
	        { "verify", cmd_store_verify, false },
	        { "export", cmd_store_export, false },
	        { "import", cmd_store_import, true } };
enum { N_ACTIONS = sizeof actions / sizeof *actions };

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct hb_err err = { 0 };
	struct store s;
	size_t i = 0;
	while (argc && i < N_ACTIONS && strcmp(argv[0], actions[i].name) != 0)
		i++;
	if (!argc || i == N_ACTIONS)
		return cmd_error_text(
		        "store", CODE_USAGE, "needs prune, verify, export or import%s%s%s",
		        argc ? ", not \"" : "", argc ? argv[0] : "", argc ? "\"" : "");
	if (store_open(common->store, actions[i].writes, &s, &err) != HB_OK)
		return cmd_error("store", &err);
	int code = actions[i].run(common, opts, &s, argc - 1, argv + 1);
	store_close(&s);
	return code;
}

const struct command cmd_store = {
	.name = "store",
	.usage =
	        "prune | verify [RUN...] | export RUN... [--to FILE.tar|DIR] | import FILE.tar|DIR",
	.summary = "remove old runs, look for damage, move runs between stores",
	.text = "prune removes runs that nobody needs: never one that a baseline of the store "
	        "names, never one that is being measured; it needs --keep-days, --keep or --label, "
	        "and without them only tells what there is. Temporary files of writers that died "
	        "go too, a day later. verify reads everything strictly and prints a line a "
	        "problem: exit 10 with problems, 20 where something cannot be read. export writes "
	        "runs, and with --baseline baselines, to an archive that import, or tar, takes "
	        "apart again; nothing that exists is ever overwritten.",
	.opts = store_opts,
	.opts_size = sizeof(struct store_opts),
	.by_hand = true,
	.run = run,
};
