/* Records by files: the parts of the input are what the ranks wrote. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct fuzz_step s;
	struct fuzz_part part;
	char name[128], folder[64];

	fuzz_step_open(&s);
	FUZZ_CHECK(step_seats_choose(&s.r, &err) == HB_OK);
	FUZZ_CHECK(step_files_open(&s.r, &err) == HB_OK);
	snprintf(folder, sizeof(folder), "files-%llu.1", (unsigned long long)s.r.step->id);
	for (int i = 0; i < s.r.step->n_ranks; i++) {
		part = fuzz_next_part(&data, &size);
		/* One that was not there at first, and is found at the end. */
		if (i == 1)
			step_files_service(&s.r);
		snprintf(name, sizeof(name), "%s/rank-%d.jsonl", folder, i);
		fuzz_put_file(name, part.text, part.len);
	}
	step_files_service(&s.r);
	step_files_finish(&s.r);
	step_close_jobs(&s.r, UNIT_GIVEN_UP, "the end");
	step_files_close(&s.r);
	for (int i = 0; i < s.r.step->n_ranks; i++) {
		snprintf(name, sizeof(name), "%s/%s/rank-%d.jsonl", fuzz_folder(), folder, i);
		unlink(name);
	}
	snprintf(name, sizeof(name), "%s/%s/schedule.jsonl", fuzz_folder(), folder);
	unlink(name);
	snprintf(name, sizeof(name), "%s/%s", fuzz_folder(), folder);
	FUZZ_CHECK(rmdir(name) == 0);
	fuzz_step_close(&s);
}
