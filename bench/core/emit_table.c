/* Records as a table for the person who started a helper by hand. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "bench/core/emit.h"

struct emit_table {
	struct emit base;
	FILE *out;
	char *heading; /* of the rows printed last; NULL: none yet */
};

struct column {
	const char *unit; /* suffix of the metric's name */
	const char *head;
	double scale;
	int decimals;
};

static const struct column columns[] = {
	{ "_ns", "us", 1e-3, 3 },
	{ "_Bps", "MB/s", 1e-6, 1 },
	{ "_per_s", "1/s", 1, 0 },
};
static const struct column plain_column = { "", "", 1, 3 };

static const struct column *column_of(const char *metric)
{
	size_t len = strlen(metric);

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		size_t tail = strlen(columns[i].unit);

		if (len > tail && !strcmp(metric + len - tail, columns[i].unit))
			return &columns[i];
	}
	return &plain_column;
}

/* "lat_p50_ns" in us is headed "lat_p50 us". */
static void put_head(struct buf *out, const char *metric)
{
	const struct column *c = column_of(metric);
	struct buf text = BUF_INIT;

	buf_add(&text, metric, strlen(metric) - strlen(c->unit));
	buf_printf(&text, " %s", c->head);
	buf_printf(out, " %14s", buf_text(&text));
	buf_free(&text);
}

static void put_figure(struct buf *out, const char *metric, double value)
{
	const struct column *c = column_of(metric);

	buf_printf(out, " %14.*f", c->decimals, value * c->scale);
}

/* What stays the same down the rows: benchmark, ends, options; then the heads of the columns. */
static void put_heading(struct buf *out, const struct rec_point *p)
{
	buf_printf(out, "# %s: %s", p->bench, p->a);
	if (p->is_pair)
		buf_printf(out, " %s %s",
		           !strcmp(p->dir, "ab")   ? ">"
		           : !strcmp(p->dir, "ba") ? "<"
		                                   : "-",
		           p->b);
	buf_printf(out, ", %d rank%s", p->ranks, p->ranks == 1 ? "" : "s");
	json_object_object_foreach(p->opts, key, value)
	{
		buf_printf(out, ", %s=%s", key, json_object_get_string(value));
	}
	buf_printf(out, "\n%12s", "bytes");
	for (size_t i = 0; i < p->n_metrics; i++)
		put_head(out, p->metrics[i].name);
	buf_printf(out, " %7s %14s %9s %6s %s\n", "+- %", "p99", "samples", "batch",
	           "ended by, checked elements");
}

static void put_row(struct buf *out, const struct rec_point *p)
{
	const struct stat_summary *first = &p->metrics[0].s;
	char size[32];

	info_size_text(p->bench, p->bytes, size, sizeof(size));
	buf_printf(out, "%12s", size);
	for (size_t i = 0; i < p->n_metrics; i++)
		put_figure(out, p->metrics[i].name, p->metrics[i].s.p50);
	buf_printf(out, " %7.2f", 100 * (first->hi - first->lo) / 2 / first->p50);
	put_figure(out, p->metrics[0].name, first->p99);
	buf_printf(out, " %9llu %6llu %s", (unsigned long long)first->n,
	           (unsigned long long)p->batch, ended_by_name(p->ended));
	if (p->verified > 0)
		buf_printf(out, ", %llu%s", (unsigned long long)p->verified, p->bad ? "" : " ok");
	if (p->bad > 0)
		buf_printf(out, ", %llu WRONG", (unsigned long long)p->bad);
	buf_putc(out, '\n');
}

static int table_point(struct emit_table *t, json_object *record, struct buf *out,
                       struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("record");
	struct buf heading = BUF_INIT;
	struct rec_point p;
	int rc = rec_point_from_json(record, &at, &p, err);

	if (rc < 0)
		return rc;
	if (p.n_metrics == 0)
		return HB_OK;
	put_heading(&heading, &p);
	if (!t->heading || strcmp(t->heading, buf_text(&heading)) != 0) {
		buf_add(out, heading.data, heading.len);
		free(t->heading);
		t->heading = hb_strdup(buf_text(&heading));
	}
	put_row(out, &p);
	buf_free(&heading);
	return HB_OK;
}

static int table_end(json_object *record, struct buf *out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("record");
	struct rec_end end;
	int rc = rec_end_from_json(record, &at, &end, err);

	if (!rc && end.status != UNIT_OK)
		buf_printf(out, "case %llu: %s: %s\n", (unsigned long long)end.ids.unit,
		           unit_status_name(end.status), end.reason ? end.reason : "");
	return rc;
}

static int table_event(json_object *record, struct buf *out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("record");
	const char *level = "", *text = "";

	if (js_get_str(record, &at, "level", JS_OPTIONAL, &level, err) < 0 ||
	    js_get_str(record, &at, "text", JS_OPTIONAL, &text, err) < 0)
		return HB_E_FORMAT;
	buf_printf(out, "%s: %s\n", level, text);
	return HB_OK;
}

/* Of benchmarks that tell facts. */
static int table_fact(json_object *record, struct buf *out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("record");
	const char *endpoint = "", *key = "", *value = NULL, *source = "";

	if (js_get_str(record, &at, "endpoint", JS_REQUIRED, &endpoint, err) < 0 ||
	    js_get_str(record, &at, "key", JS_REQUIRED, &key, err) < 0 ||
	    js_get_str(record, &at, "value", JS_OPTIONAL, &value, err) < 0 ||
	    js_get_str(record, &at, "source", JS_OPTIONAL, &source, err) < 0)
		return HB_E_FORMAT;
	buf_printf(out, "%-28s %-24s %s  (%s)\n", endpoint, key, value ? value : "?", source);
	return HB_OK;
}

static int table_record(struct emit *e, json_object *record, struct hb_err *err)
{
	struct emit_table *t = (struct emit_table *)e;
	enum record_type type = record_type_of(record);
	struct buf out = BUF_INIT;
	int rc = HB_OK;

	if (type == REC_POINT || type == REC_PAIR)
		rc = table_point(t, record, &out, err);
	else if (type == REC_END)
		rc = table_end(record, &out, err);
	else if (type == REC_FACT)
		rc = table_fact(record, &out, err);
	else if (type == REC_EVENT)
		rc = table_event(record, &out, err);
	if (!rc && (fputs(buf_text(&out), t->out) < 0 || fflush(t->out) != 0))
		rc = hb_fail(err, HB_E_IO, "the table could not be written");
	buf_free(&out);
	return rc;
}

static void table_done(struct emit *e)
{
	free(((struct emit_table *)e)->heading);
	free(e);
}

struct emit *emit_table_new(FILE *out)
{
	struct emit_table *t = hb_alloc(sizeof(*t));

	t->base.record = table_record;
	t->base.close = table_done;
	t->out = out;
	return &t->base;
}
