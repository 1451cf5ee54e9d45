/* Nodes that do not enter a baseline, with all that was measured with them. */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_baseline.h"
#include "harness/collect/collect.h"

static bool is_left_out(const struct recording *r, const char *subject)
{
	return nodeset_find(&r->exclude, subject) >= 0;
}

/* Without records nobody can take the node's pairs out of what was made over pairs. */
static void drop_rows(const struct recording *r, struct summary *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n_rows; i++) {
		struct summary_row *row = &s->rows[i];
		if (row->kind == SUBJECT_CLUSTER || row->pairs > 0 || is_left_out(r, row->subject))
			summary_row_free(row);
		else
			s->rows[kept++] = *row;
	}
	s->n_rows = kept;
	kept = 0;
	for (size_t i = 0; i < s->n_losses; i++) {
		struct summary_loss *l = &s->losses[i];
		if (!l->subject || !is_left_out(r, l->subject)) {
			s->losses[kept++] = *l;
			continue;
		}
		free(l->subject);
		free(l->bench);
		free(l->reason);
	}
	s->n_losses = kept;
	for (size_t i = 0; s->hw && i < r->exclude.n; i++)
		json_object_object_del(s->hw, r->exclude.v[i]);
}

static bool was_there(const struct summary *s, const char *node)
{
	if (s->hw && json_object_object_get_ex(s->hw, node, NULL))
		return true;
	for (size_t i = 0; i < s->n_losses; i++)
		if (s->losses[i].subject && strcmp(s->losses[i].subject, node) == 0)
			return true;
	for (size_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].subject, node) == 0)
			return true;
	return false;
}

/* Several runs as one are put together again, without the nodes. */
static int merge_without(const struct recording *r, const struct store *store, const char *words,
                         struct summary *s)
{
	struct run_list again = { 0 };
	struct hb_err err = { 0 };
	int rc = load_merged(store, words, &r->exclude, &again, NULL, &err);
	if (rc == HB_OK) {
		struct summary old = *s;
		*s = again.v[0];
		again.v[0] = old;
	}
	load_runs_free(&again);
	return rc == HB_OK ? CODE_OK : cmd_error("baseline", &err);
}

/* A run that has none of the nodes stays as it is; others are collected anew without them. */
static int leave_out(const struct recording *r, const struct store *store, size_t i)
{
	struct summary *s = &r->runs.v[i], without;
	const char *dir = r->runs.dirs[i], *merge = baseline_merge_words(r, i);
	struct hb_err err;
	bool any = false;
	for (size_t k = 0; k < r->exclude.n; k++)
		any = any || was_there(s, r->exclude.v[k]);
	if (!any)
		return CODE_OK;
	if (merge)
		return merge_without(r, store, merge, s);
	char *records = hb_format("%s/records.jsonl", dir);
	bool collectable = access(records, R_OK) == 0;
	free(records);
	if (!collectable) {
		drop_rows(r, s);
		(void)cmd_error_text("baseline", CODE_OK,
		                     "run %s has no records: what it says over pairs and of the "
		                     "cluster was made with the excluded nodes and is left out",
		                     s->run);
		return CODE_OK;
	}
	if (collect_run_without(dir, &r->exclude, &without, &err) != HB_OK)
		return cmd_error("baseline", &err);
	summary_free(s);
	*s = without;
	return CODE_OK;
}

int baseline_exclude(struct recording *r, const struct store *s)
{
	const char *why = r->opts->reason ? r->opts->reason : "";
	struct hb_err err;
	for (size_t i = 0; i < r->exclude.n; i++) {
		const char *node = r->exclude.v[i];
		for (size_t e = 0; r->existed && e < r->b.n_entries; e++)
			if (baseline_series(&r->b.entries[e], node))
				return cmd_error_text(
				        "baseline", CODE_USAGE,
				        "%s is in baseline %s already and what holds it cannot be "
				        "taken apart; record another one without it",
				        node, r->name);
	}
	if (r->existed && r->b.excluded) {
		json_object_object_foreach(r->b.excluded, node, value)
		{
			(void)value;
			if (!is_left_out(r, node) && nodeset_add(&r->exclude, node, &err) != HB_OK)
				return cmd_error("baseline", &err);
		}
	}
	for (size_t i = 0; i < r->runs.n; i++) {
		int code = leave_out(r, s, i);
		if (code != CODE_OK)
			return code;
	}
	if (!r->existed)
		return CODE_OK;
	for (size_t i = 0; i < r->exclude.n; i++)
		if (!baseline_excluded(&r->b, r->exclude.v[i]))
			js_set_str(r->b.excluded, r->exclude.v[i], why);
	return CODE_OK;
}

void baseline_tell_excluded(const struct recording *r, struct doc *d)
{
	struct buf nodes = BUF_INIT;
	if (r->exclude.n == 0)
		return;
	nodeset_format(&r->exclude, &nodes);
	js_set_str(d->data, "excluded", buf_text(&nodes));
	doc_text(d, DOC_PLAIN,
	         "excluded: %s and all that was measured with %s; verdicts against this baseline "
	         "call them new",
	         buf_text(&nodes), r->exclude.n == 1 ? "it" : "them");
	buf_free(&nodes);
}
