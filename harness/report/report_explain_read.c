/*
 * The streams behind explain: records.jsonl line by line, samples.jsonl as an index of places that
 * is read again section by section. No line, whatever it holds, ends the reading.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/report/report_explain.h"

enum { READ_CHUNK = 256 * 1024, REASON_MAX = 300 };

/* ---- lines of a file ---- */

struct stream {
	int fd;
	struct buf in;
	uint64_t offset; /* of in.data[0] in the file */
	bool skipping, ended;
};

/* HB_OK with fd -1 where there is no such file. */
static int stream_open(const char *path, struct stream *s, struct hb_err *err)
{
	struct stat st;
	*s = (struct stream){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (s->fd < 0)
		return errno == ENOENT
		               ? HB_OK
		               : hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
	if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode))
		return HB_OK;
	close(s->fd);
	s->fd = -1;
	return hb_fail(err, HB_E_IO, "cannot read %s: not a regular file", path);
}

static void stream_close(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	buf_free(&s->in);
}

static bool stream_fill(struct stream *s, char *chunk)
{
	ssize_t n;
	do
		n = read(s->fd, chunk, READ_CHUNK);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		buf_add(&s->in, chunk, (size_t)n);
	return n > 0;
}

/* Calls take with every whole line that is not longer than a line may be. */
static void stream_lines(struct stream *s,
                         void (*take)(struct explain *e, const char *text, size_t len,
                                      uint64_t offset),
                         struct explain *e)
{
	char *chunk = hb_alloc(READ_CHUNK);
	while (s->fd >= 0 && stream_fill(s, chunk)) {
		size_t at = 0;
		char *nl;
		while (at < s->in.len &&
		       (nl = memchr(s->in.data + at, '\n', s->in.len - at)) != NULL) {
			size_t len = (size_t)(nl - s->in.data) - at;
			if (s->skipping || len > JS_LINE_MAX)
				e->bad_lines++;
			else if (len)
				take(e, s->in.data + at, len, s->offset + at);
			s->skipping = false;
			at += len + 1;
		}
		if (s->in.len - at > JS_LINE_MAX) {
			s->skipping = true; /* nothing of it is kept but its end */
			at = s->in.len;
		}
		buf_drop(&s->in, at);
		s->offset += at;
	}
	if (s->in.len && !s->skipping)
		take(e, s->in.data, s->in.len, s->offset);
	free(chunk);
}

/* ---- records ---- */

static struct explain_unit *unit_of(struct explain *e, uint64_t id)
{
	uint32_t at = id <= e->plan.next_unit ? e->by_id[id] : 0;
	return at ? &e->units[at - 1] : NULL;
}

/* The try of a unit, made where it is new; they stand in the order of their first record. */
static struct explain_try *try_of(struct explain *e, const struct rec_ids *ids)
{
	struct explain_unit *u = unit_of(e, ids->unit);
	size_t last = SIZE_MAX;
	if (!u)
		return NULL;
	for (size_t i = u->first_try; i != SIZE_MAX; i = e->tries[i].next_try) {
		if (e->tries[i].id == ids->attempt)
			return &e->tries[i];
		last = i;
	}
	hb_grow(&e->tries, &e->cap_tries, e->n_tries + 1, sizeof *e->tries);
	e->tries[e->n_tries] = (struct explain_try){ .id = ids->attempt, .next_try = SIZE_MAX };
	if (last == SIZE_MAX)
		u->first_try = e->n_tries;
	else
		e->tries[last].next_try = e->n_tries;
	return &e->tries[e->n_tries++];
}

static void add_reason(struct explain_try *t, const char *text)
{
	if (!text || !*text)
		return;
	char *joined = t->reason ? hb_format("%s; %.*s", t->reason, REASON_MAX, text)
	                         : hb_strndup(text, REASON_MAX);
	if (t->reason && strlen(t->reason) > REASON_MAX) {
		free(joined);
		return;
	}
	free(t->reason);
	t->reason = joined;
}

static void take_point(struct explain *e, const struct rec_point *p)
{
	const struct explain_unit *u = unit_of(e, p->ids.unit);
	struct explain_try *t = try_of(e, &p->ids);
	if (!t || t->point)
		return;
	const struct bench_info *info = u->job->cases.info;
	t->point = true;
	t->blocks = p->blocks;
	t->bad = p->bad;
	t->spread = p->spread;
	for (size_t i = 0; i < p->n_metrics; i++) {
		const struct metric_info *m = info_metric(info, p->metrics[i].name);
		if (m && m - info->metrics < RECORD_METRICS_MAX)
			t->figure[m - info->metrics] = p->metrics[i].s;
	}
}

