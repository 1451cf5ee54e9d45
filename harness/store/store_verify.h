/* Is what the store holds whole? Reads strictly, judges nothing, changes nothing. */
#ifndef HPCBENCH_HARNESS_STORE_VERIFY_H
#define HPCBENCH_HARNESS_STORE_VERIFY_H

#include "harness/store/store.h"

/* What was found: in which file, on which line (0: none), what is wrong. */
struct verify_sink {
	void (*problem)(void *ctx, const char *file, uint64_t line, const char *text);
	void *ctx;
};

enum verify_state { VERIFY_WHOLE, VERIFY_UNFINISHED };
/*
 * One run, in memory bounded by its plan. Its files parse, every line too; (unit, attempt, metric)
 * is unique; where the run has ended and is not partial every unit has ended or was given up, and
 * the last lines are whole; the summary is what the records make now. *state says whether it has
 * ended: one that has not is no problem in itself. HB_E_IO: a file cannot be read.
 */
int verify_run(const char *dir, const struct verify_sink *sink, enum verify_state *state,
               struct hb_err *err);

#endif
