/* A step on imaginary nodes with real processes, run to its end and read back. */
#ifndef HPCBENCH_TESTS_LAUNCH_BED_H
#define HPCBENCH_TESTS_LAUNCH_BED_H

#include "bench/base/buf.h"
#include "harness/launch/launch.h"

/* What a test sees of a run. */
struct bed {
	char dir[64];
	struct suite suite;
	struct plan plan;
	struct launch *l;
	enum step_status status;
	char reason[480];
	struct buf records, journal, notes;
	int signal_fd, wait_progress;
};

void must(int rc, const struct hb_err *err);
void make_plan(struct bed *b, const char *nodes);
/* Runs the plan's only step; wait_progress: SIGINT is raised at the first job. */
struct bed *run_on(const char *nodes, const struct launcher_ops *ops, const char *arg,
                   int signal_fd, int wait_progress);
/* The same with records by files. */
struct bed *run_files(const char *nodes, const struct launcher_ops *ops, const char *arg);
/* A file of the run directory. */
void bed_read(const struct bed *b, const char *name, struct buf *out);
/* The same on n[1-4] with a simulated cluster that has these faults (JSON array elements, or "").
 */
struct bed *run_sim(const struct launcher_ops *ops, const char *faults);
/* The same, each unit taking so long in real time. */
struct bed *run_slowly(const struct launcher_ops *ops, const char *faults, int delay_ms);
void bed_free(struct bed *b);

/* Commands of launchers: the simulator; one all of whose ranks go when one goes; and in place of
 * both what site->arg says to the shell. */
int sim_plain(const struct launch_what *w, struct launch_command *c, struct hb_err *err);
int sim_together(const struct launch_what *w, struct launch_command *c, struct hb_err *err);
int sh_script(const struct launch_what *w, struct launch_command *c, struct hb_err *err);

/* How many lines have all of these texts (NULL: not asked). */
size_t count(const struct buf *file, const char *one, const char *two, const char *three);
/* Units that ended so. */
size_t ends(const struct bed *b, const char *status);
/* Four nodes, three rounds of two pairs, two sizes: every unit ends exactly once, whatever came. */
enum { UNITS = 3 * 2 * 2 };
void assert_all_ended(const struct bed *b);

#endif
