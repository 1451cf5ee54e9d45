#include <math.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/facts/facts_inside.h"

const struct fact_row *facts_row(const struct facts *f, const char *device, const char *key)
{
	size_t i = facts_find_row(f, device, key);

	return i == SIZE_MAX ? NULL : &f->rows[i];
}

const struct fact_value *facts_value(const struct fact_row *row, size_t node)
{
	size_t i = row ? cells_find(row->cells, node) : SIZE_MAX;

	return i == SIZE_MAX ? NULL : &row->v[i];
}

const char *facts_text(const struct facts *f, size_t node, const char *device, const char *key)
{
	const struct fact_value *v = facts_value(facts_row(f, device, key), node);

	return v ? v->text : NULL;
}

double facts_number(const struct facts *f, size_t node, const char *device, const char *key)
{
	const char *text = facts_text(f, node, device, key), *end;
	double v;

	return text && num_parse(text, &end, &v) && !*end ? v : NAN;
}

bool facts_counter(const struct facts *f, size_t node, const char *device, const char *name,
                   uint64_t *moved)
{
	size_t i = facts_find_counter(f, device, name);
	size_t at = i == SIZE_MAX ? SIZE_MAX : cells_find(f->counters[i].cells, node);

	if (at == SIZE_MAX)
		return false;
	*moved = f->counters[i].v[at].moved;
	return true;
}

size_t facts_class(const struct facts *f, const struct fact_row *row, size_t node)
{
	return row->info && row->info->about == FACT_PEER ? 0 : f->index->class[node];
}

/* Of one class while the values of a row are gone through: how many of the value at hand. */
struct counting {
	struct fact_tally t;
	uint32_t n;
	bool seen;
};

static void count_value(struct counting *c, uint32_t value)
{
	if (c->n > c->t.top_n) {
		c->t.second = c->t.top;
		c->t.second_n = c->t.top_n;
		c->t.top = value;
		c->t.top_n = c->n;
	} else if (c->n > c->t.second_n) {
		c->t.second = value;
		c->t.second_n = c->n;
	}
	c->t.have_n += c->n;
	c->n = 0;
}

static void count_in(struct counting *counts, size_t class, size_t *touched, size_t *n)
{
	struct counting *c = &counts[class];

	if (!c->seen) {
		*c = (struct counting){ { (uint32_t) class, TALLY_NONE, TALLY_NONE, 0, 0, 0 },
			                0,
			                true };
		touched[(*n)++] = class;
	}
	c->n++;
}

static void tally_row(struct facts *f, struct fact_row *row, struct counting *counts,
                      size_t *touched)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct fact_value *v = &row->v[i];

		if (!v->text)
			continue;
		for (size_t k = 0; k < v->n; k++) {
			size_t class = f->index->class[v->nodes[k]];

			count_in(counts, 0, touched, &n);
			if (class)
				count_in(counts, class, touched, &n);
		}
		for (size_t k = 0; k < v->n; k++) {
			struct counting *own = &counts[f->index->class[v->nodes[k]]];

			if (own->n)
				count_value(own, (uint32_t)i);
		}
		if (counts[0].n)
			count_value(&counts[0], (uint32_t)i);
	}
	if (!row->cells)
		return;
	free(row->cells->tally);
	row->cells->tally = n ? hb_realloc_array(NULL, n, sizeof *row->cells->tally) : NULL;
	row->cells->n_tally = n;
	for (size_t i = 0; i < n; i++) {
		row->cells->tally[i] = counts[touched[i]].t;
		counts[touched[i]].seen = false;
	}
}

void facts_tally(struct facts *f)
{
	struct counting *counts = hb_alloc(f->index->n_classes * sizeof *counts);
	size_t *touched = hb_alloc(f->index->n_classes * sizeof *touched);

	for (size_t i = 0; i < f->n_rows; i++)
		tally_row(f, &f->rows[i], counts, touched);
	free(touched);
	free(counts);
}

void facts_peers(const struct facts *f, const struct fact_row *row, size_t node,
                 struct fact_peers_say *out)
{
	*out = (struct fact_peers_say){ NULL, 0, 0 };
	size_t class = facts_class(f, row, node), own = cells_find(row->cells, node);
	const struct fact_tally *t = NULL;

	for (size_t i = 0; row->cells && !t && i < row->cells->n_tally; i++)
		if (row->cells->tally[i].class == class)
			t = &row->cells->tally[i];
	if (!t)
		return;
	bool has = own != SIZE_MAX && row->v[own].text;
	uint32_t best = t->top, n = t->top_n;

	out->of = t->have_n - (has ? 1 : 0);
	if (has && own == t->top) {
		/* A second value never has more nodes than the node's own, so that only this one
		 * can be what the others say. */
		n--;
	}
	out->n = n;
	if (n >= 2 && 3 * (uint64_t)n >= 2 * (uint64_t)out->of &&
	    (!has || own == t->top || t->top_n > t->second_n))
		out->text = row->v[best].text;
}
