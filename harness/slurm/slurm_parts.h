/* What the slurm_*.c files share and nobody else needs. */
#ifndef HPCBENCH_HARNESS_SLURM_PARTS_H
#define HPCBENCH_HARNESS_SLURM_PARTS_H

#include "bench/base/buf.h"
#include "harness/launch/spawn.h"
#include "harness/slurm/slurm.h"

struct slurm_run {
	const char *const *argv;
	int timeout_ms; /* -1: none */
	int grace_ms;   /* between SIGTERM and SIGKILL where it has to be ended */
	int signal_fd;
	spawn_line_fn *line; /* may be NULL */
	void *ctx;
	/* While it runs, every tick_ms: anything but HB_OK ends the command, err says why. */
	int (*tick)(void *ctx, struct hb_err *err);
	int tick_ms; /* 0: no ticks */
};

/*
 * slurm_ask with a listener. Unlike there, *out is filled whenever the command was started, also
 * with HB_E_TIMEOUT and HB_E_CANCELLED; free it in every case.
 */
int slurm_run(const struct slurm_run *r, struct slurm_answer *out, struct hb_err *err);

/* Answers that are longer than what spawn keeps: a spawn_line_fn that gathers standard output. */
struct slurm_text {
	struct buf text;
	size_t most; /* bytes */
	bool cut;    /* there was more */
};
void slurm_gather(void *ctx, enum spawn_stream stream, const char *line);

/*
 * Copies at most len bytes of text to out (size n), made fit to be shown: control characters
 * become blanks, what is not UTF-8 becomes '?', nothing is cut within a character, and blanks at
 * the end go. Returns false when something was cut off.
 */
bool slurm_clean(const char *text, size_t len, char *out, size_t n);

/* The next line of *text without its newline, moving *text behind it; false at the end. */
bool slurm_line(const char **text, const char **line, size_t *len);

/* The value behind " KEY=" in a line of scontrol up to the next blank; NULL: no such key. */
const char *slurm_value(const char *line, size_t len, const char *key, size_t *n);
/* What such a line says of the hardware. */
void slurm_take_hardware(const char *line, size_t len, struct slurm_node *out);

/* Where word stands in the first len bytes at text; NULL: nowhere. */
const char *slurm_find(const char *text, size_t len, const char *word);

#endif
