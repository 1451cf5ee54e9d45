/* A sink that keeps what is told, and says what that was. */
#ifndef HPCBENCH_TESTS_FACTS_HEARD_H
#define HPCBENCH_TESTS_FACTS_HEARD_H

#include <stddef.h>

#include "bench/core/fact_sink.h"

struct heard_fact {
	char *device, *key, *value, *source; /* value NULL: could not be had */
};
struct heard {
	struct heard_fact *v;
	size_t n, cap;
};

struct fact_sink heard_sink(struct heard *h);
void heard_free(struct heard *h);
/* NULL: not told. The first of several. */
const struct heard_fact *heard_find(const struct heard *h, const char *device, const char *key);
size_t heard_count(const struct heard *h, const char *device, const char *key);
/* Fail the test unless the fact was told with that value, could not be had, was not told. */
void heard_is(const struct heard *h, const char *device, const char *key, const char *value);
void heard_unknown(const struct heard *h, const char *device, const char *key, const char *why);
void heard_nothing(const struct heard *h, const char *device, const char *key);
/* Every fact has a row in the catalog that fits its device and its value, and a source. */
void heard_check(const struct heard *h);

#endif
