/* `hpcbench baseline record`: which runs may be a reference, and without which nodes. */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_baseline.h"
#include "harness/judge/compare.h"
#include "harness/report/report_parts.h"

static size_t usable_rows(const struct summary *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_rows; i++)
		n += s->rows[i].judged && s->rows[i].quality == ROW_OK;
	return n;
}

/* Is this run slower than the baseline it would join? NULL, or why; the caller frees. */
static char *slower_than(const struct baseline *b, const struct summary *run)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	struct verdicts v = { 0 };
	char *why = NULL;
	compare_runs(b, &run, 1, &params, &v);
	if (run->n_confirm)
		compare_confirm(&v, b, run, &params);
	size_t slower = v.count[VERDICT_REGRESSED] + v.count[VERDICT_SUSPECT];
	if (slower)
		why = hb_format("%zu row%s slower than the baseline it would join", slower,
		                slower == 1 ? " is" : "s are");
	verdicts_free(&v);
	return why;
}

/* Wrong data, or something that was not measured: NULL, or which; the caller frees. */
static char *damage(const struct summary *run)
{
	struct report_trouble t;
	char *why = NULL;
	report_trouble(&run, 1, NULL, &t);
	if (t.invalid)
		why = hb_format("invalid data: %s%s%s: %s%s", t.subject, t.bench ? " " : "",
		                t.bench ? t.bench : "", t.reason ? t.reason : "no reason told",
		                t.invalid > 1 ? ", and more" : "");
	else if (t.lost.n)
		why = hb_format("not everything was measured: %s (%s)%s", t.lost.names[0],
		                t.lost.reason ? t.lost.reason : "no reason told",
		                t.lost.n > 1 ? ", and more" : "");
	report_trouble_free(&t);
	return why;
}

static bool any_name(const void *ctx, const char *name)
{
	(void)ctx;
	return *name != '\0';
}

static bool is_excluded(const struct recording *r, const char *subject)
{
	const struct ack_nodes nodes = { any_name, NULL };
	for (size_t i = 0; i < r->exclude.n; i++)
		if (ack_covers(r->exclude.v[i], subject, &nodes))
			return true;
	return false;
}

/* A cause may be of several nodes. */
static bool all_excluded(const struct recording *r, const char *subject)
{
	struct nodeset set;
	bool all = true;
	cause_subjects(subject, &set);
	for (size_t i = 0; i < set.n && all; i++)
		all = is_excluded(r, set.v[i]);
	nodeset_free(&set);
	return all;
}

/* Is something of it misconfigured for sure? NULL, or what; the caller frees. */
static char *misconfigured_in(const struct recording *r, const struct summary *run,
                              const struct run_blame *blame)
{
	const struct diagnose_input with = { .summary = run };
	struct run_diagnosis why;
	char *text = NULL;
	load_diagnosis(&r->causes, r->runs.dirs[run - r->runs.v], blame, &with, &why);
	for (size_t i = 0; !text && i < why.d.n; i++) {
		const struct cause *c = &why.d.v[i];
		if (c->severity == RULE_ERROR && !c->suppressed && !all_excluded(r, c->subject))
			text = hb_format("it is misconfigured: %s: %s", c->subject, c->text);
	}
	run_diagnosis_free(&why);
	return text;
}

/* Is a node or link of it slow, or misconfigured, known trouble or not? NULL, or which; the caller
 * frees. */
static char *culprit_in(const struct recording *r, const struct summary *run)
{
	struct run_blame blame;
	char *why = NULL;
	load_blame(&r->runs, (size_t)(run - r->runs.v), NULL, NULL, &blame);
	for (size_t i = 0; !why && i < blame.f.n; i++)
		if (blame.f.v[i].state == LOC_SLOW && !blame.f.v[i].unsure &&
		    !is_excluded(r, blame.f.v[i].subject))
			why = hb_strdup(blame.f.v[i].text);
	if (!why)
		why = misconfigured_in(r, run, &blame);
	load_blame_free(&blame);
	return why;
}

/* What nobody can insist on. NULL, or why; the caller frees. */
static char *no_reference(const struct summary *run)
{
	if (run->shards > 1)
		return hb_format("it is part %d of %d of the nodes, not a run of the cluster: "
		                 "record its parts together, with --merge RUN,RUN,...",
		                 run->shard, run->shards);
	return usable_rows(run) ? NULL : hb_strdup("it holds no figure that could be a reference");
}

/* NULL, or why this run does not belong in a baseline; the caller frees. */
static char *objection(const struct recording *r, const struct summary *run)
{
	if (run->injected)
		return hb_strdup("a slowdown was planted in it (--inject)");
	if (run->partial)
		return hb_strdup("it is partial: interrupted, or steps are missing");
	char *why = damage(run);
	if (!why)
		why = culprit_in(r, run);
	if (!why)
		why = baseline_objection(&r->b, run);
	return why || !r->existed ? why : slower_than(&r->b, run);
}

