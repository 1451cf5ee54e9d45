#include "bench/base/record_fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BENCH_NAME_MAX = 64, ENDPOINT_MAX = 256, DIR_MAX = 8, RANKS_MAX = 1 << 24 };

static const char *const phase_names[] = {
	[PHASE_MAIN] = "main",       [PHASE_EXTRA] = "extra",    [PHASE_CONFIRM] = "confirm",
	[PHASE_CONTROL] = "control", [PHASE_CONTROL + 1] = NULL,
};

static const char *const status_names[] = {
	[UNIT_OK] = "ok",           [UNIT_SKIPPED] = "skipped", [UNIT_FAILED] = "failed",
	[UNIT_INVALID] = "invalid", [UNIT_TIMEOUT] = "timeout", [UNIT_GIVEN_UP] = "given-up",
	[UNIT_GIVEN_UP + 1] = NULL,
};

static const char *const ended_names[] = {
	[ENDED_PRECISION] = "precision",
	[ENDED_MAX_TIME] = "max-time",
	[ENDED_MAX_ITERS] = "max-iters",
	[ENDED_MAX_ITERS + 1] = NULL,
};

static const char *const dir_names[] = { "ab", "ba", "both", NULL };

static_assert(sizeof(enum phase) == sizeof(int) && sizeof(enum ended_by) == sizeof(int) &&
                      sizeof(enum unit_status) == sizeof(int),
              "enums are stored as int");

int record_name_index(const char *const *names, const char *text)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	return -1;
}

const char *phase_name(enum phase p)
{
	return phase_names[p];
}

int phase_parse(const char *text, enum phase *out)
{
	int i = record_name_index(phase_names, text);

	if (i < 0)
		return HB_E_FORMAT;
	*out = (enum phase)i;
	return HB_OK;
}

void rec_pair_subject(const char *dir, const char *a, const char *b, struct buf *out)
{
	bool back = dir && !strcmp(dir, "ba"), one_way = back || (dir && !strcmp(dir, "ab"));

	buf_printf(out, "%s%s%s", back ? b : a, one_way ? ">" : "-", back ? a : b);
}

const char *unit_status_name(enum unit_status s)
{
	return status_names[s];
}

int unit_status_parse(const char *text, enum unit_status *out)
{
	int i = record_name_index(status_names, text);

	if (i < 0)
		return HB_E_FORMAT;
	*out = (enum unit_status)i;
	return HB_OK;
}

const char *ended_by_name(enum ended_by e)
{
	return ended_names[e];
}

/* One row: struct, name, kind, need, member, least, most, names. */
#define ROW(type, name, kind, need, member, min, max, names)                                       \
	{                                                                                          \
		name, kind, need, offsetof(struct type, member), min, max, names                   \
	}
#define TYPE_ROW                                                                                   \
	{                                                                                          \
		"type", FIELD_TYPE, JS_OPTIONAL, 0, 0, 0, NULL                                     \
	}
#define STEP_ROW(type, member)                                                                     \
	ROW(type, "step", FIELD_U64, JS_REQUIRED, member, 0, UINT64_MAX, NULL)
#define ATTEMPT_ROW(type, member)                                                                  \
	ROW(type, "attempt", FIELD_U64, JS_REQUIRED, member, 1, UINT64_MAX, NULL)
#define UNIT_ROW(type, member)                                                                     \
	ROW(type, "unit", FIELD_U64, JS_REQUIRED, member, 0, UINT64_MAX, NULL)
#define PHASE_ROW(type, member)                                                                    \
	ROW(type, "phase", FIELD_NAME, JS_REQUIRED, member, 0, 0, phase_names)
#define POINT(name, kind, need, member, min, max, names)                                           \
	ROW(rec_point, name, kind, need, member, min, max, names)
#define FIGURE(name, member) ROW(stat_summary, name, FIELD_FIGURE, JS_REQUIRED, member, 0, 0, NULL)

