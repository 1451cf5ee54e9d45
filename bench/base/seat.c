#include "bench/base/seat.h"

#include <string.h>

int seat_find(const char *const *host, const bool *taken, int n, const char *name, int local,
              bool *stranger)
{
	int first = -1, any = -1, place = 0;

	*stranger = false;
	for (int i = 0; i < n; i++) {
		if (strcmp(host[i], name) == 0) {
			if (place++ == local && !taken[i])
				return i;
			if (first < 0 && !taken[i])
				first = i;
		}
		if (any < 0 && !taken[i])
			any = i;
	}
	*stranger = first < 0;
	return first >= 0 ? first : any;
}
