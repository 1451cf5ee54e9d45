/* The jobs of plan.json, from its object or as plan_scan.c found them in the text. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_build.h"
#include "harness/plan/plan_read.h"

static const char cluster[] = "cluster";
static const char *const dirs[] = { "both", "ab", "ba" };

enum { FEW = 16 };

/* The place of the first of n numbers below limit that stood before; n: none. */
static size_t find_repeat(const size_t *v, size_t n, size_t limit)
{
	size_t i = 0;
	if (n <= FEW) { /* nearly all are pairs: no table as large as the cluster for each */
		for (; i < n; i++)
			for (size_t k = 0; k < i; k++)
				if (v[k] == v[i])
					return i;
		return n;
	}
	unsigned char *seen = hb_alloc(limit);
	while (i < n && !seen[v[i]]++)
		i++;
	free(seen);
	return i;
}

/* Whole numbers in [0, limit), all different if distinct. */
int plan_read_indices(struct reader *r, json_object *o, const struct js_at *at, const char *key,
                      size_t limit, bool distinct, struct indices *out)
{
	json_object *arr = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = js_get_arr(o, at, key, JS_REQUIRED, &arr, r->err);
	*out = (struct indices){ NULL, 0 };
	if (rc != HB_OK)
		return rc;
	size_t len = json_object_array_length(arr);
	if (len == 0 || len > PLAN_RANKS_MAX)
		return js_fail(&here, r->err, "%zu elements; expected 1 to %d", len,
		               PLAN_RANKS_MAX);
	out->v = hb_realloc_array(NULL, len, sizeof(*out->v));
	for (size_t i = 0; i < len; i++) {
		json_object *v = json_object_array_get_idx(arr, i);
		int64_t x = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : -1;
		if (x < 0 || (size_t)x >= limit)
			return js_fail(&here, r->err, "element %zu is not a number below %zu", i,
			               limit);
		out->v[out->n++] = (size_t)x;
	}
	size_t twice = distinct ? find_repeat(out->v, len, limit) : len;
	return twice == len ? HB_OK
	                    : js_fail(&here, r->err, "%zu stands twice in it", out->v[twice]);
}

/* A name that the plan owns: one of its nodes, or the cluster. */
static int read_subject(struct reader *r, json_object *o, const struct js_at *at, const char *key,
                        const char **out)
{
	const char *text = NULL;
	struct js_at here = js_at_key(at, key);
	int rc = js_get_str(o, at, key, JS_OPTIONAL, &text, r->err);
	if (rc != HB_OK || !text)
		return rc;
	long node = nodeset_find(&r->p->nodes, text);
	if (node >= 0)
		*out = r->p->nodes.v[node];
	else if (strcmp(text, cluster) == 0)
		*out = cluster;
	else
		return js_fail(&here, r->err, "'%.80s' is not a node of this plan", text);
	return HB_OK;
}

const char *plan_dir_known(const char *text)
{
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (strcmp(text, dirs[i]) == 0)
			return dirs[i];
	return NULL;
}

static int read_dir(struct reader *r, json_object *o, const struct js_at *at, struct plan_job *j)
{
	const char *text = NULL;
	int rc = js_get_str(o, at, "dir", JS_OPTIONAL, &text, r->err);
	if (rc == HB_OK && text)
		j->dir = plan_dir_known(text);
	return rc;
}

static int take_units(struct reader *r, const struct js_at *at, const struct plan_job *j, size_t n)
{
	const struct case_list *all = &r->p->cases[j->entry];
	if (n == 0 || n > PLAN_JOB_CASES_MAX || j->first_case > all->n ||
	    n > all->n - j->first_case)
		return js_fail(at, r->err, "cases that its entry does not have");
	if (j->first_unit == 0 || j->first_unit >= r->p->next_unit ||
	    n > r->p->next_unit - j->first_unit)
		return js_fail(at, r->err, "units at or above next_unit");
	for (uint64_t u = j->first_unit; u < j->first_unit + n; u++) {
		unsigned char bit = (unsigned char)(1u << (u % 8));
		if (r->taken[u / 8] & bit)
			return js_fail(at, r->err, "unit %llu belongs to another job too",
			               (unsigned long long)u);
		r->taken[u / 8] |= bit;
	}
	return HB_OK;
}

static int job_ranks(struct reader *r, json_object *o, const struct js_at *at,
                     const struct plan_step *s, struct plan_job *j)
{
	struct indices ranks;
	int rc = plan_read_indices(r, o, at, "ranks", (size_t)s->n_ranks, true, &ranks);
	j->ranks = hb_realloc_array(NULL, ranks.n + 1, sizeof(*j->ranks));
	j->n_ranks = (int)ranks.n;
	for (size_t i = 0; i < ranks.n; i++)
		j->ranks[i] = (int)ranks.v[i];
	free(ranks.v);
	return rc;
}

