/* `hpcbench ack`: known trouble, shown in every report and silent in exit codes until a date. */
#include <fnmatch.h>
#include <pwd.h>
#include <unistd.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/cmd/cmd_ack.h"
#include "harness/judge/ack.h"
#include "harness/plan/nodeset.h"

struct ack_opts {
	char *bench, *until, *reason, *by, *remove;
	int list;
};

#define AT(field) offsetof(struct ack_opts, field)
static const struct opt ack_opts[] = {
	{ OPT_STRING, 0, "until", "DATE",
	  "the last day that is covered, UTC: YYYY-MM-DD, or from today on 14d or 2w; at most a "
	  "year",
	  NULL, AT(until), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "reason", "TEXT", "what is known about it; a ticket's number", NULL,
	  AT(reason), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "bench", "LIST|GLOB",
	  "only these benchmarks, as in mpi.*,node.memory; else all, and what is wrong with the "
	  "subject whatever is measured",
	  NULL, AT(bench), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "by", "NAME", "who looks after it (you)", NULL, AT(by), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "list", NULL, "show what is acknowledged", NULL, AT(list), 0, 0, NULL, 0 },
	{ OPT_STRING, 0, "remove", "SUBJECT|ID", "take an acknowledgement back", NULL, AT(remove),
	  0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

enum { UNKNOWN_SHOWN = 4 };

/* What one call adds. */
struct adding {
	struct ack like;         /* its subject is each of subjects in turn */
	struct nodeset subjects; /* one that is no node set is its only member */
	struct doc *d;
	json_object *items;
};

static bool known_pattern(const char *pattern)
{
	for (size_t i = 0; catalog[i]; i++)
		if (fnmatch(pattern, catalog[i]->name, FNM_NOESCAPE) == 0)
			return true;
	return false;
}

/* A misspelt benchmark would silence nothing, and nobody would know why. */
static int check_bench(const char *list, struct hb_err *err)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ",");
		char *one = hb_strndup(p, n);
		const char *near = known_pattern(one) ? one : catalog_nearest(one);
		int rc = HB_OK;
		if (near != one)
			rc = hb_fail(err, HB_E_USAGE, "--bench: no benchmark '%.80s'%s%s%s", one,
			             near ? "; did you mean '" : "", near ? near : "",
			             near ? "'?" : "");
		free(one);
		if (rc != HB_OK)
			return rc;
		p += n + (p[n] == ',');
	}
	return *list ? HB_OK : hb_fail(err, HB_E_USAGE, "--bench: a benchmark is wanted");
}

static int check_until(const char *text, int64_t today, int64_t *out, struct hb_err *err)
{
	char day[ACK_DAY_TEXT], last[ACK_DAY_TEXT];
	int rc = ack_day_parse(text, true, today, out, err);
	if (rc != HB_OK)
		return hb_fail_in(err, "--until");
	ack_day_text(today, day);
	ack_day_text(today + ACK_DAYS_MAX, last);
	if (*out < today)
		return hb_fail(err, HB_E_USAGE, "--until %s is past: today is %s (UTC)", text, day);
	if (*out > today + ACK_DAYS_MAX)
		return hb_fail(err, HB_E_USAGE,
		               "--until %s is more than a year ahead: %s is the last day", text,
		               last);
	return HB_OK;
}

/* Node sets are as many acknowledgements, so that each node can be taken back alone. */
static int read_subjects(const char *text, struct nodeset *out, struct hb_err *err)
{
	if (!strchr(text, '/') && !strchr(text, ':') && strpbrk(text, "[],"))
		return nodeset_parse(text, out, err) == HB_OK ? HB_OK : (err->code = HB_E_USAGE);
	int rc = ack_subject_check(text, err);
	if (rc != HB_OK)
		return rc;
	size_t cap = 0;
	hb_grow(&out->v, &cap, 1, sizeof *out->v);
	out->cap = cap;
	out->v[out->n++] = hb_strdup(text);
	return HB_OK;
}

