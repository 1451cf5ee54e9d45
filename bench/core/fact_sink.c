#include "bench/core/fact_sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/num.h"

void fact_tell(const struct fact_sink *s, const char *device, const char *key, const char *value,
               const char *source)
{
	s->tell(s->ctx, device, key, value, source);
}

void fact_tell_u64(const struct fact_sink *s, const char *device, const char *key, uint64_t value,
                   const char *source)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	fact_tell(s, device, key, text, source);
}

void fact_tell_f64(const struct fact_sink *s, const char *device, const char *key, double value,
                   const char *source)
{
	char text[64];

	/* Whole ones as people write them: 400000000000, not 4e+11. */
	num_format(text, sizeof(text),
	           fabs(value) < 1e15 && floor(value) == value ? "%.0f" : "%.9g", value);
	fact_tell(s, device, key, text, source);
}

void fact_tell_errno(const struct fact_sink *s, const char *device, const char *key,
                     const char *what, int errnum)
{
	char text[320];

	snprintf(text, sizeof(text), "%.200s: %.100s", what, strerror(errnum));
	fact_tell(s, device, key, NULL, text);
}
