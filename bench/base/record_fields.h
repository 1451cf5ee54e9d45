/*
 * The fields of records as tables: name, kind, bounds, place. Inside of record only: both readers,
 * of objects (record_read.c) and of plain text (record_scan.c), follow the same rows.
 */
#ifndef HPCBENCH_BASE_RECORD_FIELDS_H
#define HPCBENCH_BASE_RECORD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/record.h"

enum { METRIC_NAME_MAX = 64 };

enum field_kind {
	FIELD_TYPE,   /* known before: passed over */
	FIELD_U64,    /* uint64_t, or int64_t with a fitting max */
	FIELD_INT,    /* int */
	FIELD_FIGURE, /* double above 0 */
	FIELD_AMOUNT, /* double of 0 or more */
	FIELD_TEXT,   /* const char *, shorter than max bytes, not empty */
	FIELD_NAME,   /* an enum: index into names */
	FIELD_OBJECT, /* json_object * */
	FIELD_METRICS /* the metrics of a struct rec_point, which the offset leads to */
};

struct field {
	const char *name;
	enum field_kind kind;
	enum js_need need;
	size_t offset;
	uint64_t min, max;
	const char *const *names;
};

/* At most 32 rows, in the order that the writers keep. */
struct field_table {
	const struct field *rows;
	size_t n;
};
extern const struct field_table record_point_fields;  /* of struct rec_point */
extern const struct field_table record_metric_fields; /* of struct stat_summary */
extern const struct field_table record_ids_fields;    /* of struct rec_ids */
extern const struct field_table record_end_fields;    /* of struct rec_end */

/* The index of a name in a NULL-terminated list, or -1. */
int record_name_index(const char *const *names, const char *text);
/*
 * The row of a key, searched from start on and then from the beginning, so that fields in the
 * writers' order are found at once; table->n if there is none.
 */
size_t record_find_field(const struct field_table *table, const char *key, size_t start);
/* The first required row without its bit in present, or NULL. */
const struct field *record_missing_field(const struct field_table *table, uint32_t present);

/* Store a value that obeys the row's bounds at dst; false: it does not. */
bool record_store_whole(const struct field *f, uint64_t value, void *dst);
bool record_store_real(const struct field *f, double value, void *dst);
bool record_store_text(const struct field *f, const char *text, size_t len, void *dst);

void record_point_init(struct rec_point *p, enum record_type type);
/* What a point of its type must have beyond its fields: NULL, or what is wrong. Drops b, dir and
 * round where it is no pair. */
const char *record_point_fault(struct rec_point *p);

#endif