const char *baseline_merge_words(const struct recording *r, size_t run)
{
	size_t first = r->runs.n - r->opts->merge.n;
	return run < first ? NULL : r->opts->merge.v[run - first];
}

/* The command that records what is left, ready to be typed. */
static void tell_accepted(const struct recording *r, const bool *good)
{
	struct buf runs = BUF_INIT;
	bool typable = report_typable(r->name);
	for (size_t i = 0; i < r->runs.n; i++) {
		if (!good[i])
			continue;
		const char *merge = baseline_merge_words(r, i);
		const char *name = merge ? merge : r->runs.v[i].run, *colon = strchr(name, ':');
		typable = typable && report_typable(merge && colon ? colon + 1 : name);
		buf_printf(&runs, "%s %s", merge ? " --merge" : "", name);
	}
	if (runs.len && typable && strcmp(r->action, "record") == 0)
		(void)cmd_error_text(
		        "baseline", CODE_FINDINGS,
		        "the others would be accepted: hpcbench baseline record %s%s%s%s%s; "
		        "replace the refused ones by runs measured while the hosts are "
		        "idle",
		        r->name, buf_text(&runs), r->opts->extend ? " --extend" : "",
		        r->opts->exclude ? " --exclude " : "",
		        r->opts->exclude ? r->opts->exclude : "");
	buf_free(&runs);
}

int baseline_check(const struct recording *r)
{
	int code = CODE_OK;
	bool *good = hb_alloc(r->runs.n + 1);
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct summary *s = &r->runs.v[i];
		char *hard = no_reference(s),
		     *soft = hard || r->opts->force ? NULL : objection(r, s);
		char *why = hard ? hard : soft;
		/* An objection that begins with the run's name needs it only once. */
		char *lead = hb_format("run %s: ", s->run);
		size_t skip = why && strncmp(why, lead, strlen(lead)) == 0 ? strlen(lead) : 0;
		good[i] = !why;
		if (why)
			code = cmd_error_text("baseline", CODE_FINDINGS, "run %s refused: %s%s",
			                      s->run, why + skip,
			                      hard ? "" : "; --force takes it anyway");
		free(lead);
		free(why);
	}
	if (code != CODE_OK)
		tell_accepted(r, good);
	free(good);
	return code;
}

/* "dir/night.json" -> "night" */
static char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	size_t n = strlen(last);
	if (n > 5 && strcmp(last + n - 5, ".json") == 0)
		n -= 5;
	return hb_strndup(last, n);
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

static size_t few_keys(const struct baseline *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n_entries; i++)
		n += b->entries[i].runs < BASELINE_MIN_RUNS;
	return n;
}

