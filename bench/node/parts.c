#include "bench/node/parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/stat.h"

struct part {
	int id;
	uint64_t n; /* pushed so far */
	double ns[PARTS_KEPT];
};

struct parts {
	const char *of;
	struct part *v;
	int n;
};

struct slow {
	int part;
	double p50;
};

struct parts *parts_new(const char *of, const int *ids, int n)
{
	struct parts *p = hb_alloc(sizeof(*p));

	p->of = of;
	p->n = n;
	p->v = hb_alloc((size_t)n * sizeof(*p->v));
	for (int i = 0; i < n; i++)
		p->v[i].id = ids[i];
	return p;
}

void parts_clear(struct parts *p)
{
	for (int i = 0; i < p->n; i++)
		p->v[i].n = 0;
}

void parts_push(struct parts *p, int part, double ns)
{
	struct part *v = &p->v[part];

	v->ns[v->n++ % PARTS_KEPT] = ns;
}

static int slower_first(const void *a, const void *b)
{
	const struct slow *x = a, *y = b;

	if (x->p50 < y->p50 || x->p50 > y->p50)
		return x->p50 < y->p50 ? 1 : -1;
	return x->part - y->part;
}

json_object *parts_json(const struct parts *p, void (*more)(void *ctx, int part, json_object *o),
                        void *ctx)
{
	static const double at[] = { 0, 0.25, 0.5, 0.75, 1 };
	struct slow *slow = hb_alloc((size_t)p->n * sizeof(*slow));
	double *p50 = hb_alloc((size_t)p->n * sizeof(*p50));
	json_object *o = NULL, *quantiles, *latest;
	int n = 0;

	for (int i = 0; i < p->n; i++) {
		size_t kept = p->v[i].n < PARTS_KEPT ? (size_t)p->v[i].n : PARTS_KEPT;

		if (kept == 0)
			continue;
		p50[n] = stat_median(p->v[i].ns, kept);
		slow[n] = (struct slow){ i, p50[n] };
		n++;
	}
	if (n > 0) {
		o = json_object_new_object();
		quantiles = json_object_new_array();
		latest = json_object_new_array();
		for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
			json_object_array_add(quantiles,
			                      js_f64(stat_quantile(p50, (size_t)n, at[i])));
		qsort(slow, (size_t)n, sizeof(*slow), slower_first);
		for (int i = 0; i < n && i < PARTS_LATEST; i++) {
			json_object *one = json_object_new_object();

			js_set_i64(one, p->of, p->v[slow[i].part].id);
			js_set_f64(one, "p50", slow[i].p50);
			if (more)
				more(ctx, slow[i].part, one);
			json_object_array_add(latest, one);
		}
		js_set_str(o, "of", p->of);
		js_set_obj(o, "p50", quantiles);
		js_set_obj(o, "latest", latest);
	}
	free(slow);
	free(p50);
	return o;
}

void parts_free(struct parts *p)
{
	if (!p)
		return;
	free(p->v);
	free(p);
}
