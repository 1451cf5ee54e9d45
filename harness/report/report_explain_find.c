/* What of a run is about a subject: its units in the plan, its rows in verdicts.json. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/report/report_explain.h"

static const char cluster[] = "cluster";

static const char *node_of(const struct explain *e, const struct explain_unit *u, int rank)
{
	return e->plan.nodes.v[u->step->rank_node[u->job->ranks[rank]]];
}

/* Is a job about the subject? Of the cluster: all that are over several nodes. */
static bool is_about(const struct explain *e, const struct plan_step *s, const struct plan_job *j)
{
	const struct explain_unit u = { 0, s, j, SIZE_MAX };
	bool rerun = j->phase == PHASE_CONFIRM || j->phase == PHASE_CONTROL;
	/* The control's side of the subject's rerun belongs to its story. */
	if (rerun && (strcmp(j->subject, e->subject) == 0 ||
	              (j->partner && strcmp(j->partner, e->subject) == 0)))
		return true;
	if (strcmp(e->subject, cluster) == 0)
		return !rerun && j->n_ranks > 1;
	for (int r = 0; r < j->n_ranks; r++)
		if (strcmp(node_of(e, &u, r), e->subject) == 0)
			return true;
	if (j->n_ranks != 2)
		return false;
	struct buf pair = BUF_INIT;
	rec_pair_subject(j->dir, node_of(e, &u, 0), node_of(e, &u, 1), &pair);
	bool about = ack_covers(e->subject, buf_text(&pair), NULL);
	buf_free(&pair);
	return about;
}

static bool is_wanted(const struct explain *e, const struct plan_job *j, size_t at)
{
	return (!e->bench || strcmp(j->cases.info->name, e->bench) == 0) &&
	       (!e->has_bytes || j->cases.v[at].bytes == e->bytes);
}

static void find_units(struct explain *e, bool *about)
{
	e->by_id = hb_alloc(((size_t)e->plan.next_unit + 1) * sizeof *e->by_id);
	for (size_t s = 0; s < e->plan.n_steps; s++) {
		const struct plan_step *step = &e->plan.steps[s];
		for (size_t k = 0; k < step->n_jobs; k++) {
			const struct plan_job *j = &step->jobs[k];
			if (!is_about(e, step, j))
				continue;
			*about = true;
			for (size_t i = 0; i < j->cases.n; i++) {
				if (!is_wanted(e, j, i))
					continue;
				hb_grow(&e->units, &e->cap_units, e->n_units + 1, sizeof *e->units);
				e->units[e->n_units++] = (struct explain_unit){ j->first_unit + i,
					                                        step, j, SIZE_MAX };
				e->by_id[j->first_unit + i] = (uint32_t)e->n_units;
			}
		}
	}
}

static bool is_known(const struct explain *e)
{
	if (strcmp(e->subject, cluster) == 0 || nodeset_find(&e->plan.nodes, e->subject) >= 0)
		return true;
	for (size_t i = 0; i < e->plan.n_absent; i++)
		if (strcmp(e->plan.absent[i].node, e->subject) == 0)
			return true;
	return false;
}

static int fail_unknown(const struct explain *e, struct hb_err *err)
{
	size_t n = 0;
	const char **names = hb_alloc((e->plan.nodes.n + e->plan.n_absent + 2) * sizeof *names);
	for (size_t i = 0; i < e->plan.nodes.n; i++)
		names[n++] = e->plan.nodes.v[i];
	for (size_t i = 0; i < e->plan.n_absent; i++)
		names[n++] = e->plan.absent[i].node;
	names[n] = cluster;
	const char *near = units_nearest(e->subject, names);
	struct buf nodes = BUF_INIT;
	nodeset_format(&e->plan.nodes, &nodes);
	int rc = hb_fail(err, HB_E_USAGE,
	                 "run %s has no subject '%.80s'%s%s%s; it measured %.120s, pairs of them "
	                 "and cluster",
	                 e->run->run, e->subject, near ? "; did you mean '" : "", near ? near : "",
	                 near ? "'?" : "", buf_text(&nodes));
	buf_free(&nodes);
	free(names);
	return rc;
}

int explain_open(struct explain *e, struct hb_err *err)
{
	char *path = hb_format("%s/plan.json", e->dir);
	bool about = false;
	int rc = plan_read(path, &e->suite, &e->plan, err);
	free(path);
	if (rc != HB_OK)
		return rc;
	find_units(e, &about);
	if (!about && !is_known(e))
		return fail_unknown(e, err);
	return HB_OK;
}

