/*
 * Suites in memory and as JSON; what the command line chooses and changes stands in
 * suite_choose.c, where suites are found in suite_find.c.
 */
#include "harness/plan/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan.h"
#include "harness/plan/suite_parts.h"
#include "harness/store/store.h"

enum { ROUNDS_MAX = 65536, RPN_MAX = 1024, GROUP_MIN = 2 };
static const double deadline_most = 86400;

static const char word_all[] = "all";

const char *const suite_keys[] = { "schema", "name",      "summary", "rounds", "max_pairs",
	                           "shape",  "disturbed", "benches", NULL };
const char *const suite_entry_keys[] = { "bench",     "options",  "precision", "max_time",
	                                 "max_iters", "deadline", "floor",     "node_floor",
	                                 "tolerance", "rpn",      "groups",    "verify",
	                                 NULL };

/* What an entry says with one value; floor's default is its benchmark's. */
#define AT(member) offsetof(struct suite_entry, member)
static const struct opt entry_opts[] = {
	{ OPT_RATIO, 0, "precision", "P", "half interval of the block medians to stop at", "1%",
	  AT(precision), 0, 0, NULL, 0 },
	{ OPT_SECONDS, 0, "max_time", "T", "longest timed part of a case", "2s", AT(max_time_s), 0,
	  0, NULL, 0 },
	{ OPT_U64, 0, "max_iters", "N", "most iterations of a case, 0: no limit", "0",
	  AT(max_iters), 0, 0, NULL, 0 },
	{ OPT_SECONDS, 0, "deadline", "T", "longest whole case", "60s", AT(deadline_s), 0, 0, NULL,
	  0 },
	{ OPT_RATIO, 0, "floor", "P", "least loss that counts", NULL, AT(floor), 0, 0, NULL, 0 },
	{ OPT_RATIO, 0, "node_floor", "P", "least loss that a node is blamed for", "2%",
	  AT(node_floor), 0, 0, NULL, 0 },
	{ OPT_RATIO, 0, "tolerance", "P", "detectable effect that still passes", "0", AT(tolerance),
	  0, 0, NULL, 0 },
	{ OPT_INT, 0, "rpn", "N", "ranks a node, for groups", "1", AT(rpn), 1, RPN_MAX, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

void suite_entry_init(struct suite_entry *e, const struct bench_info *info)
{
	memset(e, 0, sizeof(*e));
	opt_defaults(entry_opts, e);
	e->info = info;
	e->opts = info_opts_new(info);
	e->floor = info->floor;
	e->groups[0] = SUITE_GROUP_ALL;
	e->n_groups = 1;
	e->verify = true;
}

static int check_range(const struct js_at *at, const char *key, double v, double lo, double hi,
                       struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);
	if (isfinite(v) && v >= lo && v <= hi)
		return HB_OK;
	return js_fail(&here, err, "%g is outside %g to %g", v, lo, hi);
}

int suite_entry_check(const struct suite_entry *e, const struct js_at *at, struct hb_err *err)
{
	struct hb_err why = { HB_OK, "" };
	struct case_list cases;
	int rc = check_range(at, "precision", e->precision, SUITE_PRECISION_MIN,
	                     SUITE_PRECISION_MAX, err);
	if (rc == HB_OK)
		rc = check_range(at, "max_time", e->max_time_s, SUITE_MAX_TIME_MIN_S,
		                 SUITE_MAX_TIME_MAX_S, err);
	if (rc == HB_OK)
		rc = check_range(at, "deadline", e->deadline_s, e->max_time_s, deadline_most, err);
	if (rc == HB_OK)
		rc = check_range(at, "floor", e->floor, 0.0001, 10, err);
	if (rc == HB_OK)
		rc = check_range(at, "node_floor", e->node_floor, 0.0001, 10, err);
	if (rc == HB_OK)
		rc = check_range(at, "tolerance", e->tolerance, 0, 10, err);
	if (rc != HB_OK)
		return rc;
	struct js_at options = js_at_key(at, "options");
	if (e->info->cases(e->info, e->opts, &cases, &why) != HB_OK)
		return js_fail(&options, err, "%s", why.text);
	if (cases.n == 0)
		rc = js_fail(&options, err, "%s has no case to measure", e->info->name);
	case_list_free(&cases);
	return rc;
}

/* The members of o that entry_opts knows; the caller drops it. */
static json_object *plain_members(json_object *o)
{
	json_object *plain = json_object_new_object();
	for (const struct opt *row = entry_opts; row->type != OPT_END; row++) {
		json_object *v;
		if (json_object_object_get_ex(o, row->name, &v) && v)
			js_set_obj(plain, row->name, json_object_get(v));
	}
	return plain;
}

/* Sizes ascend and "all" is the last: so no two of them are equal. */
static int one_group(json_object *v, const struct js_at *at, struct suite_entry *e,
                     struct hb_err *err)
{
	int last = e->n_groups ? e->groups[e->n_groups - 1] : -1;
	int64_t nodes = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : -1;
	if (last == SUITE_GROUP_ALL)
		return js_fail(at, err, "nothing may follow \"all\"");
	if (json_object_is_type(v, json_type_string) &&
	    strcmp(json_object_get_string(v), word_all) == 0)
		nodes = SUITE_GROUP_ALL;
	else if (nodes < GROUP_MIN || nodes > NODESET_MAX)
		return js_fail(at, err, "expected %d to %d nodes, or \"all\"", GROUP_MIN,
		               NODESET_MAX);
	else if (nodes <= last)
		return js_fail(at, err, "sizes must ascend, each once");
	e->groups[e->n_groups++] = (int)nodes;
	return HB_OK;
}

static int groups_from_json(json_object *o, const struct js_at *at, struct suite_entry *e,
                            struct hb_err *err)
{
	struct js_at here = js_at_key(at, "groups");
	json_object *arr = NULL;
	int rc = js_get_arr(o, at, "groups", JS_OPTIONAL, &arr, err);
	if (rc != HB_OK || !arr)
		return rc;
	size_t n = json_object_array_length(arr);
	if (e->info->shape != BENCH_GROUP)
		return js_fail(&here, err, "%s does not measure groups", e->info->name);
	if (n == 0 || n > SUITE_GROUPS_MAX)
		return js_fail(&here, err, "%zu sizes; expected 1 to %d", n, SUITE_GROUPS_MAX);
	e->n_groups = 0;
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at one = js_at_index(&here, i);
		rc = one_group(json_object_array_get_idx(arr, i), &one, e, err);
	}
	return rc;
}

