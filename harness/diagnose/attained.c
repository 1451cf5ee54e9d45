/* What a run's figures show of the interconnect, node by node, against what is promised. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/num.h"
#include "harness/diagnose/expected_parts.h"

static const char class_same_node[] = "same-node", cluster_name[] = "cluster";

/* A subject of the summary, while it is looked at. */
struct seen {
	const char *subject;
	uint64_t lat_bytes[2], rate_bytes[2]; /* 0: within the node, 1: over a wire */
	double lat_ns[2], rate[2];
	struct wire_promise promise;
	size_t promised_by, of_nodes; /* of the cluster */
};
struct subjects {
	struct seen *v; /* by name, the cluster first */
	size_t n;
};

static int by_subject(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	bool cx = strcmp(x->subject, cluster_name) == 0, cy = strcmp(y->subject, cluster_name) == 0;

	return cx != cy ? cy - cx : strcmp(x->subject, y->subject);
}

static void list_subjects(const struct summary *s, struct subjects *out)
{
	size_t n = 0;

	out->v = hb_alloc((s->n_rows + 1) * sizeof(*out->v));
	for (size_t i = 0; i < s->n_rows; i++)
		out->v[i] = (struct seen){ .subject = s->rows[i].subject,
			                   .lat_ns = { NAN, NAN },
			                   .rate = { NAN, NAN } };
	if (s->n_rows)
		qsort(out->v, s->n_rows, sizeof(*out->v), by_subject);
	for (size_t i = 0; i < s->n_rows; i++)
		if (i == 0 || by_subject(&out->v[n - 1], &out->v[i]) != 0)
			out->v[n++] = out->v[i];
	out->n = n;
}

static struct seen *subject_find(const struct subjects *all, const char *name)
{
	struct seen key = { .subject = name };

	return all->n ? bsearch(&key, all->v, all->n, sizeof(*all->v), by_subject) : NULL;
}

static bool is_good(const struct summary_row *r)
{
	return r->phase == PHASE_MAIN && r->quality == ROW_OK && isfinite(r->value) && r->value > 0;
}

/* Of several rows of one size (options, partners' classes, leaves) the best counts. */
static void look_at(const struct summary_row *r, struct seen *x)
{
	const struct bench_info *info = catalog_find(r->key.bench);
	size_t w = strcmp(r->key.class_, class_same_node) != 0;
	uint64_t bytes = r->key.bytes;

	if (!info || info->shape != BENCH_PAIR || strcmp(info->metrics[0].name, r->key.metric) != 0)
		return;
	if (info->flags & BENCH_ROUND_TRIP && r->unit == UNIT_NS && bytes <= ATTAINED_SMALL) {
		bool first = isnan(x->lat_ns[w]) || bytes < x->lat_bytes[w];
		if (first || (bytes == x->lat_bytes[w] && r->value < x->lat_ns[w])) {
			x->lat_ns[w] = r->value;
			x->lat_bytes[w] = bytes;
		}
	} else if (info->flags & BENCH_WINDOWED && r->unit == UNIT_BPS && bytes >= ATTAINED_LARGE) {
		bool first = isnan(x->rate[w]) || bytes > x->rate_bytes[w];
		if (first || (bytes == x->rate_bytes[w] && r->value > x->rate[w])) {
			x->rate[w] = r->value;
			x->rate_bytes[w] = bytes;
		}
	}
}

/* ---- promises ---- */

/* The cluster's is that of most of its nodes, of two that as many have the slower. */
static void promise_of_cluster(struct subjects *all, const struct expected *e)
{
	struct seen *cluster = subject_find(all, cluster_name);
	size_t wireless = 0, nodes = 0;

	if (!cluster)
		return;
	for (size_t i = 0; i < all->n; i++) {
		nodes += &all->v[i] != cluster;
		wireless += all->v[i].promise.no_wire;
	}
	for (size_t c = 0; c < e->n_classes; c++) {
		size_t n = 0;
		const struct seen *one = NULL;
		for (size_t i = 0; i < all->n; i++) {
			if (&all->v[i] == cluster || all->v[i].promise.class_ != &e->classes[c])
				continue;
			one = one ? one : &all->v[i];
			n++;
		}
		double was = cluster->promise.class_ ? cluster->promise.class_->rate_Bps : 0;
		if (n > cluster->promised_by ||
		    (one && n == cluster->promised_by && e->classes[c].rate_Bps < was)) {
			cluster->promise = one->promise;
			cluster->promised_by = n;
		}
	}
	cluster->of_nodes = nodes;
	cluster->promise.no_wire = nodes > 0 && wireless == nodes;
}

