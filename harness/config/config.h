/*
 * The configuration: what options are when the command line does not say. Layers, later wins: the
 * installation's file, /etc/hpcbench.json, the user's file, HPCBENCH_* in the environment; the
 * command line comes last and is none of this. A file is JSON (README.md, "Configuration"): options
 * by their long names, those of one command in an object of its name, and beside them `partitions`
 * and `profiles`. Values are read by the option's own row, so bounds and units are checked in one
 * place. Every file is untrusted.
 */
#ifndef HPCBENCH_HARNESS_CONFIG_H
#define HPCBENCH_HARNESS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/base/json.h"
#include "bench/base/opt.h"
#include "harness/config/profile.h"

enum {
	CONFIG_SCHEMA = 1,
	CONFIG_FILE_MAX = 256 * 1024,
	CONFIG_PROFILES_MAX = 64, /* of one file; its lists of words have at most as many */
	CONFIG_USER_MS = 2000     /* the user's folder may hang; nothing waits longer for it */
};

/* Whose options there are: command NULL for the common ones. An array ends with opts NULL. */
struct config_table {
	const char *command;
	const struct opt *opts;
};

/* One file, checked. */
struct config_layer {
	char *source;   /* its path, for errors and origins; owned */
	json_object *o; /* the whole of it; owned */
	struct profile *profiles;
	size_t n_profiles;
};

/*
 * Checks a file's text and takes it apart. Never trusts it: at most CONFIG_FILE_MAX bytes, every
 * key known, every value within its option's bounds. HB_E_FORMAT or HB_E_USAGE with one line:
 * source, JSON path, what is wrong, the nearest known word. On failure *out is empty.
 */
int config_parse(const char *text, size_t len, const char *source,
                 const struct config_table *tables, struct config_layer *out, struct hb_err *err);
void config_layer_free(struct config_layer *l);

/* ---- files ---- */

enum config_kind { CONFIG_PREFIX, CONFIG_SYSTEM, CONFIG_USER, CONFIG_KINDS };

/* Where files are looked for; a NULL path: nowhere. */
struct config_paths {
	char *path[CONFIG_KINDS];
};
void config_paths_default(struct config_paths *out); /* owned; config_paths_free */
void config_paths_free(struct config_paths *p);

struct config {
	struct config_layer *v; /* those that exist, later wins */
	size_t n;
	char *warning; /* the user's file did not answer; NULL: nothing to tell; owned */
};

/*
 * Reads the files that exist. The user's is read by a child with a deadline, so that a dead file
 * system costs CONFIG_USER_MS and a warning, not the run. What exists but cannot be used is an
 * error: not a regular file, too large, somebody else's, writable by everybody, wrong inside.
 * *out is to be freed also after an error.
 */
int config_load(const struct config_paths *paths, const struct config_table *tables,
                struct config *out, struct hb_err *err);
void config_free(struct config *c);

/* The profile of that name in the last layer that has it; NULL: none. */
const struct profile *config_profile(const struct config *c, const char *name);
/* All profiles, each name once, later layers win; a new NULL-terminated array of borrowed ones. */
const struct profile **config_profiles(const struct config *c);
/* The file that a profile of config_profile stands in. */
const char *config_profile_source(const struct config *c, const struct profile *p);

/* ---- values ---- */

struct config_origin {
	enum { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_ENV } kind;
	const char *file; /* ORIGIN_FILE; borrowed from the layer */
};

/* What a value depends on besides its layers. */
struct config_use {
	const char *partition; /* whose alloc and step options join; NULL: none */
	bool in_job;           /* inside a job nothing is allocated: `alloc` is left out */
};

/*
 * Sets the values of a command (NULL: none) over dst, which has its defaults: files first, then the
 * environment. opts are the common options and the command's own in one table. Lists add up,
 * earlier layers first; null in a file means the default again. origin, if not NULL, has a place
 * for each row of opts. HB_E_USAGE names the variable whose value is wrong.
 */
int config_apply(const struct config *c, const char *command, const struct opt *opts,
                 const struct config_use *use, void *dst, struct config_origin *origin,
                 struct hb_err *err);
/* Of lists of "OPT=VAL" (by their placeholder): what is said again later is dropped before. */
void config_settle(const struct opt *opts, void *dst);
/* Whether a partition of that name has options. */
bool config_has_partition(const struct config *c, const char *name);

/*
 * The environment variable of an option, HPCBENCH_MAX_TIME for max-time; the caller frees. NULL:
 * lists have none, nor have names that helpers and the control channel use.
 */
char *config_env_name(const struct opt *row);
/*
 * The first variable HPCBENCH_* of this environment, from *at on, that is neither an option of any
 * table nor used otherwise; NULL: no more. *near: the nearest option's variable, for the caller to
 * free, or NULL.
 */
const char *config_env_unknown(const struct config_table *tables, size_t *at, char **near);

#endif
