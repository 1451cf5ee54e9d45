/* `hpcbench baseline rebase`: another reference after hardware or software was renewed. */
#include <math.h>
#include <pwd.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd_baseline.h"
#include "harness/report/report_parts.h"

static void percent_cell(struct doc *d, double ratio)
{
	struct buf text = BUF_INIT;
	report_percent(ratio - 1.0, true, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
}

/* "faster" or "slower", where the median moved by more than rounding shows. */
static void word_cell(struct doc *d, const struct base_ratio *r)
{
	double change = (r->median - 1.0) * (r->higher_is_better ? 1.0 : -1.0);
	if (!isfinite(change))
		doc_cell(d, DOC_WARN, "%s", "nothing to compare");
	else if (fabs(change) < 0.001)
		doc_cell(d, DOC_PLAIN, "%s", "the same");
	else
		doc_cell(d, change > 0.0 ? DOC_GOOD : DOC_WARN, "%s",
		         change > 0.0 ? "faster" : "slower");
}

static void put_ratios(struct doc *d, const struct base_ratio *v, size_t n, const char *from,
                       const char *to)
{
	static const char *const titles[] = { "benchmark", "metric", ">keys", ">median",
		                              ">least",    ">most",  "",      ">only old",
		                              ">only new", NULL };
	size_t other_hw = 0;
	doc_text(d, DOC_PLAIN, "medians of %s against those of %s:", to, from);
	doc_table(d, titles);
	for (size_t i = 0; i < n; i++) {
		doc_cell(d, DOC_PLAIN, "%s", v[i].bench);
		doc_cell(d, DOC_PLAIN, "%s", v[i].metric);
		doc_cell(d, DOC_PLAIN, "%zu", v[i].keys);
		percent_cell(d, v[i].median);
		percent_cell(d, v[i].min);
		percent_cell(d, v[i].max);
		word_cell(d, &v[i]);
		doc_cell(d, DOC_PLAIN, "%zu", v[i].only_old);
		doc_cell(d, DOC_PLAIN, "%zu", v[i].only_new);
		other_hw += v[i].other_hw;
	}
	if (other_hw)
		doc_text(d, DOC_WARN,
		         "%zu key%s compared across hardware classes: verdicts never do that, for "
		         "them these keys are new",
		         other_hw, other_hw == 1 ? " was" : "s were");
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

static void mark(struct recording *r, const char *from, const struct base_ratio *v, size_t n)
{
	const struct passwd *pw = getpwuid(getuid());
	struct base_rebase *m = &r->b.rebased;
	set_text(&m->from, hb_strdup(from));
	set_text(&m->date, baseline_now());
	set_text(&m->reason, hb_strdup(r->opts->reason));
	set_text(&m->by, pw ? hb_strdup(pw->pw_name) : hb_format("uid %ld", (long)getuid()));
	js_put(m->ratios);
	m->ratios = baseline_ratios_to_json(v, n);
}

/* "New runs" is meant: one that the old baseline holds says nothing about what changed. */
static int check_new(const struct baseline *from, const struct recording *r)
{
	for (size_t i = 0; i < r->b.n_runs; i++)
		for (size_t k = 0; k < from->n_runs; k++)
			if (strcmp(r->b.runs[i], from->runs[k]) == 0)
				return cmd_error_text("baseline", CODE_USAGE,
				                      "run %s is in baseline %s: new runs are "
				                      "wanted, from after the change",
				                      r->b.runs[i], r->opts->from);
	return CODE_OK;
}

/* The new figures: of runs, or of a baseline that holds them already. */
static int load_new(struct recording *r, const struct store *s, int n, const char **words)
{
	struct hb_err err = { 0 };
	bool missing;
	if (n != 1 || r->opts->merge.n || !load_is_baseline(s, words[0])) {
		int code = baseline_load(r, s, n, words);
		return code == CODE_OK ? baseline_check(r) : code;
	}
	if (r->opts->exclude)
		return cmd_error_text("baseline", CODE_USAGE,
		                      "--exclude needs runs: out of baseline %s no node can be "
		                      "taken",
		                      words[0]);
	if (load_baseline(s, words[0], &r->b, &missing, &err) != HB_OK)
		return cmd_error("baseline", &err);
	if (r->b.n_runs == 0)
		return cmd_error_text("baseline", CODE_FINDINGS, "baseline %s holds no run",
		                      words[0]);
	return CODE_OK;
}

static int rebase(const struct common *common, struct recording *r, const struct baseline *from)
{
	struct base_ratio *v;
	int code = check_new(from, r);
	if (code != CODE_OK)
		return code;
	size_t n = baseline_ratios(from, &r->b, &v);
	struct doc *d = doc_new("");
	d->data = cmd_json("baseline-rebased");
	js_set_str(d->data, "from", r->opts->from);
	js_set_str(d->data, "reason", r->opts->reason);
	js_set_obj(d->data, "ratios", baseline_ratios_to_json(v, n));
	put_ratios(d, v, n, r->opts->from, r->name);
	mark(r, r->opts->from, v, n);
	code = baseline_write(r);
	free(v);
	if (code == CODE_OK) {
		baseline_tell(r, d);
		doc_text(d, DOC_PLAIN, "%s is kept as it is", r->opts->from);
		cmd_print(common, d);
	}
	doc_free(d);
	return code;
}

static const char *fault(const struct baseline_opts *o, int argc)
{
	if (!o->from || !o->to)
		return "rebase needs --from A and --to B, the old and the new baseline";
	if (!o->reason || !*o->reason)
		return "rebase needs --reason TEXT: what was renewed";
	if (o->extend)
		return "rebase makes a new baseline; --extend is for record";
	if (argc < 1 && o->merge.n == 0)
		return "rebase needs the new runs, or the name of a baseline that holds them";
	return NULL;
}

int cmd_baseline_rebase(const struct common *common, const struct baseline_opts *o, int argc,
                        const char **argv)
{
	const char *wrong = fault(o, argc);
	struct baseline from = { 0 };
	struct hb_err err = { 0 };
	struct store s;
	char *lock = NULL;
	bool missing = false;
	if (wrong)
		return cmd_error_text("baseline", CODE_USAGE, "%s", wrong);
	struct recording r = { .opts = o, .action = "rebase", .name = o->to };
	int code = baseline_begin(common, &r, &s);
	if (code != CODE_OK)
		return code;
	if (load_baseline(&s, o->from, &from, &missing, &err) != HB_OK)
		code = missing ? cmd_error_text("baseline", CODE_NO_BASELINE, "%s", err.text)
		               : cmd_error("baseline", &err);
	else if (store_lock(r.path, &lock, &err) != HB_OK)
		code = cmd_error("baseline", &err);
	else if (r.existed)
		code = cmd_error_text("baseline", CODE_USAGE,
		                      "%s exists and is never overwritten; choose another name "
		                      "for --to",
		                      r.path);
	else if ((code = load_new(&r, &s, argc, argv)) == CODE_OK)
		code = rebase(common, &r, &from);
	store_unlock(lock);
	baseline_free(&from);
	baseline_end(&r);
	store_close(&s);
	return code;
}
