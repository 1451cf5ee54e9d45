/* An option table with a row of every type, for the tests of opt.h. */
#ifndef HPCBENCH_TESTS_OPT_TABLE_H
#define HPCBENCH_TESTS_OPT_TABLE_H

#include "bench/base/opt.h"

enum { SYNC_A, SYNC_B };

struct opt_values {
	int quiet, confirm, window, delta, sync, type;
	uint64_t seed, bytes, ops;
	double max_time, precision, limit;
	char *label, *sizes;
	struct opt_strings bench;
	int hidden;
};

extern const struct opt opt_table[];
extern const struct opt_choice opt_syncs[];

/* Zeroes v and sets the defaults. */
void opt_table_start(struct opt_values *v);

/*
 * Parses a command line given as one text split at blanks; the words that are left are added to
 * left (may be NULL), with blanks between.
 */
int opt_table_parse(struct opt_values *v, const char *text, int *unknown, struct buf *left,
                    struct hb_err *err);

#endif
