/*
 * collect: records.jsonl -> summary.json. Reads a run directory (untrusted), joins records with
 * the plan, scores nodes over their pairs, and lists what was not measured and why. Nothing
 * measured is lost because something else failed.
 */
#ifndef HPCBENCH_HARNESS_COLLECT_H
#define HPCBENCH_HARNESS_COLLECT_H

#include "harness/collect/summary.h"
#include "harness/facts/facts.h"
#include "harness/localize/findings.h"
#include "harness/plan/plan.h"

/*
 * Collects DIR/plan.json, DIR/run.json (if there), DIR/records.jsonl into out. A record line that
 * does not parse is counted and named in a loss, never fatal; a missing plan is HB_E_FORMAT.
 */
int collect_run(const char *dir, struct summary *out, struct hb_err *err);
/*
 * The same as if the nodes of without had not been there: what was measured with one of them makes
 * no row and no loss. Groups of all nodes are gone with it. without may be NULL.
 */
int collect_run_without(const char *dir, const struct nodeset *without, struct summary *out,
                        struct hb_err *err);

/*
 * Collects n runs of one suite, the shards of a job array, as if they had been one: every figure is
 * computed from the units of all. A node that several measured counts with the newest run in which
 * it has figures; whoever shared a pair or group with its older self loses that one. A shard that
 * is missing, or did not finish, is a loss. without: as above. HB_E_USAGE: they are not of one
 * kind.
 */
int collect_runs(const char *const *dirs, size_t n, const struct nodeset *without,
                 struct summary *out, struct hb_err *err);

/* What was told of the nodes; counters: in the phases main and extra. */
struct scene_event;
struct run_told {
	struct facts facts;         /* of the plan's nodes, by their numbers there */
	struct scene_event *events; /* harness/diagnose/diagnose.h; at most RUN_EVENTS_MAX */
	size_t n_events, cap_events;
};
enum { RUN_EVENTS_MAX = 4096 };
void run_told_free(struct run_told *t); /* also where it is all zero */

/*
 * The same in one pass with the sheets of the runs' pairs, for findings_make: one for each entry,
 * case and hardware class pair, of the headline metric where that is judged, over several nodes,
 * phases main and extra. sheets is made new; free it with sheets_free, also where it is empty.
 * told (NULL: not wanted) is what nodes told, sorted; made new, and to be freed, likewise.
 */
int collect_run_sheets(const char *dir, struct summary *out, struct sheets *sheets,
                       struct run_told *told, struct hb_err *err);
int collect_runs_sheets(const char *const *dirs, size_t n, const struct nodeset *without,
                        struct summary *out, struct sheets *sheets, struct run_told *told,
                        struct hb_err *err);

/*
 * What of a run's units is done, for going on with it: tries[unit] is the highest attempt that left
 * a record (0: none), ended[unit] whether it need not be measured again: it ended, and not because
 * somebody gave it up. Both have n entries, the plan's next_unit; the caller has cleared them.
 */
int collect_done(const char *dir, uint64_t *tries, unsigned char *ended, uint64_t n,
                 struct hb_err *err);

/*
 * Jobs of pairs of the main part that got no answer, or whose figures never came, although both
 * ends answer others: they lost less than half of their own, and are not in out_of_it (a flag a
 * node: known to be silent or dead). None that was measured again already. of: how many jobs of
 * pairs there are. The caller frees out->v, also after a failure.
 */
struct collect_lost_job {
	size_t step, job; /* places in the plan */
};
struct collect_lost {
	struct collect_lost_job *v;
	size_t n, of;
};
int collect_lost_pairs(const char *dir, const bool *out_of_it, struct collect_lost *out,
                       struct hb_err *err);

#endif
