/*
 * Making room in a store. Nothing outside STORE/runs and STORE/baselines is touched and no symbolic
 * link is followed, whatever somebody put there: everything goes by descriptors of folders.
 */
#ifndef HPCBENCH_HARNESS_STORE_PRUNE_H
#define HPCBENCH_HARNESS_STORE_PRUNE_H

#include <stdint.h>
#include <time.h>

#include "harness/store/store.h"

/* A run goes if all that is given allows it. */
struct prune_params {
	int keep;          /* so many of the newest stay (of that label); -1: not said */
	double keep_days;  /* and those that are younger; negative: not said */
	const char *label; /* only runs with this label; NULL: any */
	char **in_use;     /* ids of runs that baselines name: they stay; borrowed */
	size_t n_in_use;
	bool samples_only; /* only samples.jsonl of these runs goes */
	bool dry_run;      /* only tell what would go */
	time_t now;
};

enum prune_fate {
	PRUNE_GONE,     /* removed, or would be */
	PRUNE_IN_USE,   /* a baseline names it */
	PRUNE_MEASURED, /* it is being measured, or was within the last day and has not ended */
	PRUNE_STRANGE,  /* its name is that of a run, but it is no folder: left alone */
	PRUNE_FAILED    /* could not be removed: why */
};

struct prune_run {
	char *id, *why; /* why: NULL unless FAILED */
	enum prune_fate fate;
	uint64_t bytes; /* of what goes */
};

struct prune {
	struct prune_run *v; /* runs that are old enough, oldest first */
	size_t n, cap;
	size_t n_runs;           /* of the store */
	uint64_t bytes, samples; /* of all of them, and of their samples.jsonl */
	size_t n_left;           /* temporary files of writers that died, older than a day */
	uint64_t left_bytes;
};

/*
 * Removes old runs. Each gets a temporary name first, so that nobody sees half of one; an attempt
 * that is cut short is finished by the next one, a day later. HB_E_IO where the store cannot be
 * read or STORE/runs is a symbolic link; what a single run refuses stands in its row.
 */
int store_prune(const struct store *s, const struct prune_params *p, struct prune *out,
                struct hb_err *err);
void store_prune_free(struct prune *p);

#endif
