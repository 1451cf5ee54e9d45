/* What tests saw, in words: the lines of evidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "bench/base/units.h"
#include "harness/diagnose/words.h"

/* An MTU is below 64 KiB and known by its number. */
enum { BYTES_SCALED = 1 << 20, KIB_SCALED = 1 << 16, TEXT_SHOWN = 120 };

void words_number(double v, struct buf *out)
{
	char text[NUM_TEXT];

	if (!isfinite(v)) {
		buf_puts(out, "unknown");
		return;
	}
	if (fabs(v) < 1e15 && v == floor(v))
		num_format(text, sizeof text, "%.0f", v);
	else
		num_format(text, sizeof text, "%.4g", v);
	buf_puts(out, text);
}

void words_percent(double share, struct buf *out)
{
	char text[32];

	if (!isfinite(share)) {
		buf_puts(out, "unknown");
		return;
	}
	num_format(text, sizeof text, fabs(share) < 0.0995 && share != 0 ? "%.2g" : "%.0f",
	           100 * share);
	buf_printf(out, "%s %%", text);
}

void words_bytes(double v, struct buf *out)
{
	char text[32];

	if (!(v >= 0 && v < 1e18)) {
		buf_puts(out, "unknown");
		return;
	}
	units_format_bytes((uint64_t)v, text, sizeof text);
	buf_puts(out, text);
}

/* "25 Gb/s", "2.1 GHz" */
static void put_scaled(double v, const char *unit, struct buf *out)
{
	static const char *const steps[] = { "", "k", "M", "G", "T" };
	size_t i = 0;

	while (fabs(v) >= 1000 && i + 1 < sizeof steps / sizeof *steps) {
		v /= 1000;
		i++;
	}
	words_number(v, out);
	buf_printf(out, " %s%s", steps[i], unit);
}

/* Text from outside, within reason. */
static void put_text(const char *text, struct buf *out)
{
	size_t len = strlen(text);

	buf_add(out, text, len < TEXT_SHOWN ? len : TEXT_SHOWN);
	if (len >= TEXT_SHOWN)
		buf_puts(out, "...");
}

void fact_words(const struct fact_info *info, const char *text, struct buf *out)
{
	const char *unit = info ? info->unit : "";
	double v = look_number(text);

	if (!text)
		buf_puts(out, "unknown");
	else if (!isfinite(v) || !*unit)
		put_text(*text ? text : "empty", out);
	else if (strcmp(unit, "B") == 0 &&
	         (v >= BYTES_SCALED || (v >= KIB_SCALED && fmod(v, 1024) <= 0)))
		words_bytes(v, out);
	else if (strcmp(unit, "b/s") == 0 || strcmp(unit, "Hz") == 0)
		put_scaled(v, unit, out);
	else if (strcmp(unit, "B") == 0)
		put_text(text, out);
	else {
		words_number(v, out);
		buf_printf(out, " %s", unit);
	}
}

bool seen_least(const struct seen *s)
{
	return (s->test->said & FIELD(BELOW)) != 0 || s->test->kind == TEST_LESS;
}

bool seen_varies(const struct seen *s)
{
	if (s->test->kind == TEST_FACT || s->test->kind == TEST_LESS)
		return s->test->fact->peers == FACT_VARIES && s->test->fact->type == FACT_NUMBER &&
		       isfinite(s->number);
	return rule_tests[s->test->kind].varies;
}

static void put_part(const char *text, struct buf *out)
{
	buf_printf(out, "%s\n", text ? text : "");
}

void hit_pattern(const struct hit *h, struct buf *out)
{
	put_part(h->rule->id, out);
	buf_printf(out, "%d\n", h->b.scope == RULE_PAIR ? (int)h->b.node : -1);
	buf_printf(out, "%d\n", h->b.scope == RULE_PAIR ? (int)h->b.other : -1);
	for (size_t i = 0; i < ABOUTS; i++)
		put_part(h->b.device[i], out);
	for (size_t i = 0; i < h->rule->n_when; i++) {
		const struct seen *s = &h->seen[i];
		put_part(s->device, out);
		put_part(s->key, out);
		if (seen_varies(s))
			continue;
		put_part(s->value, out);
		put_part(s->peers, out);
		put_part(s->was, out);
		if (s->other != SIZE_MAX)
			buf_printf(out, "%zu\n", s->other < s->node ? s->other : s->node);
	}
}

/* ---- who ---- */

const char *told_device(const struct told *t)
{
	if (t->h->b.own)
		return t->h->b.own;
	for (size_t i = 0; i < ABOUTS; i++)
		if (t->h->b.device[i] && *t->h->b.device[i])
			return t->h->b.device[i];
	return NULL;
}