char *baseline_now(void)
{
	char text[32] = "";
	struct tm tm;
	time_t now = time(NULL);
	if (gmtime_r(&now, &tm))
		(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return hb_strdup(text);
}

/* ---- the parts of an action ---- */

int baseline_begin(const struct common *common, struct recording *r, struct store *s)
{
	struct hb_err err = { 0 };
	char *name = base_name(r->name);
	int rc = store_check_name("baseline", name, &err);
	free(name);
	if (rc == HB_OK && r->opts->exclude)
		rc = nodeset_parse(r->opts->exclude, &r->exclude, &err);
	if (rc == HB_E_FORMAT) { /* what was typed, not a file */
		hb_fail_in(&err, "--exclude");
		err.code = HB_E_USAGE;
	}
	if (rc == HB_OK)
		rc = store_open(common->store, true, s, &err);
	if (rc != HB_OK) {
		baseline_end(r);
		return cmd_error("baseline", &err);
	}
	int code = load_causes("baseline", common, NULL, &r->causes);
	if (code != CODE_OK) {
		baseline_end(r);
		store_close(s);
		return code;
	}
	r->path = store_baseline_path(s, r->name);
	r->existed = access(r->path, F_OK) == 0;
	return CODE_OK;
}

int baseline_load(struct recording *r, const struct store *s, int n, const char **words)
{
	struct hb_err err = { 0 };
	int rc = load_runs_args(s, n, words, &r->runs, &err);
	for (size_t i = 0; rc == HB_OK && i < r->opts->merge.n; i++)
		rc = load_merged(s, r->opts->merge.v[i], NULL, &r->runs, NULL, &err);
	if (rc == HB_OK && r->existed)
		rc = baseline_read(r->path, &r->b, &err);
	if (rc != HB_OK)
		return cmd_error("baseline", &err);
	int code = baseline_exclude(r, s);
	if (code != CODE_OK || r->existed)
		return code;
	baseline_build(r->runs.ptrs, r->runs.n, &r->b);
	for (size_t i = 0; i < r->exclude.n; i++)
		js_set_str(r->b.excluded, r->exclude.v[i], r->opts->reason ? r->opts->reason : "");
	return CODE_OK;
}

int baseline_write(struct recording *r)
{
	struct hb_err err = { 0 };
	struct baseline *b = &r->b;
	if (!r->existed) {
		set_text(&b->name, base_name(r->name));
		set_text(&b->created, baseline_now());
	}
	if (r->opts->reason)
		set_text(&b->reason, hb_strdup(r->opts->reason));
	json_object *o = baseline_to_json(b);
	int rc = store_write_json(r->path, o, &err);
	js_put(o);
	return rc == HB_OK ? CODE_OK : cmd_error("baseline", &err);
}

void baseline_tell(const struct recording *r, struct doc *d)
{
	const struct baseline *b = &r->b;
	bool provisional = b->n_runs < BASELINE_MIN_RUNS;
	js_set_str(d->data, "name", b->name);
	js_set_str(d->data, "path", r->path);
	js_set_u64(d->data, "runs", b->n_runs);
	js_set_u64(d->data, "added", r->runs.n);
	js_set_u64(d->data, "keys", b->n_entries);
	js_set_bool(d->data, "provisional", provisional);
	doc_text(d, DOC_GOOD, "baseline %s: %zu run%s, %zu key%s, in %s", b->name, b->n_runs,
	         b->n_runs == 1 ? "" : "s", b->n_entries, b->n_entries == 1 ? "" : "s", r->path);
	size_t few = few_keys(b);
	js_set_u64(d->data, "provisional_keys", few);
	if (!provisional && few)
		doc_text(d, DOC_WARN,
		         "%zu of %zu key%s fewer than %d runs: there nothing is `regressed`, at "
		         "most "
		         "`suspect`",
		         few, b->n_entries, b->n_entries == 1 ? " has" : "s have",
		         (int)BASELINE_MIN_RUNS);
	if (provisional)
		doc_text(d, DOC_WARN,
		         "provisional: below %d runs nothing is `regressed`, at most `suspect`; "
		         "measure again and add with hpcbench baseline record %s latest --extend",
		         (int)BASELINE_MIN_RUNS, r->name);
	baseline_tell_excluded(r, d);
}

void baseline_end(struct recording *r)
{
	diagnose_data_free(&r->causes);
	baseline_free(&r->b);
	load_runs_free(&r->runs);
	nodeset_free(&r->exclude);
	free(r->path);
	r->path = NULL;
}

/* ---- record ---- */

/* Reads what exists and joins the runs; prints on failure. */
static int prepare(struct recording *r, const struct store *s, int n, const char **words)
{
	struct hb_err err = { 0 };
	if (r->existed && !r->opts->extend)
		return cmd_error_text("baseline", CODE_USAGE,
		                      "%s exists and is never overwritten; --extend adds runs to "
		                      "it, another name makes a new one",
		                      r->path);
	if (!r->existed && r->opts->extend)
		return cmd_error_text("baseline", CODE_NO_BASELINE,
		                      "there is no %s to extend; leave out --extend to make it",
		                      r->path);
	int code = baseline_load(r, s, n, words);
	if (code == CODE_OK)
		code = baseline_check(r);
	if (code != CODE_OK || !r->existed)
		return code;
	if (baseline_extend(&r->b, r->runs.ptrs, r->runs.n, &err) != HB_OK)
		return cmd_error("baseline", &err);
	return CODE_OK;
}

int cmd_baseline_record(const struct common *common, const struct baseline_opts *o, int argc,
                        const char **argv)
{
	struct hb_err err = { 0 };
	struct store s;
	char *lock = NULL;
	if (o->from || o->to)
		return cmd_error_text("baseline", CODE_USAGE,
		                      "record takes no --from and --to; that is baseline rebase");
	if (argc < (o->merge.n ? 1 : 2))
		return cmd_error_text("baseline", CODE_USAGE,
		                      "record needs a NAME and at least one RUN; as in hpcbench "
		                      "baseline record night latest");
	struct recording r = { .opts = o, .action = "record", .name = argv[0] };
	int code = baseline_begin(common, &r, &s);
	if (code != CODE_OK)
		return code;
	if (store_lock(r.path, &lock, &err) != HB_OK)
		code = cmd_error("baseline", &err);
	else if ((code = prepare(&r, &s, argc - 1, argv + 1)) == CODE_OK)
		code = baseline_write(&r);
	if (code == CODE_OK) {
		struct doc *d = doc_new("");
		d->data = cmd_json("baseline-recorded");
		baseline_tell(&r, d);
		cmd_print(common, d);
		doc_free(d);
	}
	store_unlock(lock);
	baseline_end(&r);
	store_close(&s);
	return code;
}
