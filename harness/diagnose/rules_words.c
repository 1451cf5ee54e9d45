/* What a test asks, in words. */
#include <math.h>

#include "bench/base/num.h"
#include "bench/base/units.h"
#include "harness/diagnose/rules_parts.h"

static void put_number(double v, struct buf *out)
{
	char text[NUM_TEXT];
	num_shortest(v, text);
	buf_puts(out, text);
}

static void put_list(const struct rule_words *w, struct buf *out)
{
	for (size_t i = 0; i < w->n; i++)
		buf_printf(out, "%s%s", i ? i + 1 == w->n ? " or " : ", " : "", w->v[i]);
}

static void put_value(const struct rule_test *t, struct buf *out)
{
	const struct {
		const struct rule_words *w;
		const char *words;
	} lists[] = { { &t->is, "is" },
		      { &t->not, "is not" },
		      { &t->like, "is like" },
		      { &t->unlike, "is not like" } };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (!lists[i].w->n)
			continue;
		buf_printf(out, " %s ", lists[i].words);
		put_list(lists[i].w, out);
	}
	if (t->said & FIELD(ABOVE)) {
		buf_puts(out, " is above ");
		put_number(t->above, out);
	}
	if (t->said & FIELD(BELOW)) {
		buf_puts(out, t->said & FIELD(ABOVE) ? " and below " : " is below ");
		put_number(t->below, out);
	}
	if (t->said & FIELD(KNOWN))
		buf_puts(out, t->known ? " is known" : " could not be had");
}

static void put_bench(const struct rule_test *t, struct buf *out)
{
	if (t->bench.n)
		put_list(&t->bench, out);
	else
		buf_puts(out, "any benchmark");
}

static void put_wire(const struct rule_test *t, struct buf *out)
{
	const char *side = t->said & FIELD(ABOVE) ? "more" : "less";
	char share[32];

	units_format_percent(t->said & FIELD(ABOVE) ? t->above : t->below, share, sizeof share);
	if (t->said & FIELD(MAIN)) {
		buf_printf(out, "%s than %s of the node's bytes went over a device that %s", side,
		           share,
		           t->main == MAIN_DIFFERS ? "is not the one of its peers"
		                                   : "is slower than another one");
		return;
	}
	buf_printf(out, "%s than %s of the node's bytes went over ", side, share);
	if (t->device.n)
		put_list(&t->device, out);
	else if (t->net_kind.n) {
		put_list(&t->net_kind, out);
		buf_puts(out, " devices");
	} else if (t->said & FIELD(PORT))
		buf_puts(out, t->port ? "RDMA ports" : "the kernel's network");
	else
		buf_puts(out, "this device");
}

static void put_loss(double loss, struct buf *out)
{
	char text[32];
	if (!(loss > 0))
		return;
	units_format_percent(loss, text, sizeof text);
	buf_printf(out, " by at least %s", text);
}

static void put_counter(const struct rule_test *t, struct buf *out)
{
	static const char *const per[] = { "", " a second", " a GB of traffic" };

	buf_puts(out, t->kind == TEST_STILL ? "no counter moved of " : "counter ");
	put_list(&t->name, out);
	if (t->kind == TEST_COUNTER) {
		buf_puts(out, " moved by more than ");
		put_number(t->above, out);
		buf_puts(out, per[t->per]);
	}
}

static void put_figures(const struct rule_test *t, struct buf *out)
{
	char size[32] = "";

	put_bench(t, out);
	if (t->kind == TEST_FINE) {
		buf_puts(out, " was measured and is not slow");
		return;
	}
	if (t->kind == TEST_NOISY) {
		buf_puts(out, " has a tail more than ");
		put_number(t->above, out);
		buf_puts(out, " times that of the others");
		return;
	}
	if (t->kind == TEST_GROWS) {
		units_format_bytes((uint64_t)t->from, size, sizeof size);
		buf_printf(out, " is slow above %s and not below",
		           t->from_key ? t->from_key : size);
		put_loss(t->loss, out);
		return;
	}
	buf_puts(out, " is slow");
	put_loss(t->loss, out);
	if (t->kinds.n) {
		buf_puts(out, " (");
		put_list(&t->kinds, out);
		buf_putc(out, ')');
	}
}

