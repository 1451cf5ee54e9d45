/*
 * Inside localize: the tests of one sheet sorted into cells (one for each pair of ends), and the
 * steps that judge them, in their order: who is silent, leaves, rails, nodes, links. What a step
 * blames explains cells, and those the later steps leave out.
 */
#ifndef HPCBENCH_HARNESS_LOCALIZE_PARTS_H
#define HPCBENCH_HARNESS_LOCALIZE_PARTS_H

#include "harness/localize/localize.h"

enum {
	LOC_NODES_MAX = 1 << 20, /* ends of nodes with larger numbers are left out */
	LOC_STORED_NODES = 20    /* that a stored spread weighs as much as */
};

/* Endpoint classes, as far as leaves are known. */
enum loc_class { LOC_SAME_LEAF, LOC_CROSS_LEAF, LOC_UNKNOWN_LEAF, LOC_CLASSES };

/* All tests of one pair of ends. */
struct loc_cell {
	uint32_t a, b;    /* ends, a < b */
	size_t first, n;  /* tests[first ..] */
	double main, all; /* medians of the main and of all loaded tests, less the class's level */
	uint32_t n_main, n_all; /* figures behind them */
	uint32_t lost;          /* loaded tests without a figure */
	enum loc_class class_;
	bool explained; /* by what has been blamed already, or by a silent end */
};

/* Items (nodes or leaves) in what a score is measured in. */
struct loc_scale {
	double median, s;
	bool stored;
};

struct loc_work {
	const struct loc_sheet *sheet;
	struct loc_params p;
	double delta;           /* as a difference of logs, above 0 */
	struct loc_pair *tests; /* cell by cell, as they were measured within each */
	struct loc_cell *cells;
	size_t n_cells;
	size_t *first; /* of[first[i] .. first[i + 1]): cells of node i */
	uint32_t *of;
	uint32_t *leaf, *rail;               /* of each end, dense; LOC_NONE */
	uint32_t *leaf_number, *rail_number; /* as the sheet has them */
	size_t n_leaves, n_rails;
	double off[LOC_CLASSES]; /* of each class, taken off its figures */
	double *scratch;         /* as many as a node has cells, and as there are nodes and cells */
	double scored;           /* nodes that have a score */
	double noise;            /* s.d. of one figure about what its ends make of it */
	double best, centre;     /* of links (loc_links): what their ends and class make of them */
	uint32_t groups;
	struct localized *out;
	size_t cap;
};

/* localize.c */
void loc_work_make(struct loc_work *w, const struct loc_sheet *sheet, const struct loc_params *p,
                   struct localized *out);
void loc_work_free(struct loc_work *w);
/* A new blame of this kind, NaN where it has no figures yet. */
struct loc_blame *loc_blame_add(struct loc_work *w, enum loc_kind kind, uint32_t a, uint32_t b);

/* localize_cells.c */
void loc_cells_make(struct loc_work *w);
void loc_cells_shift(struct loc_work *w); /* takes off what off says */
/*
 * Stable order of n items by two numbers, the first below n_a, the second below n_b: counting
 * sort, so that half a million pairs take milliseconds. order: n, filled.
 */
struct loc_numbers {
	uint32_t a, b;
};
void loc_order(const struct loc_numbers *v, size_t n, size_t n_a, size_t n_b, size_t *order);
static inline uint32_t loc_node_of(const struct loc_work *w, uint32_t end)
{
	return w->sheet->ends[end].node;
}
static inline const struct loc_pair *loc_test(const struct loc_work *w, const struct loc_cell *c,
                                              size_t i)
{
	return &w->tests[c->first + i];
}
/* The node at the other side of a cell. */
static inline uint32_t loc_partner(const struct loc_work *w, const struct loc_cell *c,
                                   uint32_t node)
{
	uint32_t a = loc_node_of(w, c->a);

	return a == node ? loc_node_of(w, c->b) : a;
}

/* localize_score.c; v is rearranged */
double loc_median(double *v, size_t n);
double loc_quantile(double *v, size_t n, double p); /* type 7; n: 1 at least */
double loc_score(double *v, size_t n, size_t partners);
/* median and s of n scores (finite, rearranged); stored figures NaN where there are none. */
void loc_scale(double *v, size_t n, double stored_median, double stored_s,
               const struct loc_params *p, struct loc_scale *out);
/* As `detectable` in localize.h; n: pairs of the node; usual: of most nodes. */
double loc_detectable(const struct loc_work *w, double n, double usual);

void loc_silent(struct loc_work *w); /* localize_silent.c */
void loc_leaves(struct loc_work *w); /* localize_leaves.c; takes the levels of classes off, too */
void loc_rails(struct loc_work *w);  /* localize_rails.c */
void loc_nodes(struct loc_work *w);  /* localize_nodes.c */
void loc_undecided(struct loc_work *w, const bool *bad); /* localize_undecided.c */
void loc_links(struct loc_work *w);                      /* localize_links.c */
/* localize_rest.c; first_link: where the blames of loc_links begin */
void loc_rest(struct loc_work *w, size_t first_link);
void loc_isolated(struct loc_work *w); /* localize_isolated.c */

/* localize_links.c: how far below what its ends make of it; -INFINITY: lost, NaN: nothing. */
double loc_residual(const struct loc_work *w, const struct loc_cell *c, const struct loc_pair *t,
                    double y);
/* Tests that a link needs, all of them low, before it is blamed; sure: with some to spare. */
size_t loc_link_tests(const struct loc_work *w, bool sure);
enum { LOC_AB = 1, LOC_BA = 2, LOC_BOTH = 3 };
/* Directions (a to b: as in the cell) in which every loaded test was low; *n: tests. */
unsigned loc_always_low(const struct loc_work *w, const struct loc_cell *c, size_t *n);

#endif
