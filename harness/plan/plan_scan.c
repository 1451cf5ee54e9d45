/*
 * Reading plan.json from its text. All pairs of a large cluster are a million jobs, and a tree of
 * JSON objects for them takes gigabytes. So arrays of jobs in the form that our writer gives are
 * read straight from the text, blanks between the words or not; what remains, with a number in
 * place of each array, is read as any JSON. Every doubt and every fault is left to the reader of
 * whole objects, which takes all that is taken here, and has the words for what is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/plan/plan_read.h"

enum { WORD_MAX = 16 };

struct scan {
	const char *p;
};

static void blanks(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
		s->p++;
}

/* A mark of punctuation and the blanks around it. */
static bool mark(struct scan *s, char c)
{
	blanks(s);
	if (*s->p != c)
		return false;
	s->p++;
	blanks(s);
	return true;
}

/* Digits as JSON has them, at most 18: they fit any integer. */
static bool number(struct scan *s, uint64_t *out)
{
	const char *start = s->p;

	*out = 0;
	for (; *s->p >= '0' && *s->p <= '9' && s->p - start < 18; s->p++)
		*out = *out * 10 + (uint64_t)(*s->p - '0');
	if (s->p == start || (*start == '0' && s->p - start > 1))
		return false;
	return *s->p == ',' || *s->p == '}' || *s->p == ']' || *s->p == ' ' || *s->p == '\n';
}

/* A short text of lower case letters. */
static bool word(struct scan *s, char out[WORD_MAX])
{
	size_t n = 0;

	if (*s->p++ != '"')
		return false;
	while (*s->p >= 'a' && *s->p <= 'z' && n < WORD_MAX - 1)
		out[n++] = *s->p++;
	out[n] = '\0';
	return *s->p++ == '"';
}

static bool truth(struct scan *s, bool *out)
{
	*out = strncmp(s->p, "true", 4) == 0;
	if (!*out && strncmp(s->p, "false", 5) != 0)
		return false;
	s->p += *out ? 4 : 5;
	return true;
}

static bool ranks(struct scan *s, struct plan_job *j)
{
	uint64_t few[2], v;
	size_t cap = 0, n = 0;

	if (!mark(s, '['))
		return false;
	do {
		if (!number(s, &v) || v > PLAN_RANKS_MAX || n >= PLAN_RANKS_MAX)
			return false;
		if (n < 2) {
			few[n++] = v;
			continue;
		}
		if (n == 2 && !j->ranks) {
			hb_grow(&j->ranks, &cap, 8, sizeof(*j->ranks));
			j->ranks[0] = (int)few[0];
			j->ranks[1] = (int)few[1];
		}
		hb_grow(&j->ranks, &cap, n + 1, sizeof(*j->ranks));
		j->ranks[n++] = (int)v;
	} while (mark(s, ','));
	if (!j->ranks) { /* a pair's two: no more memory than that */
		j->ranks = hb_realloc_array(NULL, n, sizeof(*j->ranks));
		for (size_t i = 0; i < n; i++)
			j->ranks[i] = (int)few[i];
	}
	j->n_ranks = (int)n;
	return mark(s, ']');
}

enum member {
	JOB_ID,
	JOB_ENTRY,
	JOB_PHASE,
	JOB_RANKS,
	JOB_UNIT,
	JOB_CASE,
	JOB_CASES,
	JOB_REQUIRED, /* those before are */
	JOB_DIR = JOB_REQUIRED,
	JOB_ROUND,
	JOB_ALONE,
	JOB_MEMBERS
};

static const char *const members[JOB_MEMBERS] = {
	[JOB_ID] = "id",       [JOB_ENTRY] = "entry", [JOB_PHASE] = "phase", [JOB_RANKS] = "ranks",
	[JOB_UNIT] = "unit",   [JOB_CASE] = "case",   [JOB_CASES] = "cases", [JOB_DIR] = "dir",
	[JOB_ROUND] = "round", [JOB_ALONE] = "alone",
};

static bool value(struct scan *s, enum member m, struct plan_raw *raw)
{
	struct plan_job *j = &raw->job;
	char text[WORD_MAX];
	uint64_t v = 0;

	if (m == JOB_RANKS)
		return ranks(s, j);
	if (m == JOB_PHASE)
		return word(s, text) && phase_parse(text, &j->phase) == HB_OK;
	if (m == JOB_DIR)
		return word(s, text) && (j->dir = plan_dir_known(text)) != NULL;
	if (m == JOB_ALONE)
		return truth(s, &j->alone);
	if (!number(s, &v))
		return false;
	switch (m) {
	case JOB_ID: j->id = v; break;
	case JOB_ENTRY: j->entry = (size_t)v; break;
	case JOB_UNIT: j->first_unit = v; break;
	case JOB_CASE: j->first_case = (size_t)v; break;
	case JOB_CASES: raw->n_cases = v; break;
	case JOB_ROUND: j->round = (int64_t)v; break;
	case JOB_PHASE:
	case JOB_RANKS:
	case JOB_DIR:
	case JOB_ALONE:
	case JOB_MEMBERS: return false;
	}
	return true;
}

