#include "harness/store/store_verify.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/collect/collect.h"
#include "harness/store/store_verify_lines.h"

enum { RUN_FILE_MAX = 16 << 20, TOLD_MAX = 20, MISSING_NAMED = 5 };

/* A run under test. */
struct checking {
	const struct verify_sink *sink;
	const char *dir;
	char *path;    /* of the file that is read */
	uint64_t told; /* problems of this file; those beyond TOLD_MAX are only counted */
	struct suite suite;
	struct plan plan;
	uint32_t *unit_step; /* of each unit: its step's index; UINT32_MAX: none */
	uint32_t *unit_job;
	bool *ended; /* each unit */
	bool partial, finished;
	int code, journal_code; /* of run.json, of the last end of the journal; -1: none */
	struct id_set seen;
	struct js_parser *parser;
};

static void tell(struct checking *c, uint64_t line, const char *fmt, ...) HB_PRINTF(3, 4);
static void tell(struct checking *c, uint64_t line, const char *fmt, ...)
{
	struct hb_err text;
	va_list ap;
	if (c->told++ >= TOLD_MAX)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text.text, sizeof text.text, fmt, ap);
	va_end(ap);
	c->sink->problem(c->sink->ctx, c->path, line, text.text);
}

static void begin_file(struct checking *c, const char *name)
{
	char text[64];
	if (c->told > TOLD_MAX) {
		(void)snprintf(text, sizeof text, "%llu more problems",
		               (unsigned long long)(c->told - TOLD_MAX));
		c->sink->problem(c->sink->ctx, c->path, 0, text);
	}
	free(c->path);
	c->path = name ? hb_format("%s/%s", c->dir, name) : NULL;
	c->told = 0;
}

/* An error's text without the path, which stands before it anyway. */
static const char *without_path(const struct checking *c, const char *text)
{
	size_t n = strlen(c->path);
	if (strncmp(text, c->path, n) == 0 && text[n] == ':')
		text += n + 1 + strspn(text + n + 1, " ");
	return text;
}

static bool is_there(const struct checking *c)
{
	struct stat st;
	return lstat(c->path, &st) == 0 || errno != ENOENT;
}

/* What a reader said: a problem, or HB_E_IO where the file could not be read at all. */
static int judge(struct checking *c, int rc, const struct hb_err *why, struct hb_err *err)
{
	if (rc == HB_OK)
		return HB_OK;
	if (access(c->path, R_OK) != 0)
		return hb_fail(err, HB_E_IO, "%s", why->text);
	tell(c, 0, "%s", without_path(c, why->text));
	return HB_OK;
}

/* ---- plan.json, run.json ---- */

static void place_units(struct checking *c)
{
	uint64_t n = c->plan.next_unit;
	c->unit_step = hb_alloc((n + 1) * sizeof(*c->unit_step));
	c->unit_job = hb_alloc((n + 1) * sizeof(*c->unit_job));
	c->ended = hb_alloc(n + 1);
	memset(c->unit_step, 0xff, (n + 1) * sizeof(*c->unit_step));
	for (size_t s = 0; s < c->plan.n_steps; s++) {
		const struct plan_step *step = &c->plan.steps[s];
		for (size_t j = 0; j < step->n_jobs; j++)
			for (size_t i = 0; i < step->jobs[j].cases.n; i++) {
				uint64_t unit = step->jobs[j].first_unit + i;
				if (unit >= n)
					continue;
				c->unit_step[unit] = (uint32_t)s;
				c->unit_job[unit] = (uint32_t)j;
			}
	}
}

/* *readable: there is a plan to hold the rest against. */
static int check_plan(struct checking *c, bool *readable, struct hb_err *err)
{
	struct hb_err why;
	begin_file(c, "plan.json");
	*readable = false;
	if (!is_there(c)) {
		tell(c, 0, "missing: nothing tells what was to be measured");
		return HB_OK;
	}
	int rc = plan_read(c->path, &c->suite, &c->plan, &why);
	*readable = rc == HB_OK;
	if (*readable)
		place_units(c);
	return judge(c, rc, &why, err);
}

