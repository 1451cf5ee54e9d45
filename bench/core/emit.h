/*
 * Where a helper's records go: the control channel, a file of JSON lines, or a table for the
 * person who started the helper by hand. Units never know which.
 */
#ifndef HPCBENCH_CORE_EMIT_H
#define HPCBENCH_CORE_EMIT_H

#include <stdio.h>

#include "bench/base/record.h"

struct emit {
	int (*record)(struct emit *e, json_object *record,
	              struct hb_err *err); /* record stays the caller's */
	void (*close)(struct emit *e);
};

struct control;
struct emit *emit_control_new(struct control *c); /* c stays the caller's */
/* One write a line; the file is made new (O_EXCL, 0666 & umask). */
int emit_file_new(const char *path, struct emit **out, struct hb_err *err);
struct emit *emit_table_new(FILE *out);
struct emit *emit_array_new(json_object *arr); /* borrowed; gets a reference to each */

/* The samples of a point, ns an iteration, under the name of its first metric. */
struct emit_series {
	const char *metric;
	const double *samples;
	size_t n;
	const double *block_medians;
	size_t n_blocks;
};
/* In chunks of at most RECORD_MAX bytes, thinned as contracts.md says. */
int emit_series(struct emit *e, const struct rec_ids *ids, const struct emit_series *series,
                struct hb_err *err);

#endif
