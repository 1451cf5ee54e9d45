/* How the whole moved between two sides, and which nodes moved against the rest: a line a curve. */
#include <math.h>

#include "bench/base/mem.h"
#include "harness/judge/compare_shift.h"
#include "harness/report/report_parts.h"

enum { NAMES_SHOWN = 8 };

/* The sizes of one curve that are told in one line: they moved alike, or none of them did. */
struct curve {
	const struct shift **v;
	size_t n;
	int way; /* of the whole: -1 slower, 1 faster, 0 not */
};

static int way_of(const struct shift *s)
{
	return !s->whole ? 0 : s->shift < 0.0 ? -1 : 1;
}

static bool same_curve(const struct key *a, const struct key *b)
{
	return strcmp(a->bench, b->bench) == 0 && strcmp(a->metric, b->metric) == 0 &&
	       strcmp(a->opts, b->opts) == 0 && strcmp(a->class_, b->class_) == 0 &&
	       strcmp(a->hw, b->hw) == 0 && a->nodes == b->nodes && a->rpn == b->rpn;
}

/* A difference of y as the figure shows it: latencies grow when they get worse. */
static double delta_of(const struct shift *s, double y)
{
	return exp(s->higher_is_better ? y : -y) - 1.0;
}

static void put_range(const struct curve *c, struct buf *out)
{
	const struct shift *least = c->v[0], *most = c->v[0];
	uint64_t from = c->v[0]->key->bytes, to = from;
	char text[REPORT_TEXT];

	for (size_t i = 1; i < c->n; i++) {
		const struct shift *s = c->v[i];

		from = s->key->bytes < from ? s->key->bytes : from;
		to = s->key->bytes > to ? s->key->bytes : to;
		least = fabs(s->shift) < fabs(least->shift) ? s : least;
		most = fabs(s->shift) > fabs(most->shift) ? s : most;
	}
	info_size_text(c->v[0]->key->bench, from, text, sizeof text);
	buf_printf(out, "%s%s", *text ? " " : "", text);
	if (to > from) {
		units_format_bytes(to, text, sizeof text);
		buf_printf(out, "..%s", text);
	}
	if (!c->way)
		return;
	buf_putc(out, ' ');
	report_percent(delta_of(least, least->shift), true, out);
	if (least != most) {
		buf_puts(out, "..");
		report_percent(delta_of(most, most->shift), true, out);
	}
	buf_printf(out, " (%zu nodes, %zu of them %s)", most->n,
	           c->way < 0 ? most->slower : most->n - most->slower,
	           c->way < 0 ? "slower" : "faster");
}

/* A node of the curve, where it moved the most. */
struct told {
	const struct shift *at;
	const struct shift_node *node;
	size_t sizes;
};

static void take_node(struct told *v, size_t *n, const struct shift *s, const struct shift_node *x)
{
	size_t k = 0;

	while (k < *n && strcmp(v[k].node->subject, x->subject) != 0)
		k++;
	if (k == *n)
		v[(*n)++] = (struct told){ s, x, 0 };
	else if (fabs(x->rest) > fabs(v[k].node->rest))
		v[k] = (struct told){ s, x, v[k].sizes };
	v[k].sizes++;
}

static int by_rest(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	double dx = fabs(x->node->rest), dy = fabs(y->node->rest);

	if (dx < dy || dx > dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->node->subject, y->node->subject);
}

/* The nodes that moved against the rest at any of these sizes; the caller frees. */
static struct told *find_nodes(const struct curve *c, size_t *n)
{
	size_t room = 1;

	for (size_t i = 0; i < c->n; i++)
		room += c->v[i]->n;
	struct told *v = hb_alloc(room * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->v[i]->n; k++)
			if (shift_stands_out(c->v[i], &c->v[i]->nodes[k]))
				take_node(v, n, c->v[i], &c->v[i]->nodes[k]);
	if (*n)
		qsort(v, *n, sizeof *v, by_rest);
	return v;
}

static void put_nodes(const struct curve *c, const struct told *v, size_t n, struct buf *out)
{
	bool tested = c->v[0]->n >= SHIFT_Z_MIN;

	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) {
		double rest = v[i].node->rest;
		bool more = c->way && (rest < 0.0) == (c->way < 0);

		buf_printf(out, "%s%s ", i ? ", " : "", v[i].node->subject);
		report_percent(delta_of(v[i].at, rest), true, out);
		buf_puts(out, more ? " more" : "");
		if (c->n > 1)
			buf_printf(out, " (%zu of %zu sizes)", v[i].sizes, c->n);
	}
	if (n > NAMES_SHOWN)
		buf_printf(out, " and %zu more; --json has all", n - NAMES_SHOWN);
	if (!tested)
		buf_printf(out, "; of %zu nodes: shown, not tested", c->v[0]->n);
}

static void put_curve(struct doc *d, const struct report_names *names, const struct curve *c)
{
	struct buf text = BUF_INIT;
	size_t n;
	struct told *v = find_nodes(c, &n);
	bool slower = false;

	for (size_t i = 0; i < n; i++)
		slower = slower || v[i].node->rest < 0.0;
	/* Of few nodes that did not move as a whole the rows below say all there is. */
	if (!c->way && c->v[0]->n < SHIFT_Z_MIN)
		n = 0;
	buf_puts(&text, c->way < 0   ? "the whole is slower: "
	                : c->way > 0 ? "the whole is faster: "
	                             : "against the rest: ");
	report_name(names, c->v[0]->key, &text);
	put_range(c, &text);
	if (n) {
		buf_puts(&text, c->way ? "; against the rest: " : ": ");
		put_nodes(c, v, n, &text);
	}
	if (c->way || n)
		doc_text(d, c->way < 0 || slower ? DOC_WARN : DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
	free(v);
}

void report_shift(struct doc *d, const struct shifts *s, const struct report_names *names)
{
	bool *said = hb_alloc(s->n + 1);
	struct curve c = { .v = hb_alloc((s->n + 1) * sizeof(const struct shift *)) };

	/* The whole first: it explains most of the rows. */
	for (int whole = 1; whole >= 0; whole--) {
		for (size_t i = 0; i < s->n; i++) {
			if (said[i] || s->v[i].whole != (bool)whole)
				continue;
			c.n = 0;
			c.way = way_of(&s->v[i]);
			for (size_t k = i; k < s->n; k++) {
				if (said[k] || way_of(&s->v[k]) != c.way ||
				    !same_curve(s->v[i].key, s->v[k].key))
					continue;
				said[k] = true;
				c.v[c.n++] = &s->v[k];
			}
			put_curve(d, names, &c);
		}
	}
	js_set_obj(d->data, "shift", shifts_to_json(s));
	free(c.v);
	free(said);
}
