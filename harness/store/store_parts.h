/* What the files of the store share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_STORE_PARTS_H
#define HPCBENCH_HARNESS_STORE_PARTS_H

#include <stdint.h>
#include <sys/types.h>

#include "harness/store/store.h"

/* "cannot WHAT PATH: REASON", with a hint where the disk is full. */
int store_fail_io(struct hb_err *err, const char *what, const char *path, int e);
/* Writes all of it: 0 or errno; *done counts what went out. */
int store_write_all(int fd, const char *data, size_t len, size_t *done);
/* fsync or fdatasync: 0 or errno. Pipes and devices cannot be synced; that is no error of theirs.
 */
int store_sync_fd(int fd, int (*how)(int));
/* A new file beside path that nobody else has, named as store.h says. -1: errno. */
int store_open_temp(const char *path, char **temp);

/*
 * After fork: signals that ask to stop are not for this process, it gets the signal how when parent
 * dies, and it holds no descriptor but keep: whoever reads our standard output must not wait for
 * it.
 */
void store_child_begin(pid_t parent, int how, int keep);
/*
 * The writer of process pid is there: it may outlive that process for a moment. A name that the
 * kernel forgets with whoever holds it; to be held until the end: true where it could be had.
 */
bool store_writer_hold(int64_t pid);
bool store_writer_alive(int64_t pid);
/* Kills it; what does not die at once sits in the kernel and is left to init. */
void store_child_end(pid_t pid);

/* A process, so that others can tell whether it is still there. */
struct store_who {
	char host[65], boot[40], pid_ns[40];
	int64_t pid;
	uint64_t start; /* in clock ticks since boot; 0: not known */
	uint64_t job, restart;
};
void store_who_self(struct store_who *out);
/* Known to be gone; false too where nothing can be known. */
bool store_who_gone(const struct store_who *who);
/* The name of this host, as temporary files and locks have it. */
void store_host(char out[65]);

#endif