static int add_all(struct acks *a, void *ctx, struct hb_err *err)
{
	struct adding *in = ctx;
	char day[ACK_DAY_TEXT];
	ack_day_text(in->like.until, day);
	for (size_t i = 0; i < in->subjects.n; i++) {
		size_t before = a->n;
		in->like.subject = in->subjects.v[i];
		const struct ack *new_one = acks_add(a, &in->like, err);
		if (!new_one)
			return err->code;
		json_object_array_add(in->items, ack_to_json(new_one));
		doc_text(in->d, DOC_GOOD, "%s%s%s is known until the end of %s (UTC): %s (by %s)%s",
		         new_one->subject, new_one->bench ? " " : "",
		         new_one->bench ? new_one->bench : "", day, new_one->reason, new_one->by,
		         a->n == before ? "; it takes the place of the one before" : "");
	}
	return HB_OK;
}

/* A misspelt node would silence nothing either; but it may be one that is not measured yet. */
static void warn_unknown(struct doc *d, const struct store *s, const struct nodeset *subjects)
{
	json_object *known = ack_known_nodes(s);
	for (size_t i = 0, n = 0; i < subjects->n && n < UNKNOWN_SHOWN; i++) {
		char *node = ack_unknown_node(known, subjects->v[i]);
		if (node) {
			n++;
			doc_text(d, DOC_WARN,
			         "%s is in no stored run and no baseline: is that its name?", node);
		}
		free(node);
	}
	js_put(known);
}

static int add(const struct common *common, const struct ack_opts *o, const struct store *s,
               const char *subject)
{
	const struct passwd *pw = getpwuid(getuid());
	char user[32];
	(void)snprintf(user, sizeof user, "uid %ld", (long)getuid());
	struct adding in = { .like = { .bench = o->bench,
		                       .reason = o->reason,
		                       .by = o->by ? o->by
		                             : pw  ? pw->pw_name
		                                   : user,
		                       .made = ack_day_of(time(NULL)) } };
	struct hb_err err;
	int rc = read_subjects(subject, &in.subjects, &err);
	if (rc == HB_OK)
		rc = check_until(o->until, in.like.made, &in.like.until, &err);
	if (rc == HB_OK && o->bench)
		rc = check_bench(o->bench, &err);
	if (rc == HB_OK) {
		char *path = acks_path(s->path);
		in.d = doc_new("");
		in.d->data = cmd_json("ack");
		in.items = json_object_new_array();
		js_set_obj(in.d->data, "items", in.items);
		rc = acks_update(path, add_all, &in, &err);
		if (rc == HB_OK)
			warn_unknown(in.d, s, &in.subjects);
		if (rc == HB_OK)
			cmd_print(common, in.d);
		doc_free(in.d);
		free(path);
	}
	nodeset_free(&in.subjects);
	return rc == HB_OK ? CODE_OK : cmd_error("ack", &err);
}

struct removing {
	const char *what;
	size_t n;
};

static int remove_all(struct acks *a, void *ctx, struct hb_err *err)
{
	struct removing *in = ctx;
	struct nodeset nodes = { 0 };
	bool set = !strchr(in->what, '/') && !strchr(in->what, ':') && strpbrk(in->what, "[],");
	if (set && nodeset_parse(in->what, &nodes, err) != HB_OK)
		return err->code;
	if (!set)
		in->n = acks_remove(a, in->what);
	for (size_t i = 0; i < nodes.n; i++)
		in->n += acks_remove(a, nodes.v[i]);
	nodeset_free(&nodes);
	if (in->n)
		return HB_OK;
	return hb_fail(err, HB_E_USAGE,
	               "'%.100s' is not acknowledged; hpcbench ack --list shows "
	               "what is",
	               in->what);
}

static int take_back(const struct common *common, const struct store *s, const char *what)
{
	struct removing in = { .what = what };
	char *path = acks_path(s->path);
	struct hb_err err;
	int rc = acks_update(path, remove_all, &in, &err);
	free(path);
	if (rc != HB_OK)
		return cmd_error("ack", &err);
	struct doc *d = doc_new("");
	d->data = cmd_json("ack-removed");
	js_set_u64(d->data, "removed", in.n);
	doc_text(d, DOC_GOOD, "%zu acknowledgement%s of %s taken back", in.n, in.n == 1 ? "" : "s",
	         what);
	cmd_print(common, d);
	doc_free(d);
	return CODE_OK;
}

