/*
 * What `run` shows while it measures, on standard error: one status line on a terminal, plain log
 * lines elsewhere, nothing with --quiet but warnings.
 */
#ifndef HPCBENCH_HARNESS_PROGRESS_H
#define HPCBENCH_HARNESS_PROGRESS_H

#include "harness/launch/launch.h"

struct progress {
	bool tty, quiet, verbose;
	bool line_shown;  /* a status line stands on the terminal */
	int64_t drawn_ms; /* when it was drawn last */
	size_t step;      /* the last one that was logged */
	char bench[64];   /* and its benchmark */
};

void progress_init(struct progress *p, bool quiet, bool verbose);
/* Callbacks of launch_params and measure_request; ctx is the struct. */
void progress_update(void *ctx, const struct launch_progress *u);
void progress_note(void *ctx, const char *level, const char *text);
void progress_output(void *ctx, enum spawn_stream stream, const char *line);
/* Takes the status line away. */
void progress_end(struct progress *p);

#endif