/* A job without repeat, subject, partner or instead: few jobs, never of the main part, have them.
 */
static bool job(struct scan *s, struct plan_raw *raw)
{
	unsigned seen = 0;
	char key[WORD_MAX];

	raw->job.round = -1;
	if (!mark(s, '{'))
		return false;
	do {
		unsigned m = 0;
		if (!word(s, key) || !mark(s, ':'))
			return false;
		while (m < JOB_MEMBERS && strcmp(members[m], key) != 0)
			m++;
		if (m == JOB_MEMBERS || seen & 1u << m || !value(s, (enum member)m, raw))
			return false;
		seen |= 1u << m;
	} while (mark(s, ','));
	return mark(s, '}') && (seen & ((1u << JOB_REQUIRED) - 1)) == (1u << JOB_REQUIRED) - 1;
}

static bool job_array(struct scan *s, struct plan_raws *out)
{
	do {
		hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
		memset(&out->v[out->n], 0, sizeof(*out->v));
		if (!job(s, &out->v[out->n++]))
			return false;
	} while (mark(s, ','));
	return *s->p == ']';
}

static void raws_free(struct plan_raws *r)
{
	for (size_t k = 0; k < r->n; k++)
		free(r->v[k].job.ranks);
	free(r->v);
}

/* Behind `"jobs": [` of an array with something in it; NULL: no more. A text holds no such quotes,
 * they would be escaped in it. */
static const char *next_array(const char *p)
{
	static const char key[] = "\"jobs\"";

	while ((p = strstr(p, key)) != NULL) {
		struct scan s = { p + sizeof(key) - 1 };
		p = s.p;
		if (mark(&s, ':') && mark(&s, '[') && *s.p != ']')
			return s.p;
	}
	return NULL;
}

/*
 * What is left of the text when the jobs are taken out; arrays of another form stay. False: it is
 * not sure that what stays in their place would be told from what stood there.
 */
static bool take_jobs(const char *text, struct plan_found *found, struct buf *rest)
{
	const char *from = text, *at = text;

	if (strstr(text, "\\u")) /* a key could hide its name */
		return false;
	while ((at = next_array(at)) != NULL) {
		struct scan s = { at };
		struct plan_raws raws = { NULL, 0, 0, false };
		if (*at != '{')
			return false;
		if (!job_array(&s, &raws)) {
			raws_free(&raws);
			continue;
		}
		hb_grow(&found->v, &found->cap, found->n + 1, sizeof(*found->v));
		found->v[found->n++] = raws;
		buf_add(rest, from, (size_t)(at - from));
		buf_printf(rest, "%zu", found->n - 1);
		from = at = s.p;
	}
	buf_puts(rest, from);
	return found->n > 0;
}

int plan_scan(const struct buf *text, const char *source, struct suite *suite, struct plan *out)
{
	struct plan_found found = { NULL, 0, 0 };
	struct buf rest = BUF_INIT;
	json_object *o = NULL;
	struct hb_err none;
	int rc = HB_E_FORMAT;

	if (text->len > 0 && strlen(text->data) == text->len &&
	    take_jobs(text->data, &found, &rest))
		rc = js_parse(buf_text(&rest), rest.len, source, &o, &none);
	if (rc == HB_OK)
		rc = plan_read_whole(o, source, &found, suite, out, &none);
	js_put(o);
	buf_free(&rest);
	for (size_t i = 0; i < found.n; i++)
		raws_free(&found.v[i]);
	free(found.v);
	return rc;
}

int plan_read(const char *path, struct suite *suite, struct plan *out, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	json_object *o = NULL;
	int rc = buf_read_file(&text, path, JS_FILE_MAX, err);

	if (rc == HB_OK && plan_scan(&text, path, suite, out) == HB_OK) {
		buf_free(&text);
		return HB_OK;
	}
	buf_free(&text);
	if (rc == HB_OK)
		rc = js_read_file(path, JS_FILE_MAX, &o, err);
	if (rc == HB_OK)
		rc = plan_from_json(o, path, suite, out, err);
	js_put(o);
	return rc;
}
