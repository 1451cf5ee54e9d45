/*
 * The writer of a run: a process of its own that appends to the run's logs and writes its files, so
 * that a disk that hangs stops nobody who measures. (A thread would not do: a process whose thread
 * or open file hangs on a dead server cannot even exit.) What was handed over stays in memory until
 * it is known to be on disk, and longer as far as there is room: where the store fails, everything
 * is written once more, elsewhere (store_writer_settle). One thread uses it.
 */
#ifndef HPCBENCH_HARNESS_STORE_WRITER_H
#define HPCBENCH_HARNESS_STORE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/base/json.h"

enum writer_log { WRITER_RECORDS, WRITER_SAMPLES, WRITER_JOURNAL, WRITER_LOGS };

enum {
	WRITER_PATIENCE_MS = 2000,    /* of a flush, as long as the store answers */
	WRITER_SETTLE_MS = 60000,     /* at the end, since its last answer */
	WRITER_SETTLE_STOP_MS = 10000 /* the same after a signal: time is short then */
};

struct store_writer_params {
	const char *dir;  /* the run's folder; its name is the run's id */
	int signal_fd;    /* readable: somebody is tired of waiting; -1: none. Nothing is read. */
	double patience;  /* factor for the times above, for tests; 0: 1 */
	size_t queue_max; /* bytes not on disk, beyond it samples are dropped; 0: 1 GiB */
	size_t keep_max;  /* bytes on disk that are kept in memory too; 0: 256 MiB */
	void (*note)(void *ctx, const char *level, const char *text); /* may be NULL */
	void *ctx;
};

struct store_writer;

/* Opens the logs, which may exist: a half line at their end is cut off. */
int store_writer_open(const struct store_writer_params *p, struct store_writer **out,
                      struct hb_err *err);
/* Appends a line to a log; o stays the caller's. Nothing is written before the next flush. */
void store_writer_line(struct store_writer *w, enum writer_log log, json_object *o);
/* A whole file, replaced by rename, after all lines so far. Waits as a flush does. */
int store_writer_file(struct store_writer *w, const char *name, const void *data, size_t len,
                      struct hb_err *err);
/*
 * Hands over all lines: records and samples reach the disk before the journal. On return they are
 * there, or the store did not answer in time: then that is told once, further flushes do not wait
 * until it answers again, and HB_OK is returned all the same. Fails where the disk says no (full,
 * read-only, broken), from then on always, until store_writer_settle.
 */
int store_writer_flush(struct store_writer *w, struct hb_err *err);
/*
 * Nothing is measured any more: waits until everything is on disk, however slow, as long as the
 * store answers at all. Where it does not, or said no, the run is written once more in a folder
 * hpcbench-ID-XXXXXX in TMPDIR, /tmp, /var/tmp or /dev/shm, which store_writer_dir names then; the
 * writer goes on there. The failure and what to do is in err then, each time. hasty: after a
 * signal.
 */
int store_writer_settle(struct store_writer *w, bool hasty, struct hb_err *err);
/* Where the run is now; NULL: it could be saved nowhere, do not try to read it. */
const char *store_writer_dir(const struct store_writer *w);
/* The run had to be written elsewhere, or could not be. */
bool store_writer_moved(const struct store_writer *w);
/* Settles, ends the process, frees. NULL is fine. */
int store_writer_close(struct store_writer *w, bool hasty, struct hb_err *err);

#endif