static void take_end(struct explain *e, const struct rec_end *end)
{
	struct explain_try *t = try_of(e, &end->ids);
	if (!t || t->ended)
		return;
	t->ended = true;
	t->status = end->status;
	t->seconds = end->seconds;
	add_reason(t, end->reason);
}

void explain_tell(struct explain *e, const char *kind, const char *name, const char *text)
{
	size_t same = 0;
	for (size_t i = 0; i < e->n_told; i++) {
		const struct explain_told *t = &e->told[i];
		if (strcmp(t->kind, kind) != 0)
			continue;
		if (strcmp(t->name, name) == 0 && strcmp(t->text, text) == 0)
			return; /* each step tells it anew */
		same++;
	}
	if (same >= EXPLAIN_TOLD_MAX)
		return;
	hb_grow(&e->told, &e->cap_told, e->n_told + 1, sizeof *e->told);
	e->told[e->n_told++] = (struct explain_told){ hb_strdup(kind), hb_strdup(name),
		                                      hb_strdup(text) };
}

/* Does an endpoint belong to the subject: the node, or a device or rank of it? */
static bool is_ours(const struct explain *e, const char *endpoint)
{
	size_t len = strlen(e->subject);
	return strncmp(endpoint, e->subject, len) == 0 && (!endpoint[len] || endpoint[len] == '/');
}

static void take_fact(struct explain *e, json_object *o, const struct js_at *at)
{
	const char *endpoint = NULL, *key = NULL, *value = NULL, *source = NULL;
	if (js_get_str(o, at, "endpoint", JS_REQUIRED, &endpoint, NULL) != HB_OK ||
	    js_get_str(o, at, "key", JS_REQUIRED, &key, NULL) != HB_OK ||
	    js_get_str(o, at, "value", JS_OPTIONAL, &value, NULL) != HB_OK ||
	    js_get_str(o, at, "source", JS_OPTIONAL, &source, NULL) != HB_OK) {
		e->bad_lines++;
		return;
	}
	if (e->has_facts || !is_ours(e, endpoint))
		return; /* the table of facts knows also what others told first */
	const char *device = endpoint + strlen(e->subject);
	char *name = hb_format("%s%s%s", *device ? device + 1 : "", *device ? " " : "", key);
	char *text = hb_format("%s%s%s%s", value ? value : "(none)", source ? " (" : "",
	                       source ? source : "", source ? ")" : "");
	explain_tell(e, "fact", name, text);
	free(name);
	free(text);
}

static void take_rank(struct explain *e, json_object *o, const struct js_at *at)
{
	const char *host = NULL, *binding = NULL, *transport = NULL, *hw = NULL;
	if (js_get_str(o, at, "host", JS_REQUIRED, &host, NULL) != HB_OK ||
	    js_get_str(o, at, "binding", JS_OPTIONAL, &binding, NULL) != HB_OK ||
	    js_get_str(o, at, "transport", JS_OPTIONAL, &transport, NULL) != HB_OK ||
	    js_get_str(o, at, "hw", JS_OPTIONAL, &hw, NULL) != HB_OK) {
		e->bad_lines++;
		return;
	}
	/* The local launcher knows one node only, whatever that calls itself. */
	if (strcmp(host, e->subject) != 0 && e->plan.nodes.n > 1)
		return;
	char *text = hb_format("binding %s; transport %s; hardware %s",
	                       binding ? binding : "unknown", transport ? transport : "not told",
	                       hw ? hw : "unknown");
	explain_tell(e, "fact", "rank", text);
	free(text);
}

static void take_counter(struct explain *e, json_object *o, const struct js_at *at)
{
	const char *endpoint = NULL, *name = NULL;
	uint64_t before = 0, after = 0;
	if (js_get_str(o, at, "endpoint", JS_REQUIRED, &endpoint, NULL) != HB_OK ||
	    js_get_str(o, at, "name", JS_REQUIRED, &name, NULL) != HB_OK ||
	    js_get_u64(o, at, "before", JS_OPTIONAL, &before, NULL) != HB_OK ||
	    js_get_u64(o, at, "after", JS_OPTIONAL, &after, NULL) != HB_OK) {
		e->bad_lines++;
		return;
	}
	if (!is_ours(e, endpoint))
		return;
	char *text = hb_format("%llu -> %llu (%s)", (unsigned long long)before,
	                       (unsigned long long)after, endpoint);
	explain_tell(e, "counter", name, text);
	free(text);
}

