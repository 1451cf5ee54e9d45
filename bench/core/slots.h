/*
 * The schedule of files mode (harness/README.md, "Records by files"): which node each seat is on,
 * and slot by slot what one seat has to do. The file is untrusted: every line is bounded and
 * checked before anything is measured.
 */
#ifndef HPCBENCH_CORE_SLOTS_H
#define HPCBENCH_CORE_SLOTS_H

#include <stdbool.h>

#include "bench/base/buf.h"
#include "bench/base/json.h"

struct slot {
	uint64_t number;
	double seconds; /* all its jobs have ended by then */
	bool endless;   /* a job without a deadline is among them */
	size_t at, len; /* this seat's job in the text of slots; len 0: it has none */
};

struct slots {
	char **hosts; /* of each seat */
	int n_hosts;
	bool facts; /* node facts are wanted */
	struct slot *v;
	size_t n;
	/* Inside. */
	struct buf text;
	struct slots_file *file;
};

/*
 * Opens the schedule and reads the seats. A file that is not there yet is waited for up to wait_ms:
 * file systems of clusters show what is new with a delay. slots_free also after a failure.
 */
int slots_open(const char *path, int wait_ms, struct slots *out, struct hb_err *err);
/* Reads the rest, for one seat. */
int slots_load(struct slots *s, int seat, struct hb_err *err);
/* The message of this seat's job in a slot (the caller's), NULL if it has none. */
json_object *slots_job(const struct slots *s, size_t slot);
void slots_free(struct slots *s);

#endif
