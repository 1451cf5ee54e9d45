/* From a message of the harness to a job. The message is untrusted: every figure is bounded. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/helper.h"

enum { JOB_RANKS_MAX = 1 << 20, JOB_NAME_MAX = 512 };
#define JOB_TIME_MAX_S 86400.0

static const char *const direction_names[] = {
	[DIR_BOTH] = "both", [DIR_AB] = "ab", [DIR_BA] = "ba"
};

const char *direction_name(enum direction d)
{
	return direction_names[d];
}

int direction_parse(const char *text, enum direction *out)
{
	for (int i = DIR_BOTH; i <= DIR_BA; i++) {
		if (!strcmp(text, direction_names[i])) {
			*out = (enum direction)i;
			return HB_OK;
		}
	}
	return HB_E_FORMAT;
}

static const struct bench_ops *find_bench(const struct helper *h, const char *name)
{
	for (const struct bench_ops *const *ops = h->benches; *ops; ops++)
		if (!strcmp((*ops)->info->name, name))
			return *ops;
	return NULL;
}

static int get_f64(json_object *o, const struct js_at *at, const char *key, double min, double max,
                   double *out, struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);

	if (js_get_f64(o, at, key, JS_OPTIONAL, out, err) < 0)
		return HB_E_FORMAT;
	if (!(*out >= min && *out <= max))
		return js_fail(&here, err, "must lie between %g and %g", min, max);
	return HB_OK;
}

static int get_endpoint(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                        const char **out, struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);

	*out = NULL;
	if (js_get_str(o, at, key, need, out, err) < 0)
		return HB_E_FORMAT;
	if (*out && (**out == '\0' || strlen(*out) > JOB_NAME_MAX))
		return js_fail(&here, err, "is not the name of an endpoint");
	return HB_OK;
}

static int parse_ids(json_object *msg, const struct js_at *at, struct job *j, struct hb_err *err)
{
	struct js_at here = js_at_key(at, "phase");
	const char *phase = "main";

	j->ids.attempt = 1;
	if (js_get_u64(msg, at, "job", JS_REQUIRED, &j->id, err) < 0 ||
	    js_get_u64(msg, at, "step", JS_OPTIONAL, &j->ids.step, err) < 0 ||
	    js_get_u64(msg, at, "attempt", JS_OPTIONAL, &j->ids.attempt, err) < 0 ||
	    js_get_str(msg, at, "phase", JS_OPTIONAL, &phase, err) < 0)
		return HB_E_FORMAT;
	if (phase_parse(phase, &j->ids.phase) < 0)
		return js_fail(&here, err, "'%.40s' is not a phase", phase);
	return HB_OK;
}

static int parse_params(json_object *msg, const struct js_at *at, struct run_params *p,
                        struct hb_err *err)
{
	*p = (struct run_params)RUN_PARAMS_DEFAULT;
	if (get_f64(msg, at, "precision", 0, 1, &p->precision, err) < 0 ||
	    get_f64(msg, at, "max_time", 0, JOB_TIME_MAX_S, &p->max_time_s, err) < 0 ||
	    get_f64(msg, at, "deadline", 0, JOB_TIME_MAX_S, &p->deadline_s, err) < 0 ||
	    get_f64(msg, at, "inject", 1, 10, &p->inject, err) < 0 ||
	    js_get_u64(msg, at, "max_iters", JS_OPTIONAL, &p->max_iters, err) < 0 ||
	    js_get_bool(msg, at, "verify", JS_OPTIONAL, &p->verify, err) < 0)
		return HB_E_FORMAT;
	return HB_OK;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static bool has_repeats(const int *ranks, int n)
{
	int *sorted = hb_realloc_array(NULL, (size_t)n, sizeof(*sorted));
	bool found = false;

	memcpy(sorted, ranks, (size_t)n * sizeof(*sorted));
	qsort(sorted, (size_t)n, sizeof(*sorted), compare_ints);
	for (int i = 1; i < n && !found; i++)
		found = sorted[i] == sorted[i - 1];
	free(sorted);
	return found;
}

static int parse_ranks(json_object *msg, const struct js_at *at, struct job *j, struct hb_err *err)
{
	const struct bench_info *info = j->ops->info;
	struct js_at here = js_at_key(at, "ranks");
	json_object *arr = NULL;
	size_t n;

	if (js_get_arr(msg, at, "ranks", JS_REQUIRED, &arr, err) < 0)
		return HB_E_FORMAT;
	n = json_object_array_length(arr);
	if (n < 1 || n > JOB_RANKS_MAX)
		return js_fail(&here, err, "%zu ranks", n);
	j->ranks = hb_realloc_array(NULL, n, sizeof(*j->ranks));
	j->n_ranks = (int)n;
	for (size_t i = 0; i < n; i++) {
		json_object *v = json_object_array_get_idx(arr, i);
		int64_t rank = json_object_is_type(v, json_type_int) ? json_object_get_int64(v)
		                                                     : -1;

		if (rank < 0 || rank >= JOB_RANKS_MAX)
			return js_fail(&here, err, "element %zu is not a rank", i);
		j->ranks[i] = (int)rank;
	}
	if (has_repeats(j->ranks, j->n_ranks))
		return js_fail(&here, err, "a rank stands twice in the list");
	if (j->n_ranks < info->min_ranks || (info->max_ranks > 0 && j->n_ranks > info->max_ranks))
		return js_fail(&here, err, "%s does not run on %d ranks", info->name, j->n_ranks);
	return HB_OK;
}

static int parse_subject(json_object *msg, const struct js_at *at, struct job *j,
                         struct hb_err *err)
{
	bool pair = j->ops->info->shape == BENCH_PAIR;
	struct js_at here = js_at_key(at, "dir");
	const char *dir = "both";

	j->round = -1;
	if (get_endpoint(msg, at, "a", JS_REQUIRED, &j->a, err) < 0 ||
	    get_endpoint(msg, at, "b", pair ? JS_REQUIRED : JS_OPTIONAL, &j->b, err) < 0 ||
	    js_get_str(msg, at, "dir", JS_OPTIONAL, &dir, err) < 0 ||
	    js_get_i64(msg, at, "round", JS_OPTIONAL, &j->round, err) < 0 ||
	    js_get_u64(msg, at, "seed", JS_OPTIONAL, &j->seed, err) < 0)
		return HB_E_FORMAT;
	if (!pair)
		j->b = NULL;
	if (direction_parse(dir, &j->dir) == HB_OK)
		return HB_OK;
	return js_fail(&here, err, "'%.40s' is not ab, ba or both", dir);
}

/*
 * One case. Its size goes back through the benchmark's own enumeration, so that a message cannot
 * ask for what no command line could.
 */
