#include "bench/base/rng.h"

#include <math.h>
#include <string.h>

/* The output function of splitmix64: a bijection that spreads every input bit. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

void rng_seed(struct rng *r, uint64_t seed)
{
	r->state = seed;
}

void rng_stream(struct rng *r, uint64_t seed, uint64_t a, uint64_t b)
{
	/* Each word goes through the mixer before the next is added, so that (a, b) is not (b, a).
	 */
	uint64_t h = mix(seed + GOLDEN);
	h = mix(h + a + GOLDEN);
	h = mix(h + b + GOLDEN);
	r->state = h;
}

uint64_t rng_u64(struct rng *r)
{
	r->state += GOLDEN;
	return mix(r->state);
}

double rng_uniform(struct rng *r)
{
	/* 52 bits and a half: the ends 0 and 1 cannot occur, log() and quantiles are safe. */
	return ((double)(rng_u64(r) >> 12) + 0.5) * 0x1p-52;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	if (n < 2)
		return 0;
	/* Drops the few lowest values that would favour small remainders: 2^64 mod n of them. */
	uint64_t favoured = (UINT64_MAX - n + 1) % n;
	uint64_t x;
	do
		x = rng_u64(r);
	while (x < favoured);
	return x % n;
}

double rng_normal(struct rng *r)
{
	/* Box and Muller 1958, the cosine half only: no state beside the stream. */
	const double two_pi = 6.283185307179586476925286766559;
	double u = rng_uniform(r);
	double v = rng_uniform(r);
	return sqrt(-2.0 * log(u)) * cos(two_pi * v);
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t n)
{
	unsigned char chunk[64];
	while (n) {
		size_t part = n < sizeof(chunk) ? n : sizeof(chunk);
		memcpy(chunk, a, part);
		memcpy(a, b, part);
		memcpy(b, chunk, part);
		a += part;
		b += part;
		n -= part;
	}
}

void rng_shuffle(struct rng *r, void *items, size_t n, size_t item_size)
{
	/* Fisher and Yates, from the top. */
	unsigned char *base = items;
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(r, i);
		if (j != i - 1)
			swap_bytes(base + j * item_size, base + (i - 1) * item_size, item_size);
	}
}

uint64_t rng_hash(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < len; i++) {
		h ^= p[i];
		h *= UINT64_C(0x100000001b3);
	}
	return h;
}
