#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "tests/unit/rows.h"

void rows_begin(struct summary *s, const char *run)
{
	summary_init(s);
	s->run = hb_strdup(run);
}

static void fill(struct summary_row *r, const char *bench, uint64_t bytes, const char *subject,
                 double value)
{
	r->key.bench = hb_strdup(bench);
	r->key.metric = hb_strdup("algbw_Bps");
	r->key.opts = hb_strdup("{\"window\":64}");
	r->key.class_ = hb_strdup("remote");
	r->key.hw = hb_strdup("hw-1");
	r->key.bytes = bytes;
	r->key.nodes = 2;
	r->key.rpn = 1;
	key_make(&r->key);
	r->subject = hb_strdup(subject);
	r->unit = UNIT_BPS;
	r->higher_is_better = true;
	r->judged = true;
	r->floor = 0.03;
	r->value = value;
	r->n = 100;
}

struct summary_row *rows_add(struct summary *s, const char *bench, uint64_t bytes,
                             const char *subject, double value)
{
	struct summary_row *r = summary_add_row(s, false);

	fill(r, bench, bytes, subject, value);
	json_object_object_add(s->hw, subject, json_object_new_string("hw-1"));
	return r;
}

struct summary_row *rows_add_confirm(struct summary *s, enum phase phase, int repeat,
                                     const char *bench, uint64_t bytes, const char *subject,
                                     double value)
{
	struct summary_row *r = summary_add_row(s, true);

	fill(r, bench, bytes, subject, value);
	r->phase = phase;
	r->repeat = repeat;
	return r;
}

void rows_partner(struct summary_row *r, const char *partner)
{
	free(r->partner);
	r->partner = hb_strdup(partner);
}

void rows_loss(struct summary *s, const char *subject, const char *bench, const char *reason)
{
	struct summary_loss *l;

	hb_grow(&s->losses, &s->cap_losses, s->n_losses + 1, sizeof(*s->losses));
	l = &s->losses[s->n_losses++];
	memset(l, 0, sizeof(*l));
	l->subject = hb_strdup(subject);
	l->bench = hb_strdup(bench);
	l->reason = hb_strdup(reason);
	l->status = UNIT_TIMEOUT;
}

void rows_site(struct summary *s, const char *run, unsigned t, double spread, double factor)
{
	static const char *const nodes[] = { "n1", "n2", "n3", "n4" };
	static const char *const benches[] = { "x.a", "x.b" };

	rows_begin(s, run);
	for (unsigned b = 0; b < 2; b++) {
		for (unsigned k = 0; k < 3; k++) {
			for (unsigned i = 0; i < 4; i++) {
				struct rng r;
				double v = 1e9;

				rng_stream(&r, 11, t, b * 100 + k * 10 + i);
				v *= exp(spread * rng_normal(&r));
				if (b == 0 && i == 1)
					v *= factor;
				rows_add(s, benches[b], 1024u << (2 * k), nodes[i], v);
			}
		}
	}
}

void rows_baseline(unsigned n, double spread, struct baseline *out)
{
	struct summary runs[ROWS_RUNS_MAX];
	const struct summary *list[ROWS_RUNS_MAX] = { NULL };

	for (unsigned t = 0; t < n; t++) {
		char id[16];

		snprintf(id, sizeof(id), "old-%u", t);
		rows_site(&runs[t], id, t, spread, 1.0);
		list[t] = &runs[t];
	}
	baseline_build(list, n, out);
	for (unsigned t = 0; t < n; t++)
		summary_free(&runs[t]);
}

const struct base_entry *rows_entry(const struct baseline *b, const char *key_text,
                                    enum subject_kind kind)
{
	size_t i = baseline_find_near(b, key_text, kind, 0);

	return i == SIZE_MAX ? NULL : &b->entries[i];
}

const struct verdict_row *rows_find(const struct verdicts *v, const char *bench, uint64_t bytes,
                                    const char *subject)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].key->bytes == bytes && strcmp(v->rows[i].key->bench, bench) == 0 &&
		    strcmp(v->rows[i].subject, subject) == 0)
			return &v->rows[i];
	return NULL;
}

void rows_judge(const struct baseline *b, const struct summary *s, struct verdicts *v)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	const struct summary *list[] = { s };

	compare_runs(b, list, 1, &params, v);
}

void rows_expect(const struct verdicts *v, const char *bench, uint64_t bytes, const char *subject,
                 enum verdict want)
{
	const struct verdict_row *r = rows_find(v, bench, bytes, subject);

	assert_non_null(r);
	if (r->verdict != want)
		fail_msg("%s %s: %s, not %s (p %g, loss %g, mde %g: %s)", bench, subject,
		         verdict_name(r->verdict), verdict_name(want), r->p, r->loss, r->mde,
		         r->note);
}

int rows_code(const struct verdicts *v)
{
	struct code_input in = { .verdicts = v, .baseline_asked = true };

	return code_of(&in);
}
