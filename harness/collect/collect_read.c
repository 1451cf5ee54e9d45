/*
 * Reading a run's files, line by line: no object outlives its line, and no line, whatever it
 * holds, ends the reading. Bad ones are counted, the first few named.
 */
#include <stdio.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"
#include "harness/store/lines.h"

enum { HW_MAX = 512, SW_KEYS_MAX = 256 };
enum { SW_VALUES_MAX = 64, SW_TEXT_MAX = 1024 };

static const char where_name[] = "records.jsonl";

/* Where the reader is; the place of an error is only made when there is one. */
struct records {
	struct collect *c;
	struct js_parser *parser;
	struct rec_scan *scan;
	uint64_t line;
};

void collect_add_loss(struct summary *s, const char *subject, const char *reason)
{
	hb_grow(&s->losses, &s->cap_losses, s->n_losses + 1, sizeof(*s->losses));
	s->losses[s->n_losses++] = (struct summary_loss){ .subject = hb_strdup(subject),
		                                          .reason = hb_strdup(reason),
		                                          .status = UNIT_FAILED };
}

static void bad_line(struct records *l, const char *why)
{
	const char *part = l->c->part;
	char subject[192];
	if (l->c->bad_lines++ >= COLLECT_BAD_LINES_NAMED)
		return;
	snprintf(subject, sizeof(subject), "%.100s%s%s:%llu", part ? part : "", part ? "/" : "",
	         where_name, (unsigned long long)l->line);
	collect_add_loss(l->c->out, subject, why);
}

size_t collect_find_node(const struct collect *c, const char *name)
{
	size_t lo = 0, hi = c->plan.nodes.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(c->plan.nodes.v[c->by_name[mid]], name);
		if (cmp == 0)
			return c->by_name[mid];
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return SIZE_MAX;
}

/* The unit that ids name, or NULL after a bad line. */
static struct unit_state *find_unit(struct records *l, const struct rec_ids *ids)
{
	char why[96];
	struct unit_state *u = collect_unit(l->c, ids->unit);
	if (u && ids->unit && l->c->plan.steps[u->step].id == ids->step + l->c->step0)
		return u;
	snprintf(why, sizeof(why), "the plan has no unit %llu in step %llu",
	         (unsigned long long)ids->unit, (unsigned long long)ids->step);
	bad_line(l, why);
	return NULL;
}

static void take_point(struct records *l, const struct rec_point *p)
{
	struct unit_state *u = find_unit(l, &p->ids);
	if (!u)
		return;
	const struct plan_job *job = unit_job(l->c, u);
	const struct bench_info *info = job->cases.info;
	const struct bench_case *point = &job->cases.v[p->ids.unit + l->c->unit0 - job->first_unit];
	if (strcmp(p->bench, info->name) != 0 || p->bytes != point->bytes) {
		bad_line(l, "its benchmark or size is not what the plan has for this unit");
		return;
	}
	struct attempt *a = collect_attempt(u, p->ids.attempt);
	if (!a || a->point) /* a record that came twice: the first one counts */
		return;
	size_t n = 0;
	while (info->metrics[n].name)
		n++;
	a->point = true;
	a->spread = p->spread;
	if (p->is_pair && job->n_ranks == 2 && !plan_within_node(&l->c->plan.steps[u->step], job)) {
		a->rail[0] = collect_rail(l->c, p->a);
		a->rail[1] = collect_rail(l->c, p->b);
	}
	a->f = hb_alloc(n * sizeof(*a->f));
	for (size_t i = 0; i < p->n_metrics; i++) {
		const struct stat_summary *s = &p->metrics[i].s;
		const struct metric_info *m = info_metric(info, p->metrics[i].name);
		if (m)
			a->f[m - info->metrics] = (struct figure){ s->p50, s->lo,  s->hi,
				                                   s->p95, s->p99, s->n };
	}
}

static void take_end(struct records *l, const struct rec_end *e)
{
	struct unit_state *u = find_unit(l, &e->ids);
	struct attempt *a = u ? collect_attempt(u, e->ids.attempt) : NULL;
	if (!a || a->ended)
		return;
	a->ended = true;
	a->status = e->status;
	/* What tells facts has nothing else to come. */
	if (unit_job(l->c, u)->cases.info->flags & BENCH_TELLS)
		a->point = true;
	if (!a->reason)
		a->reason = hb_strdup(e->reason);
}

/* Only "disturbed" changes what figures are worth: of its unit, or of its whole step. */
static void take_event(struct records *l, json_object *o, const struct js_at *at)
{
	const char *code = "", *text = NULL;
	struct rec_ids ids;
	struct hb_err err;
	uint64_t step = 0;
	if (js_get_str(o, at, "code", JS_OPTIONAL, &code, &err) != HB_OK ||
	    js_get_str(o, at, "text", JS_OPTIONAL, &text, &err) != HB_OK ||
	    js_get_u64(o, at, "step", JS_OPTIONAL, &step, &err) != HB_OK) {
		bad_line(l, err.text);
		return;
	}
	bool of_unit = rec_ids_from_json(o, at, &ids, &err) == HB_OK;
	struct unit_state *of = of_unit ? collect_unit(l->c, ids.unit) : NULL;

	if (!of_unit || !of || ids.phase == PHASE_MAIN || ids.phase == PHASE_EXTRA)
		collect_event(l->c, o, of);
	if (strcmp(code, "disturbed") != 0)
		return;
	if (of_unit) {
		struct unit_state *u = find_unit(l, &ids);
		struct attempt *a = u ? collect_attempt(u, ids.attempt) : NULL;
		if (a) {
			a->disturbed = true;
			if (!a->reason)
				a->reason = hb_strdup(text);
		}
	} else if (step >= 1 && step <= l->c->n_steps) {
		l->c->disturbed[l->c->step0 + step - 1] = true;
	}
}

