/* How a table of facts finds things; shared by the files of this folder. */
#ifndef HPCBENCH_HARNESS_FACTS_INSIDE_H
#define HPCBENCH_HARNESS_FACTS_INSIDE_H

#include "harness/facts/facts.h"

/* What the nodes of a class say in a row, for facts_peers: the two values that most have. */
struct fact_tally {
	uint32_t class;
	uint32_t top, second;             /* places in row.v; TALLY_NONE: none */
	uint32_t top_n, second_n, have_n; /* have_n: nodes that have the fact at all */
};
enum { TALLY_NONE = UINT32_MAX };

/*
 * Which node has which value of a row: of few nodes a list, of many an array over all nodes. What
 * nodes say of each other makes as many rows as there are nodes, with a handful of nodes each.
 */
struct fact_cells {
	struct {
		uint32_t node, value;
	} * few;
	size_t n_few, cap_few;
	uint32_t *at; /* value + 1 of each node below n_at; 0: none. NULL: the list is in use */
	size_t n_at;
	struct fact_tally *tally; /* by class; made by facts_sort */
	size_t n_tally;
};
/* SIZE_MAX: the node has none. c may be NULL. */
size_t cells_find(const struct fact_cells *c, size_t node);
/* Takes the place of what the node had. Makes *c where it is NULL; true: a new cell. */
bool cells_set(struct fact_cells **c, size_t node, size_t value);
void cells_drop(struct fact_cells *c, size_t node);
/* Calls each cell, of ascending nodes only where the array is in use. */
void cells_each(const struct fact_cells *c, void (*each)(void *arg, size_t node, size_t value),
                void *arg);
/* Every value v becomes map[v]. */
void cells_renumber(struct fact_cells *c, const size_t *map);
void cells_free(struct fact_cells *c);

/* Where things with a hash are; open addressing. */
struct fact_place {
	uint64_t hash;
	uint32_t a, b; /* a: number + 1; 0: empty */
};
struct fact_hash {
	struct fact_place *v;
	size_t n, cap; /* cap: a power of two, or 0 */
};
/* The first place at which hash may stand, and the one after; NULL: no more. */
const struct fact_place *hash_first(const struct fact_hash *h, uint64_t hash);
const struct fact_place *hash_next(const struct fact_hash *h, const struct fact_place *p);
void hash_put(struct fact_hash *h, uint64_t hash, size_t a, size_t b);
void hash_clear(struct fact_hash *h);
uint64_t hash_text(uint64_t begin, const char *text);

struct facts_index {
	struct fact_hash nodes, rows, values, counters;
	size_t cells;
	uint32_t *class; /* of each node: 1 and up; 0: unknown. Made by facts_sort */
	size_t n_classes;
};
/* SIZE_MAX: there is none. */
size_t facts_find_row(const struct facts *f, const char *device, const char *key);
size_t facts_find_counter(const struct facts *f, const char *device, const char *name);
uint64_t facts_row_hash(const char *device, const char *key);
uint64_t facts_value_hash(size_t row, const char *text);
/* The class whose peers count for a row: 0 stands for all nodes. */
size_t facts_class(const struct facts *f, const struct fact_row *row, size_t node);
void facts_tally(struct facts *f);

#endif
