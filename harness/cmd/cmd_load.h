/*
 * Runs and baselines by the names that people type, for the commands that compare and show them.
 */
#ifndef HPCBENCH_HARNESS_CMD_LOAD_H
#define HPCBENCH_HARNESS_CMD_LOAD_H

#include "harness/accept/accept.h"
#include "harness/cmd/cmd.h"
#include "harness/collect/collect.h"
#include "harness/diagnose/diagnose_run.h"
#include "harness/judge/ack.h"
#include "harness/judge/baseline.h"
#include "harness/localize/findings.h"
#include "harness/plan/nodeset.h"
#include "harness/store/store.h"

struct run_list {
	struct summary *v;
	char **dirs; /* where each is */
	size_t n;
	const struct summary **ptrs; /* to each of v, as the statistics take them */
	struct sheets *merged;       /* of those that load_merged made; they stand last */
	struct run_told *told;       /* of the same */
	size_t n_merged;
};

/* Who is to blame in a stored run. */
struct run_blame {
	struct sheets sheets; /* the findings borrow from them */
	struct findings f;
	const struct run_told *told; /* what nodes told of themselves; NULL: not known */
	struct run_told own;         /* where told points to, if it is not the list's */
	bool stored;                 /* f is what findings.json says */
	bool known; /* false: neither records nor findings.json can be read; f is empty */
};
/*
 * Of run i of the list: made anew from its records where they are there, with the spread that b
 * (NULL: none) stored, as the run itself did; else, and where the run was held against a baseline
 * and b is NULL, what its findings.json says. Marks what is
 * acknowledged (acks may be NULL; after acks_mark).
 */
void load_blame(const struct run_list *runs, size_t i, const struct baseline *b, struct acks *acks,
                struct run_blame *out);
void load_blame_free(struct run_blame *blame);

/*
 * Rules and expected figures for a command that shows runs; site: --rules, NULL: none. CODE_USAGE
 * after a line about what is wrong in the site's; what is missing of ours is one line and no
 * failure.
 */
int load_causes(const char *command, const struct common *common, const char *site,
                struct diagnose_data *out);
/*
 * Why somebody is slow in a stored run: facts, the class that was attained, and causes. with has
 * all but told and findings, which are blame's. Where the findings are those that the run stored,
 * so are the causes.
 */
void load_diagnosis(const struct diagnose_data *data, const char *dir,
                    const struct run_blame *blame, const struct diagnose_input *with,
                    struct run_diagnosis *out);

/* The decisions about the new nodes of a stored run, and all that they borrow from. */
struct run_accept {
	struct suite suite;
	struct plan plan;
	struct summary summary;
	struct sheets sheets;
	struct findings findings;
	struct baseline base; /* that it was held against, where none is named now */
	struct verdicts verdicts;
	struct acceptance acceptance;
	char *note; /* one line that belongs to it; or NULL */
	bool has_plan, has_summary, has_base, decided;
};
struct load_accept_with {
	const struct verdicts *v; /* against b; NULL: against what the run itself was held */
	const struct baseline *b;
	struct acks *acks; /* NULL: none */
};
/* From the records of the run in dir. False: it has no new nodes, or cannot be read; free out in
 * any case. */
bool load_accept(const struct store *s, const char *dir, const struct load_accept_with *with,
                 struct run_accept *out);
void load_accept_free(struct run_accept *a);

/* names: a comma list (store_runs_find). A run that is named twice is HB_E_USAGE. */
int load_runs(const struct store *s, const char *names, struct run_list *out, struct hb_err *err);
/* Several such lists, as they stand on a command line, into one. */
int load_runs_args(const struct store *s, int n, const char **names, struct run_list *out,
                   struct hb_err *err);
/*
 * Adds to a list that may hold others already (ptrs is renewed) what several runs are together:
 * words is a comma list of runs, "label:TEXT" or "array:JOBID", all runs of that label or job
 * array, without the nodes of without (or NULL). dirs has the last one's. *base, where it is taken,
 * is the caller's: the baseline that all of them were held against when they were measured, or
 * NULL.
 */
int load_merged(const struct store *s, const char *words, const struct nodeset *without,
                struct run_list *out, char **base, struct hb_err *err);
void load_runs_free(struct run_list *runs);

/* What run.json of a run says about how it was measured and how it ended. */
struct run_about {
	char *baseline, *launcher; /* NULL: none, or unknown */
	int code;                  /* of `run`; -1: it has not ended, or cannot be told */
};
/* A run without a readable run.json knows nothing; that is no error. */
void load_about(const char *dir, struct run_about *out);
void load_about_free(struct run_about *about);

/*
 * A baseline by name or file. *missing: there is none of that name; err then says where it was
 * looked for.
 */
int load_baseline(const struct store *s, const char *name, struct baseline *out, bool *missing,
                  struct hb_err *err);
/* Is there a baseline of this name, or a file that can only be one? */
bool load_is_baseline(const struct store *s, const char *name);

/*
 * The newest runs of the store whose ids are not in the n known ones, at most max of them and
 * at most 64 MiB of summaries, as a baseline of their common keys: a source of spread. Runs that
 * are partial, injected, unreadable, or such that baseline_objection refuses them are passed
 * over. Returns how many there are; with none out
 * is empty.
 */
size_t load_stored(const struct store *s, const char *const *known, size_t n, size_t max,
                   struct baseline *out);

#endif
