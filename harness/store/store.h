/*
 * The store: a folder of runs and baselines. Everything is written under a temporary name, synced
 * and renamed, or appended and synced; everything read back is untrusted.
 *
 *	STORE/runs/<id>/{plan.json,journal.jsonl,records.jsonl,samples.jsonl,run.json,summary.json,
 *	                 verdicts.json}
 *	STORE/baselines/<name>.json
 */
#ifndef HPCBENCH_HARNESS_STORE_H
#define HPCBENCH_HARNESS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/base/json.h"

struct store {
	char *path;
};

/*
 * opt (the option store, however it was set), else $XDG_DATA_HOME/hpcbench, else
 * ~/.local/share/hpcbench. create makes the folders (mode by umask; a setgid parent is kept) and
 * tries whether a file can be written, synced, read and removed there. Both look at the store from
 * a process of their own: one that does not answer within STORE_PROBE_S is HB_E_IO.
 */
int store_open(const char *opt, bool create, struct store *out, struct hb_err *err);
void store_close(struct store *s);

/* A new run directory: id is time and a random part, unique by mkdir. Both are the caller's. */
int store_run_new(const struct store *s, char **id, char **dir, struct hb_err *err);

/*
 * Finds a run by id, unique prefix of an id, directory, "latest" or "latest~N". A name that
 * contains '/' is a directory. *dir is the caller's.
 */
int store_run_find(const struct store *s, const char *name, char **dir, struct hb_err *err);
/* A comma list of such names. */
int store_runs_find(const struct store *s, const char *names, char ***dirs, size_t *n,
                    struct hb_err *err);
void store_dirs_free(char **dirs, size_t n);

/* All run ids, oldest first; the caller frees with store_dirs_free. */
int store_run_list(const struct store *s, char ***ids, size_t *n, struct hb_err *err);

/* The path of a baseline by name or file (a name that contains '/' or ends in .json). */
char *store_baseline_path(const struct store *s, const char *name);
int store_baseline_list(const struct store *s, char ***names, size_t *n, struct hb_err *err);
/* A name for files and baselines: letters, digits, '.', '-', '_', not starting with '.' or '-'. */
int store_check_name(const char *what, const char *name, struct hb_err *err);

/* Temporary name beside path, write, fsync, rename, fsync of the folder. Mode 0666 & umask. */
int store_write(const char *path, const void *data, size_t len, struct hb_err *err);
int store_write_json(const char *path, json_object *o, struct hb_err *err); /* pretty */

/*
 * Keeps other writers of path away by a file PATH.lock that only one can make. It is one line of
 * JSON that tells who: host, pid, start (of /proc/PID/stat), boot_id, pid_ns, job and restart (of
 * Slurm), time, what. A lock is stale, and is taken over, where its process is known to be gone: it
 * ran on this host and no longer does or another boot, or in this Slurm job before it was requeued.
 * Of processes elsewhere nothing is known: they are waited for, up to wait_s, then HB_E_IO names
 * the holder and the file. what: a word for the file, "baseline". *lock is for store_unlock, which
 * removes the file if it is still ours and frees; NULL is fine. No flock: shared file systems lie.
 */
int store_lock_wait(const char *path, const char *what, double wait_s, char **lock,
                    struct hb_err *err);
/* The same without waiting. */
int store_lock_try(const char *path, const char *what, char **lock, struct hb_err *err);
/* store_lock_wait with STORE_LOCK_WAIT_S. */
int store_lock(const char *path, char **lock, struct hb_err *err);
void store_unlock(char *lock);
enum { STORE_LOCK_WAIT_S = 10 };

/*
 * RUN/run.lock: held by who measures into a run, as long as it lives. Waits up to 3 s;
 * HB_E_IO says who measures. Readers do not need it.
 */
int store_run_lock(const char *dir, char **lock, struct hb_err *err);
/* Somebody measures into it now (or may do so, on another host). *who: "pid 1 on n1", the caller's;
 * who may be NULL. */
bool store_run_locked(const char *dir, char **who);

/*
 * What writers that were killed leave behind, none of it read by anybody:
 *	NAME.HOST.PID.XXXXXXXX.tmp	a whole file that was never renamed (in baselines/,
 *runs/ID/) .probe.HOST.PID.XXXXXXXX.tmp	the probe of store_open (in runs/) NAME.lock,
 *NAME.lock.steal	locks; store_lock takes stale ones over, or remove them True for names of
 *the first two kinds whose writer is known to be gone, or whose file was not touched for a day
 *where that is not known. Locks: store_lock_stale.
 */
bool store_temp_dead(const char *path);
bool store_lock_stale(const char *path); /* of the .lock file itself */

/*
 * Does work in a process of its own, so that a file system that hangs takes only that one: after
 * wait_s it is killed and left, HB_E_TIMEOUT. Else what work returns, with its err and what it put
 * into out (may be NULL). Nothing else that work does to memory is seen. No text of its own for a
 * timeout: err->text is empty then.
 */
typedef int store_work_fn(void *ctx, struct buf *out, struct hb_err *err);
int store_apart(store_work_fn *work, void *ctx, double wait_s, struct buf *out, struct hb_err *err);
enum { STORE_PROBE_S = 10 };
/*
 * Appends a regular file of at most max bytes to out, in the same way: for what is read where a
 * home directory may hang. HB_E_TIMEOUT has a text here.
 */
int store_read_apart(const char *path, size_t max, double wait_s, struct buf *out,
                     struct hb_err *err);

/* Removes a folder that this process made for itself (mkdtemp), and all that is in it, however
 * deep; symbolic links are not followed. What cannot be removed stays. */
void store_remove_temporary(const char *path);

/*
 * Is there room for so many bytes in the store? HB_E_IO names both figures where not; *tight is
 * set where there is less than twice as much, and *tight is a text to be told, the caller's; else
 * NULL. Quotas cannot be known.
 */
int store_room(const struct store *s, double need_bytes, char **tight, struct hb_err *err);

/*
 * An append-only file of whole lines; sync forces it to disk. Short writes and full disks are
 * errors; a line that a full disk or a killed writer cut is cut off, at the failure or when the
 * file is opened next.
 */
struct store_log;
int store_log_open(const char *path, struct store_log **out, struct hb_err *err);
int store_log_line(struct store_log *l, json_object *o, struct hb_err *err);
int store_log_text(struct store_log *l, const void *lines, size_t len, struct hb_err *err);
uint64_t store_log_size(const struct store_log *l); /* bytes known to be on disk */
int store_log_sync(struct store_log *l, struct hb_err *err);
int store_log_close(struct store_log *l, struct hb_err *err); /* writes what is left, frees */

#endif
