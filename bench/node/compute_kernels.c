#include "bench/node/compute_kernels.h"

#include <stddef.h>
#include <string.h>

/* As many independent sums as hide the time that one multiply-add takes. */
enum { SUMS = 8 };

/* What is done to each sum in a round stands in registers from the first to the last. */
#define KERNEL(name, bytes)                                                                        \
	typedef double name##_vector __attribute__((vector_size(bytes)));                          \
	static void name(struct compute_work *w)                                                   \
	{                                                                                          \
		name##_vector a[SUMS], x = { 0 }, y = { 0 };                                       \
                                                                                                   \
		memcpy(a, w->acc, sizeof(a));                                                      \
		for (size_t i = 0; i < sizeof(x) / sizeof(double); i++) {                          \
			x[i] = w->factor;                                                          \
			y[i] = w->addend;                                                          \
		}                                                                                  \
		for (uint64_t n = w->rounds; n > 0; n--)                                           \
			for (size_t i = 0; i < SUMS; i++)                                          \
				a[i] = x * a[i] + y;                                               \
		memcpy(w->acc, a, sizeof(a));                                                      \
	}

static bool always(void)
{
	return true;
}

#if defined(__x86_64__)
static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") != 0;
}

static bool has_fma(void)
{
	return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

__attribute__((target("avx512f"))) static void avx512(struct compute_work *w);
__attribute__((target("avx2,fma"))) static void avx2(struct compute_work *w);
KERNEL(avx512, 64)
KERNEL(avx2, 32)
#endif

KERNEL(plain, 16)

const struct compute_kernel compute_kernels[] = {
#if defined(__x86_64__)
	{ "avx512", SUMS * 8, has_avx512, avx512 },
	{ "avx2", SUMS * 4, has_fma, avx2 },
#endif
	{ "plain", SUMS * 2, always, plain },
	{ NULL, 0, NULL, NULL },
};
