/*
 * A seeded generator for schedules, simulation and patterns: the same seed gives the same plan on
 * every machine. splitmix64 (Steele, Lea & Flood 2014). Not for secrets: token.h has those.
 */
#ifndef HPCBENCH_BASE_RNG_H
#define HPCBENCH_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

void rng_seed(struct rng *r, uint64_t seed);
/* An independent stream for (seed, a, b): order of use of one stream never shifts another. */
void rng_stream(struct rng *r, uint64_t seed, uint64_t a, uint64_t b);
uint64_t rng_u64(struct rng *r);
double rng_uniform(struct rng *r);             /* (0, 1) */
uint64_t rng_below(struct rng *r, uint64_t n); /* [0, n), unbiased */
double rng_normal(struct rng *r);              /* standard normal */
void rng_shuffle(struct rng *r, void *items, size_t n, size_t item_size);

/* FNV-1a, for turning names into seeds and short ids. */
uint64_t rng_hash(const void *data, size_t len);

#endif
