#include "bench/base/mem.h"
#include "harness/accept/accept.h"
#include "harness/judge/ack.h"

static const char *role_text(enum plan_role r)
{
	return r == ROLE_NEW ? "new" : "control";
}

static json_object *reason_json(const struct accept_reason *r)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "why", accept_why_name(r->why));
	js_set_str(o, "makes", accept_name(r->word));
	js_set_str(o, "text", r->text);
	js_set_f64(o, "loss", r->loss);
	js_set_bool(o, "confirmed", r->confirmed);
	if (r->ack)
		js_set_obj(o, "known", ack_to_json(r->ack));
	return o;
}

static json_object *node_json(const struct accept_node *n)
{
	json_object *o = json_object_new_object(), *reasons = json_object_new_array();
	const char *why;

	js_set_str(o, "node", n->node);
	js_set_str(o, "role", role_text(n->role));
	js_set_str(o, "decision", accept_name(n->word));
	js_set_bool(o, "known", n->ack != NULL);
	js_set_u64(o, "partners", n->partners);
	js_set_f64(o, "detectable", n->detectable);
	js_set_str(o, "detectable_bench", n->detectable_bench);
	js_set_bool(o, "confirmed", accept_may_drain(n, &why));
	for (size_t i = 0; i < n->n_reasons; i++)
		json_object_array_add(reasons, reason_json(&n->reasons[i]));
	js_set_obj(o, "reasons", reasons);
	return o;
}

json_object *accept_to_json(const struct acceptance *a)
{
	json_object *o = json_object_new_object(), *counts = json_object_new_object();
	json_object *decisions = json_object_new_array(), *notes = json_object_new_array();

	js_set_u64(o, "new", a->n_new);
	js_set_u64(o, "controls", a->controls);
	js_set_u64(o, "controls_healthy", a->controls_healthy);
	for (enum accept_word w = ACCEPT_ACCEPTED; w < ACCEPT_WORDS; w++)
		js_set_u64(counts, accept_name(w), a->count[w]);
	js_set_obj(o, "counts", counts);
	js_set_i64(o, "code", accept_code(a));
	for (size_t i = 0; i < a->n; i++)
		json_object_array_add(decisions, node_json(&a->v[i]));
	js_set_obj(o, "decisions", decisions);
	for (size_t i = 0; i < a->n_notes; i++)
		json_object_array_add(notes, js_str(a->notes[i]));
	js_set_obj(o, "notes", notes);
	return o;
}
