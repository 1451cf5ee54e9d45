/*
 * Starts a child process from an argument vector, never a shell, and watches it without blocking:
 * own process group, nothing on standard input, both outputs captured. Every descriptor is
 * close-on-exec. The child gets SIGTERM when this process dies, however it dies, so that a killed
 * harness leaves nothing behind. Not for several threads: the death signal follows the thread that
 * forked.
 */
#ifndef HPCBENCH_HARNESS_SPAWN_H
#define HPCBENCH_HARNESS_SPAWN_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "bench/base/err.h"

enum { SPAWN_KEEP = 64 * 1024, SPAWN_FDS = 3, SPAWN_LINE_MAX = 4096 };
enum spawn_stream { SPAWN_OUT, SPAWN_ERR };

/* One line of output without its newline, longer ones in pieces of SPAWN_LINE_MAX; not text in the
 * strict sense: bytes as the child wrote them, terminated. */
typedef void spawn_line_fn(void *ctx, enum spawn_stream stream, const char *line);

struct spawn_params {
	const char *const *argv;  /* argv[0] is searched in PATH unless it has a slash */
	const char *const *env;   /* "NAME=value", over this process's environment; may be NULL */
	const char *missing_hint; /* what to do when argv[0] does not exist; may be NULL */
	spawn_line_fn *line;      /* may be NULL */
	void *ctx;
};

struct spawn;

/*
 * Starts the child. HB_E_UNSUPPORTED when the program does not exist or is not executable (the
 * text names it and the hint), HB_E_IO for the rest. Returns after exec has succeeded.
 */
int spawn_start(const struct spawn_params *p, struct spawn **out, struct hb_err *err);
pid_t spawn_pid(const struct spawn *s);

/* What to poll: at most SPAWN_FDS entries; returns how many. */
size_t spawn_fds(const struct spawn *s, struct pollfd *v);
/* How long a poll may sleep at most, in ms; -1: until a descriptor wakes it. */
int spawn_tick_ms(const struct spawn *s);
/* Takes what there is, never blocks; call after every poll. */
void spawn_service(struct spawn *s);

/*
 * True once the child has ended; *status as waitpid gives it. Whatever else was left in its
 * process group has been killed by then. Output already written has been taken.
 */
bool spawn_ended(const struct spawn *s, int *status);
/* Sends sig to the whole process group; nothing happens after the end. */
void spawn_signal(const struct spawn *s, int sig);
/* SIGTERM, up to grace_ms of waiting, then SIGKILL; returns when the child is reaped, or after 10 s
 * when even SIGKILL does not end it (it hangs in the kernel). */
void spawn_stop(struct spawn *s, int grace_ms);
/* The last SPAWN_KEEP bytes of a stream, terminated. */
const char *spawn_text(const struct spawn *s, enum spawn_stream stream);
/* Stops the child at once if it still runs; NULL is fine. */
void spawn_free(struct spawn *s);

/* "exit 3", "signal 9 (Killed)" */
void spawn_status_text(int status, char *out, size_t n);

#endif