static void list_one(struct doc *d, const struct ack *a)
{
	char day[ACK_DAY_TEXT];
	ack_day_text(a->until, day);
	doc_cell(d, DOC_PLAIN, "%s", a->id);
	doc_cell(d, DOC_PLAIN, "%s", a->subject);
	doc_cell(d, DOC_PLAIN, "%s", a->bench ? a->bench : "(all)");
	doc_cell(d, DOC_PLAIN, "%s", day);
	doc_cell(d, a->state == ACK_ACTIVE ? DOC_PLAIN : DOC_WARN, "%s",
	         a->state == ACK_ACTIVE ? "" : "expired");
	doc_cell(d, DOC_PLAIN, "%s", a->by);
	doc_cell(d, DOC_PLAIN, "%s", a->reason);
}

static int list(const struct common *common, const struct store *s)
{
	static const char *const titles[] = { "id", "subject", "benchmarks", "until",
		                              "",   "by",      "reason",     NULL };
	struct acks a;
	struct hb_err err;
	char *path = acks_path(s->path);
	int rc = acks_read(path, &a, &err);
	free(path);
	if (rc != HB_OK)
		return cmd_error("ack", &err);
	acks_set_day(&a, ack_day_of(time(NULL)));
	struct doc *d = doc_new("");
	json_object *items = json_object_new_array();
	d->data = cmd_json("ack-list");
	if (a.n)
		doc_table(d, titles);
	else
		doc_text(d, DOC_PLAIN, "nothing is acknowledged in %s", s->path);
	for (size_t i = 0; i < a.n; i++) {
		json_object *o = ack_to_json(&a.v[i]);
		js_set_bool(o, "expired", a.v[i].state != ACK_ACTIVE);
		json_object_array_add(items, o);
		list_one(d, &a.v[i]);
	}
	js_set_obj(d->data, "items", items);
	cmd_print(common, d);
	doc_free(d);
	acks_free(&a);
	return CODE_OK;
}

/* What the words ask for; a sentence where they do not go together. */
static const char *fault(const struct ack_opts *o, int argc)
{
	bool add_words = o->until || o->reason || o->bench || o->by;
	if (o->list && (o->remove || argc || add_words))
		return "--list goes alone";
	if (o->remove && (argc || add_words))
		return "--remove goes alone";
	if (o->list || o->remove)
		return NULL;
	if (argc != 1)
		return "needs one SUBJECT, as in hpcbench ack n17 --until 14d --reason 'cable "
		       "ordered'; or --list, or --remove SUBJECT";
	if (!o->until)
		return "needs --until DATE: nothing is known trouble for ever";
	if (!o->reason)
		return "needs --reason TEXT: whoever reads the report wants to know";
	return NULL;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct ack_opts *o = opts;
	const char *wrong = fault(o, argc);
	struct hb_err err;
	struct store s;
	if (wrong)
		return cmd_error_text("ack", CODE_USAGE, "%s", wrong);
	if (store_open(common->store, !o->list, &s, &err) != HB_OK)
		return cmd_error("ack", &err);
	int code = o->list     ? list(common, &s)
	           : o->remove ? take_back(common, &s, o->remove)
	                       : add(common, o, &s, argv[0]);
	store_close(&s);
	return code;
}

const struct command cmd_ack = {
	.name = "ack",
	.usage = "SUBJECT --until DATE --reason TEXT | --list | --remove SUBJECT|ID",
	.summary = "acknowledge known trouble until a date",
	.text = "SUBJECT is a node (n17), a set of nodes (n[1-4], one acknowledgement each), a "
	        "device "
	        "(n17/mlx5_2:1), a link (n17-n18, in either order; n17>n18 in one direction), "
	        "leaf:NAME, "
	        "rail:N, fs:PATH or cluster. A node covers its devices and links. What is "
	        "acknowledged "
	        "stays in every report, with the reason, and does not count in the exit code: "
	        "slower, "
	        "invalid, not measured or changed hardware alike. After the last day it counts "
	        "again, "
	        "and reports say for 14 days that the acknowledgement has expired.",
	.opts = ack_opts,
	.opts_size = sizeof(struct ack_opts),
	.by_hand = true,
	.run = run,
};
