/*
 * What ranks say over the control channel: each line is a message of one rank, which a digit and a
 * blank before it name. Whatever they say, the step ends with every unit ended once.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/step.h"

enum { MESSAGES_MAX = 64 };

static void say(struct fuzz_step *s, struct fuzz_part line)
{
	struct hb_err err = { HB_OK, "" };
	int rank = line.len > 1 && line.text[0] >= '0' && line.text[0] <= '3' ? line.text[0] - '0'
	                                                                      : -1;
	json_object *o;

	if (rank < 0 || line.text[1] != ' ')
		return;
	o = fuzz_object(line.text + 2, line.len - 2);
	if (!o)
		return;
	if (s->r.s.rank[rank] == RANK_HERE &&
	    !fuzz_ok(step_on_message(&s->r, rank, o, line.len - 2, &err), &err))
		step_on_leave(&s->r, rank, err.text);
	js_put(o);
	step_settle_blame(&s->r);
	fuzz_step_start_jobs(s);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part all = { data, size }, line;
	struct fuzz_step s;
	size_t units = 0;

	fuzz_step_open(&s);
	for (int i = 0; i < s.r.step->n_ranks; i++)
		sched_joined(&s.r.s, i);
	fuzz_step_start_jobs(&s);
	for (int n = 0; n < MESSAGES_MAX && fuzz_next_line(&all, &line); n++)
		say(&s, line);
	step_close_jobs(&s.r, UNIT_GIVEN_UP, "the end");
	for (size_t j = 0; j < s.r.step->n_jobs; j++)
		for (size_t i = 0; i < s.r.step->jobs[j].cases.n; i++)
			FUZZ_CHECK(s.r.ended[units++]);
	fuzz_step_close(&s);
}
