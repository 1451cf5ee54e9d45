/* `hpcbench store prune`. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_store.h"
#include "harness/judge/baseline.h"
#include "harness/store/store_prune.h"

enum { NUMBER_DIGITS = 6, RUN_FILE_MAX = 16 << 20 };

static const char *fate_text(const struct prune_run *r, bool dry_run)
{
	switch (r->fate) {
	case PRUNE_GONE: return dry_run ? "would go" : "removed";
	case PRUNE_IN_USE: return "stays: a baseline names it";
	case PRUNE_MEASURED: return "stays: it is being measured, or began within a day";
	case PRUNE_STRANGE: return "stays: not a folder of its own";
	case PRUNE_FAILED: return r->why;
	}
	return "";
}

struct in_use {
	struct prune_params *p;
	size_t cap;
};

static void add_in_use(struct in_use *u, const char *id, size_t len)
{
	hb_grow(&u->p->in_use, &u->cap, u->p->n_in_use + 1, sizeof(*u->p->in_use));
	u->p->in_use[u->p->n_in_use++] = hb_strndup(id, len);
}

/* What the parts of one whole have in common: their job array, else the node set that was divided.
 * NULL: it is no part. The caller frees. */
static char *whole_of(const struct store *s, const char *id, size_t len)
{
	char *path = hb_format("%s/runs/%.*s/run.json", s->path, (int)len, id), *whole = NULL;
	struct js_at top = JS_AT_TOP(path), in = js_at_key(&top, "shard");
	json_object *o = NULL, *shard = NULL;
	const char *array = NULL, *of = NULL;
	if (js_read_file(path, RUN_FILE_MAX, &o, NULL) == HB_OK &&
	    js_get_obj(o, &top, "shard", JS_OPTIONAL, &shard, NULL) == HB_OK && shard &&
	    js_get_str(o, &top, "array", JS_OPTIONAL, &array, NULL) == HB_OK &&
	    js_get_str(shard, &in, "of", JS_OPTIONAL, &of, NULL) == HB_OK && (array || of))
		whole = hb_format("%s %s", array ? array : "", of ? of : "");
	js_put(o);
	free(path);
	return whole;
}

/* A merged run of a baseline that does not say of which: all that may be parts of the same whole
 * as the one that it is named after. */
static void add_like(const struct store *s, const char *id, size_t len, struct in_use *u)
{
	char **ids = NULL, *whole = whole_of(s, id, len);
	size_t n = 0;
	if (whole && store_run_list(s, &ids, &n, NULL) != HB_OK)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		char *other = whole_of(s, ids[i], strlen(ids[i]));
		if (other && strcmp(other, whole) == 0)
			add_in_use(u, ids[i], strlen(ids[i]));
		free(other);
	}
	store_dirs_free(ids, n);
	free(whole);
}

/* A run of a baseline: itself, or "ID+N", and the runs that it was put together from. */
static void add_run(const struct store *s, const struct baseline *b, const char *run,
                    struct in_use *u)
{
	json_object *parts = NULL;
	size_t len = strcspn(run, "+");
	add_in_use(u, run, len);
	if (!run[len])
		return;
	if (!json_object_object_get_ex(b->merged, run, &parts))
		add_like(s, run, len, u);
	for (size_t i = 0; parts && i < json_object_array_length(parts); i++) {
		json_object *part = json_object_array_get_idx(parts, i);
		const char *id = json_object_is_type(part, json_type_string)
		                         ? json_object_get_string(part)
		                         : "";
		add_in_use(u, id, strlen(id));
	}
}

/* The runs that baselines name; one that cannot be read might name any. */
static int runs_in_use(const struct store *s, struct prune_params *p, struct hb_err *err)
{
	char **names = NULL;
	struct in_use u = { p, 0 };
	size_t n = 0;
	int rc = store_baseline_list(s, &names, &n, err);
	for (size_t i = 0; i < n && rc == HB_OK; i++) {
		struct baseline b = { 0 };
		struct hb_err why;
		char *path = store_baseline_path(s, names[i]);
		if (baseline_read(path, &b, &why) != HB_OK)
			rc = hb_fail(err, HB_E_FORMAT,
			             "nothing is pruned while baseline %.60s cannot be read, which "
			             "may need any run: %.100s",
			             names[i], why.text);
		for (size_t j = 0; rc == HB_OK && j < b.n_runs; j++)
			add_run(s, &b, b.runs[j], &u);
		baseline_free(&b);
		free(path);
	}
	store_dirs_free(names, n);
	return rc;
}

static int parse_number(const char *name, const char *text, int *out)
{
	size_t n = strlen(text);
	if (n == 0 || n > NUMBER_DIGITS || strspn(text, "0123456789") != n)
		return cmd_error_text("store", CODE_USAGE,
		                      "--%s '%.40s': a whole number of at most %d digits is wanted",
		                      name, text, (int)NUMBER_DIGITS);
	*out = (int)strtol(text, NULL, 10);
	return CODE_OK;
}