static int check_about(struct checking *c, struct hb_err *err)
{
	struct hb_err why;
	json_object *o = NULL;
	const char *end = NULL;
	begin_file(c, "run.json");
	struct js_at top = JS_AT_TOP(c->path);
	if (!is_there(c)) /* it was killed before its main part ended, or is not so far yet */
		return HB_OK;
	int rc = js_read_file(c->path, RUN_FILE_MAX, &o, &why);
	if (rc == HB_OK)
		rc = js_get_str(o, &top, "finished", JS_OPTIONAL, &end, &why);
	if (rc == HB_OK)
		rc = js_get_bool(o, &top, "partial", JS_OPTIONAL, &c->partial, &why);
	if (rc == HB_OK)
		rc = js_get_int(o, &top, "code", JS_OPTIONAL, 0, 255, &c->code, &why);
	c->finished = rc == HB_OK && end;
	js_put(o);
	return judge(c, rc, &why, err);
}

/* ---- lines ---- */

/* The object of a line, the caller's; NULL after a problem. */
static json_object *parse_line(struct checking *c, const struct line *l)
{
	struct hb_err why;
	json_object *o = NULL;
	/* The last line of a run that was killed may be cut. */
	if (line_wrong(l)) {
		if (!l->text || c->finished)
			tell(c, l->number, "%s", line_wrong(l));
		return NULL;
	}
	if (l->len == 0)
		tell(c, l->number, "an empty line");
	else if (js_parser_line(c->parser, l->text, l->len, "", &o, &why) != HB_OK)
		tell(c, l->number, "%s", why.text + strspn(why.text, ": "));
	else if (!json_object_is_type(o, json_type_object))
		tell(c, l->number, "not an object");
	else
		return o;
	js_put(o);
	return NULL;
}

static const char *what_of(const struct hb_err *why)
{
	return why->text + strspn(why->text, ": ");
}

/* The unit's place: true if the plan has it in this step. */
static bool find_unit(struct checking *c, const struct rec_ids *ids, uint64_t line)
{
	if (ids->unit < c->plan.next_unit && c->unit_step[ids->unit] != UINT32_MAX &&
	    c->plan.steps[c->unit_step[ids->unit]].id == ids->step)
		return true;
	tell(c, line, "the plan has no unit %llu in step %llu", (unsigned long long)ids->unit,
	     (unsigned long long)ids->step);
	return false;
}

/* Has this kind of record of a unit's attempt come before? what: "point", or a metric's name. */
static void check_unique(struct checking *c, const struct rec_ids *ids, const char *what,
                         uint64_t number, uint64_t line)
{
	const uint64_t key[] = { ids->unit, ids->attempt, number };
	if (!id_set_add(&c->seen, id_hash(id_hash(0, key, sizeof key), what, strlen(what))))
		tell(c, line, "%s of unit %llu, attempt %llu, stands here a second time", what,
		     (unsigned long long)ids->unit, (unsigned long long)ids->attempt);
}

static void check_point(struct checking *c, const struct rec_point *p, uint64_t line)
{
	if (!find_unit(c, &p->ids, line))
		return;
	const struct plan_step *step = &c->plan.steps[c->unit_step[p->ids.unit]];
	const struct plan_job *job = &step->jobs[c->unit_job[p->ids.unit]];
	const struct bench_case *point = &job->cases.v[p->ids.unit - job->first_unit];
	if (strcmp(p->bench, job->cases.info->name) != 0 || p->bytes != point->bytes)
		tell(c, line, "its benchmark or size is not what the plan has for unit %llu",
		     (unsigned long long)p->ids.unit);
	check_unique(c, &p->ids, "point", 0, line);
}

