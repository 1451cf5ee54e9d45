#include "bench/node/memory_kernels.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bench/base/info.h"

#define SCALE 3.0

static void copy(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	(void)c;
	for (size_t i = 0; i < n; i++)
		a[i] = b[i];
}

static void scale(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	(void)c;
	for (size_t i = 0; i < n; i++)
		a[i] = SCALE * b[i];
}

static void add(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + c[i];
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + SCALE * c[i];
}

const struct memory_op_row memory_ops[] = {
	[MEMORY_COPY] = { copy, 2, 1, 0 },
	[MEMORY_SCALE] = { scale, 2, SCALE, 0 },
	[MEMORY_ADD] = { add, 3, 1, 1 },
	[MEMORY_TRIAD] = { triad, 3, 1, SCALE },
};

/*
 * Two elements a store; an odd last one goes through the cache. The fence ends the sweep: without
 * it the last stores would be on their way when the time is taken.
 */
#ifdef __SSE2__
#define STREAMING(name, pair, single)                                                              \
	static void stream_##name(double *restrict a, const double *restrict b,                    \
	                          const double *restrict c, size_t n)                              \
	{                                                                                          \
		size_t i = 0;                                                                      \
                                                                                                   \
		(void)c;                                                                           \
		for (; i + 2 <= n; i += 2)                                                         \
			_mm_stream_pd(a + i, pair);                                                \
		for (; i < n; i++)                                                                 \
			a[i] = single;                                                             \
		_mm_sfence();                                                                      \
	}
#define PAIR(x)   _mm_loadu_pd((x) + i)
#define SCALED(x) _mm_mul_pd(_mm_set1_pd(SCALE), PAIR(x))

STREAMING(copy, PAIR(b), b[i])
STREAMING(scale, SCALED(b), SCALE *b[i])
STREAMING(add, _mm_add_pd(PAIR(b), PAIR(c)), b[i] + c[i])
STREAMING(triad, _mm_add_pd(PAIR(b), SCALED(c)), b[i] + SCALE * c[i])
#else
#define stream_copy  NULL
#define stream_scale NULL
#define stream_add   NULL
#define stream_triad NULL
#endif

const struct memory_op_row memory_streaming_ops[] = {
	[MEMORY_COPY] = { stream_copy, 2, 1, 0 },
	[MEMORY_SCALE] = { stream_scale, 2, SCALE, 0 },
	[MEMORY_ADD] = { stream_add, 3, 1, 1 },
	[MEMORY_TRIAD] = { stream_triad, 3, 1, SCALE },
};

/* Whole numbers below 2^20, spread by an odd multiplier so that no two neighbours are alike. */
static double spread(uint64_t seed, uint64_t i)
{
	return (double)(((i + seed) * 0x9e3779b97f4a7c15u) >> 44);
}

double memory_b(uint64_t seed, uint64_t i)
{
	return 1 + spread(seed, i);
}

double memory_c(uint64_t seed, uint64_t i)
{
	return 1 + spread(~seed, i);
}

void memory_fill(double *a, double *b, double *c, size_t n, uint64_t seed, uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		a[i] = -1;
		b[i] = memory_b(seed, first + i);
		c[i] = memory_c(seed, first + i);
	}
}

uint64_t memory_count_bad(const struct memory_op_row *op, const double *a, size_t n, uint64_t seed,
                          uint64_t first)
{
	uint64_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		double right = op->b * memory_b(seed, first + i) +
		               op->c * memory_c(seed, first + i);

		/* Small whole numbers: every step is exact, so only equality is right. */
		bad += !(a[i] >= right && a[i] <= right);
	}
	return bad;
}