static json_object *groups_to_json(const struct suite_entry *e)
{
	json_object *arr = json_object_new_array();
	for (int i = 0; i < e->n_groups; i++)
		json_object_array_add(arr, e->groups[i] == SUITE_GROUP_ALL
		                                   ? js_str(word_all)
		                                   : json_object_new_int(e->groups[i]));
	return arr;
}

static int entry_from_json(json_object *o, const struct js_at *at, struct suite_entry *e,
                           struct hb_err *err)
{
	const char *name = NULL;
	json_object *options = NULL, *plain;
	struct js_at options_at = js_at_key(at, "options"), bench_at = js_at_key(at, "bench");
	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "expected an object");
	int rc = js_known_keys(o, at, suite_entry_keys, err);
	if (rc == HB_OK)
		rc = js_get_str(o, at, "bench", JS_REQUIRED, &name, err);
	if (rc != HB_OK)
		return rc;
	const struct bench_info *info = catalog_find(name);
	if (!info) {
		const char *near = catalog_nearest(name);
		return js_fail(&bench_at, err, "no benchmark '%.80s'%s%s%s", name,
		               near ? "; did you mean '" : "; see `hpcbench list benches`",
		               near ? near : "", near ? "'?" : "");
	}
	suite_entry_init(e, info);
	plain = plain_members(o);
	rc = opt_from_json(entry_opts, e, plain, at, err);
	/* A bed that cannot tell smaller losses cannot tell them between nodes either. */
	if (!json_object_object_get_ex(plain, "node_floor", NULL) && e->floor != info->floor)
		e->node_floor = e->floor;
	js_put(plain);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "verify", JS_OPTIONAL, &e->verify, err);
	if (rc == HB_OK)
		rc = groups_from_json(o, at, e, err);
	if (rc == HB_OK)
		rc = js_get_obj(o, at, "options", JS_OPTIONAL, &options, err);
	if (rc == HB_OK && options)
		rc = opt_from_json(info->opts, e->opts, options, &options_at, err);
	return rc == HB_OK ? suite_entry_check(e, at, err) : rc;
}