static void take_record(void *ctx, const struct line *l)
{
	static const struct js_at top = JS_AT_TOP("");
	struct checking *c = ctx;
	struct rec_point p;
	struct rec_end e;
	struct hb_err why;
	uint64_t step = 0;
	json_object *o = parse_line(c, l);
	int rc = HB_OK;
	if (!o)
		return;
	enum record_type type = record_type_of(o);
	if (type == REC_POINT || type == REC_PAIR) {
		rc = rec_point_from_json(o, &top, &p, &why);
		if (rc == HB_OK)
			check_point(c, &p, l->number);
	} else if (type == REC_END) {
		rc = rec_end_from_json(o, &top, &e, &why);
		if (rc == HB_OK && find_unit(c, &e.ids, l->number)) {
			c->ended[e.ids.unit] = true;
			check_unique(c, &e.ids, "end", 0, l->number);
		}
	} else if (type != REC_UNKNOWN) { /* those are of a later version */
		rc = js_get_u64(o, &top, "step", JS_REQUIRED, &step, &why);
		if (rc == HB_OK && (step == 0 || step > c->plan.n_steps))
			tell(c, l->number, "the plan has no step %llu", (unsigned long long)step);
	}
	if (rc != HB_OK)
		tell(c, l->number, "%s", what_of(&why));
	js_put(o);
}

static void take_samples(void *ctx, const struct line *l)
{
	static const struct js_at top = JS_AT_TOP("");
	struct checking *c = ctx;
	struct rec_ids ids;
	struct hb_err why;
	const char *metric = NULL;
	uint64_t seq = 0, of = 0;
	json_object *o = parse_line(c, l), *v = NULL;
	if (!o)
		return;
	int rc = rec_ids_from_json(o, &top, &ids, &why);
	if (rc == HB_OK)
		rc = js_get_str(o, &top, "metric", JS_REQUIRED, &metric, &why);
	if (rc == HB_OK)
		rc = js_get_u64(o, &top, "seq", JS_REQUIRED, &seq, &why);
	if (rc == HB_OK)
		rc = js_get_u64(o, &top, "of", JS_REQUIRED, &of, &why);
	if (rc == HB_OK)
		rc = js_get_arr(o, &top, "v", JS_REQUIRED, &v, &why);
	if (rc != HB_OK)
		tell(c, l->number, "%s", what_of(&why));
	else if (find_unit(c, &ids, l->number))
		check_unique(c, &ids, metric, seq, l->number);
	js_put(o);
}

static void take_journal(void *ctx, const struct line *l)
{
	static const struct js_at top = JS_AT_TOP("");
	struct checking *c = ctx;
	struct hb_err why;
	const char *type = NULL;
	json_object *o = parse_line(c, l);
	if (!o)
		return;
	int rc = js_get_str(o, &top, "type", JS_REQUIRED, &type, &why);
	if (rc == HB_OK && strcmp(type, "end") == 0)
		rc = js_get_int(o, &top, "code", JS_REQUIRED, 0, 255, &c->journal_code, &why);
	if (rc != HB_OK)
		tell(c, l->number, "%s", what_of(&why));
	js_put(o);
}

static int check_lines(struct checking *c, const char *name, bool needed,
                       void (*take)(void *ctx, const struct line *l), struct hb_err *err)
{
	bool missing = false;
	begin_file(c, name);
	int rc = verify_lines(c->path, take, c, &missing, err);
	if (missing && needed && c->finished)
		tell(c, 0, "missing");
	return rc;
}

/* After the records: every unit has a word of its own. */
static void check_ends(struct checking *c)
{
	size_t n = 0;
	for (uint64_t unit = 1; c->finished && !c->partial && unit < c->plan.next_unit; unit++) {
		if (c->unit_step[unit] == UINT32_MAX || c->ended[unit])
			continue;
		if (n++ < MISSING_NAMED)
			tell(c, 0,
			     "unit %llu never ended, and the run does not call itself partial",
			     (unsigned long long)unit);
	}
	if (n > MISSING_NAMED)
		tell(c, 0, "and %zu more units that never ended", n - MISSING_NAMED);
}

/* ---- summary.json, verdicts.json ---- */

