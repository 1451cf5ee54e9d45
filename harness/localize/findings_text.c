/* A finding in one line for people: who, how slow, in what, with how many, how sure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/localize/findings_parts.h"

enum { ALSO_SHOWN = 3, TEXT_BYTES = 64 };

static const struct metric_info *metric_of(const struct key *k)
{
	const struct bench_info *info = catalog_find(k->bench);
	return info ? info_metric(info, k->metric) : NULL;
}

/* "-38 %", "2.1 %", with_sign "+1.0 %". */
static void put_percent(double ratio, bool with_sign, struct buf *out)
{
	char text[TEXT_BYTES];
	double percent = fabs(ratio) < 0.0005 ? 0.0 : ratio * 100.0; /* never "-0.0" */
	num_format(text, sizeof(text), "%.*f", fabs(percent) < 9.95 ? 1 : 0, percent);
	buf_printf(out, "%s%s %%", with_sign && percent > 0.0 ? "+" : "", text);
}

/* A loss as the figure itself shows it: a latency grows. */
static void put_loss(const struct key *k, double loss, struct buf *out)
{
	const struct metric_info *m = metric_of(k);
	bool higher = !m || m->higher_is_better;
	if (!isfinite(loss) || loss >= 1.0)
		return;
	put_percent(higher ? -loss : 1.0 / (1.0 - loss) - 1.0, true, out);
}

