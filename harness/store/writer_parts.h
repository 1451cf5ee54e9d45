/* What the files of the writer share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_STORE_WRITER_PARTS_H
#define HPCBENCH_HARNESS_STORE_WRITER_PARTS_H

#include <stdint.h>
#include <sys/types.h>

#include "harness/store/store_parts.h"
#include "harness/store/writer.h"

extern const char *const writer_log_names[WRITER_LOGS];

/* ---- between the two processes ---- */

/* Each sync and each file is answered, in their order. */
enum frame_type { FRAME_LINES, FRAME_SYNC, FRAME_FILE };
struct frame {
	uint32_t type, log;
	uint64_t len; /* of what follows: lines; of a file its name, a NUL, and its text */
};
struct reply {
	struct hb_err err;
	uint64_t size[WRITER_LOGS]; /* of the logs, as far as they are known to be on disk */
};

/* Starts the process. Its first reply tells whether it could open the logs. */
int writer_child_start(const char *dir, pid_t *pid, int *fd, struct hb_err *err);

/* ---- here ---- */

/* What is handed over in one go: lines, or a file. */
struct item {
	struct buf text[WRITER_LOGS];
	char *name; /* of a file, whose text is data; NULL: lines */
	struct buf data;
};

enum { ITEM_BYTES_MAX = 4 << 20, WRITER_FOLDERS_MAX = 4 };

struct store_writer {
	struct store_writer_params p;
	char *dir, *id;
	char *first_dir; /* where the run belongs */
	pid_t pid;
	int fd;
	/* items: on disk | handed over | closed, waiting | being filled (the last, if open) */
	struct item *items;
	size_t n, cap, done, sent;
	bool filling;
	struct buf wire, in; /* what is being handed over, items[sent - 1]; half a reply */
	size_t wire_at;
	size_t queued, kept; /* bytes not on disk; bytes on disk that are in memory too */
	size_t freed;        /* items before are no longer in memory, of those before
	                      * freed_samples the samples are not */
	size_t freed_samples;
	uint64_t
	        before[WRITER_LOGS]; /* bytes of each log that are on disk only, at its beginning */
	bool late;                   /* told that the store does not answer */
	bool dropped;                /* told that samples are dropped */
	bool opened;                 /* the first reply has come */
	int64_t heard_ms;            /* the last reply */
	bool moved;                  /* the run is elsewhere now, or could not be saved */
	int folder;                  /* of those to save in: the next to be tried */
	struct hb_err err;           /* what the store said */
	struct hb_err story;         /* what became of the run, once it moved */
};

void writer_note(struct store_writer *w, const char *level, const char *fmt, ...) HB_PRINTF(3, 4);
/* In ms, as tests have it. */
int64_t writer_ms(const struct store_writer *w, int ms);
/*
 * Hands over and takes answers until everything is on disk (true), the store fails, or it was
 * enough: silent_ms without an answer where that is given, else total_ms in all.
 */
bool writer_pump(struct store_writer *w, int64_t total_ms, int64_t silent_ms);
/* Starts the process for w->dir and waits for its first reply; wait_ms as in writer_pump. */
int writer_start(struct store_writer *w, int64_t wait_ms, struct hb_err *err);
void writer_stop(struct store_writer *w);
/* Writes the run elsewhere. */
void writer_rescue(struct store_writer *w);

#endif
