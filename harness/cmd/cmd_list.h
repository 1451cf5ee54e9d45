/* What the files of `hpcbench list` share. */
#ifndef HPCBENCH_HARNESS_CMD_LIST_H
#define HPCBENCH_HARNESS_CMD_LIST_H

#include "harness/cmd/cmd.h"

struct list_opts {
	int all;
	char *suite;
};

/* A list under construction: its table and its items for the data. */
struct listing {
	const struct common *common;
	const struct list_opts *opts;
	struct doc *d;
	json_object *items;
};

/* Which nodes were measured with which suite, and when. */
int list_coverage(struct listing *l);

#endif
