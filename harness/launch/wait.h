/*
 * The harness's own sense of time: milliseconds for deadlines and waits. Measurements are timed by
 * the helpers' clock, never by this one.
 */
#ifndef HPCBENCH_HARNESS_WAIT_H
#define HPCBENCH_HARNESS_WAIT_H

#include <stdint.h>
#include <time.h>

static inline int64_t wait_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Milliseconds from now until a moment, as poll takes them: 0 when past, -1 for "never" (< 0). */
static inline int wait_until(int64_t now_ms, int64_t when_ms)
{
	if (when_ms < 0)
		return -1;
	if (when_ms <= now_ms)
		return 0;
	return when_ms - now_ms > 1000000 ? 1000000 : (int)(when_ms - now_ms);
}

/* The shorter of two poll timeouts, where -1 means none. */
static inline int wait_shorter(int a_ms, int b_ms)
{
	if (a_ms < 0)
		return b_ms;
	if (b_ms < 0)
		return a_ms;
	return a_ms < b_ms ? a_ms : b_ms;
}

/* The sooner of two moments, where what is negative never comes. */
static inline int64_t wait_sooner(int64_t a_ms, int64_t b_ms)
{
	return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

#endif
