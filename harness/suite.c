/* Suites in memory and as JSON; where they are found stands in suite_find.c. */
#include "harness/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/store.h"

enum { ROUNDS_MAX = 65536, RPN_MAX = 1024 };
static const double deadline_most = 86400;

const char *const suite_keys[] = { "schema", "name", "summary", "rounds", "benches", NULL };
const char *const suite_entry_keys[] = { "bench",     "options",  "precision", "max_time",
	                                 "max_iters", "deadline", "floor",     "tolerance",
	                                 "rpn",       "verify",   NULL };

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
	{ OPT_RATIO, 0, "tolerance", "P", "detectable effect that still passes", "0", AT(tolerance),
	  0, 0, NULL, 0 },
	{ OPT_INT, 0, "rpn", "N", "ranks a node, for groups", "1", AT(rpn), 1, RPN_MAX, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

static void entry_init(struct suite_entry *e, const struct bench_info *info)
{
	memset(e, 0, sizeof(*e));
	opt_defaults(entry_opts, e);
	e->info = info;
	e->opts = info_opts_new(info);
	e->floor = info->floor;
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

static int check_entry(const struct suite_entry *e, const struct js_at *at, struct hb_err *err)
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
	entry_init(e, info);
	plain = plain_members(o);
	rc = opt_from_json(entry_opts, e, plain, at, err);
	js_put(plain);
	if (rc == HB_OK)
		rc = js_get_bool(o, at, "verify", JS_OPTIONAL, &e->verify, err);
	if (rc == HB_OK)
		rc = js_get_obj(o, at, "options", JS_OPTIONAL, &options, err);
	if (rc == HB_OK && options)
		rc = opt_from_json(info->opts, e->opts, options, &options_at, err);
	return rc == HB_OK ? check_entry(e, at, err) : rc;
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

static int refuse_repeats(const struct suite *s, const char *source, struct hb_err *err)
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

int suite_from_json(json_object *o, const char *source, struct suite *out, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(source), benches_at = js_at_key(&top, "benches");
	const char *name = NULL, *summary = "";
	json_object *benches = NULL;
	int schema = 0;
	memset(out, 0, sizeof(*out));
	out->rounds = 5;
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
		rc = js_get_arr(o, &top, "benches", JS_REQUIRED, &benches, err);
	if (rc == HB_OK && store_check_name("the name of a suite", name, err) != HB_OK)
		rc = hb_fail_in(err, "%s", source);
	if (rc == HB_OK)
		rc = benches_from_json(benches, &benches_at, out, err);
	if (rc == HB_OK)
		rc = refuse_repeats(out, source, err);
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
		js_set_f64(b, "tolerance", e->tolerance);
		js_set_i64(b, "rpn", e->rpn);
		js_set_bool(b, "verify", e->verify);
		json_object_array_add(arr, b);
	}
	js_set_obj(o, "benches", arr);
	return o;
}

static int unknown_bench(const char *name, struct hb_err *err)
{
	const char *near = catalog_nearest(name);
	if (near)
		return hb_fail(err, HB_E_USAGE, "no benchmark '%.80s'; did you mean '%s'?", name,
		               near);
	return hb_fail(err, HB_E_USAGE, "no benchmark '%.80s'; `hpcbench list benches` shows all",
	               name);
}

/* Calls each for every name of a comma list; an empty name is an error. */
static int each_name(const char *list, int (*each)(const char *name, void *arg, struct hb_err *),
                     void *arg, struct hb_err *err)
{
	int rc = HB_OK;
	for (const char *p = list; rc == HB_OK; p++) {
		size_t len = strcspn(p, ",");
		char *name = hb_strndup(p, len);
		rc = len ? each(name, arg, err)
		         : hb_fail(err, HB_E_USAGE, "an empty name in the benchmarks '%.120s'",
		                   list);
		free(name);
		p += len;
		if (!*p)
			break;
	}
	return rc;
}

static int add_bench(const char *name, void *arg, struct hb_err *err)
{
	struct suite *s = arg;
	const struct bench_info *info = catalog_find(name);
	if (!info)
		return unknown_bench(name, err);
	for (size_t i = 0; i < s->n_entries; i++)
		if (s->entries[i].info == info)
			return hb_fail(err, HB_E_USAGE, "benchmark %s is named twice", name);
	if (s->n_entries == SUITE_ENTRIES_MAX)
		return hb_fail(err, HB_E_USAGE, "more than %d benchmarks", SUITE_ENTRIES_MAX);
	s->entries = hb_realloc_array(s->entries, s->n_entries + 1, sizeof(*s->entries));
	entry_init(&s->entries[s->n_entries++], info);
	return HB_OK;
}

int suite_of_benches(const char *list, struct suite *out, struct hb_err *err)
{
	memset(out, 0, sizeof(*out));
	out->name = hb_strdup("benches");
	out->summary = hb_format("chosen benchmarks: %s", list);
	out->path = hb_strdup("--bench");
	out->rounds = 5;
	int rc = each_name(list, add_bench, out, err);
	if (rc != HB_OK)
		suite_free(out);
	return rc;
}

static void entry_free(struct suite_entry *e)
{
	if (e->info)
		info_opts_free(e->info, e->opts);
}

struct wanted {
	struct suite *s;
	bool keep[SUITE_ENTRIES_MAX];
};

static int want_bench(const char *name, void *arg, struct hb_err *err)
{
	struct wanted *w = arg;
	const struct bench_info *info = catalog_find(name);
	bool found = false;
	if (!info)
		return unknown_bench(name, err);
	for (size_t i = 0; i < w->s->n_entries; i++) {
		if (w->s->entries[i].info == info)
			found = w->keep[i] = true;
	}
	return found ? HB_OK
	             : hb_fail(err, HB_E_USAGE, "suite %s does not measure %s", w->s->name, name);
}

static int keep_benches(struct suite *s, const char *benches, struct hb_err *err)
{
	struct wanted w = { s, { false } };
	size_t n = 0;
	int rc = each_name(benches, want_bench, &w, err);
	if (rc != HB_OK)
		return rc;
	for (size_t i = 0; i < s->n_entries; i++) {
		if (w.keep[i])
			s->entries[n++] = s->entries[i];
		else
			entry_free(&s->entries[i]);
	}
	s->n_entries = n;
	return HB_OK;
}

static char **sizes_of(const struct suite_entry *e)
{
	for (const struct opt *row = e->info->opts; row->type != OPT_END; row++)
		if (row->type == OPT_SIZES && strcmp(row->name, "sizes") == 0)
			return (char **)(void *)((char *)e->opts + row->offset);
	return NULL;
}

/* Gives the sizes to an entry that can take all of them; one that cannot keeps its own. */
static int set_sizes(struct suite_entry *e, const char *sizes, struct hb_err *err)
{
	char **text = sizes_of(e), *before = text ? hb_strdup(*text) : NULL;
	struct case_list cases;
	int rc = opt_set(e->info->opts, e->opts, "sizes", sizes, err);
	if (rc == HB_OK) {
		rc = e->info->cases(e->info, e->opts, &cases, err);
		if (rc == HB_OK)
			case_list_free(&cases);
		if (rc != HB_OK && before)
			(void)opt_set(e->info->opts, e->opts, "sizes", before, NULL);
	}
	free(before);
	return rc;
}

/* Where some entries take the sizes and others cannot, that is a note; if none can, an error. */
static int override_sizes(struct suite *s, const char *sizes, struct hb_err *err)
{
	struct hb_err first = { HB_OK, "" }, why;
	struct buf kept = BUF_INIT;
	size_t taken = 0;
	for (size_t i = 0; i < s->n_entries; i++) {
		struct suite_entry *e = &s->entries[i];
		int rc = set_sizes(e, sizes, &why);
		taken += rc == HB_OK;
		if (rc == HB_OK)
			continue;
		if (!kept.len)
			first = why;
		buf_printf(&kept, "%s%s", kept.len ? ", " : "", e->info->name);
	}
	free(s->note);
	s->note = NULL;
	if (kept.len && taken)
		s->note = hb_format("%s keep%s the suite's sizes: %s", buf_text(&kept),
		                    s->n_entries - taken == 1 ? "s" : "", first.text);
	buf_free(&kept);
	return taken || !s->n_entries
	               ? HB_OK
	               : hb_fail(err, HB_E_USAGE, "--sizes %.120s: %s", sizes, first.text);
}

int suite_override(struct suite *s, const char *benches, const char *sizes, double precision,
                   double max_time_s, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(s->path), arr = js_at_key(&top, "benches");
	int rc = benches ? keep_benches(s, benches, err) : HB_OK;
	if (rc == HB_OK && sizes)
		rc = override_sizes(s, sizes, err);
	for (size_t i = 0; rc == HB_OK && i < s->n_entries; i++) {
		struct suite_entry *e = &s->entries[i];
		struct js_at here = js_at_index(&arr, i);
		if (precision > 0)
			e->precision = precision;
		if (max_time_s > 0)
			e->max_time_s = max_time_s;
		if (e->deadline_s < 2 * e->max_time_s) /* a longer case needs a later deadline */
			e->deadline_s = 2 * e->max_time_s;
		rc = check_entry(e, &here, err);
	}
	/* These words came from the command line. */
	if (rc == HB_E_FORMAT)
		return hb_fail_in(err, "--precision or --max-time");
	rc = rc == HB_OK ? refuse_repeats(s, s->path, err) : rc;
	return rc == HB_E_FORMAT ? hb_fail_in(err, "--sizes") : rc;
}

void suite_free(struct suite *s)
{
	for (size_t i = 0; i < s->n_entries; i++)
		entry_free(&s->entries[i]);
	free(s->entries);
	free(s->name);
	free(s->summary);
	free(s->path);
	free(s->note);
	memset(s, 0, sizeof(*s));
}
