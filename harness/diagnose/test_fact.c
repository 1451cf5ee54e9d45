/* Tests of facts: what a value is, what peers and the baseline say, another fact, another node. */
#include <math.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"

/* The fact of what is bound: fills seen; false where nothing was told of it. */
static bool see_fact(const struct binding *b, const struct fact_row *row, struct seen *seen)
{
	const struct fact_value *v = facts_value(row, b->node);

	if (!v)
		return false;
	seen->device = row->device;
	seen->key = row->key;
	seen->value = v->text;
	seen->source = v->source;
	seen->number = look_number(v->text);
	return true;
}

/* What the peers agree about. */
static void see_peers(const struct look *l, const struct binding *b, const struct fact_row *row,
                      struct seen *seen)
{
	struct fact_peers_say say = { 0 };

	if (row->info && row->info->peers == FACT_OWN)
		return;
	facts_peers(l->f, row, b->node, &say);
	seen->peers = say.text;
	seen->count = say.n;
	seen->of = say.of;
}

/* The rows that the test can be about. */
static struct row_range rows_of(const struct look *l, const struct binding *b,
                                const struct rule_test *t)
{
	if (b->only)
		return (struct row_range){ b->only, 1 };
	return look_rows_on(l, t->key, bound_device(b, t));
}

/* The next row that the test is about, of the device that is bound. */
static const struct fact_row *next_row(const struct binding *b, const struct rule_test *t,
                                       const struct row_range *rows, size_t *i)
{
	const char *device = bound_device(b, t);
	while (*i < rows->n) {
		const struct fact_row *row = &rows->v[(*i)++];
		if (strcmp(row->device, device) == 0 &&
		    (!t->device.n || rule_words_fit(&t->device, device)))
			return row;
	}
	return NULL;
}

static bool value_fits(const struct rule_test *t, const char *text, double number)
{
	if (t->said & FIELD(KNOWN))
		return (text != NULL) == (t->known != 0);
	if (!text)
		return false;
	if (t->is.n)
		return rule_words_have(&t->is, text);
	if (t->not .n)
		return !rule_words_have(&t->not, text);
	if (t->like.n)
		return rule_words_fit(&t->like, text);
	if (t->unlike.n)
		return !rule_words_fit(&t->unlike, text);
	return (!(t->said & FIELD(BELOW)) || number < t->below) &&
	       (!(t->said & FIELD(ABOVE)) || number > t->above);
}

/*
 * Of one key several rows can be meant ("env.*"): the first that holds is seen. Numbers that are
 * none ("unlimited") are neither below nor above anything.
 */
bool holds_fact(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	struct row_range rows = rows_of(l, b, t);
	const struct fact_row *row;

	for (size_t i = 0; (row = next_row(b, t, &rows, &i)) != NULL;) {
		if (!see_fact(b, row, seen))
			continue;
		seen->applies = true;
		if (value_fits(t, seen->value, seen->number)) {
			see_peers(l, b, row, seen);
			return true;
		}
	}
	return false;
}

static bool moved_so(const struct rule_test *t, const char *is, const char *was)
{
	double a = look_number(is), b = look_number(was);

	if (strcmp(is, was) == 0)
		return false;
	if (t->direction == DIRECTION_ANY)
		return !(a == b); /* "1" and "1.0" are one number; NaN: two texts */
	return t->direction == DIRECTION_BELOW ? a < b : a > b;
}

bool holds_differs(const struct look *l, const struct binding *b, const struct rule_test *t,
                   struct seen *seen)
{
	struct row_range rows = rows_of(l, b, t);
	const struct fact_row *row;

	for (size_t i = 0; (row = next_row(b, t, &rows, &i)) != NULL;) {
		if (row->n < 2 || !see_fact(b, row, seen) || !seen->value)
			continue;
		see_peers(l, b, row, seen);
		seen->applies |= seen->peers != NULL;
		if (!seen->peers || (t->peers.n && !rule_words_fit(&t->peers, seen->peers)))
			continue;
		if (moved_so(t, seen->value, seen->peers))
			return true;
	}
	return false;
}

