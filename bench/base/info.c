#include "bench/base/info.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

/* One OPT_AXIS row while its values are walked, lowest first. */
struct axis {
	const struct opt *row;
	uint64_t mask;  /* the chosen values */
	uint64_t value; /* the one in use: a single bit of mask */
};

static uint64_t lowest_bit(uint64_t mask)
{
	return mask & (~mask + 1);
}

static uint64_t *set_at(void *opts, const struct opt *row)
{
	return (uint64_t *)(void *)((char *)opts + row->offset);
}

static uint64_t set_value(const void *opts, const struct opt *row)
{
	uint64_t mask;

	memcpy(&mask, (const char *)opts + row->offset, sizeof(mask));
	return mask;
}

static int find_axes(const struct bench_info *info, const void *opts, struct axis *axes, size_t *n,
                     struct hb_err *err)
{
	*n = 0;
	for (const struct opt *row = info->opts; row->type != OPT_END; row++) {
		if (row->type != OPT_SET || !(row->flags & OPT_AXIS))
			continue;
		assert(*n < INFO_AXES_MAX);
		uint64_t mask = set_value(opts, row);
		if (!mask)
			return hb_fail(err, HB_E_USAGE, "%s: %s needs at least one value",
			               info->name, row->name);
		axes[(*n)++] = (struct axis){ row, mask, lowest_bit(mask) };
	}
	return HB_OK;
}

/* The next combination, the last axis moving first. False: that was all. */
static bool next_combination(struct axis *axes, size_t n)
{
	while (n-- > 0) {
		uint64_t above = axes[n].mask & ~(axes[n].value | (axes[n].value - 1));

		if (above) {
			axes[n].value = lowest_bit(above);
			return true;
		}
		axes[n].value = lowest_bit(axes[n].mask);
	}
	return false;
}

static void add_case(struct case_list *out, uint64_t bytes, const void *opts,
                     const struct axis *axes, size_t n_axes)
{
	struct bench_case c = { bytes, hb_alloc(out->info->opts_size) };

	opt_copy(out->info->opts, opts, c.opts);
	for (size_t i = 0; i < n_axes; i++)
		*set_at(c.opts, axes[i].row) = axes[i].value;
	hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	out->v[out->n++] = c;
}

const struct opt *info_sizes(const struct bench_info *info)
{
	for (const struct opt *row = info->opts; row->type != OPT_END; row++)
		if (row->type == OPT_SIZES && !strcmp(row->name, "sizes"))
			return row;
	return NULL;
}

void info_size_text(const char *bench, uint64_t bytes, char *out, size_t n)
{
	const struct bench_info *info = bytes == 0 ? catalog_find(bench) : NULL;

	if (info && !info_sizes(info))
		snprintf(out, n, "%s", "");
	else
		units_format_bytes(bytes, out, n);
}

static int parse_sizes(const struct bench_info *info, const void *opts, struct sizes *sizes,
                       struct hb_err *err)
{
	const struct opt *row = info_sizes(info);
	const char *text = NULL;

	if (!row) {
		sizes->v = hb_alloc(sizeof(*sizes->v));
		sizes->n = 1;
		return HB_OK;
	}
	memcpy(&text, (const char *)opts + row->offset, sizeof(text));
	if (!text)
		return hb_fail(err, HB_E_USAGE, "%s: no sizes given", info->name);
	if (units_parse_sizes(text, sizes, err))
		return hb_fail_in(err, "%s: sizes", info->name);
	return HB_OK;
}

int info_cases_product(const struct bench_info *info, const void *opts, struct case_list *out,
                       struct hb_err *err)
{
	struct axis axes[INFO_AXES_MAX];
	struct sizes sizes = { 0 };
	size_t n_axes, combinations = 1;
	int rc;

	*out = (struct case_list){ .info = info };
	rc = find_axes(info, opts, axes, &n_axes, err);
	if (rc)
		return rc;
	rc = parse_sizes(info, opts, &sizes, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n_axes && combinations <= INFO_CASES_MAX; i++)
		combinations *= (size_t)__builtin_popcountll(axes[i].mask);
	if (combinations > INFO_CASES_MAX || sizes.n * combinations > INFO_CASES_MAX) {
		sizes_free(&sizes);
		return hb_fail(err, HB_E_USAGE, "%s: more than %d cases; choose fewer sizes",
		               info->name, INFO_CASES_MAX);
	}
	do {
		for (size_t i = 0; i < sizes.n; i++)
			add_case(out, sizes.v[i], opts, axes, n_axes);
	} while (next_combination(axes, n_axes));
	sizes_free(&sizes);
	return HB_OK;
}

void case_list_free(struct case_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		info_opts_free(list->info, list->v[i].opts);
	free(list->v);
	list->v = NULL;
	list->n = list->cap = 0;
}

void *info_opts_new(const struct bench_info *info)
{
	void *opts = hb_alloc(info->opts_size);

	opt_defaults(info->opts, opts);
	return opts;
}

void info_opts_free(const struct bench_info *info, void *opts)
{
	if (!opts)
		return;
	opt_free(info->opts, opts);
	free(opts);
}

json_object *info_key_opts(const struct bench_info *info, const void *opts)
{
	return opt_to_json(info->opts, opts, OPT_KEY);
}

const struct metric_info *info_metric(const struct bench_info *info, const char *name)
{
	for (const struct metric_info *m = info->metrics; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

const char *info_shape_name(enum bench_shape shape)
{
	static const char *const names[] = {
		[BENCH_LOCAL] = "local",
		[BENCH_PAIR] = "pair",
		[BENCH_GROUP] = "group",
	};

	return names[shape];
}
