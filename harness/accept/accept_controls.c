#include <string.h>

#include "bench/base/mem.h"
#include "harness/accept/accept.h"

/* How well the class fits: 0 it is known to, 1 not known, 2 it does not. */
static int fit_of(const struct accept_candidate *c, const char *const *new_hw, size_t n_new)
{
	bool any = false;

	for (size_t i = 0; c->hw && i < n_new; i++) {
		if (!new_hw[i])
			continue;
		if (strcmp(new_hw[i], c->hw) == 0)
			return 0;
		any = true;
	}
	return any ? 2 : 1;
}

size_t accept_choose_controls(const struct accept_candidate *v, size_t n, const char *const *new_hw,
                              size_t n_new, size_t *chosen)
{
	size_t want = n_new < ACCEPT_AUTO_MIN   ? ACCEPT_AUTO_MIN
	              : n_new > ACCEPT_AUTO_MAX ? ACCEPT_AUTO_MAX
	                                        : n_new;
	size_t k = 0;

	for (int known = ACCEPT_IN_BASELINE; known <= ACCEPT_NEVER_SEEN; known++)
		for (int fit = 0; fit < 2; fit++)
			for (size_t i = 0; i < n && k < want; i++)
				if ((int)v[i].known == known && fit_of(&v[i], new_hw, n_new) == fit)
					chosen[k++] = i;
	return k;
}
