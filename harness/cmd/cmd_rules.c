/* `hpcbench rules`: which causes are known, what each looks for, whether a site's own are right. */
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/diagnose/rules.h"
#include "harness/judge/ack.h"
#include "harness/localize/localize.h"

struct rules_opts {
	char *rules, *tag;
};

#define AT(field) offsetof(struct rules_opts, field)
static const struct opt rules_opts[] = {
	{ OPT_STRING, 0, "rules", "PATH", "a site's rules too: a file, or a folder of *.json", NULL,
	  AT(rules), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "tag", "T", "list: only those with this tag", NULL, AT(tag), 0, 0, NULL,
	  0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

static bool has_tag(const struct rule *r, const char *tag)
{
	for (size_t i = 0; i < r->n_tags; i++)
		if (strcmp(r->tags[i], tag) == 0)
			return true;
	return !tag;
}

static json_object *words_to_json(char *const *v, size_t n)
{
	json_object *list = json_object_new_array();
	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, js_str(v[i]));
	return list;
}

static json_object *rule_to_json(const struct rule *r)
{
	json_object *o = json_object_new_object();
	js_set_str(o, "id", r->id);
	js_set_str(o, "title", r->title);
	js_set_str(o, "scope", rule_scope_name(r->scope));
	js_set_str(o, "severity", rule_severity_name(r->severity));
	js_set_str(o, "confidence", rule_confidence_name(r->confidence));
	js_set_obj(o, "tags", words_to_json(r->tags, r->n_tags));
	return o;
}

static enum doc_tone tone_of(const struct rule *r)
{
	return r->severity == RULE_NOTE ? DOC_DIM : DOC_PLAIN;
}

static void put_suppressions(struct doc *d, const struct rules *rules)
{
	for (size_t i = 0; i < rules->n_suppress; i++) {
		const struct suppression *s = &rules->suppress[i];
		doc_text(d, s->expired ? DOC_WARN : DOC_DIM, "%s %s%s%s until %s: %s",
		         s->expired ? "No longer suppressed:" : "Suppressed:", s->rule,
		         s->subject ? " of " : "", s->subject ? s->subject : "", s->until,
		         s->reason);
	}
}

static int list(const struct common *common, const struct rules_opts *o, const struct rules *rules,
                int argc, const char **argv)
{
	static const char *const titles[] = { "id", "severity", "scope", "title", NULL };
	struct doc *d = doc_new("");
	json_object *items = json_object_new_array();
	size_t n = 0;

	(void)argv;
	if (argc) {
		js_put(items);
		doc_free(d);
		return cmd_error_text("rules", CODE_USAGE, "list takes no words, but --tag");
	}
	doc_table(d, titles);
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *r = &rules->v[i];
		if (o->tag && !has_tag(r, o->tag))
			continue;
		doc_cell(d, tone_of(r), "%s", r->id);
		doc_cell(d, tone_of(r), "%s", rule_severity_name(r->severity));
		doc_cell(d, tone_of(r), "%s", rule_scope_name(r->scope));
		doc_cell(d, tone_of(r), "%s", r->title);
		json_object_array_add(items, rule_to_json(r));
		n++;
	}
	put_suppressions(d, rules);
	d->data = cmd_json("rules");
	js_set_obj(d->data, "rules", items);
	int code = o->tag && !n ? cmd_error_text("rules", CODE_USAGE, "no rule has the tag \"%s\"",
	                                         o->tag)
	                        : CODE_OK;
	if (code == CODE_OK)
		cmd_print(common, d);
	doc_free(d);
	return code;
}

/* ---- explain ---- */

static json_object *put_tests(struct doc *d, const struct rule *r, bool when)
{
	json_object *list = json_object_new_array();
	struct buf text = BUF_INIT;

	for (size_t i = 0; rule_words(r, when, i, &text); i++) {
		doc_list_item(d, "%s", buf_text(&text));
		json_object_array_add(list, js_str(buf_text(&text)));
		buf_clear(&text);
	}
	buf_free(&text);
	return list;
}

/* "mpi.*, node.memory (slow-node)" */
static void put_explains(const struct rule *r, struct buf *out)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_explains; i++)
		buf_printf(out, "%s%s", i ? ", " : "", r->explains[i]);
	for (int k = 0; k < LOC_KINDS; k++)
		if (r->explains_kinds & (1u << k))
			buf_printf(out, "%s%s", n++ ? ", " : " (", loc_kind_name((enum loc_kind)k));
	buf_puts(out, n ? ")" : "");
}

static const char *const severity_words[] = {
	[RULE_ERROR] = "error: breaks or slows jobs for sure; the exit code is 10",
	[RULE_WARNING] = "warning: counts as the cause of what is slow, else it is only told",
	[RULE_NOTE] = "note: looks wrong and is not",
};

