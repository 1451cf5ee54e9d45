#include "harness/launch/launch_watch.h"

#include "bench/base/load_span.h"
#include "bench/base/mem.h"
#include "harness/launch/launch_load.h"

enum { ID_MAX = 20, WHY_MAX = 400, NOTES_MAX = 3 /* of each kind, of a step */ };

/* Of a node; "": not told. */
struct machine_id {
	char kernel[ID_MAX], network[ID_MAX];
};

struct step_watch {
	struct load_span **span; /* of each job: one a rank of it; NULL: none came yet */
	unsigned char *again;    /* of each job: AGAIN_... */
	int noted[2];            /* jobs that are measured once more, that do not count */
	bool told;               /* that this host is busy */
};

enum { AGAIN_NOT, AGAIN_WAITS, AGAIN_STARTED };

struct step_watch *step_watch_new(const struct step_run *r)
{
	struct step_watch *w = hb_alloc(sizeof *w);

	w->span = hb_alloc((r->step->n_jobs + 1) * sizeof(struct load_span *));
	w->again = hb_alloc(r->step->n_jobs + 1);
	return w;
}

void step_watch_free(struct step_watch *w, const struct step_run *r)
{
	if (!w)
		return;
	for (size_t j = 0; j < r->step->n_jobs; j++)
		free(w->span[j]);
	free(w->span);
	free(w->again);
	free(w);
}

/* ---- what ranks tell ---- */

static void take_id(json_object *o, const char *key, char out[ID_MAX])
{
	const struct js_at at = JS_AT_TOP("rank");
	const char *text = NULL;

	if (js_get_str(o, &at, key, JS_OPTIONAL, &text, NULL) == HB_OK && text)
		snprintf(out, ID_MAX, "%s", text);
}

void step_watch_rank(struct step_run *r, int rank, json_object *record)
{
	struct launch *l = r->l;
	struct machine_id *id;

	if (!l->where)
		l->where = hb_alloc((l->p.plan->nodes.n + 1) * sizeof *l->where);
	id = &l->where[r->step->rank_node[rank]];
	*id = (struct machine_id){ "", "" };
	take_id(record, "kernel", id->kernel);
	take_id(record, "network", id->network);
}

int step_watch_done(struct step_run *r, int rank, size_t j, json_object *done, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("done"), here = js_at_key(&at, "load");
	const struct plan_job *job = &r->step->jobs[j];
	struct load_span **all = &r->watch->span[j], span;
	json_object *o = NULL;

	if (js_get_obj(done, &at, "load", JS_OPTIONAL, &o, err) != HB_OK)
		return HB_E_FORMAT;
	if (!o)
		return HB_OK;
	if (load_span_from_json(o, &here, &span, err) != HB_OK)
		return HB_E_FORMAT;
	if (!*all)
		*all = hb_alloc((size_t)job->n_ranks * sizeof **all);
	for (int i = 0; i < job->n_ranks; i++)
		if (job->ranks[i] == rank)
			(*all)[i] = span;
	return HB_OK;
}

/* ---- nodes ---- */

static bool same_id(const char *a, const char *b)
{
	return *a && strcmp(a, b) == 0;
}

/* Other nodes that have this kernel or network, in whatever step: several run at once. */
static void find_shared(const struct launch *l, size_t node, struct node_load *n)
{
	const struct machine_id *me = l->where ? &l->where[node] : NULL;

	for (size_t i = 0; me && me->kernel[0] && i < l->p.plan->nodes.n; i++) {
		if (i == node)
			continue;
		n->cpu_shared = n->cpu_shared || same_id(me->kernel, l->where[i].kernel);
		n->net_shared = n->net_shared || same_id(me->network, l->where[i].network);
	}
}

struct place {
	size_t node;
	int index;
};

static int by_node(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : x->index - y->index;
}

/* The nodes of the job whose ranks told; the caller frees *out. */
static size_t gather_nodes(const struct step_run *r, size_t j, struct node_load **out)
{
	const struct plan_job *job = &r->step->jobs[j];
	const struct load_span *span = r->watch->span[j];
	struct place *v = hb_alloc((size_t)job->n_ranks * sizeof *v);
	size_t n = 0;

	*out = hb_alloc((size_t)job->n_ranks * sizeof **out);
	for (int i = 0; i < job->n_ranks; i++)
		v[i] = (struct place){ r->step->rank_node[job->ranks[i]], i };
	qsort(v, (size_t)job->n_ranks, sizeof *v, by_node);
	for (int i = 0; i < job->n_ranks; i++) {
		const struct load_span *s = &span[v[i].index];
		if (s->seconds <= 0)
			continue;
		if (n == 0 || (*out)[n - 1].node != r->l->p.plan->nodes.v[v[i].node]) {
			(*out)[n++].node = r->l->p.plan->nodes.v[v[i].node];
			find_shared(r->l, v[i].node, &(*out)[n - 1]);
		}
		node_load_add(&(*out)[n - 1], s);
	}
	free(v);
	return n;
}

