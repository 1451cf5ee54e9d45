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

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/base/json.h"

struct store {
	char *path;
};

/*
 * opt (the option store, however it was set), else $XDG_DATA_HOME/hpcbench, else ~/.local/share/hpcbench.
 * create makes the folders (mode by umask; a setgid parent is kept).
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
 * Keeps other writers of path away, by a file PATH.lock that only one can make; where somebody has
 * it, HB_E_IO says so. *lock is for store_unlock, which removes it and frees.
 */
int store_lock(const char *path, char **lock, struct hb_err *err);
void store_unlock(char *lock);

/* An append-only file of lines; sync forces it to disk. Short writes and full disks are errors. */
struct store_log;
int store_log_open(const char *path, struct store_log **out, struct hb_err *err);
int store_log_line(struct store_log *l, json_object *o, struct hb_err *err);
int store_log_sync(struct store_log *l, struct hb_err *err);
int store_log_close(struct store_log *l, struct hb_err *err); /* writes what is left, frees */

#endif