/* Whether the job fits the rest of the plan; takes its units. */
static int check_job(struct reader *r, const struct js_at *at, struct plan_job *j, uint64_t n)
{
	struct js_at dir_at = js_at_key(at, "dir");
	bool pair = r->p->suite->entries[j->entry].info->shape == BENCH_PAIR;
	if (pair != (j->dir != NULL) || (pair && j->n_ranks != 2))
		return js_fail(&dir_at, r->err,
		               "a pair has two ranks and a direction, others none");
	if ((j->phase == PHASE_CONFIRM || j->phase == PHASE_CONTROL) && !j->subject)
		return js_fail(at, r->err, "a confirming job without a subject");
	if (j->instead && (j->instead >= j->first_unit || n > j->first_unit - j->instead))
		return js_fail(at, r->err, "it is measured instead of units that come later");
	int rc = take_units(r, at, j, (size_t)n);
	if (rc == HB_OK)
		plan_job_view(r->p, j, (size_t)n);
	return rc;
}

static int check_ids(const struct reader *r, const struct js_at *at, const struct plan_job *j)
{
	if (j->entry < r->p->suite->n_entries && j->id < r->p->next_job)
		return HB_OK;
	return js_fail(at, r->err, "an entry or id that this plan does not have");
}

static int job_from_json(struct reader *r, json_object *o, const struct js_at *at,
                         const struct plan_step *s, struct plan_job *j)
{
	uint64_t entry = 0, first_case = 0, n = 0;
	const char *phase = NULL;
	struct js_at phase_at = js_at_key(at, "phase");
	j->round = -1;
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, r->err, "expected an object");
	int rc = js_get_u64(o, at, "id", JS_REQUIRED, &j->id, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "entry", JS_REQUIRED, &entry, r->err);
	j->entry = (size_t)entry;
	if (rc == HB_OK)
		rc = check_ids(r, at, j);
	if (rc == HB_OK)
		rc = js_get_str(o, at, "phase", JS_REQUIRED, &phase, r->err);
	if (rc == HB_OK && phase_parse(phase, &j->phase) != HB_OK)
		return js_fail(&phase_at, r->err, "unknown phase '%.40s'", phase);
	if (rc == HB_OK)
		rc = job_ranks(r, o, at, s, j);
	if (rc == HB_OK)
		rc = read_dir(r, o, at, j);
	if (rc == HB_OK)
		rc = js_get_i64(o, at, "round", JS_OPTIONAL, &j->round, r->err);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "alone", JS_OPTIONAL, &j->alone, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "unit", JS_REQUIRED, &j->first_unit, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "instead", JS_OPTIONAL, &j->instead, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "case", JS_REQUIRED, &first_case, r->err);
	if (rc == HB_OK)
		rc = js_get_u64(o, at, "cases", JS_REQUIRED, &n, r->err);
	if (rc == HB_OK)
		rc = js_get_int(o, at, "repeat", JS_OPTIONAL, 0, PLAN_REPEAT_MAX, &j->repeat,
		                r->err);
	if (rc == HB_OK)
		rc = read_subject(r, o, at, "subject", &j->subject);
	if (rc == HB_OK)
		rc = read_subject(r, o, at, "partner", &j->partner);
	j->first_case = (size_t)first_case;
	return rc == HB_OK ? check_job(r, at, j, n) : rc;
}

static bool ranks_fit(const struct plan_job *j, int n_ranks)
{
	size_t n = (size_t)j->n_ranks, limit = (size_t)n_ranks;
	size_t few[FEW], *v = n <= FEW ? few : hb_realloc_array(NULL, n, sizeof(*v));
	bool fit = true;
	for (size_t i = 0; i < n; i++) {
		v[i] = (size_t)j->ranks[i];
		fit = fit && v[i] < limit;
	}
	fit = fit && find_repeat(v, n, limit) == n;
	if (v != few)
		free(v);
	return fit;
}

/* A job that was read from the text. Only that it is wrong counts here: the words for it come from
 * reading the whole again, as an object. */
static int take_raw(struct reader *r, const struct js_at *at, const struct plan_step *s,
                    const struct plan_raw *raw, struct plan_job *j)
{
	*j = raw->job;
	if (!ranks_fit(j, s->n_ranks))
		return js_fail(at, r->err, "ranks that its step does not have");
	int rc = check_ids(r, at, j);
	return rc == HB_OK ? check_job(r, at, j, raw->n_cases) : rc;
}

/* The jobs that were read from the text and stand here as their number; NULL: they do not. */
static struct plan_raws *raws_of(const struct reader *r, json_object *jobs)
{
	json_object *v = NULL;
	if (!r->found || json_object_array_length(jobs) != 1)
		return NULL;
	v = json_object_array_get_idx(jobs, 0);
	if (!json_object_is_type(v, json_type_int))
		return NULL;
	int64_t i = json_object_get_int64(v);
	return i >= 0 && (uint64_t)i < r->found->n && !r->found->v[i].used ? &r->found->v[i] : NULL;
}

int plan_read_jobs(struct reader *r, json_object *jobs, const struct js_at *at, struct plan_step *s)
{
	struct plan_raws *raws = raws_of(r, jobs);
	size_t n = raws ? raws->n : json_object_array_length(jobs);
	int rc = HB_OK;
	if (raws)
		raws->used = true;
	hb_grow(&s->jobs, &s->cap_jobs, n, sizeof(*s->jobs));
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(at, i);
		struct plan_job *j = &s->jobs[s->n_jobs++];
		memset(j, 0, sizeof(*j));
		if (raws) {
			rc = take_raw(r, &here, s, &raws->v[i], j);
			raws->v[i].job.ranks = NULL;
		} else {
			rc = job_from_json(r, json_object_array_get_idx(jobs, i), &here, s, j);
		}
	}
	return rc;
}