static void take_event(struct explain *e, json_object *o, const struct js_at *at)
{
	const char *code = "", *text = NULL;
	struct rec_ids ids;
	if (js_get_str(o, at, "code", JS_OPTIONAL, &code, NULL) != HB_OK ||
	    js_get_str(o, at, "text", JS_OPTIONAL, &text, NULL) != HB_OK) {
		e->bad_lines++;
		return;
	}
	if (rec_ids_from_json(o, at, &ids, NULL) == HB_OK) {
		struct explain_try *t = try_of(e, &ids);
		char *both = hb_format("%s: %s", code, text ? text : "");
		if (t)
			add_reason(t, both);
		free(both);
	} else {
		explain_tell(e, "event", code, text ? text : "");
	}
}

static void take_record(struct explain *e, const char *line, size_t len, uint64_t offset)
{
	struct js_at at = JS_AT_TOP("records.jsonl");
	struct rec_point p;
	struct rec_end end;
	json_object *o = NULL;
	(void)offset;
	if (js_parse(line, len, "records.jsonl", &o, NULL) != HB_OK) {
		e->bad_lines++;
		return;
	}
	switch (record_type_of(o)) {
	case REC_POINT:
	case REC_PAIR:
		if (rec_point_from_json(o, &at, &p, NULL) == HB_OK)
			take_point(e, &p);
		else
			e->bad_lines++;
		break;
	case REC_END:
		if (rec_end_from_json(o, &at, &end, NULL) == HB_OK)
			take_end(e, &end);
		else
			e->bad_lines++;
		break;
	case REC_FACT: take_fact(e, o, &at); break;
	case REC_RANK: take_rank(e, o, &at); break;
	case REC_COUNTER: take_counter(e, o, &at); break;
	case REC_EVENT: take_event(e, o, &at); break;
	case REC_UNKNOWN:
	case REC_META:
	case REC_LOAD:
	case REC_SAMPLES: break;
	}
	js_put(o);
}

/* ---- samples ---- */

static void take_samples(struct explain *e, const char *line, size_t len, uint64_t offset)
{
	struct js_at at = JS_AT_TOP("samples.jsonl");
	struct explain_chunk c = { .offset = offset, .len = len, .of = 1 };
	const char *kept = "all";
	struct rec_ids ids;
	json_object *o = NULL;
	if (js_parse(line, len, "samples.jsonl", &o, NULL) != HB_OK ||
	    rec_ids_from_json(o, &at, &ids, NULL) != HB_OK ||
	    js_get_u64(o, &at, "seq", JS_OPTIONAL, &c.seq, NULL) != HB_OK ||
	    js_get_u64(o, &at, "of", JS_OPTIONAL, &c.of, NULL) != HB_OK ||
	    js_get_str(o, &at, "kept", JS_OPTIONAL, &kept, NULL) != HB_OK) {
		e->bad_lines++;
		js_put(o);
		return;
	}
	c.all = strcmp(kept, "all") == 0;
	const struct explain_try *t = try_of(e, &ids);
	js_put(o);
	if (!t)
		return;
	c.attempt = (size_t)(t - e->tries);
	hb_grow(&e->chunks, &e->cap_chunks, e->n_chunks + 1, sizeof *e->chunks);
	e->chunks[e->n_chunks++] = c;
}

static int by_place(const void *a, const void *b)
{
	const struct explain_chunk *x = a, *y = b;
	if (x->attempt != y->attempt)
		return x->attempt < y->attempt ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int explain_read(struct explain *e, struct hb_err *err)
{
	static const struct {
		const char *name;
		void (*take)(struct explain *e, const char *text, size_t len, uint64_t offset);
	} files[] = { { "records.jsonl", take_record }, { "samples.jsonl", take_samples } };
	int rc = HB_OK;
	for (size_t i = 0; rc == HB_OK && i < sizeof files / sizeof *files; i++) {
		char *path = hb_format("%s/%s", e->dir, files[i].name);
		struct stream s;
		rc = stream_open(path, &s, err);
		if (rc == HB_OK)
			stream_lines(&s, files[i].take, e);
		stream_close(&s);
		free(path);
	}
	if (e->n_chunks)
		qsort(e->chunks, e->n_chunks, sizeof *e->chunks, by_place);
	return rc;
}

void explain_free(struct explain *e)
{
	for (size_t i = 0; i < e->n_tries; i++)
		free(e->tries[i].reason);
	for (size_t i = 0; i < e->n_told; i++) {
		free(e->told[i].kind);
		free(e->told[i].name);
		free(e->told[i].text);
	}
	free(e->units);
	free(e->by_id);
	free(e->tries);
	free(e->chunks);
	free(e->told);
	js_put(e->verdicts);
	if (e->plan.suite)
		plan_free(&e->plan);
	suite_free(&e->suite);
	*e = (struct explain){ 0 };
}
