/* A helper that the harness commands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/control.h"
#include "bench/core/helper_parts.h"

static int send_done(struct control *c, uint64_t job, int rc, const char *reason,
                     struct hb_err *err)
{
	json_object *o = json_object_new_object();
	int sent;

	js_set_str(o, "msg", "done");
	js_set_u64(o, "job", job);
	js_set_str(o, "status", unit_status_name(unit_status_of(rc)));
	js_set_str(o, "reason", rc < 0 ? reason : NULL);
	sent = control_send(c, o, err);
	js_put(o);
	return sent;
}

/* Runs one job; returns a failure only where the harness can no longer be told. */
static int do_job(struct crew *crew, struct control *c, struct emit *e, json_object *msg,
                  struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("job");
	struct hb_err why = { HB_OK, "" };
	struct job job;
	uint64_t id = 0;
	int rc = job_from_json(msg, crew->helper, &job, &why);

	if (rc < 0) {
		js_get_u64(msg, &at, "job", JS_OPTIONAL, &id, NULL);
		return send_done(c, id, rc, why.text, err);
	}
	id = job.id;
	rc = job_run(&job, crew->world, e, &why);
	job_free(&job);
	if (rc == HB_E_TIMEOUT)
		crew->clean = false;
	return send_done(c, id, rc, why.text, err);
}

static int do_command(struct crew *crew, struct control *c, struct emit *e, json_object *msg,
                      struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("command");
	const char *name = "";
	json_object *event;
	char text[120];
	int rc;

	js_get_str(msg, &at, "msg", JS_OPTIONAL, &name, NULL);
	if (strcmp(name, "job") == 0)
		return do_job(crew, c, e, msg, err);
	snprintf(text, sizeof(text), "the command '%.60s' is unknown to this helper", name);
	event = rec_event_to_json(NULL, "warn", "unknown-command", text);
	rc = control_send(c, event, err);
	js_put(event);
	return rc;
}

static int take_commands(struct crew *crew, struct control *c, struct hb_err *err)
{
	struct emit *e = emit_control_new(c);
	int rc = helper_introduce(crew, e, err);

	while (!rc) {
		json_object *msg = NULL;

		rc = control_next(c, &msg, err);
		if (!rc)
			rc = do_command(crew, c, e, msg, err);
		js_put(msg);
	}
	e->close(e);
	return rc;
}

/*
 * How many ranks the launcher was asked to start against how many found each other. A rank that
 * believes to be alone is the classic sign of a launcher and an MPI that do not speak the same
 * PMI; figures of such a world would look fine and mean nothing.
 */
static int check_world(int size, struct hb_err *err)
{
	const char *text = getenv(CONTROL_ENV_RANKS);
	char *end;
	long started;

	if (!text)
		return HB_OK;
	errno = 0;
	started = strtol(text, &end, 10);
	if (errno || end == text || *end || started < 1)
		return hb_fail(err, HB_E_USAGE,
		               CONTROL_ENV_RANKS "='%.40s' is not a number of ranks", text);
	if (started == size)
		return HB_OK;
	if (size == 1)
		return hb_fail(err, HB_E_LIB,
		               "started %ld ranks but MPI sees a world of 1: the launcher's "
		               "PMI/PMIx does not match this MPI; with srun try --mpi=pmix",
		               started);
	return hb_fail(err, HB_E_LIB, "started %ld ranks but MPI sees a world of %d", started,
	               size);
}

static void tell_world_size(struct control *c, const struct hb_err *why)
{
	json_object *o = rec_event_to_json(NULL, "error", "world-size", why->text);

	control_send(c, o, NULL);
	js_put(o);
}

int helper_serve(struct crew *crew)
{
	const struct helper *h = crew->helper;
	struct hb_err err = { HB_OK, "" }, world = { HB_OK, "" };
	struct control_hello hello = { crew->node.host,
		                       crew->node.hw,
		                       h->name,
		                       HPCBENCH_VERSION,
		                       crew->world->ops->rank(crew->world),
		                       crew->world->ops->size(crew->world) };
	struct control *c = NULL;
	int wrong = check_world(hello.size, &world), rc = control_open(&hello, &c, &err);

	if (wrong < 0) {
		if (!rc)
			tell_world_size(c, &world);
		control_close(c);
		return helper_complain(h, &world);
	}
	if (!rc)
		rc = take_commands(crew, c, &err);
	control_close(c);
	if (rc == HB_E_CANCELLED && c)
		return HB_EXIT_OK;
	/* The others may be gone or in the middle of something: nobody is waited for. */
	crew->clean = false;
	return helper_complain(h, &err);
}