/* ---- sections ---- */

static char *opts_text(const struct plan_job *j, size_t at)
{
	struct buf text = BUF_INIT;
	json_object *o = info_key_opts(j->cases.info, j->cases.v[at].opts);
	js_write(o, JS_SORTED, &text);
	js_put(o);
	return buf_detach(&text);
}

static struct explain_section *find_section(struct explain_section *s, size_t n, const char *bench,
                                            const char *opts, uint64_t bytes)
{
	for (size_t i = n; i > 0; i--)
		if (s[i - 1].bytes == bytes && strcmp(s[i - 1].bench, bench) == 0 &&
		    strcmp(s[i - 1].opts, opts) == 0)
			return &s[i - 1];
	return NULL;
}

/* Is a row of verdicts.json about the subject and what is asked for? */
static bool row_wanted(const struct explain *e, json_object *row, struct key *key)
{
	struct js_at at = JS_AT_TOP("verdicts.json");
	const char *subject = NULL;
	json_object *k = NULL;
	memset(key, 0, sizeof *key);
	if (js_get_str(row, &at, "subject", JS_REQUIRED, &subject, NULL) != HB_OK ||
	    strcmp(subject, e->subject) != 0 ||
	    js_get_obj(row, &at, "key", JS_REQUIRED, &k, NULL) != HB_OK ||
	    key_from_json(k, &at, key, NULL) != HB_OK)
		return false;
	if ((!e->bench || strcmp(key->bench, e->bench) == 0) &&
	    (!e->has_bytes || key->bytes == e->bytes))
		return true;
	key_free(key);
	return false;
}

static json_object *verdict_rows(const struct explain *e)
{
	json_object *rows = NULL;
	if (!e->verdicts || !json_object_object_get_ex(e->verdicts, "rows", &rows) ||
	    !json_object_is_type(rows, json_type_array))
		return NULL;
	return rows;
}

struct sections {
	struct explain_section *v;
	size_t n, cap;
};

/* Takes opts. */
static struct explain_section *section_of(struct sections *all, const char *bench, char *opts,
                                          uint64_t bytes)
{
	struct explain_section *s = find_section(all->v, all->n, bench, opts, bytes);
	if (s) {
		free(opts);
		return s;
	}
	hb_grow(&all->v, &all->cap, all->n + 1, sizeof *all->v);
	s = &all->v[all->n++];
	*s = (struct explain_section){ .bench = bench, .opts = opts, .bytes = bytes };
	return s;
}

size_t explain_sections(const struct explain *e, struct explain_section **out)
{
	struct sections all = { 0 };
	for (size_t i = 0; i < e->n_units; i++) {
		const struct explain_unit *u = &e->units[i];
		size_t at = (size_t)(u->id - u->job->first_unit);
		struct explain_section *s = section_of(&all, u->job->cases.info->name,
		                                       opts_text(u->job, at),
		                                       u->job->cases.v[at].bytes);
		s->units = hb_realloc_array(s->units, s->n_units + 1,
		                            sizeof(const struct explain_unit *));
		s->units[s->n_units++] = u;
	}
	json_object *rows = verdict_rows(e);
	for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
		struct key key;
		if (!row_wanted(e, json_object_array_get_idx(rows, i), &key))
			continue;
		const struct bench_info *info = catalog_find(key.bench);
		if (info)
			section_of(&all, info->name, hb_strdup(key.opts), key.bytes);
		key_free(&key);
	}
	*out = all.v;
	return all.n;
}

void explain_sections_free(struct explain_section *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(s[i].opts);
		free(s[i].units);
	}
	free(s);
}

/* ---- rows ---- */