/* ---- what comes of it ---- */

static void store_node(struct step_run *r, size_t j, const struct node_load *n)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "type", record_type_name(REC_LOAD));
	js_set_u64(o, "step", r->step->id);
	js_set_u64(o, "attempt", r->tries[j]);
	js_set_u64(o, "job", r->step->jobs[j].id);
	js_set_str(o, "endpoint", n->node);
	js_set_i64(o, "ranks", n->ranks);
	load_span_set(o, &n->sum);
	launch_log_add(&r->l->log, LOG_RECORDS, o, RECORD_GUESS);
}

static void mark_units(struct step_run *r, size_t j, const char *why)
{
	const struct plan_job *job = &r->step->jobs[j];

	for (size_t i = 0; i < job->cases.n; i++) {
		/* Units that ended in an earlier try are none of this one's. */
		if (!r->asked[r->unit_at[j] + i])
			continue;
		struct rec_ids ids = { .step = r->step->id,
			               .unit = job->first_unit + i,
			               .attempt = r->tries[j],
			               .phase = job->phase };
		launch_log_add(&r->l->log, LOG_RECORDS,
		               rec_event_to_json(&ids, "warn", "disturbed", why), RECORD_GUESS);
	}
}

/* For people, and not every time: records and journal have them all. */
static void note_job(struct step_run *r, size_t j, const char *why, bool again)
{
	const struct launch_params *p = &r->l->p;
	struct buf text = BUF_INIT;
	int n = r->watch->noted[again]++;

	if (!p->note || n > NOTES_MAX)
		return;
	if (n == NOTES_MAX) {
		buf_puts(&text, again ? "more jobs that were disturbed are measured once more"
		                      : "more jobs were disturbed; the report names them");
	} else {
		step_job_text(r, j, &text);
		buf_printf(&text, ": %s; %s", why,
		           again ? "it is measured once more" : "its figures do not count");
	}
	p->note(p->ctx, again ? "info" : "warn", buf_text(&text));
	buf_free(&text);
}

/*
 * Once more only what went well, and where jobs are commanded one by one. What the suite does not
 * ask for is only told on a host that people use beside: it is never quiet, and no cluster's node.
 */
static bool judge(struct step_run *r, size_t j, const char *status, const char *why,
                  json_object *line)
{
	struct step_watch *w = r->watch;
	bool again;

	if (r->l->p.site->ops->used_beside && !r->l->p.plan->suite->disturbed.given) {
		if (!w->told)
			step_event(r, "info", "busy", "%s; figures may suffer from it", why);
		w->told = true;
		return false;
	}
	again = w->again[j] == AGAIN_NOT && !r->files && strcmp(status, "ok") == 0;
	mark_units(r, j, why);
	js_set_str(line, "disturbed", why);
	js_set_bool(line, "again", again);
	note_job(r, j, why, again);
	if (!again)
		return false;
	w->again[j] = AGAIN_WAITS;
	sched_repeat(&r->s, j);
	r->commanded[j] = false;
	return true;
}

bool step_watch_ended(struct step_run *r, size_t j, const char *status, json_object *line)
{
	struct load_span **span = &r->watch->span[j];
	struct node_load *nodes;
	char why[WHY_MAX];
	bool again = false;
	size_t n;

	if (!*span)
		return false;
	n = gather_nodes(r, j, &nodes);
	for (size_t i = 0; i < n; i++)
		store_node(r, j, &nodes[i]);
	/* What tells facts has no figure that others could spoil. */
	if (!(r->step->jobs[j].cases.info->flags & BENCH_TELLS) &&
	    load_disturbed(&r->l->p.plan->suite->disturbed, nodes, n, why, sizeof why))
		again = judge(r, j, status, why, line);
	free(nodes);
	free(*span);
	*span = NULL;
	return again;
}

void step_watch_start(struct step_run *r, size_t j)
{
	if (r->watch->again[j] != AGAIN_WAITS)
		return;
	r->watch->again[j] = AGAIN_STARTED;
	memset(r->ended + r->unit_at[j], 0, r->step->jobs[j].cases.n);
}