static void put_runs(struct doc *d, const struct prune *out, bool dry_run)
{
	static const char *const titles[] = { "run", ">bytes", "what", NULL };
	json_object *items = json_object_new_array();
	char size[32];
	if (out->n)
		doc_table(d, titles);
	for (size_t i = 0; i < out->n; i++) {
		const struct prune_run *r = &out->v[i];
		json_object *o = json_object_new_object();
		enum doc_tone tone = r->fate == PRUNE_FAILED || r->fate == PRUNE_STRANGE
		                             ? DOC_WARN
		                             : DOC_PLAIN;
		js_set_str(o, "run", r->id);
		js_set_bool(o, "removed", r->fate == PRUNE_GONE);
		js_set_u64(o, "bytes", r->bytes);
		js_set_str(o, "text", fate_text(r, dry_run));
		json_object_array_add(items, o);
		units_format_bytes(r->bytes, size, sizeof size);
		doc_cell(d, tone, "%s", r->id);
		doc_cell(d, tone, "%s", r->fate == PRUNE_GONE ? size : "");
		doc_cell(d, tone, "%s", fate_text(r, dry_run));
	}
	js_set_obj(d->data, "items", items);
}

static void put_sums(struct doc *d, const struct prune *out, const struct prune_params *p,
                     bool chosen)
{
	uint64_t freed = out->left_bytes;
	size_t n = 0;
	char size[32], samples[32], all[32];
	for (size_t i = 0; i < out->n; i++) {
		n += out->v[i].fate == PRUNE_GONE;
		freed += out->v[i].bytes;
	}
	units_format_bytes(freed, size, sizeof size);
	units_format_bytes(out->samples, samples, sizeof samples);
	units_format_bytes(out->bytes, all, sizeof all);
	js_set_u64(d->data, "runs", out->n_runs);
	js_set_u64(d->data, "removed", n);
	js_set_u64(d->data, "left_over", out->n_left);
	js_set_u64(d->data, "freed_bytes", freed);
	js_set_bool(d->data, "dry_run", p->dry_run);
	doc_text(d, DOC_PLAIN, "%s%s%zu of %zu run%s and %zu leftover file%s: %s",
	         p->dry_run ? "would remove " : "removed ",
	         p->samples_only ? "the single timings of " : "", n, out->n_runs,
	         out->n_runs == 1 ? "" : "s", out->n_left, out->n_left == 1 ? "" : "s", size);
	if (!chosen)
		doc_text(d, DOC_PLAIN,
		         "the runs hold %s, %s of it single timings; say which may go with "
		         "--keep-days D, --keep N or --label TEXT (--samples-only: their timings "
		         "alone; --dry-run: only tell)",
		         all, samples);
	else if (p->samples_only)
		doc_text(d, DOC_DIM,
		         "without single timings figures and verdicts stay, but what stands behind "
		         "them can no longer be shown");
}

int cmd_store_prune(const struct common *common, const struct store_opts *o, const struct store *s,
                    int argc, const char **argv)
{
	struct prune_params p = { .keep = -1, .keep_days = -1, .label = o->label };
	struct hb_err err;
	struct prune out = { 0 };
	int days = -1, code = CODE_OK;
	if (argc)
		return cmd_error_text("store", CODE_USAGE, "prune takes options only, not \"%s\"",
		                      argv[0]);
	if (o->keep)
		code = parse_number("keep", o->keep, &p.keep);
	if (code == CODE_OK && o->keep_days)
		code = parse_number("keep-days", o->keep_days, &days);
	if (code != CODE_OK)
		return code;
	bool chosen = o->keep || o->keep_days || o->label;
	p.keep_days = days;
	p.samples_only = o->samples_only;
	p.dry_run = o->dry_run || !chosen;
	p.now = time(NULL);
	if (runs_in_use(s, &p, &err) != HB_OK || store_prune(s, &p, &out, &err) != HB_OK) {
		code = cmd_error("store", &err);
	} else {
		struct doc *d = doc_new("");
		d->data = cmd_json("store-prune");
		put_runs(d, &out, p.dry_run);
		put_sums(d, &out, &p, chosen);
		cmd_print(common, d);
		doc_free(d);
		for (size_t i = 0; i < out.n; i++)
			if (out.v[i].fate == PRUNE_FAILED)
				code = cmd_error_text("store", CODE_BROKEN, "run %s: %s",
				                      out.v[i].id, out.v[i].why);
	}
	store_prune_free(&out);
	store_dirs_free(p.in_use, p.n_in_use);
	return code;
}