static void find_promises(const struct expected *e, const struct facts *f, struct subjects *all)
{
	for (size_t i = 0; f && i < all->n; i++) {
		size_t node = facts_find_node(f, all->v[i].subject);
		if (node != SIZE_MAX)
			wire_promise_of(e, f, node, &all->v[i].promise);
	}
	promise_of_cluster(all, e);
}

/* ---- rows ---- */

static void put_figures(const struct attained_row *r, struct buf *out)
{
	char text[64];

	if (!isnan(r->rate_Bps)) {
		units_format(UNIT_BPS, r->rate_Bps, text, sizeof(text));
		buf_puts(out, text);
	}
	if (!isnan(r->lat_s)) {
		units_format(UNIT_NS, r->lat_s * 1e9, text, sizeof(text));
		buf_printf(out, "%s%s", out->len ? ", " : "", text);
	}
}

static void put_promise(const struct attained_row *r, const struct seen *x, struct buf *out)
{
	buf_printf(out, "%s promises", r->device);
	if (x->promised_by && x->promised_by < x->of_nodes)
		buf_printf(out, " on %zu of %zu nodes", x->promised_by, x->of_nodes);
}

static void put_reached(const struct attained_row *r, struct buf *out)
{
	char text[64];

	units_format(UNIT_BPS, r->promise->rate_Bps * r->promise->reach, text, sizeof(text));
	buf_printf(out, "%s (%s", r->promise->title, text);
	units_format(UNIT_NS, r->promise->lat_max_s * 1e9, text, sizeof(text));
	buf_printf(out, ", at most %s)", text);
}

static char *why_of(const struct attained_row *r, const struct seen *x, bool within)
{
	struct buf out = BUF_INIT;
	const char *is = r->is ? r->is->title : NULL;

	put_figures(r, &out);
	if (within)
		buf_printf(&out, " within one node: %s",
		           is ? is : "slower than shared memory, which is that of TCP or a wire");
	else if (x->promise.no_wire)
		buf_puts(&out, ": no wire, the devices that are up are virtual");
	else if (!r->promise)
		buf_printf(&out, ": %s; what the hardware promises is not known",
		           is ? is : "of which kind cannot be told");
	else if (!r->below) {
		buf_printf(&out, ": %s%s", is ? is : "of which kind cannot be told",
		           r->is == r->promise ? ", as " : "; ");
		put_promise(r, x, &out);
		if (r->is != r->promise)
			buf_printf(&out, " %s", r->promise->title);
	} else if (r->is && r->is != r->promise) {
		buf_printf(&out, ": %s; ", is);
		put_promise(r, x, &out);
		buf_putc(&out, ' ');
		put_reached(r, &out);
	} else {
		char share[32];
		num_format(share, sizeof(share), "%.0f", 100 * r->rate_share);
		buf_printf(&out, ": %s %% of what ", share);
		put_promise(r, x, &out);
		buf_putc(&out, ' ');
		put_reached(r, &out);
	}
	return buf_detach(&out);
}

static void add_row(const struct expected *e, const struct seen *x, struct attained *out)
{
	bool within = isnan(x->lat_ns[1]) && isnan(x->rate[1]);
	size_t w = !within;
	struct attained_row r = { .subject = hb_strdup(x->subject),
		                  .lat_s = x->lat_ns[w] / 1e9,
		                  .rate_Bps = x->rate[w],
		                  .rate_share = NAN };

	if (within) {
		for (size_t i = 0; i < e->n_classes && !r.is; i++)
			if (e->classes[i].coarse == WIRE_MEMORY &&
			    (isnan(r.lat_s) || r.lat_s <= e->classes[i].lat_max_s))
				r.is = &e->classes[i];
	} else {
		r.promise = x->promise.class_;
		r.device = hb_strdup(x->promise.device);
		if (!x->promise.no_wire)
			r.is = wire_classify(e, r.lat_s, r.rate_Bps, r.promise);
		r.below = wire_below(r.is, r.rate_Bps, r.promise, &r.rate_share);
	}
	r.why = why_of(&r, x, within);
	hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	out->v[out->n++] = r;
}

