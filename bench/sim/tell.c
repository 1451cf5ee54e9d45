/* Facts and counters of a simulated node, told as a helper on it would. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/tell.h"
#include "bench/sim/sim.h"

enum { LAST_WORDS_MS = 1000 };

/* Of software and the process: told in each step, all else once a run. */
static enum facts_about about_of(const char *key)
{
	static const char *const of_steps[] = { "sw.", "env.", "mpi.", "lib.", "world." };

	for (size_t i = 0; i < sizeof(of_steps) / sizeof(of_steps[0]); i++)
		if (strncmp(key, of_steps[i], strlen(of_steps[i])) == 0)
			return FACTS_STEP;
	return FACTS_NODE;
}

static bool is_first(const struct sim_rank *r)
{
	int first = control_answer(r->control).first;

	return first < 0 ? r->rank % r->world->rpn == 0 : first;
}

static int tell_about(const struct sim_rank *r, json_object *told, enum facts_about about,
                      struct hb_err *err)
{
	struct facts_tell t;

	facts_tell_begin(&t, r->emit, about, NULL);
	json_object_object_foreach(told, name, value)
	{
		char device[SIM_DEVICE_MAX];
		const char *key;

		sim_split_key(name, device, sizeof(device), &key);
		if (about_of(key) == about)
			fact_tell(&t.sink, device, key, json_object_get_string(value),
			          "model file");
	}
	return facts_tell_end(&t, err);
}

int sim_tell_facts(const struct sim_rank *r, struct hb_err *err)
{
	json_object *told = sim_told_by(&r->world->model.facts, r->node);
	int rc = HB_OK;

	if (control_answer(r->control).facts)
		rc = tell_about(r, told, FACTS_NODE, err);
	if (rc == HB_OK && is_first(r))
		rc = tell_about(r, told, FACTS_STEP, err);
	js_put(told);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	const struct counter_value *x = a, *y = b;
	int d = strcmp(x->device, y->device);

	return d ? d : strcmp(x->name, y->name);
}

/* What stood at 0 when the step began. */
void sim_tell_counters(const struct sim_rank *r)
{
	struct counters before = { .n = 0 }, after = { .n = 0 };
	json_object *told;

	if (!is_first(r))
		return;
	told = sim_told_by(&r->world->model.counters, r->node);
	json_object_object_foreach(told, name, value)
	{
		struct counter_value c = { .width = 64 };
		const char *counter;

		sim_split_key(name, c.device, sizeof(c.device), &counter);
		snprintf(c.name, sizeof(c.name), "%s", counter);
		hb_grow(&before.v, &before.cap, before.n + 1, sizeof(*before.v));
		hb_grow(&after.v, &after.cap, after.n + 1, sizeof(*after.v));
		before.v[before.n++] = c;
		c.value = (uint64_t)json_object_get_double(value);
		after.v[after.n++] = c;
	}
	js_put(told);
	if (after.n > 0) {
		qsort(before.v, before.n, sizeof(*before.v), by_name);
		qsort(after.v, after.n, sizeof(*after.v), by_name);
	}
	control_hurry(r->control, LAST_WORDS_MS);
	counters_tell(r->emit, r->node, &before, &after, NULL);
	counters_free(&before);
	counters_free(&after);
}