static void take_rank(struct records *l, json_object *o, const struct js_at *at)
{
	const char *host = NULL, *hw = NULL;
	struct hb_err err;
	if (js_get_str(o, at, "host", JS_REQUIRED, &host, &err) != HB_OK ||
	    js_get_str(o, at, "hw", JS_OPTIONAL, &hw, &err) != HB_OK) {
		bad_line(l, err.text);
		return;
	}
	if (!hw || !*hw || strlen(hw) > HW_MAX)
		return;
	/* The local launcher knows one node only, whatever that calls itself. */
	size_t node = l->c->plan.nodes.n == 1 ? 0 : collect_find_node(l->c, host);
	if (node != SIZE_MAX && !l->c->node_hw[node])
		l->c->node_hw[node] = hb_strdup(hw);
}

/* How a fact is called in the fingerprint; NULL: it is none of software or settings. */
static const char *fingerprint_name(const char *key)
{
	if (strncmp(key, "sw.", 3) == 0)
		return key + 3;
	/* Where libraries are sought differs from user to user; lib.* says what came of it. */
	if (strncmp(key, "env.LD_", 7) == 0)
		return NULL;
	return strncmp(key, "env.", 4) == 0 || strncmp(key, "mpi.", 4) == 0 ? key : NULL;
}

/*
 * Software, MPI and its settings make the fingerprint: name -> the distinct values seen. The record
 * was checked by collect_fact.
 */
static void take_fact(json_object *all, json_object *o)
{
	json_object *arr = NULL, *text = NULL;

	json_object_object_get_ex(o, "key", &text);
	const char *key = fingerprint_name(json_object_get_string(text)), *value;
	if (!key || !json_object_object_get_ex(o, "value", &text) || !text)
		return;
	value = json_object_get_string(text);
	if (!*key || strlen(key) > SW_TEXT_MAX || strlen(value) > SW_TEXT_MAX)
		return;
	if (!json_object_object_get_ex(all, key, &arr)) {
		if (json_object_object_length(all) >= SW_KEYS_MAX)
			return;
		arr = json_object_new_array();
		js_set_obj(all, key, arr);
	}
	size_t n = json_object_array_length(arr);
	for (size_t i = 0; i < n; i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(arr, i)), value) == 0)
			return;
	if (n < SW_VALUES_MAX)
		json_object_array_add(arr, js_str(value));
}

static void take_object(struct records *l, json_object *o)
{
	struct js_at at = JS_AT_TOP(where_name);
	struct rec_point p;
	struct rec_end e;
	struct hb_err err;
	switch (record_type_of(o)) {
	case REC_POINT:
	case REC_PAIR:
		if (rec_point_from_json(o, &at, &p, &err) != HB_OK)
			bad_line(l, err.text);
		else
			take_point(l, &p);
		break;
	case REC_END:
		if (rec_end_from_json(o, &at, &e, &err) != HB_OK)
			bad_line(l, err.text);
		else
			take_end(l, &e);
		break;
	case REC_EVENT: take_event(l, o, &at); break;
	case REC_RANK: take_rank(l, o, &at); break;
	case REC_FACT:
		if (collect_fact(l->c, o, &at, &err) != HB_OK)
			bad_line(l, err.text);
		else
			take_fact(l->c->out->fingerprint, o);
		break;
	case REC_COUNTER:
		if (collect_counter(l->c, o, &at, &err) != HB_OK)
			bad_line(l, err.text);
		break;
	case REC_META:
	case REC_SAMPLES:
	case REC_LOAD: break;
	case REC_UNKNOWN: l->c->out->unknown_records++; break;
	}
}

static int take_line(void *ctx, const struct line *line, struct hb_err *none)
{
	struct records *l = ctx;
	const char *text = line->text;
	size_t len = line->len;
	struct rec_point p;
	struct rec_end e;
	struct hb_err err;
	json_object *o = NULL;
	(void)none;
	l->line = line->number;
	if (!text) {
		bad_line(l, "longer than a line may be");
		return HB_OK;
	}
	if (len == 0)
		return HB_OK;
	/* Nearly every line goes this way, without an object. */
	enum record_type quick = rec_scan_line(l->scan, text, len, &p, &e);
	if (quick == REC_END) {
		take_end(l, &e);
	} else if (quick != REC_UNKNOWN) {
		take_point(l, &p);
	} else if (js_parser_line(l->parser, text, len, where_name, &o, &err) != HB_OK) {
		bad_line(l, err.text);
	} else {
		take_object(l, o);
		js_put(o);
	}
	return HB_OK;
}

static void name_the_rest(struct records *l)
{
	const char *part = l->c->part;
	char text[96], subject[192];
	uint64_t more = l->c->bad_lines;
	if (more <= COLLECT_BAD_LINES_NAMED)
		return;
	snprintf(text, sizeof(text), "%llu more lines that are no records",
	         (unsigned long long)(more - COLLECT_BAD_LINES_NAMED));
	snprintf(subject, sizeof(subject), "%.100s%s%s", part ? part : "", part ? "/" : "",
	         where_name);
	collect_add_loss(l->c->out, subject, text);
}

int collect_records(struct collect *c, const char *dir, struct hb_err *err)
{
	char *path = hb_format("%s/%s", dir, where_name);
	struct records l = { c, js_parser_new(), rec_scan_new(), 0 };
	int rc = lines_read(path, JS_LINE_MAX, take_line, &l, err);

	name_the_rest(&l);
	js_parser_free(l.parser);
	rec_scan_free(l.scan);
	free(path);
	return rc;
}