static int explain(const struct common *common, const struct rules_opts *o,
                   const struct rules *rules, int argc, const char **argv)
{
	const struct rule *r = argc == 1 ? rules_find(rules, argv[0]) : NULL;
	const char *near = argc == 1 ? rules_nearest(rules, argv[0]) : NULL;
	struct buf text = BUF_INIT;

	(void)o;
	if (argc != 1)
		return cmd_error_text("rules", CODE_USAGE, "explain needs one ID, not %d", argc);
	if (!r)
		return cmd_error_text("rules", CODE_USAGE, "no rule \"%s\"; %s%s%s", argv[0],
		                      near ? "did you mean \"" : "see hpcbench rules list",
		                      near ? near : "", near ? "\"?" : "");
	struct doc *d = doc_new(r->id);
	d->data = rule_to_json(r);
	js_set_i64(d->data, "schema", 1);
	js_set_str(d->data, "kind", "rule");
	doc_text(d, DOC_PLAIN, "%s.", r->title);
	doc_fact(d, "asked of", "each %s",
	         r->scope == RULE_CLUSTER ? "cluster, once" : rule_scope_name(r->scope));
	doc_fact(d, "severity", "%s", severity_words[r->severity]);
	doc_fact(d, "confidence", "%s", rule_confidence_name(r->confidence));
	put_explains(r, &text);
	doc_fact(d, "explains", "%s",
	         text.len ? buf_text(&text) : "no figures: it stands by itself");
	js_set_obj(d->data, "explains", words_to_json(r->explains, r->n_explains));
	doc_heading(d, 2, "It holds when");
	js_set_obj(d->data, "when", put_tests(d, r, true));
	if (r->n_unless)
		doc_heading(d, 2, "Unless");
	js_set_obj(d->data, "unless", put_tests(d, r, false));
	doc_heading(d, 2, "Then");
	doc_fact(d, "says", "%s", r->message);
	doc_fact(d, "do", "%s", r->next);
	doc_fact(d, "refuted by", "%s", r->refute);
	doc_fact(d, "source", "%s", r->source);
	doc_fact(d, "file", "%s", r->file);
	js_set_str(d->data, "message", r->message);
	js_set_str(d->data, "next", r->next);
	js_set_str(d->data, "refute", r->refute);
	js_set_str(d->data, "source", r->source);
	cmd_print(common, d);
	doc_free(d);
	buf_free(&text);
	return CODE_OK;
}

/* ---- check ---- */

static int check_file(const char *path, const char *today, struct rules *rules)
{
	struct hb_err err = { 0 };
	if (rules_read_site(path, today, rules, &err) == HB_OK)
		return CODE_OK;
	return cmd_error_text("rules", CODE_USAGE, "%s", err.text);
}

/* What was read is right already; each file more is told, so that all errors come at once. */
static int check(const struct common *common, const char *today, struct rules *rules, int argc,
                 const char **argv)
{
	int code = CODE_OK;
	for (int i = 0; i < argc; i++) {
		int one = check_file(argv[i], today, rules);
		code = one != CODE_OK ? one : code;
	}
	if (code != CODE_OK)
		return code;
	struct doc *d = doc_new("");
	d->data = cmd_json("rules-check");
	js_set_u64(d->data, "rules", rules->n);
	js_set_u64(d->data, "suppressions", rules->n_suppress);
	doc_text(d, DOC_GOOD, "%zu rules and %zu suppressions are right.", rules->n,
	         rules->n_suppress);
	put_suppressions(d, rules);
	cmd_print(common, d);
	doc_free(d);
	return CODE_OK;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct rules_opts *o = opts;
	const char *action = argc ? argv[0] : "";
	bool lists = strcmp(action, "list") == 0, checks = strcmp(action, "check") == 0;
	struct rules rules = { 0 };
	struct hb_err err = { 0 };
	char today[ACK_DAY_TEXT];

	if (!lists && !checks && strcmp(action, "explain") != 0)
		return cmd_error_text("rules", CODE_USAGE, "needs list, check or explain%s%s%s",
		                      argc ? ", not \"" : "", action, argc ? "\"" : "");
	ack_day_text(ack_day_of((int64_t)time(NULL)), today);
	if (rules_load(o->rules, today, &rules, &err) != HB_OK)
		return cmd_error_text("rules", CODE_USAGE, "%s", err.text);
	int code = lists    ? list(common, o, &rules, argc - 1, argv + 1)
	           : checks ? check(common, today, &rules, argc - 1, argv + 1)
	                    : explain(common, o, &rules, argc - 1, argv + 1);
	rules_free(&rules);
	return code;
}

const struct command cmd_rules = {
	.name = "rules",
	.usage = "list [--tag T] | check [FILE...] | explain ID",
	.summary = "which causes of slow figures are known, and what each looks for",
	.text = "list shows the rules that join figures, facts and counters to causes. check reads "
	        "all of them, and the files or folders given, and says what is wrong with the "
	        "first wrong "
	        "member of each file: exit 64. explain tells everything about one: what it looks "
	        "for, what it explains, what to do and what would refute it. A site's own rules "
	        "are files of the same form (--rules); one with the id of a built-in rule takes "
	        "its place, and \"suppress\" silences rules until a day.",
	.opts = rules_opts,
	.opts_size = sizeof(struct rules_opts),
	.run = run,
};
