/*
 * Numbers and text that no locale can change. json and units stand on it; others use those.
 */
#ifndef HPCBENCH_BASE_NUM_H
#define HPCBENCH_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"

enum { NUM_TEXT = 32 };

/*
 * Reads the decimal number text begins with ([+-] digits [. digits] [e [+-] digits]; no blanks,
 * hexadecimal, infinity or NaN) and sets *end behind it. False when there is none or when it is
 * too large for a double.
 */
bool num_parse(const char *text, const char **end, double *out);

/*
 * The shortest text of 15 to 17 digits that reads back as exactly v; whole numbers below 10^15
 * without a point. v must be finite. -0 gives "-0.0", which keeps its sign in JSON.
 */
void num_shortest(double v, char out[NUM_TEXT]);

/* The decimal digits of v; returns their number. */
size_t num_u64(uint64_t v, char out[NUM_TEXT]);

/* snprintf with a point as the decimal sign, whatever the locale. */
int num_format(char *out, size_t n, const char *fmt, ...) HB_PRINTF(3, 4);

#endif
