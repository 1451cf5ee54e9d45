/* A job that has no figures: each rank tells its facts by itself, the first one ends the units. */
#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/helper_parts.h"

struct teller {
	struct emit *emit;
	const char *host;
	int rc; /* the first failure to tell ... */
	struct hb_err why;
};

static void send_fact(void *ctx, const char *device, const char *key, const char *value,
                      const char *source)
{
	struct teller *t = ctx;
	char *endpoint = *device ? hb_format("%s/%s", t->host, device) : hb_strdup(t->host);
	json_object *o = rec_fact_to_json(endpoint, key, value, source);

	if (t->rc == HB_OK)
		t->rc = t->emit->record(t->emit, o, &t->why);
	js_put(o);
	free(endpoint);
}

/* The place of this rank in the job. */
static int find_me(const struct job *j, const struct comm *world, int *me, struct hb_err *err)
{
	int rank = world->ops->rank(world);

	for (int i = 0; i < j->n_ranks; i++) {
		if (j->ranks[i] != rank)
			continue;
		*me = i;
		return HB_OK;
	}
	return hb_fail(err, HB_E_USAGE, "rank %d was sent a job that does not name it", rank);
}

static int end_units(const struct job *j, struct emit *e, int status, const char *reason,
                     double seconds, struct hb_err *err)
{
	int rc = HB_OK;

	for (size_t i = 0; !rc && i < j->cases.n; i++) {
		struct rec_end end = { .ids = j->ids,
			               .status = unit_status_of(status),
			               .reason = status < 0 ? reason : NULL,
			               .seconds = seconds };
		json_object *o;

		end.ids.unit = j->units[i];
		o = rec_end_to_json(&end);
		rc = e->record(e, o, err);
		js_put(o);
	}
	return rc;
}

int job_tell(const struct job *j, struct comm *world, struct emit *e, struct hb_err *err)
{
	struct teller teller = { .emit = e, .host = j->host ? j->host : "localhost" };
	const struct fact_sink sink = { send_fact, &teller };
	uint64_t start = clock_ns();
	struct tell t = { .msg = j->msg,
		          .ranks = j->ranks,
		          .n_ranks = j->n_ranks,
		          .endpoint = teller.host,
		          .listener = j->listener,
		          .sink = &sink };
	struct hb_err why = { HB_OK, "" };
	int rc = find_me(j, world, &t.me, &why), told = HB_OK;

	if (j->params.deadline_s > 0)
		t.deadline_ns = start + (uint64_t)(j->params.deadline_s * 1e9);
	if (!rc)
		rc = j->ops->tell(&t, &why);
	if (teller.rc < 0) {
		if (err)
			*err = teller.why;
		return teller.rc;
	}
	if (t.me == 0)
		told = end_units(j, e, rc, why.text, (double)(clock_ns() - start) / 1e9, err);
	if (told < 0)
		return told;
	if (err && rc < 0)
		*err = why;
	return rc;
}