static int read_row(json_object *o, const struct js_at *at, struct explain_row *r,
                    struct hb_err *err)
{
	const struct {
		const char *name;
		double *to;
	} figures[] = { { "old", &r->old_value },
		        { "new", &r->new_value },
		        { "delta", &r->delta },
		        { "loss", &r->loss },
		        { "floor", &r->floor },
		        { "tolerance", &r->tolerance },
		        { "p", &r->p },
		        { "p_family", &r->p_family },
		        { "s", &r->s },
		        { "df", &r->df },
		        { "mde", &r->mde },
		        { "confirm_p", &r->confirm_p },
		        { "confirm_loss", &r->confirm_loss } };
	const char *unit = NULL;
	int rc = HB_OK;
	r->verdict = r->note = r->spread = "";
	for (size_t i = 0; rc == HB_OK && i < sizeof figures / sizeof *figures; i++) {
		*figures[i].to = NAN;
		rc = js_get_f64(o, at, figures[i].name, JS_OPTIONAL, figures[i].to, err);
	}
	if (rc != HB_OK ||
	    (rc = js_get_str(o, at, "verdict", JS_REQUIRED, &r->verdict, err)) != HB_OK ||
	    (rc = js_get_str(o, at, "note", JS_OPTIONAL, &r->note, err)) != HB_OK ||
	    (rc = js_get_str(o, at, "spread", JS_OPTIONAL, &r->spread, err)) != HB_OK ||
	    (rc = js_get_str(o, at, "unit", JS_OPTIONAL, &unit, err)) != HB_OK ||
	    (rc = js_get_int(o, at, "n_old", JS_OPTIONAL, 0, 1 << 20, &r->n_old, err)) != HB_OK ||
	    (rc = js_get_int(o, at, "n_new", JS_OPTIONAL, 0, 1 << 20, &r->n_new, err)) != HB_OK ||
	    (rc = js_get_bool(o, at, "provisional", JS_OPTIONAL, &r->provisional, err)) != HB_OK ||
	    (rc = js_get_bool(o, at, "confirmed", JS_OPTIONAL, &r->confirmed, err)) != HB_OK)
		return rc;
	if (unit && summary_unit_parse(unit, &r->unit) != HB_OK)
		return js_fail(at, err, "unknown unit '%.40s'", unit);
	const struct bench_info *info = catalog_find(r->key.bench);
	const struct metric_info *m = info ? info_metric(info, r->key.metric) : NULL;
	r->higher = m && m->higher_is_better;
	r->o = o;
	return HB_OK;
}

int explain_rows(const struct explain *e, const struct explain_section *s, struct explain_row **out,
                 size_t *n, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP("verdicts.json"), at = js_at_key(&top, "rows");
	json_object *rows = verdict_rows(e);
	size_t cap = 0;
	int rc = HB_OK;
	*out = NULL;
	*n = 0;
	for (size_t i = 0; rows && rc == HB_OK && i < json_object_array_length(rows); i++) {
		json_object *o = json_object_array_get_idx(rows, i);
		struct js_at here = js_at_index(&at, i);
		struct key key;
		if (!row_wanted(e, o, &key))
			continue;
		if (key.bytes != s->bytes || strcmp(key.bench, s->bench) != 0 ||
		    strcmp(key.opts, s->opts) != 0) {
			key_free(&key);
			continue;
		}
		hb_grow(out, &cap, *n + 1, sizeof **out);
		struct explain_row *r = &(*out)[(*n)++];
		*r = (struct explain_row){ .key = key };
		rc = read_row(o, &here, r, err);
	}
	if (rc != HB_OK) {
		explain_rows_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return rc;
}

void explain_rows_free(struct explain_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		key_free(&rows[i].key);
	free(rows);
}

/* ---- words ---- */

const char *explain_partner(const struct explain *e, const struct explain_unit *u)
{
	if (u->job->n_ranks != 2)
		return "";
	return strcmp(node_of(e, u, 0), e->subject) == 0 ? node_of(e, u, 1) : node_of(e, u, 0);
}

void explain_unit_words(const struct explain *e, const struct explain_unit *u, struct buf *out)
{
	const struct plan_job *j = u->job;
	plan_job_subject(&e->plan, u->step, j, out);
	if (j->round >= 0)
		buf_printf(out, ", round %lld", (long long)j->round);
	buf_printf(out, ", %s", phase_name(j->phase));
	if (j->phase == PHASE_CONFIRM || j->phase == PHASE_CONTROL)
		buf_printf(out, " %d", j->repeat + 1);
}

const char *explain_status(const struct explain *e, const struct explain_unit *u,
                           const struct explain_try *t)
{
	(void)e;
	(void)u;
	if (!t)
		return "never measured";
	if (!t->ended)
		return t->point ? "its end was never told" : "given up";
	return t->status == UNIT_OK && !t->point ? "no figures" : unit_status_name(t->status);
}