bool holds_changed(const struct look *l, const struct binding *b, const struct rule_test *t,
                   struct seen *seen)
{
	struct row_range rows = rows_of(l, b, t);
	const struct fact_row *row;

	for (size_t i = 0; (row = next_row(b, t, &rows, &i)) != NULL;) {
		if (!see_fact(b, row, seen) || !seen->value)
			continue;
		seen->was = look_was(l, row->device, row->key, b->node);
		seen->applies |= seen->was != NULL;
		if (seen->was && moved_so(t, seen->value, seen->was)) {
			see_peers(l, b, row, seen);
			return true;
		}
	}
	return false;
}

bool holds_less(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	struct row_range rows = rows_of(l, b, t);
	enum fact_about about = t->than_fact ? t->than_fact->about : rule_test_about(t);
	const char *device = about == FACT_NODE ? "" : b->device[about];
	size_t i = 0;
	const struct fact_row *row = next_row(b, t, &rows, &i);
	const char *than = device ? facts_text(l->f, b->node, device, t->than) : NULL;

	if (!row || !see_fact(b, row, seen))
		return false;
	seen->was = than;
	seen->limit = look_number(than);
	seen->applies = isfinite(seen->number) && isfinite(seen->limit);
	if (!seen->applies || !(seen->number < t->factor * seen->limit))
		return false;
	see_peers(l, b, row, seen);
	return true;
}

/* ---- what nobody else should have ---- */

/* So many have it that it must be a network inside each node. */
static bool is_inside(const struct rule_test *t, const struct shared_at *who)
{
	return rule_test_about(t) == FACT_NETDEV && who->n > 2 && 2 * who->n > who->of;
}

bool holds_shared(const struct look *l, const struct binding *b, const struct rule_test *t,
                  struct seen *seen)
{
	struct row_range rows = rows_of(l, b, t);
	size_t i = 0;
	const struct fact_row *row = next_row(b, t, &rows, &i);

	if (!row || !see_fact(b, row, seen) || !seen->value || strcmp(seen->value, "none") == 0)
		return false;
	seen->applies = true;
	const struct shared_index *all = look_shared(l, t->key);
	for (const char *p = seen->value; *p; p += *p == ',') {
		size_t len = strcspn(p, ",/");
		const struct shared_at *who = len ? shared_with(all, p, len, b->node) : NULL;
		if (who && !is_inside(t, who)) {
			seen->other = who->node;
			seen->other_device = who->device;
			return true;
		}
		p += strcspn(p, ",");
	}
	return false;
}

/* ---- the two ends of a link ---- */

/* Did bytes go over it at this end? Where nobody knows, they may have. */
static bool carried(const struct look *l, size_t node, const char *device)
{
	const struct wire *w = *device ? look_wire(l, node) : NULL;

	for (size_t i = 0; w && i < w->n; i++)
		if (strcmp(w->v[i].device, device) == 0)
			return w->v[i].share > 0.01;
	if (!w)
		return true;
	return false;
}

bool holds_ends(const struct look *l, const struct binding *b, const struct rule_test *t,
                struct seen *seen)
{
	struct row_range rows = look_rows(l, t->key);
	enum fact_about about = rule_test_about(t);

	for (size_t i = 0; i < rows.n; i++) {
		const struct fact_row *row = &rows.v[i];
		const struct fact_value *there = facts_value(row, b->other);
		if (about != FACT_NODE && b->device[about] &&
		    strcmp(row->device, b->device[about]) != 0)
			continue;
		if (!there || !there->text || !see_fact(b, row, seen) || !seen->value)
			continue;
		seen->applies = true;
		if (strcmp(there->text, seen->value) == 0 ||
		    (!carried(l, b->node, row->device) && !carried(l, b->other, row->device)))
			continue;
		seen->other = b->other;
		seen->other_device = row->device;
		seen->was = there->text;
		return true;
	}
	return false;
}