/* ---- figures that are missed ---- */

static bool figure_is_of(const struct expected_figure *f, const struct summary_row *r,
                         const struct seen *x)
{
	const struct key *k = &r->key;
	bool same_node = strcmp(k->class_, class_same_node) == 0;

	if (strcmp(f->bench, k->bench) != 0 || k->bytes < f->bytes_min || k->bytes > f->bytes_max ||
	    (f->nodes && f->nodes != k->nodes))
		return false;
	if (f->where && same_node != (strcmp(f->where, class_same_node) == 0))
		return false;
	if (f->wire && (!x->promise.class_ || strcmp(f->wire, x->promise.class_->name) != 0))
		return false;
	const struct bench_info *info = catalog_find(k->bench);
	const char *metric = f->metric ? f->metric : info ? info->metrics[0].name : "";
	return strcmp(metric, k->metric) == 0 && fnmatch(f->hardware, k->hw, FNM_NOESCAPE) == 0;
}

/* Above 1: within the bound. A figure has one bound that matters: the nearer. */
static double ratio_of(const struct expected_figure *f, const struct summary_row *r)
{
	double scale = r->unit == UNIT_NS ? 1e9 : 1; /* bounds are in seconds */
	double v = r->value / scale;
	double low = isnan(f->at_least) ? INFINITY : v / f->at_least;
	double high = isnan(f->at_most) ? INFINITY : f->at_most / v;

	return fmin(low, high);
}

static void find_misses(const struct expected_figure *f, const struct summary *s,
                        const struct subjects *all, struct attained *out)
{
	double *best = hb_alloc((all->n + 1) * sizeof(*best)), *value = NULL;

	value = hb_alloc((all->n + 1) * sizeof(*value));
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct summary_row *r = &s->rows[i];
		struct seen *x = subject_find(all, r->subject);
		if (!x || !is_good(r) || !figure_is_of(f, r, x))
			continue;
		size_t at = (size_t)(x - all->v);
		double ratio = ratio_of(f, r);
		if (ratio > best[at]) {
			best[at] = ratio;
			value[at] = r->unit == UNIT_NS ? r->value / 1e9 : r->value;
		}
	}
	for (size_t i = 0; i < all->n; i++) {
		if (!(best[i] > 0 && best[i] < 1))
			continue;
		hb_grow(&out->misses, &out->cap_misses, out->n_misses + 1, sizeof(*out->misses));
		out->misses[out->n_misses++] = (struct attained_miss){ f,
			                                               hb_strdup(all->v[i].subject),
			                                               value[i], best[i] };
	}
	free(best);
	free(value);
}

static bool has_bench(const struct summary *s, const char *bench)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].key.bench, bench) == 0)
			return true;
	return false;
}

void attained_make(const struct expected *e, const struct summary *s, const struct facts *f,
                   struct attained *out)
{
	struct subjects all;

	*out = (struct attained){ 0 };
	list_subjects(s, &all);
	find_promises(e, f, &all);
	for (size_t i = 0; i < s->n_rows; i++) {
		struct seen *x = is_good(&s->rows[i]) ? subject_find(&all, s->rows[i].subject)
		                                      : NULL;
		if (x)
			look_at(&s->rows[i], x);
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct seen *x = &all.v[i];
		if (!isnan(x->lat_ns[0]) || !isnan(x->lat_ns[1]) || !isnan(x->rate[0]) ||
		    !isnan(x->rate[1]))
			add_row(e, x, out);
	}
	for (size_t i = 0; i < e->n_figures; i++) {
		const struct expected_figure *one = &e->figures[i];
		if ((!isnan(one->at_least) || !isnan(one->at_most)) && has_bench(s, one->bench))
			find_misses(one, s, &all, out);
	}
	free(all.v);
}

const struct attained_row *attained_of(const struct attained *a, const char *subject)
{
	for (size_t i = 0; a && i < a->n; i++)
		if (strcmp(a->v[i].subject, subject) == 0)
			return &a->v[i];
	return NULL;
}

void attained_free(struct attained *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].subject);
		free(a->v[i].device);
		free(a->v[i].why);
	}
	for (size_t i = 0; i < a->n_misses; i++)
		free(a->misses[i].subject);
	free(a->v);
	free(a->misses);
	*a = (struct attained){ 0 };
}
