/* A helper that the harness commands. */
#include <string.h>

#include "bench/core/control.h"
#include "bench/core/helper_parts.h"

/* Who told us to quit waits a few seconds for our end. */
enum { LAST_WORDS_MS = 1000 };

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
		return helper_do_job(crew, e, msg, err);
	snprintf(text, sizeof(text), "the command '%.60s' is unknown to this helper", name);
	event = rec_event_to_json(NULL, "warn", "unknown-command", text);
	rc = control_send(c, event, err);
	js_put(event);
	return rc;
}

static int take_commands(struct crew *crew, struct control *c, struct hb_err *err)
{
	const struct control_answer wished = control_answer(c);
	struct emit *e = emit_control_new(c);
	int rc;

	crew->facts = wished.facts;
	crew->first = wished.first >= 0 ? wished.first : helper_first_on_node();
	rc = helper_introduce(crew, e, err);
	while (!rc) {
		json_object *msg = NULL;

		rc = control_next(c, &msg, err);
		if (!rc)
			rc = do_command(crew, c, e, msg, err);
		js_put(msg);
	}
	if (rc == HB_E_CANCELLED) {
		control_hurry(c, LAST_WORDS_MS);
		helper_part(crew, e);
	}
	e->close(e);
	return rc;
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
	struct control_hello hello = helper_hello(crew);
	struct control *c = crew->control;
	int wrong = helper_check_world(hello.size, &world), rc = control_join(c, &hello, &err);

	bool joined = rc == HB_OK;

	crew->control = NULL;
	if (wrong < 0) {
		if (!rc)
			tell_world_size(c, &world);
		control_close(c);
		return helper_complain(h, &world);
	}
	if (!rc)
		rc = take_commands(crew, c, &err);
	control_close(c);
	if (rc == HB_E_CANCELLED && joined)
		return HB_EXIT_OK;
	/* The others may be gone or in the middle of something: nobody is waited for. */
	crew->clean = false;
	return helper_complain(h, &err);
}