/* Both members as canonical text: are they the same? */
static bool is_same(json_object *a, json_object *b)
{
	struct buf ta = BUF_INIT, tb = BUF_INIT;
	js_write(a, JS_SORTED, &ta);
	js_write(b, JS_SORTED, &tb);
	bool same = strcmp(buf_text(&ta), buf_text(&tb)) == 0;
	buf_free(&ta);
	buf_free(&tb);
	return same;
}

/* Members that only a later version writes are not missed from what an older one wrote. */
static void compare_summary(struct checking *c, json_object *stored, json_object *now)
{
	json_object_object_foreach(stored, name, value)
	{
		json_object *other = NULL;
		if (json_object_object_get_ex(now, name, &other) && !is_same(value, other))
			tell(c, 0, "\"%s\" is not what the records say now", name);
	}
}

static int check_summary(struct checking *c, struct hb_err *err)
{
	struct summary stored, now;
	struct hb_err why;
	json_object *o = NULL, *fresh = NULL;
	begin_file(c, "summary.json");
	if (!is_there(c)) {
		if (c->finished)
			tell(c, 0, "missing");
		return HB_OK;
	}
	int rc = summary_read(c->dir, &stored, &why);
	if (rc == HB_OK)
		summary_free(&stored);
	if (rc == HB_OK)
		rc = js_read_file(c->path, JS_FILE_MAX, &o, &why);
	if (rc == HB_OK && c->finished) {
		rc = collect_run(c->dir, &now, &why);
		fresh = rc == HB_OK ? summary_to_json(&now) : NULL;
		if (rc == HB_OK)
			summary_free(&now);
	}
	if (fresh)
		compare_summary(c, o, fresh);
	js_put(fresh);
	js_put(o);
	return judge(c, rc, &why, err);
}

static int check_json(struct checking *c, const char *name, struct hb_err *err)
{
	struct hb_err why;
	json_object *o = NULL;
	begin_file(c, name);
	if (!is_there(c))
		return HB_OK;
	int rc = js_read_file(c->path, JS_FILE_MAX, &o, &why);
	js_put(o);
	return judge(c, rc, &why, err);
}

static int check_rest(struct checking *c, struct hb_err *err)
{
	int rc = check_lines(c, "journal.jsonl", true, take_journal, err);
	if (rc == HB_OK && c->finished && c->code >= 0 && c->journal_code != c->code)
		tell(c, 0, "ends with code %d, run.json with %d", c->journal_code, c->code);
	if (rc == HB_OK)
		rc = check_lines(c, "records.jsonl", true, take_record, err);
	if (rc == HB_OK)
		check_ends(c);
	id_set_free(&c->seen);
	if (rc == HB_OK)
		rc = check_lines(c, "samples.jsonl", false, take_samples, err);
	if (rc == HB_OK)
		rc = check_summary(c, err);
	return rc;
}

int verify_run(const char *dir, const struct verify_sink *sink, enum verify_state *state,
               struct hb_err *err)
{
	struct checking c = { .sink = sink, .dir = dir, .code = -1, .journal_code = -1 };
	bool readable = false;
	c.parser = js_parser_new();
	int rc = check_plan(&c, &readable, err);
	if (rc == HB_OK)
		rc = check_about(&c, err);
	if (rc == HB_OK && readable)
		rc = check_rest(&c, err);
	else if (rc == HB_OK)
		rc = check_json(&c, "summary.json", err);
	if (rc == HB_OK)
		rc = check_json(&c, "verdicts.json", err);
	if (rc == HB_OK)
		rc = check_json(&c, "facts.json", err);
	begin_file(&c, NULL);
	*state = c.finished ? VERIFY_WHOLE : VERIFY_UNFINISHED;
	js_parser_free(c.parser);
	id_set_free(&c.seen);
	if (readable) {
		plan_free(&c.plan);
		suite_free(&c.suite);
	}
	free(c.unit_step);
	free(c.unit_job);
	free(c.ended);
	return rc;
}
