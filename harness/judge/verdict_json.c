/*
 * verdicts.json, schema 1, and the same in documents:
 *	{"schema":1, "q": of Benjamini and Hochberg, "leaf_classes": new|old (that side alone knows
 *	 them), families, families_rejected, "count":{verdict: rows},
 *	 "findings":[{subject, "kind": hardware-changed|hardware-alone, old, new, text, known}],
 *	 "rows":[{key, subject, verdict, unit, old, new, old_half, new_half (of their intervals),
 *	    delta (new to old, less 1), loss (above 0: worse), floor, tolerance, p, p_family, s, df,
 *	    mde (smallest detectable loss), n_old, n_new, "spread": where s comes from, provisional,
 *	    confirmed, confirm_p, confirm_loss, note, known}]}
 * known: {id, subject, until, reason, by}. What is not known, or not so, is left out; key is as in
 * summary.json.
 */
#include <math.h>

#include "harness/judge/ack.h"
#include "harness/judge/compare.h"

static void set_figure(json_object *o, const char *name, double v)
{
	if (isfinite(v))
		js_set_f64(o, name, v);
}

static json_object *row_to_json(const struct verdict_row *v)
{
	json_object *o = json_object_new_object();
	const struct base_entry *e = v->entry;

	js_set_obj(o, "key", key_to_json(v->key));
	js_set_str(o, "subject", v->subject);
	js_set_str(o, "verdict", verdict_name(v->verdict));
	if (v->row)
		js_set_str(o, "unit", summary_unit_name(v->row->unit));
	else if (e)
		js_set_str(o, "unit", summary_unit_name(e->unit));
	set_figure(o, "old", v->old_value);
	set_figure(o, "new", v->new_value);
	set_figure(o, "old_half", v->old_half);
	set_figure(o, "new_half", v->new_half);
	set_figure(o, "delta", v->delta);
	set_figure(o, "loss", v->loss);
	set_figure(o, "floor", v->floor);
	if (v->tolerance > 0.0)
		js_set_f64(o, "tolerance", v->tolerance);
	set_figure(o, "p", v->p);
	set_figure(o, "p_family", v->p_family);
	set_figure(o, "s", v->s);
	set_figure(o, "df", v->df);
	set_figure(o, "mde", v->mde);
	js_set_i64(o, "n_old", v->n_old);
	js_set_i64(o, "n_new", v->n_new);
	if (isfinite(v->s))
		js_set_str(o, "spread", spread_source_text(v->source));
	js_set_bool(o, "provisional", v->provisional);
	js_set_bool(o, "confirmed", v->confirmed);
	set_figure(o, "confirm_p", v->confirm_p);
	set_figure(o, "confirm_loss", v->confirm_loss);
	if (v->note[0])
		js_set_str(o, "note", v->note);
	if (v->ack)
		js_set_obj(o, "known", ack_to_json(v->ack));
	return o;
}

static json_object *findings_to_json(const struct verdicts *v)
{
	json_object *a = json_object_new_array();

	for (size_t i = 0; i < v->n_findings; i++) {
		const struct finding *f = &v->findings[i];
		json_object *o = json_object_new_object();

		js_set_str(o, "subject", f->subject);
		js_set_str(o, "kind", finding_kind_name(f->kind));
		if (f->old_hw)
			js_set_str(o, "old", f->old_hw);
		js_set_str(o, "new", f->new_hw);
		js_set_str(o, "text", f->text);
		if (f->ack)
			js_set_obj(o, "known", ack_to_json(f->ack));
		json_object_array_add(a, o);
	}
	return a;
}

json_object *verdicts_to_json(const struct verdicts *v)
{
	json_object *o = json_object_new_object(), *count = json_object_new_object();
	json_object *rows = json_object_new_array();

	js_set_i64(o, "schema", 1);
	js_set_f64(o, "q", v->q);
	if (v->leaves != LEAVES_ALIKE)
		js_set_str(o, "leaf_classes", v->leaves == LEAVES_NEW ? "new" : "old");
	js_set_u64(o, "families", v->families);
	js_set_u64(o, "families_rejected", v->families_rejected);
	for (int k = 0; k < VERDICTS; k++)
		js_set_u64(count, verdict_name((enum verdict)k), v->count[k]);
	js_set_obj(o, "count", count);
	js_set_obj(o, "findings", findings_to_json(v));
	for (size_t i = 0; i < v->n; i++)
		json_object_array_add(rows, row_to_json(&v->rows[i]));
	js_set_obj(o, "rows", rows);
	return o;
}
