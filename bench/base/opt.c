/* Whole option tables: defaults, copies, one value by its name. */
#include "bench/base/opt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/opt_row.h"

const struct opt *opt_row_find(const struct opt *opts, const char *name)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++)
		if (opt_row_is_option(row) && strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

const char *opt_row_nearest(const struct opt *opts, const char *name)
{
	size_t n = 0;
	for (const struct opt *row = opts; row->type != OPT_END; row++)
		n++;
	const char **names = hb_alloc((n + 1) * sizeof(*names));
	n = 0;
	for (const struct opt *row = opts; row->type != OPT_END; row++)
		if (opt_row_is_option(row) && !(row->flags & OPT_HIDDEN))
			names[n++] = row->name;
	const char *nearest = units_nearest(name, names);
	free(names);
	return nearest;
}

/* Bytes of the row's value where it holds nothing owned, else 0. */
static size_t plain_size(const struct opt *row)
{
	switch (row->type) {
	case OPT_FLAG:
	case OPT_INT:
	case OPT_ENUM: return sizeof(int);
	case OPT_U64:
	case OPT_BYTES:
	case OPT_SET: return sizeof(uint64_t);
	case OPT_SECONDS:
	case OPT_RATIO: return sizeof(double);
	case OPT_STRING:
	case OPT_SIZES:
	case OPT_STRINGS:
	case OPT_GROUP:
	case OPT_END:
	default: return 0;
	}
}

void opt_defaults(const struct opt *opts, void *dst)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		if (!opt_row_is_option(row))
			continue;
		if (plain_size(row))
			memset(opt_row_value(row, dst).any, 0, plain_size(row));
		struct hb_err err = { .code = HB_OK };
		int rc = row->dflt ? opt_row_set(row, dst, row->dflt, &err) : HB_OK;
		assert(rc == HB_OK);
		(void)rc;
	}
}

void opt_free(const struct opt *opts, void *dst)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++)
		opt_row_free(row, dst);
}

void opt_copy(const struct opt *opts, const void *src, void *dst)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		union opt_value from = opt_row_look(row, src), to = opt_row_value(row, dst);
		if (plain_size(row))
			memcpy(to.any, from.any, plain_size(row));
		else if (row->type == OPT_STRING || row->type == OPT_SIZES)
			*to.text = hb_strdup(*from.text);
		else if (row->type == OPT_STRINGS)
			for (size_t i = 0; i < from.strings->n; i++)
				opt_row_add_string(to, from.strings->v[i]);
	}
}

int opt_set(const struct opt *opts, void *dst, const char *name, const char *text,
            struct hb_err *err)
{
	const struct opt *row = opt_row_find(opts, name);
	if (!row) {
		const char *nearest = opt_row_nearest(opts, name);
		if (nearest)
			return hb_fail(err, HB_E_USAGE, "unknown option %.64s; did you mean %s?",
			               name, nearest);
		return hb_fail(err, HB_E_USAGE, "unknown option %.64s", name);
	}
	int rc = opt_row_set(row, dst, text, err);
	if (rc == HB_E_FORMAT) {
		hb_fail_in(err, "%s=%.80s", name, text);
		if (err)
			err->code = HB_E_USAGE;
	}
	return rc ? HB_E_USAGE : HB_OK;
}
