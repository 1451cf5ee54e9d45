/*
 * Locks and what dead writers left: a lock file that holds the input. It never stops a reader, and
 * who holds it is said in clean words.
 */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const char *data, size_t size)
{
	char *path = hb_format("%s/thing", fuzz_folder()), *file = hb_format("%s.lock", path);
	char *lock = NULL, *who = NULL;
	struct hb_err err = { HB_OK, "" };

	fuzz_put_file("thing.lock", data, size);
	fuzz_put_file("run.lock", data, size);
	store_lock_stale(file);
	store_temp_dead(file);
	store_run_locked(fuzz_folder(), &who);
	if (who)
		fuzz_check_clean(who, strlen(who), false);
	free(who);
	if (fuzz_ok(store_lock_try(path, "thing", &lock, &err), &err))
		store_unlock(lock);
	else
		fuzz_check_clean(err.text, strlen(err.text), false);
	unlink(file);
	free(file);
	free(path);
}
