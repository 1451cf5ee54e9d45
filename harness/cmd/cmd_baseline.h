/* What the files of `hpcbench baseline` share. */
#ifndef HPCBENCH_HARNESS_CMD_BASELINE_H
#define HPCBENCH_HARNESS_CMD_BASELINE_H

#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_load.h"
#include "harness/plan/nodeset.h"

struct baseline_opts {
	char *reason, *exclude, *from, *to;
	struct opt_strings merge;
	int force, extend;
};

/* What would be recorded, while it is decided whether it may be. */
struct recording {
	const struct baseline_opts *opts;
	const char *action; /* "record" or "rebase": the command that is spelled out in messages */
	const char *name;
	char *path;
	struct run_list runs;   /* those of --merge stand last */
	struct nodeset exclude; /* nodes that do not enter */
	struct baseline b;      /* existed: as read; else made from the runs */
	bool existed;
	struct diagnose_data causes; /* what runs are diagnosed with */
};

/* The actions; argv: what stands behind their name. */
int cmd_baseline_record(const struct common *common, const struct baseline_opts *o, int argc,
                        const char **argv);
int cmd_baseline_rebase(const struct common *common, const struct baseline_opts *o, int argc,
                        const char **argv);

/* Opens the store for writing; name: checked, and its path set. Prints; CODE_OK or how to end. */
int baseline_begin(const struct common *common, struct recording *r, struct store *s);
/*
 * Loads the runs that words and --merge name without the nodes to exclude, and reads what exists.
 * Prints; CODE_OK or how to end.
 */
int baseline_load(struct recording *r, const struct store *s, int n, const char **words);
/* CODE_OK if every run may be recorded, else says which not and why. */
int baseline_check(const struct recording *r);
/* Takes the nodes of --exclude, and those of an earlier one where a baseline is extended, out of
 * the runs. Prints; CODE_OK or how to end. */
int baseline_exclude(struct recording *r, const struct store *s);
void baseline_tell_excluded(const struct recording *r, struct doc *d);
/* What --merge named for this run; NULL: it is none of several. */
const char *baseline_merge_words(const struct recording *r, size_t run);
/* Writes the new or extended baseline; prints on failure. */
int baseline_write(struct recording *r);
/* The lines about what was written, into a new document's text and data. */
void baseline_tell(const struct recording *r, struct doc *d);
void baseline_end(struct recording *r);
char *baseline_now(void); /* UTC, ISO 8601; the caller frees */

#endif