/* What tells the cases of a suite apart: two equal ones would be one key measured twice. */
static char *case_identity(const struct suite_entry *e, const struct bench_case *c)
{
	struct buf b = BUF_INIT;
	json_object *key = info_key_opts(e->info, c->opts);
	buf_printf(&b, "%s, %llu bytes, %d ranks a node, ", e->info->name,
	           (unsigned long long)c->bytes, e->info->shape == BENCH_GROUP ? e->rpn : 1);
	js_write(key, JS_SORTED, &b);
	js_put(key);
	return buf_detach(&b);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int suite_refuse_repeats(const struct suite *s, const char *source, struct hb_err *err)
{
	char **v = NULL;
	size_t n = 0, cap = 0;
	int rc = HB_OK;
	for (size_t i = 0; rc == HB_OK && i < s->n_entries; i++) {
		struct case_list cases;
		const struct suite_entry *e = &s->entries[i];
		rc = e->info->cases(e->info, e->opts, &cases, err);
		if (rc != HB_OK)
			break;
		hb_grow(&v, &cap, n + cases.n, sizeof(*v));
		for (size_t j = 0; j < cases.n; j++)
			v[n++] = case_identity(e, &cases.v[j]);
		case_list_free(&cases);
	}
	if (n > 1)
		qsort(v, n, sizeof(*v), by_text);
	for (size_t i = 1; rc == HB_OK && i < n; i++)
		if (strcmp(v[i - 1], v[i]) == 0)
			rc = hb_fail(err, HB_E_FORMAT, "%s: the same case stands twice in it: %s",
			             source, v[i]);
	store_dirs_free(v, n);
	return rc;
}

static int benches_from_json(json_object *arr, const struct js_at *at, struct suite *out,
                             struct hb_err *err)
{
	size_t n = json_object_array_length(arr);
	int rc = HB_OK;
	if (n == 0 || n > SUITE_ENTRIES_MAX)
		return js_fail(at, err, "%zu entries; a suite has 1 to %d", n, SUITE_ENTRIES_MAX);
	out->entries = hb_alloc(n * sizeof(*out->entries));
	for (size_t i = 0; rc == HB_OK && i < n; i++) {
		struct js_at here = js_at_index(at, i);
		out->n_entries++;
		rc = entry_from_json(json_object_array_get_idx(arr, i), &here, &out->entries[i],
		                     err);
	}
	return rc;
}

static int shape_from_json(json_object *o, const struct js_at *top, struct suite *s,
                           struct hb_err *err)
{
	const char *word = NULL;
	struct js_at here = js_at_key(top, "shape");
	int rc = js_get_str(o, top, "shape", JS_OPTIONAL, &word, err);

	if (rc == HB_OK && word) {
		s->shape = plan_shape_parse(word);
		if (s->shape < 0)
			return js_fail(&here, err, "'%.40s' is none of rounds, star, both", word);
	}
	return rc;
}

int suite_from_json(json_object *o, const char *source, struct suite *out, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source), benches_at = js_at_key(&top, "benches");
	const char *name = NULL, *summary = "";
	json_object *benches = NULL;
	int schema = 0;
	memset(out, 0, sizeof(*out));
	out->rounds = 5;
	out->shape = -1;
	if (!json_object_is_type(o, json_type_object))
		return js_fail(&top, err, "expected an object");
	int rc = js_known_keys(o, &top, suite_keys, err);
	if (rc == HB_OK)
		rc = js_get_int(o, &top, "schema", JS_REQUIRED, 1, SUITE_SCHEMA, &schema, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &top, "name", JS_REQUIRED, &name, err);
	if (rc == HB_OK)
		rc = js_get_str(o, &top, "summary", JS_OPTIONAL, &summary, err);
	if (rc == HB_OK)
		rc = js_get_int(o, &top, "rounds", JS_OPTIONAL, 0, ROUNDS_MAX, &out->rounds, err);
	if (rc == HB_OK)
		rc = js_get_int(o, &top, "max_pairs", JS_OPTIONAL, 0, NODESET_MAX, &out->max_pairs,
		                err);
	out->max_pairs_given = rc == HB_OK && json_object_object_get_ex(o, "max_pairs", NULL);
	if (rc == HB_OK)
		rc = shape_from_json(o, &top, out, err);
	if (rc == HB_OK)
		rc = suite_disturbed_from_json(o, &top, &out->disturbed, err);
	if (rc == HB_OK)
		rc = js_get_arr(o, &top, "benches", JS_REQUIRED, &benches, err);
	if (rc == HB_OK && store_check_name("the name of a suite", name, err) != HB_OK)
		rc = hb_fail_in(err, "%s", source);
	if (rc == HB_OK)
		rc = benches_from_json(benches, &benches_at, out, err);
	if (rc == HB_OK)
		rc = suite_refuse_repeats(out, source, err);
	if (rc != HB_OK) {
		suite_free(out);
		return rc;
	}
	out->name = hb_strdup(name);
	out->summary = hb_strdup(summary);
	out->path = hb_strdup(source);
	return HB_OK;
}

