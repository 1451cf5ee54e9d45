/* Is what stands out in some sheets of a run more than chance? The rule is told in findings.h. */
#include <math.h>
#include <string.h>

#include "bench/base/dist.h"
#include "harness/localize/findings_parts.h"

/* Share of runs of healthy nodes in which chance may name somebody, and what one sheet alone must
 * have more, see findings.h. */
static const double false_runs = 0.005, alone = 1.3, s_least = 0.001;

/* Grubbs' limit for the outermost of n in as many sheets. */
static double limit(double n, double df, double sheets)
{
	return df > 0 ? -dist_t_quantile(false_runs / (n * sheets), df) : INFINITY;
}

/* How many s.d. of the rest a node's or link's loss is; 0: too few to tell. */
static double excess(const struct localized *l, const struct loc_blame *b)
{
	bool link = findings_class(b->kind) == ABOUT_LINK;
	const struct loc_rest *rest = link ? &l->rest_links : &l->rest_nodes;
	double y = log1p(-b->loss), n = (double)rest->n;

	if (rest->n < 2)
		return 0;
	/* A link's loss is one against its ends, a node's one against the median. */
	y -= link ? rest->mean : rest->mean - l->median;
	return fmax(-y / (fmax(rest->s, s_least) * sqrt(1 + 1 / n)), 0);
}

/* Beyond the limit of a sheet that is not alone; or of one that is. */
static bool is_beyond(const struct evidence *e, double sheets, bool one)
{
	const struct localized *l = e->found;
	const struct loc_rest *rest = findings_class(e->blame.kind) == ABOUT_LINK ? &l->rest_links
	                                                                          : &l->rest_nodes;
	double n = (double)rest->n + 1;

	return excess(l, &e->blame) >
	       (one ? alone * limit(n, rest->df / 2, sheets) : limit(n, rest->df, sheets));
}

static bool is_sure(const struct culprit *c, size_t sheets)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct evidence *e = &c->evidence[i];
		enum blame_class class = findings_class(e->blame.kind);

		if ((class != ABOUT_NODE && class != ABOUT_LINK) ||
		    is_beyond(e, (double)sheets, true))
			return true;
		for (size_t k = 0; k < i && is_beyond(e, (double)sheets, false); k++)
			if (strcmp(c->evidence[k].key->bench, e->key->bench) == 0 &&
			    is_beyond(&c->evidence[k], (double)sheets, false))
				return true;
	}
	return false;
}

void findings_weigh(struct findings *f)
{
	size_t sheets = 0;

	for (size_t i = 0; i < f->n_found; i++)
		sheets += f->found[i].nodes != NULL;
	for (size_t i = 0; i < f->n; i++)
		f->v[i].unsure = !is_sure(&f->v[i], sheets);
}