char *told_subject(const struct told *t)
{
	const char *device = told_device(t);

	switch (t->h->b.scope) {
	case RULE_PAIR: return hb_strdup(t->h->b.link);
	case RULE_CLUSTER: return hb_strdup("cluster");
	case RULE_DEVICE:
		if (device)
			return hb_format("%s/%s", t->nodes, device);
		break;
	case RULE_NODE: break;
	}
	return hb_strdup(t->nodes);
}

const char *told_node(const struct told *t, size_t node)
{
	return node < t->l->n_nodes ? t->l->f->nodes[node] : "cluster";
}

/* "n17/eth0"; of several nodes whose figures differ the one that is told. */
static void put_who(const struct told *t, const struct seen *s, struct buf *out)
{
	bool all = t->n > 1 && !seen_varies(s) && s->node == t->h->b.node;

	buf_puts(out, all ? t->nodes : told_node(t, s->node));
	if (s->device && *s->device)
		buf_printf(out, "/%s", s->device);
}

void told_other(const struct told *t, const struct seen *s, struct buf *out)
{
	buf_puts(out, told_node(t, s->other));
	if (s->other_device && *s->other_device)
		buf_printf(out, "/%s", s->other_device);
}

/* ---- evidence ---- */

static void put_most(const struct told *t, const struct seen *s, struct buf *out)
{
	if (t->n > 1 && seen_varies(s))
		buf_printf(out, ", the %s of %zu nodes", seen_least(s) ? "least" : "most", t->n);
}

static void put_fact(const struct told *t, const struct seen *s, struct buf *out)
{
	const struct fact_info *info = s->test->fact;
	bool whole = s->node != SIZE_MAX && t->h->b.node == SIZE_MAX;

	if (whole && s->device && *s->device)
		buf_printf(out, "%s of %s", s->key, s->device);
	else if (whole)
		buf_puts(out, s->key);
	else {
		buf_printf(out, "%s of ", s->key);
		put_who(t, s, out);
	}
	if (!s->value) {
		buf_puts(out, " could not be had");
	} else {
		buf_puts(out, " is ");
		fact_words(info, s->value, out);
	}
	if (whole)
		buf_printf(out, " on %zu of %zu nodes", s->count, s->of);
	if (s->source && *s->source) {
		buf_puts(out, " (");
		put_text(s->source, out);
		buf_putc(out, ')');
	}
	if (!whole && s->peers && s->value && strcmp(s->peers, s->value) == 0) {
		buf_printf(out, ", as on %zu of %zu peers", s->count, s->of);
	} else if (!whole && s->peers) {
		buf_printf(out, ", %zu of %zu peers have ", s->count, s->of);
		fact_words(info, s->peers, out);
	}
	put_most(t, s, out);
}

static void put_fact_line(const struct told *t, const struct seen *s, struct buf *out)
{
	const struct rule_test *test = s->test;

	put_fact(t, s, out);
	if (test->kind == TEST_CHANGED) {
		buf_puts(out, ", the baseline has ");
		fact_words(test->fact, s->was, out);
	} else if (test->kind == TEST_LESS) {
		buf_printf(out, ", %s is ", test->than);
		fact_words(test->than_fact, s->was, out);
	} else if (test->kind == TEST_SHARED) {
		buf_puts(out, ", which is also that of ");
		told_other(t, s, out);
	} else if (test->kind == TEST_ENDS) {
		buf_puts(out, ", that of ");
		told_other(t, s, out);
		buf_puts(out, " is ");
		fact_words(test->fact, s->was, out);
	}
}

static void put_counter(const struct told *t, const struct seen *s, struct buf *out)
{
	static const char *const per[] = { "", " a second", " a GB" };
	const struct rule_test *test = s->test;

	buf_printf(out, "%s of ", s->key);
	if (test->of == OF_OTHERS)
		buf_printf(out, "all nodes but %s", told_node(t, s->node));
	else
		put_who(t, s, out);
	if (test->kind == TEST_STILL) {
		buf_puts(out, " did not move");
		return;
	}
	buf_puts(out, " moved by ");
	size_t len = strlen(s->key);
	if (len > 6 && strcmp(s->key + len - 6, "_bytes") == 0)
		words_bytes(s->number, out);
	else
		words_number(s->number, out);
	if (test->per != PER_NONE) {
		buf_puts(out, ", ");
		words_number(s->limit, out);
		buf_puts(out, per[test->per]);
	}
	put_most(t, s, out);
}

