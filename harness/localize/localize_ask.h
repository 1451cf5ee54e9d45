/* Inside localize_ask: who is in question, who is known to be good, and what has been asked. */
#ifndef HPCBENCH_HARNESS_LOCALIZE_ASK_H
#define HPCBENCH_HARNESS_LOCALIZE_ASK_H

#include "bench/base/rng.h"
#include "harness/localize/localize_parts.h"

struct loc_suspect {
	uint32_t node;
	double z;    /* the worst of all sheets; -INFINITY: lost pairs */
	size_t want; /* pairs */
	bool open;   /* of an undecided group */
	bool slow;   /* blamed or open: worth an isolated test */
};

struct loc_asking {
	struct loc_work *w; /* one a sheet */
	size_t n_sheets;
	struct loc_suspect *suspects; /* worst first */
	size_t n_suspects;
	uint32_t *good; /* known-good nodes, shuffled */
	size_t n_good, next;
	uint32_t *end; /* ends of node i: end[first_end[i] .. first_end[i + 1]) */
	size_t *first_end;
	size_t *mark; /* of each node: the suspect that it was tested with, or is to be; from 1 */
	bool *bad_leaf, *bad_rail; /* dense numbers: what crosses them says nothing about nodes */
	struct loc_ask *v;
	size_t n, cap, budget;
};

/* localize_suspects.c: fills all but w and n_sheets, v and what goes with it. */
void loc_suspects(struct loc_asking *a, const struct localized *found, struct rng *rng);
void loc_suspects_free(struct loc_asking *a);

#endif
