/*
 * Where facts go that are found one by one (bench/base/fact.h says how facts, devices and values
 * are spelt).
 */
#ifndef HPCBENCH_CORE_FACT_SINK_H
#define HPCBENCH_CORE_FACT_SINK_H

#include <stdint.h>

/* Takes facts one at a time; strings are borrowed for the call. */
struct fact_sink {
	/* device: "" the node itself; value NULL: could not be had, source says what was tried and
	 * why not. */
	void (*tell)(void *ctx, const char *device, const char *key, const char *value,
	             const char *source);
	void *ctx;
};
void fact_tell(const struct fact_sink *s, const char *device, const char *key, const char *value,
               const char *source);
void fact_tell_u64(const struct fact_sink *s, const char *device, const char *key, uint64_t value,
                   const char *source);
void fact_tell_f64(const struct fact_sink *s, const char *device, const char *key, double value,
                   const char *source);
/* Could not be had: what was tried, and the errno value. */
void fact_tell_errno(const struct fact_sink *s, const char *device, const char *key,
                     const char *what, int errnum);

#endif