static const struct field point_rows[] = {
	TYPE_ROW,
	STEP_ROW(rec_point, ids.step),
	ATTEMPT_ROW(rec_point, ids.attempt),
	UNIT_ROW(rec_point, ids.unit),
	PHASE_ROW(rec_point, ids.phase),
	POINT("bench", FIELD_TEXT, JS_REQUIRED, bench, 0, BENCH_NAME_MAX, NULL),
	POINT("bytes", FIELD_U64, JS_REQUIRED, bytes, 0, UINT64_MAX, NULL),
	POINT("opts", FIELD_OBJECT, JS_REQUIRED, opts, 0, 0, NULL),
	POINT("a", FIELD_TEXT, JS_REQUIRED, a, 0, ENDPOINT_MAX, NULL),
	POINT("b", FIELD_TEXT, JS_OPTIONAL, b, 0, ENDPOINT_MAX, NULL),
	POINT("dir", FIELD_TEXT, JS_OPTIONAL, dir, 0, DIR_MAX, NULL),
	POINT("round", FIELD_U64, JS_OPTIONAL, round, 0, INT64_MAX, NULL),
	POINT("ranks", FIELD_INT, JS_REQUIRED, ranks, 1, RANKS_MAX, NULL),
	POINT("blocks", FIELD_U64, JS_REQUIRED, blocks, 0, UINT64_MAX, NULL),
	POINT("batch", FIELD_U64, JS_REQUIRED, batch, 1, UINT64_MAX, NULL),
	POINT("warmup", FIELD_U64, JS_OPTIONAL, warmup, 0, UINT64_MAX, NULL),
	POINT("ended", FIELD_NAME, JS_REQUIRED, ended, 0, 0, ended_names),
	POINT("spread", FIELD_AMOUNT, JS_OPTIONAL, spread, 0, 0, NULL),
	POINT("verified", FIELD_U64, JS_OPTIONAL, verified, 0, UINT64_MAX, NULL),
	POINT("bad", FIELD_U64, JS_OPTIONAL, bad, 0, UINT64_MAX, NULL),
	{ "metrics", FIELD_METRICS, JS_REQUIRED, 0, 0, 0, NULL },
	POINT("per_rank", FIELD_OBJECT, JS_OPTIONAL, per_rank, 0, 0, NULL),
};

static const struct field metric_rows[] = {
	ROW(stat_summary, "n", FIELD_U64, JS_REQUIRED, n, 1, UINT64_MAX, NULL),
	FIGURE("p50", p50),
	FIGURE("lo", lo),
	FIGURE("hi", hi),
	FIGURE("min", min),
	FIGURE("p95", p95),
	FIGURE("p99", p99),
	FIGURE("max", max),
};

static const struct field ids_rows[] = {
	STEP_ROW(rec_ids, step),
	ATTEMPT_ROW(rec_ids, attempt),
	UNIT_ROW(rec_ids, unit),
	PHASE_ROW(rec_ids, phase),
};

static const struct field end_rows[] = {
	TYPE_ROW,
	STEP_ROW(rec_end, ids.step),
	ATTEMPT_ROW(rec_end, ids.attempt),
	UNIT_ROW(rec_end, ids.unit),
	PHASE_ROW(rec_end, ids.phase),
	ROW(rec_end, "status", FIELD_NAME, JS_REQUIRED, status, 0, 0, status_names),
	ROW(rec_end, "reason", FIELD_TEXT, JS_OPTIONAL, reason, 0, RECORD_MAX, NULL),
	ROW(rec_end, "seconds", FIELD_AMOUNT, JS_REQUIRED, seconds, 0, 0, NULL),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
static_assert(COUNT(point_rows) <= 32, "one bit a field");

const struct field_table record_point_fields = { point_rows, COUNT(point_rows) };
const struct field_table record_metric_fields = { metric_rows, COUNT(metric_rows) };
const struct field_table record_ids_fields = { ids_rows, COUNT(ids_rows) };
const struct field_table record_end_fields = { end_rows, COUNT(end_rows) };

size_t record_find_field(const struct field_table *table, const char *key, size_t start)
{
	for (size_t k = 0; k < table->n; k++) {
		size_t i = start + k < table->n ? start + k : start + k - table->n;
		const char *name = table->rows[i].name;

		if (name[0] == key[0] && !strcmp(name, key))
			return i;
	}
	return table->n;
}

const struct field *record_missing_field(const struct field_table *table, uint32_t present)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->rows[i].need == JS_REQUIRED && !(present & UINT32_C(1) << i))
			return &table->rows[i];
	return NULL;
}

bool record_store_whole(const struct field *f, uint64_t value, void *dst)
{
	int small = (int)value;

	if (value < f->min || value > f->max)
		return false;
	if (f->kind == FIELD_INT)
		memcpy(dst, &small, sizeof(small));
	else
		memcpy(dst, &value, sizeof(value));
	return true;
}

bool record_store_real(const struct field *f, double value, void *dst)
{
	if (!isfinite(value) || value < 0 || (value <= 0 && f->kind == FIELD_FIGURE))
		return false;
	memcpy(dst, &value, sizeof(value));
	return true;
}

bool record_store_text(const struct field *f, const char *text, size_t len, void *dst)
{
	int i;

	if (f->kind == FIELD_TEXT) {
		if (len == 0 || len >= f->max)
			return false;
		memcpy(dst, &text, sizeof(text));
		return true;
	}
	i = record_name_index(f->names, text);
	if (i < 0)
		return false;
	memcpy(dst, &i, sizeof(i));
	return true;
}

void record_point_init(struct rec_point *p, enum record_type type)
{
	*p = (struct rec_point){ .is_pair = type == REC_PAIR, .round = -1, .spread = NAN };
}

const char *record_point_fault(struct rec_point *p)
{
	if (!p->is_pair) {
		p->b = p->dir = NULL;
		p->round = -1;
		return NULL;
	}
	if (!p->b)
		return "\"b\" is missing";
	if (!p->dir || record_name_index(dir_names, p->dir) < 0)
		return "\"dir\" must be ab, ba or both";
	return NULL;
}
