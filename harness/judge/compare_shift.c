#include "harness/judge/compare_shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"
#include "harness/localize/localize.h"

static const double few = 6.0; /* see is_moved */

/* ---- one key ---- */

static double median_of(double *v, size_t n, double *lo, double *hi)
{
	size_t from, to;

	stat_sort(v, n);
	stat_median_interval(n, &from, &to);
	*lo = v[from];
	*hi = v[to];
	return stat_quantile_sorted(v, n, 0.5);
}

/* The most against the rest first; rows in their order where they are equal. */
static int by_rest(const void *a, const void *b)
{
	const struct shift_node *x = a, *y = b;
	double dx = fabs(x->rest), dy = fabs(y->rest);

	if (dx < dy || dx > dy)
		return dx > dy ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/*
 * The rule of localize, for differences: beyond z_slow, and beyond the least that counts. Of few
 * nodes the MAD is itself uncertain, and differences of single scores scatter more than upper
 * quartiles over pairs; so the limit is |z_slow| (1 + 6 / n). Simulated without any change, nodes
 * wrongly named a sweep: see test_compare_shift.c, which prints and bounds them.
 */
static bool is_moved(const struct shift_node *x, double limit)
{
	return isfinite(x->z) && fabs(x->z) > limit && fabs(x->rest) > -log1p(-LOC_DELTA);
}

static void settle(struct shift *s)
{
	const struct loc_params rule = LOC_PARAMS_DEFAULT;
	double *v = hb_alloc(s->n * sizeof(*v));
	double beyond = -log1p(-s->floor), limit = fabs(rule.z_slow) * (1.0 + few / (double)s->n);

	for (size_t i = 0; i < s->n; i++) {
		v[i] = s->nodes[i].diff;
		s->slower += v[i] < 0.0;
	}
	s->shift = median_of(v, s->n, &s->lo, &s->hi);
	s->whole = (s->shift < -beyond && s->hi < 0.0) || (s->shift > beyond && s->lo > 0.0);
	s->s = fmax(stat_mad(v, s->n), rule.s_floor);
	for (size_t i = 0; i < s->n; i++) {
		struct shift_node *x = &s->nodes[i];

		x->rest = x->diff - s->shift;
		x->z = s->n >= SHIFT_Z_MIN ? x->rest / s->s : NAN;
		x->moved = is_moved(x, limit);
		s->moved += x->moved;
	}
	qsort(s->nodes, s->n, sizeof(*s->nodes), by_rest);
	free(v);
}

bool shift_stands_out(const struct shift *s, const struct shift_node *x)
{
	if (s->n >= SHIFT_Z_MIN)
		return x->moved;
	return fabs(x->rest) > -log1p(-fmax(LOC_DELTA, s->floor));
}

/* ---- all of them ---- */

static bool counts(const struct verdict_row *r)
{
	return r->row && r->entry && r->row->kind == SUBJECT_NODE && isfinite(r->loss) &&
	       r->loss < 1.0;
}

struct place {
	const struct verdict_row *v;
	size_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int c = strcmp(x->v->key->text, y->v->key->text);

	return c ? c : x->row < y->row ? -1 : x->row > y->row;
}

static void add(const struct place *rows, size_t n, struct shifts *out)
{
	struct shift *s;

	hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	s = &out->v[out->n++];
	*s = (struct shift){ .key = rows[0].v->key,
		             .higher_is_better = rows[0].v->row->higher_is_better,
		             .floor = rows[0].v->floor,
		             .n = n };
	s->nodes = hb_alloc(n * sizeof(*s->nodes));
	for (size_t i = 0; i < n; i++)
		s->nodes[i] = (struct shift_node){ .subject = rows[i].v->subject,
			                           .row = rows[i].row,
			                           .diff = log1p(-rows[i].v->loss) };
	settle(s);
	for (size_t i = 0; s->whole && i < n; i++) {
		const struct shift_node *x = &s->nodes[i];

		/* Whoever went the other way did not move with the whole. */
		out->alike[x->row] = !shift_stands_out(s, x) && (x->diff < 0.0) == (s->shift < 0.0);
	}
}

static int by_first_row(const void *a, const void *b)
{
	const struct shift *x = a, *y = b;
	size_t i = SIZE_MAX, k = SIZE_MAX;

	for (size_t j = 0; j < x->n; j++)
		i = x->nodes[j].row < i ? x->nodes[j].row : i;
	for (size_t j = 0; j < y->n; j++)
		k = y->nodes[j].row < k ? y->nodes[j].row : k;
	return i < k ? -1 : i > k;
}

void compare_shift(const struct verdicts *v, struct shifts *out)
{
	struct place *rows = hb_alloc((v->n + 1) * sizeof(*rows));
	size_t n = 0;

	*out = (struct shifts){ .alike = hb_alloc(v->n + 1) };
	for (size_t i = 0; i < v->n; i++)
		if (counts(&v->rows[i]))
			rows[n++] = (struct place){ &v->rows[i], i };
	if (n)
		qsort(rows, n, sizeof(*rows), by_key);
	for (size_t first = 0, end = 0; first < n; first = end) {
		while (end < n && strcmp(rows[first].v->key->text, rows[end].v->key->text) == 0)
			end++;
		if (end - first >= SHIFT_NODES_MIN)
			add(rows + first, end - first, out);
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_first_row);
	free(rows);
}

void shifts_free(struct shifts *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].nodes);
	free(s->v);
	free(s->alike);
	*s = (struct shifts){ 0 };
}

/* ---- JSON ---- */

/* Those that moved; of few nodes, where nothing can be tested, all. */
static json_object *nodes_json(const struct shift *s)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct shift_node *x = &s->nodes[i];
		json_object *o;

		if (s->n >= SHIFT_Z_MIN && !x->moved)
			continue;
		o = json_object_new_object();
		js_set_str(o, "subject", x->subject);
		js_set_f64(o, "loss", 1.0 - exp(x->diff));
		js_set_f64(o, "loss_against_rest", 1.0 - exp(x->rest));
		js_set_f64(o, "z", x->z);
		js_set_bool(o, "moved", x->moved);
		json_object_array_add(list, o);
	}
	return list;
}

json_object *shifts_to_json(const struct shifts *s)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct shift *x = &s->v[i];
		json_object *o = json_object_new_object();

		js_set_obj(o, "key", key_to_json(x->key));
		js_set_u64(o, "nodes", x->n);
		js_set_u64(o, "slower", x->slower);
		js_set_f64(o, "loss", 1.0 - exp(x->shift));
		js_set_f64(o, "loss_lo", 1.0 - exp(x->hi));
		js_set_f64(o, "loss_hi", 1.0 - exp(x->lo));
		js_set_f64(o, "floor", x->floor);
		js_set_f64(o, "spread", x->s);
		js_set_bool(o, "whole", x->whole);
		js_set_obj(o, "against_rest", nodes_json(x));
		json_object_array_add(list, o);
	}
	return list;
}
