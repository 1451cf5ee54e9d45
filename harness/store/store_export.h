/*
 * Runs and baselines on their way to another store: a tar archive, or a folder, of the store's own
 * form (runs/ID/FILE, baselines/NAME.json). A folder, or what tar makes of the archive, is itself a
 * store. Only the files that a store is known to hold travel.
 */
#ifndef HPCBENCH_HARNESS_STORE_EXPORT_H
#define HPCBENCH_HARNESS_STORE_EXPORT_H

#include "harness/store/store.h"

struct export
{
	char **ids; /* of runs */
	size_t n_ids;
	char **baselines; /* names */
	size_t n_baselines;
	bool no_samples;
};

/* A path that ends in .tar means an archive. */
bool store_is_archive(const char *path);
/*
 * Writes what is asked for to a new archive or into a folder, which is made where it is missing.
 * What exists is never overwritten: HB_E_USAGE. *bytes: how much was copied. On failure nothing is
 * left of an archive; runs that were copied whole into a folder stay.
 */
int store_export(const struct store *s, const struct export *what, const char *to, uint64_t *bytes,
                 struct hb_err *err);

struct import {
	char **runs, **skipped, **baselines; /* ids; runs and baselines that were there; names */
	size_t n_runs, cap_runs, n_skipped, cap_skipped, n_baselines, cap_baselines;
	uint64_t bytes;
};

/*
 * Takes everything out of an archive or folder into the store. Trusts nothing: only the names
 * above, no absolute ones, no "..", no links, bounded sizes and numbers, or HB_E_FORMAT and the
 * store is as before. A run or baseline that the store has already is left alone and told as
 * skipped. The coverage ledger and the acknowledgements of another store are passed over.
 */
int store_import(const struct store *s, const char *from, struct import *out, struct hb_err *err);
void store_import_free(struct import *i);

/* The names of a run's files, NULL-terminated; samples.jsonl is the last. */
extern const char *const store_run_files[];
/* Whether text has the form of a run's id. */
bool store_is_run_id(const char *text);

#endif