static void put_class(const struct rule_test *t, struct buf *out)
{
	buf_puts(out, "the figures show ");
	if (t->achieved.n)
		put_list(&t->achieved, out);
	if (t->said & FIELD(BELOW_PROMISED)) {
		buf_puts(out, t->achieved.n ? ", " : "");
		buf_puts(out, t->below_promised ? "less than the hardware promises"
		                                : "what the hardware promises");
	}
}

static void put_fact(const struct rule_test *t, struct buf *out)
{
	static const char *const than_peers[] = { "differs from its peers", "is below its peers'",
		                                  "is above its peers'" };
	static const char *const than_before[] = { "is not what the baseline has",
		                                   "is below what the baseline has",
		                                   "is above what the baseline has" };
	buf_puts(out, t->key);
	if (t->device.n) {
		buf_puts(out, " of ");
		put_list(&t->device, out);
	}
	if (t->kind == TEST_FACT)
		put_value(t, out);
	else if (t->kind == TEST_DIFFERS) {
		buf_printf(out, " %s", than_peers[t->direction]);
		buf_puts(out, t->peers.n ? ", which have " : "");
		put_list(&t->peers, out);
	} else if (t->kind == TEST_CHANGED)
		buf_printf(out, " %s", than_before[t->direction]);
	else if (t->kind == TEST_SHARED)
		buf_puts(out, " is also that of another node");
	else if (t->kind == TEST_ENDS)
		buf_puts(out, " differs between the two ends");
	else {
		buf_puts(out, " is less than ");
		if (t->said & FIELD(FACTOR)) {
			put_number(t->factor, out);
			buf_puts(out, " times ");
		}
		buf_puts(out, t->than);
	}
}

void rule_test_words(const struct rule_test *t, struct buf *out)
{
	static const char *const of[] = { "", " (of the node)", " (of the device)",
		                          " (of any device)", " (of all other nodes)" };
	char share[32];

	switch (t->kind) {
	case TEST_FACT:
	case TEST_DIFFERS:
	case TEST_CHANGED:
	case TEST_LESS:
	case TEST_SHARED:
	case TEST_ENDS: put_fact(t, out); break;
	case TEST_COUNTER:
	case TEST_STILL: put_counter(t, out); break;
	case TEST_WIRE: put_wire(t, out); break;
	case TEST_FOREIGN:
		units_format_percent(t->above, share, sizeof share);
		buf_printf(out, "more than %s of the node's bytes are not the run's own", share);
		break;
	case TEST_SLOW:
	case TEST_FINE:
	case TEST_GROWS:
	case TEST_NOISY: put_figures(t, out); break;
	case TEST_CLASS: put_class(t, out); break;
	case TEST_EXPECT:
		put_list(&t->figure, out);
		buf_puts(out, " is missed");
		if (t->said & FIELD(BELOW)) {
			units_format_percent(t->below, share, sizeof share);
			buf_printf(out, ": below %s of it", share);
		}
		break;
	case TEST_EVENT:
		buf_puts(out, "the run told the event ");
		put_list(&t->code, out);
		if (t->text.n) {
			buf_puts(out, " with ");
			put_list(&t->text, out);
		}
		break;
	case TEST_KINDS: break;
	}
	buf_puts(out, of[t->of]);
	if (t->said & FIELD(SHARE)) {
		units_format_percent(t->share, share, sizeof share);
		buf_printf(out, " (on at least %s of the nodes)", share);
	}
}

bool rule_words(const struct rule *r, bool when, size_t i, struct buf *out)
{
	if (i >= (when ? r->n_when : r->n_unless))
		return false;
	rule_test_words(when ? &r->when[i] : &r->unless[i], out);
	return true;
}