static void put_case(const struct key *k, struct buf *out)
{
	char size[TEXT_BYTES];
	units_format_bytes(k->bytes, size, sizeof(size));
	buf_printf(out, "%s %s", k->bench, size);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* " with all 9 partners", " in 7 of 9 tests with 9 partners" */
static void put_tests(const struct culprit *c, const struct loc_blame *b, struct buf *out)
{
	bool all = b->slow_tests >= b->tests;
	if (findings_class(c->kind) == ABOUT_NODE && all && b->tests > 0)
		buf_printf(out, " with %s%zu partner%s", b->partners > 1 ? "all " : "", b->partners,
		           plural(b->partners));
	else if (findings_class(c->kind) == ABOUT_NODE)
		buf_printf(out, " in %zu of %zu tests with %zu partner%s", b->slow_tests, b->tests,
		           b->partners, plural(b->partners));
	else
		buf_printf(out, " in %zu of %zu test%s", b->slow_tests, b->tests, plural(b->tests));
}

static void put_sureness(const struct loc_blame *b, struct buf *out)
{
	char text[TEXT_BYTES];
	if (!isfinite(b->z) && !isfinite(b->detectable))
		return;
	buf_puts(out, " (");
	if (isfinite(b->z)) {
		num_format(text, sizeof(text), fabs(b->z) < 10.0 ? "%.1f" : "%.0f", b->z);
		buf_printf(out, "z %s", text);
	}
	if (isfinite(b->detectable)) {
		buf_printf(out, "%sdetectable ", isfinite(b->z) ? "; " : "");
		put_percent(b->detectable, false, out);
	}
	buf_putc(out, ')');
}

static void put_alone(const struct key *k, const struct loc_blame *b, struct buf *out)
{
	if (!isfinite(b->isolated))
		return;
	buf_puts(out, ", isolated ");
	put_loss(k, b->isolated, out);
	if (!isfinite(b->control))
		return;
	buf_puts(out, ", controls ");
	put_loss(k, b->control, out);
}

/* The same benchmark and size may stand there again, of other options or hardware. */
static bool told_before(const struct culprit *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (c->evidence[i].key->bytes == c->evidence[at].key->bytes &&
		    strcmp(c->evidence[i].key->bench, c->evidence[at].key->bench) == 0)
			return true;
	return false;
}

static void put_also(const struct culprit *c, struct buf *out)
{
	size_t shown = 0, more = 0;
	for (size_t i = 1; i < c->n_evidence; i++) {
		const struct evidence *e = &c->evidence[i];
		if (told_before(c, i))
			continue;
		if (shown == ALSO_SHOWN) {
			more++;
			continue;
		}
		buf_puts(out, shown++ ? ", " : "; also ");
		put_case(e->key, out);
		if (c->kind != LOC_SILENT) {
			buf_putc(out, ' ');
			put_loss(e->key, e->blame.loss, out);
		}
	}
	if (more)
		buf_printf(out, " and %zu more", more);
}

static const char *lead(enum loc_kind k)
{
	switch (k) {
	case LOC_NODE: return "%s is slow: ";
	case LOC_NODE_OUT: return "%s is slow in what it sends: ";
	case LOC_NODE_IN: return "%s is slow in what it receives: ";
	case LOC_LINK: return "the link %s is slow: ";
	case LOC_LINK_AB: return "the link %s is slow in this direction: ";
	case LOC_LEAF: return "%s is slow towards other leaves: ";
	case LOC_RAIL: return "%s is slow: ";
	case LOC_SILENT: return "%s fell silent: ";
	case LOC_KINDS:
	default: return "%s: ";
	}
}

static void put_lead(const struct culprit *c, struct buf *out)
{
	if (c->unsure) {
		buf_printf(out, "%s stands out, but that may be chance: ", c->subject);
		return;
	}
	const char *words = lead(c->kind), *mark = strstr(words, "%s");
	buf_add(out, words, (size_t)(mark - words));
	buf_puts(out, c->subject);
	if (c->nodes)
		buf_printf(out, " (%s)", c->nodes);
	buf_puts(out, mark + 2);
}

/* "n17", "n17 in what it sends", "n284 or n678". */
static void put_who(const struct culprit *c, struct buf *out)
{
	buf_printf(out, "%s%s",
	           c->state == LOC_SLOW && findings_class(c->kind) == ABOUT_LINK ? "the link " : "",
	           c->subject);
	for (const char *p = c->others; p && *p; p += *p == ',') {
		size_t len = strcspn(p, ",");
		buf_printf(out, " or %.*s", (int)len, p);
		p += len;
	}
	if (c->kind == LOC_NODE_OUT || c->kind == LOC_NODE_IN)
		buf_printf(out, " in what it %s", c->kind == LOC_NODE_OUT ? "sends" : "receives");
}

/* "284 or 678": then what was seen, and what would decide. */
static void undecided_text(const struct culprit *c, struct buf *out)
{
	const struct evidence *e = &c->evidence[0];
	put_who(c, out);
	buf_puts(out, c->others ? ": which one is slow cannot be told: " : " may be slow: ");
	put_case(e->key, out);
	buf_putc(out, ' ');
	put_loss(e->key, e->blame.loss, out);
	put_tests(c, &e->blame, out);
	put_sureness(&e->blame, out);
	put_also(c, out);
	buf_puts(out, c->unsure ? "; that may be chance" : "; one more pair needed");
}

void findings_brief(const struct culprit *c, struct buf *out)
{
	put_who(c, out);
	if (c->n_evidence == 0)
		return;
	const struct evidence *e = &c->evidence[0];
	buf_puts(out, ": ");
	put_case(e->key, out);
	if (c->kind != LOC_SILENT) {
		buf_putc(out, ' ');
		put_loss(e->key, e->blame.loss, out);
	}
	put_tests(c, &e->blame, out);
	if (c->state == LOC_UNDECIDED)
		buf_puts(out, "; one more pair needed");
}

void findings_text(struct culprit *c)
{
	struct buf out = BUF_INIT;
	if (c->n_evidence && c->state == LOC_UNDECIDED) {
		undecided_text(c, &out);
	} else if (c->n_evidence) {
		const struct evidence *e = &c->evidence[0];
		put_lead(c, &out);
		put_case(e->key, &out);
		if (c->kind == LOC_SILENT) {
			buf_puts(&out, ": nothing came of ");
			if (e->blame.slow_tests < e->blame.tests)
				buf_printf(&out, "%zu of ", e->blame.slow_tests);
			buf_printf(&out, "%zu test%s with %zu partner%s", e->blame.tests,
			           plural(e->blame.tests), e->blame.partners,
			           plural(e->blame.partners));
		} else {
			buf_putc(&out, ' ');
			put_loss(e->key, e->blame.loss, &out);
			put_tests(c, &e->blame, &out);
			put_sureness(&e->blame, &out);
			put_alone(e->key, &e->blame, &out);
		}
		put_also(c, &out);
	}
	free(c->text);
	c->text = out.len ? buf_detach(&out) : hb_strdup("");
	buf_free(&out);
}