json_object *suite_to_json(const struct suite *s)
{
	json_object *o = json_object_new_object(), *arr = json_object_new_array();
	js_set_u64(o, "schema", SUITE_SCHEMA);
	js_set_str(o, "name", s->name);
	js_set_str(o, "summary", s->summary);
	js_set_i64(o, "rounds", s->rounds);
	js_set_i64(o, "max_pairs", s->max_pairs);
	if (s->shape >= 0)
		js_set_str(o, "shape", plan_shape_name((enum plan_shape)s->shape));
	suite_disturbed_to_json(&s->disturbed, o);
	for (size_t i = 0; i < s->n_entries; i++) {
		const struct suite_entry *e = &s->entries[i];
		json_object *b = json_object_new_object();
		js_set_str(b, "bench", e->info->name);
		js_set_obj(b, "options", opt_to_json(e->info->opts, e->opts, 0));
		js_set_f64(b, "precision", e->precision);
		js_set_f64(b, "max_time", e->max_time_s);
		js_set_u64(b, "max_iters", e->max_iters);
		js_set_f64(b, "deadline", e->deadline_s);
		js_set_f64(b, "floor", e->floor);
		js_set_f64(b, "node_floor", e->node_floor);
		js_set_f64(b, "tolerance", e->tolerance);
		js_set_i64(b, "rpn", e->rpn);
		if (e->info->shape == BENCH_GROUP)
			js_set_obj(b, "groups", groups_to_json(e));
		js_set_bool(b, "verify", e->verify);
		json_object_array_add(arr, b);
	}
	js_set_obj(o, "benches", arr);
	return o;
}

void suite_entry_free(struct suite_entry *e)
{
	if (e->info)
		info_opts_free(e->info, e->opts);
}

void suite_free(struct suite *s)
{
	for (size_t i = 0; i < s->n_entries; i++)
		suite_entry_free(&s->entries[i]);
	free(s->entries);
	free(s->name);
	free(s->summary);
	free(s->path);
	free(s->note);
	memset(s, 0, sizeof(*s));
}
