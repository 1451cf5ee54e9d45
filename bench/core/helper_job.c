/* What a commanded helper does with a job, however the command came. */
#include <unistd.h>

#include "bench/core/helper_parts.h"

struct control_hello helper_hello(const struct crew *crew)
{
	return (struct control_hello){ crew->node.host,
		                       crew->node.hw,
		                       crew->helper->name,
		                       HPCBENCH_VERSION,
		                       crew->world->ops->rank(crew->world),
		                       crew->world->ops->size(crew->world),
		                       crew->port };
}

int helper_check_world(int size, struct hb_err *err)
{
	int started;

	if (env_launch_started(&started, err) < 0)
		return HB_E_USAGE;
	if (started == 0 || started == size)
		return HB_OK;
	if (size == 1)
		return hb_fail(err, HB_E_LIB,
		               "started %d ranks but MPI sees a world of 1: the launcher's "
		               "PMI/PMIx does not match this MPI; with srun try --mpi=pmix",
		               started);
	return hb_fail(err, HB_E_LIB, "started %d ranks but MPI sees a world of %d", started, size);
}

/* load: what the node did meanwhile; NULL: nothing was measured. */
static int say_done(struct emit *e, uint64_t job, int rc, const char *reason,
                    const struct load_span *load, struct hb_err *err)
{
	json_object *o = json_object_new_object();
	int sent;

	js_set_str(o, "msg", "done");
	js_set_u64(o, "job", job);
	js_set_str(o, "status", unit_status_name(unit_status_of(rc)));
	js_set_str(o, "reason", rc < 0 ? reason : NULL);
	if (load) {
		json_object *told = json_object_new_object();

		load_span_set(told, load);
		js_set_obj(o, "load", told);
	}
	sent = e->record(e, o, err);
	js_put(o);
	return sent;
}

static int seats_to_ranks(const struct crew *crew, struct job *job, struct hb_err *err)
{
	for (int i = 0; crew->rank_of_seat && i < job->n_ranks; i++) {
		int seat = job->ranks[i],
		    rank = seat < crew->n_seats ? crew->rank_of_seat[seat] : -1;

		if (rank < 0)
			return hb_fail(err, HB_E_USAGE, "the job names seat %d, where nobody sits",
			               seat);
		job->ranks[i] = rank;
	}
	return HB_OK;
}

int helper_do_job(struct crew *crew, struct emit *e, json_object *msg, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("job");
	struct hb_err why = { HB_OK, "" };
	struct load_reading before, after;
	struct load_moved moved = { 0, 0 };
	struct load_span load;
	struct job job;
	uint64_t id = 0;
	int rc = job_from_json(msg, crew->helper, &job, &why);

	if (rc < 0) {
		js_get_u64(msg, &at, "job", JS_OPTIONAL, &id, NULL);
		return say_done(e, id, rc, why.text, NULL, err);
	}
	id = job.id;
	job.moved = &moved;
	job.host = crew->node.host;
	job.listener = crew->listener;
	load_read(&before);
	rc = seats_to_ranks(crew, &job, &why);
	if (!rc)
		rc = job_run(&job, crew->world, e, &why);
	load_read(&after);
	load_between(&before, &after, &moved, &load);
	if ((double)(before.ns - crew->last_ns) / 1e9 < LOAD_LAG_S) {
		load.tx_before = crew->last.tx;
		load.rx_before = crew->last.rx;
	}
	crew->last = moved;
	crew->own.tx += moved.tx;
	crew->own.rx += moved.rx;
	crew->last_ns = after.ns;
	/* Nobody connects after the one job that this was for. */
	if (crew->listener >= 0 && job.ops->tell) {
		close(crew->listener);
		crew->listener = -1;
	}
	job_free(&job);
	if (rc == HB_E_TIMEOUT)
		crew->clean = false;
	return say_done(e, id, rc, why.text, &load, err);
}
