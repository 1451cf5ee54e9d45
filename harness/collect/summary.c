#include "harness/collect/summary.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

const char *row_quality_name(enum row_quality q)
{
	static const char *const names[] = { "ok", "invalid", "disturbed", "not-measured" };

	return (unsigned)q < sizeof(names) / sizeof(names[0]) ? names[q] : "unknown";
}

int row_quality_parse(const char *text, enum row_quality *out)
{
	for (int q = ROW_OK; q <= ROW_NOT_MEASURED; q++) {
		if (strcmp(text, row_quality_name((enum row_quality)q)) == 0) {
			*out = (enum row_quality)q;
			return HB_OK;
		}
	}
	return HB_E_FORMAT;
}

static const char *const unit_names[] = { "ns", "Bps", "per_s", "bytes", "count", "ratio" };

const char *summary_unit_name(enum unit u)
{
	return (unsigned)u < sizeof(unit_names) / sizeof(unit_names[0]) ? unit_names[u] : "unknown";
}

int summary_unit_parse(const char *text, enum unit *out)
{
	for (size_t u = 0; u < sizeof(unit_names) / sizeof(unit_names[0]); u++) {
		if (strcmp(text, unit_names[u]) == 0) {
			*out = (enum unit)u;
			return HB_OK;
		}
	}
	return HB_E_FORMAT;
}

void summary_init(struct summary *s)
{
	memset(s, 0, sizeof(*s));
	s->fingerprint = json_object_new_object();
	s->hw = json_object_new_object();
}

struct summary_row *summary_add_row(struct summary *s, bool confirm)
{
	struct summary_row *r;

	if (confirm) {
		hb_grow(&s->confirm, &s->cap_confirm, s->n_confirm + 1, sizeof(*r));
		r = &s->confirm[s->n_confirm++];
	} else {
		hb_grow(&s->rows, &s->cap_rows, s->n_rows + 1, sizeof(*r));
		r = &s->rows[s->n_rows++];
	}
	memset(r, 0, sizeof(*r));
	r->value = r->lo = r->hi = r->p95 = r->p99 = r->spread = NAN;
	r->phase = confirm ? PHASE_CONFIRM : PHASE_MAIN;
	return r;
}

void summary_row_free(struct summary_row *r)
{
	key_free(&r->key);
	free(r->subject);
	free(r->reason);
	free(r->worst_partner);
	free(r->partner);
	memset(r, 0, sizeof(*r));
}

void summary_free(struct summary *s)
{
	for (size_t i = 0; i < s->n_rows; i++)
		summary_row_free(&s->rows[i]);
	for (size_t i = 0; i < s->n_confirm; i++)
		summary_row_free(&s->confirm[i]);
	for (size_t i = 0; i < s->n_worst; i++) {
		key_free(&s->worst[i].key);
		free(s->worst[i].a);
		free(s->worst[i].b);
		free(s->worst[i].dir);
	}
	for (size_t i = 0; i < s->n_losses; i++) {
		free(s->losses[i].subject);
		free(s->losses[i].bench);
		free(s->losses[i].reason);
	}
	free(s->rows);
	free(s->confirm);
	free(s->worst);
	free(s->losses);
	free(s->run);
	js_put(s->parts);
	free(s->suite);
	free(s->label);
	free(s->started);
	free(s->cluster);
	free(s->user);
	free(s->later);
	free(s->shard_of);
	js_put(s->fingerprint);
	js_put(s->hw);
	js_put(s->facts);
	js_put(s->notes);
	memset(s, 0, sizeof(*s));
}
