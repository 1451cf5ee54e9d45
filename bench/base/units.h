/*
 * Text <-> numbers with units. Data are always SI base units (bytes, ns, bytes/s); these functions
 * stand at the edges: option values in, a renderer's figures out. Locale-independent.
 */
#ifndef HPCBENCH_BASE_UNITS_H
#define HPCBENCH_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"

enum unit { UNIT_NS, UNIT_BPS, UNIT_PER_S, UNIT_BYTES, UNIT_COUNT, UNIT_RATIO };

/*
 * "8", "64K", "64Ki", "64KiB" (2^10 multiples, up to Ti) and "64KB", "64kB" (10^3 multiples), as
 * coreutils reads them. Whole bytes only; no sign, no fraction.
 */
int units_parse_bytes(const char *text, uint64_t *out, struct hb_err *err);

/* "10", "10s", "200ms", "50us", "900ns", "5m", "2h", fractions allowed; a bare number is seconds.
 */
int units_parse_seconds(const char *text, double *seconds, struct hb_err *err);

/* A finite decimal number and nothing else. */
int units_parse_number(const char *text, double *out, struct hb_err *err);

/* "1%" or "0.01" -> 0.01. */
int units_parse_ratio(const char *text, double *out, struct hb_err *err);

/* A list of message sizes, ascending and without repetition. */
struct sizes {
	uint64_t *v;
	size_t n;
};
enum { SIZES_MAX = 1024 };

/*
 * "8", "8,1Ki,1Mi", "8..1Mi" (factor 2), "8..1Mi:x4" (factor 4), "0,8..64" in any mixture.
 * The upper end is included even where the factor skips it. The caller frees with sizes_free.
 */
int units_parse_sizes(const char *text, struct sizes *out, struct hb_err *err);
void sizes_free(struct sizes *s);

/* For people; all write at most n bytes, terminated: "256 KiB", "1.523 us", "12.34 GB/s", "3 m 20
 * s". */
void units_format_bytes(uint64_t bytes, char *out, size_t n);
void units_format(enum unit u, double value, char *out, size_t n);
void units_format_duration(double seconds, char *out, size_t n);
void units_format_percent(double ratio, char *out, size_t n); /* -0.053 -> "-5.3 %" */

/* Edit distance for "did you mean"; strings beyond 64 bytes are cut. */
int units_distance(const char *a, const char *b);
/* The nearest of a NULL-terminated list, or NULL if none is near (distance <= 1 + len/4). */
const char *units_nearest(const char *word, const char *const *list);

#endif