static int parse_case(json_object *o, const struct js_at *at, struct job *j, size_t i,
                      struct hb_err *err)
{
	const struct bench_info *info = j->ops->info;
	struct js_at opts_at = js_at_key(at, "opts");
	struct case_list one = { 0 };
	json_object *opts_json = NULL;
	uint64_t bytes = 0;
	char text[32];
	void *opts;
	int rc;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "is not an object");
	if (js_get_u64(o, at, "unit", JS_REQUIRED, &j->units[i], err) < 0 ||
	    js_get_u64(o, at, "bytes", JS_REQUIRED, &bytes, err) < 0 ||
	    js_get_obj(o, at, "opts", JS_OPTIONAL, &opts_json, err) < 0)
		return HB_E_FORMAT;
	opts = info_opts_new(info);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	rc = opts_json ? opt_from_json(info->opts, opts, opts_json, &opts_at, err) : HB_OK;
	if (!rc && info_sizes(info))
		rc = opt_set(info->opts, opts, "sizes", text, err);
	else if (!rc && bytes > 0)
		rc = js_fail(at, err, "%s takes no sizes", info->name);
	if (!rc)
		rc = info->cases(info, opts, &one, err);
	info_opts_free(info, opts);
	if (rc < 0)
		return rc;
	if (one.n != 1) {
		case_list_free(&one);
		return js_fail(at, err, "is not one case: an option has several values");
	}
	j->cases.v[j->cases.n++] = one.v[0];
	free(one.v);
	return HB_OK;
}

static int parse_cases(json_object *msg, const struct js_at *at, struct job *j, struct hb_err *err)
{
	struct js_at here = js_at_key(at, "cases");
	json_object *arr = NULL;
	size_t n;

	if (js_get_arr(msg, at, "cases", JS_REQUIRED, &arr, err) < 0)
		return HB_E_FORMAT;
	n = json_object_array_length(arr);
	if (n < 1 || n > INFO_CASES_MAX)
		return js_fail(&here, err, "%zu cases", n);
	j->cases.info = j->ops->info;
	hb_grow(&j->cases.v, &j->cases.cap, n, sizeof(*j->cases.v));
	j->units = hb_alloc(n * sizeof(*j->units));
	for (size_t i = 0; i < n; i++) {
		struct js_at item = js_at_index(&here, i);
		int rc = parse_case(json_object_array_get_idx(arr, i), &item, j, i, err);

		if (rc < 0)
			return rc;
	}
	return HB_OK;
}

static int parse(json_object *msg, const struct js_at *at, const struct helper *h, struct job *j,
                 struct hb_err *err)
{
	struct js_at bench_at = js_at_key(at, "bench");
	const char *bench = "";
	int rc;

	rc = parse_ids(msg, at, j, err);
	if (!rc)
		rc = js_get_str(msg, at, "bench", JS_REQUIRED, &bench, err);
	if (rc < 0)
		return rc;
	j->ops = find_bench(h, bench);
	if (!j->ops)
		return js_fail(&bench_at, err, "hpcbench-%s does not know '%.80s'", h->name, bench);
	rc = parse_params(msg, at, &j->params, err);
	if (!rc)
		rc = parse_ranks(msg, at, j, err);
	if (!rc)
		rc = parse_subject(msg, at, j, err);
	if (!rc)
		rc = parse_cases(msg, at, j, err);
	return rc;
}

int job_from_json(json_object *msg, const struct helper *h, struct job *out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("job");
	int rc;

	*out = (struct job){ .msg = msg, .listener = -1 };
	rc = parse(msg, &at, h, out, err);
	if (rc < 0)
		job_free(out);
	return rc;
}

void job_free(struct job *j)
{
	if (j->cases.info)
		case_list_free(&j->cases);
	free(j->ranks);
	free(j->units);
	*j = (struct job){ 0 };
}