static void put_wire(const struct told *t, const struct seen *s, struct buf *out)
{
	words_percent(s->share, out);
	buf_puts(out, " of the bytes of ");
	buf_puts(out, told_node(t, s->node));
	if (s->test->kind == TEST_FOREIGN) {
		buf_puts(out, " are not the run's own");
	} else if (s->device) {
		buf_printf(out, " went over %s (", s->device);
		words_bytes(s->bytes, out);
		buf_putc(out, ')');
		if (s->peers)
			buf_printf(out, ", those of %zu of %zu peers over %s", s->count, s->of,
			           s->peers);
		else if (s->other != SIZE_MAX && s->other_device)
			buf_printf(out, "; %s is up and faster", s->other_device);
	} else {
		struct buf asked = BUF_INIT;
		const struct rule_test *w = s->test;
		const struct rule_words *names = w->device.n ? &w->device : &w->net_kind;
		for (size_t i = 0; i < names->n; i++)
			buf_printf(&asked, "%s%s", i ? ", " : "", names->v[i]);
		if (w->said & FIELD(PORT))
			buf_puts(&asked, w->port ? "RDMA ports" : "the kernel's network");
		buf_printf(out, " went over %s", asked.len ? buf_text(&asked) : "it");
		if (s->other_device)
			buf_printf(out, ", most over %s", s->other_device);
		buf_free(&asked);
	}
	put_most(t, s, out);
}

static const char *kind_words(unsigned kind)
{
	if (kind == SLOW_REGRESSED)
		return "slower than the baseline";
	return kind == SLOW_LOST ? "not measured" : loc_kind_name((enum loc_kind)kind);
}

static void put_slow(const struct told *t, const struct seen *s, struct buf *out)
{
	buf_printf(out, "%s: %s", s->text ? s->text : told_node(t, s->node),
	           s->key ? s->key : "nothing came");
	if (s->bytes > 0) {
		buf_putc(out, ' ');
		words_bytes(s->bytes, out);
	}
	if (isfinite(s->number)) {
		buf_puts(out, " -");
		words_percent(s->number, out);
	}
	buf_printf(out, " (%s)", kind_words(s->kind));
	put_most(t, s, out);
}

static void put_figure(const struct told *t, const struct seen *s, struct buf *out)
{
	buf_printf(out, "%s of ", s->key ? s->key : "the figures");
	put_who(t, s, out);
	if (s->test->kind == TEST_FINE) {
		buf_puts(out, " is not slow");
	} else if (s->test->kind == TEST_GROWS) {
		buf_puts(out, " is not slow up to ");
		words_bytes(s->bytes, out);
		buf_puts(out, " and loses ");
		words_percent(s->number, out);
		buf_puts(out, " above");
	} else if (s->test->kind == TEST_NOISY) {
		buf_puts(out, " has a tail of ");
		words_number(s->number, out);
		buf_puts(out, " times that of the others");
	} else {
		buf_puts(out, " reaches ");
		words_percent(s->number, out);
		buf_puts(out, " of what is expected");
	}
	if (s->text) {
		buf_puts(out, " (");
		put_text(s->text, out);
		buf_putc(out, ')');
	}
	put_most(t, s, out);
}

static void put_class(const struct told *t, const struct seen *s, struct buf *out)
{
	buf_printf(out, "the figures of %s show %s", told_node(t, s->node), s->value);
	if (s->peers)
		buf_printf(out, ", its hardware promises %s", s->peers);
	if (s->text) {
		buf_puts(out, ": ");
		put_text(s->text, out);
	}
}

void told_evidence(const struct told *t, size_t i, struct buf *out)
{
	const struct seen *s = &t->h->seen[i];

	switch (s->test->kind) {
	case TEST_FACT:
	case TEST_DIFFERS:
	case TEST_CHANGED:
	case TEST_LESS:
	case TEST_SHARED:
	case TEST_ENDS: put_fact_line(t, s, out); break;
	case TEST_COUNTER:
	case TEST_STILL: put_counter(t, s, out); break;
	case TEST_WIRE:
	case TEST_FOREIGN: put_wire(t, s, out); break;
	case TEST_SLOW: put_slow(t, s, out); break;
	case TEST_CLASS: put_class(t, s, out); break;
	case TEST_FINE:
	case TEST_GROWS:
	case TEST_NOISY:
	case TEST_EXPECT: put_figure(t, s, out); break;
	case TEST_EVENT:
		buf_printf(out, "%s told of %s", s->key, told_node(t, s->node));
		if (s->text) {
			buf_puts(out, ": ");
			put_text(s->text, out);
		}
		break;
	case TEST_KINDS: break;
	}
	if (t->h->b.node == SIZE_MAX && s->of && !s->test->key)
		buf_printf(out, "; so on %zu of %zu nodes", s->count, s->of);
}
