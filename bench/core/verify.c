#include "bench/core/verify.h"

#include <string.h>

/*
 * Eight bytes of the pattern: the finaliser of splitmix64 over seed, source and the number of the
 * word, so that neither a shift by whole words nor another rank's data looks right.
 */
static uint64_t word(uint64_t seed, int source, uint64_t index)
{
	uint64_t z = seed ^ ((uint64_t)(unsigned)source + 1) * 0xd1342543de82ef95u;

	z += (index + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void verify_fill(void *buf, size_t len, uint64_t seed, int source)
{
	unsigned char *p = buf;

	for (size_t at = 0; at < len; at += 8) {
		uint64_t w = word(seed, source, at / 8);

		memcpy(p + at, &w, len - at < 8 ? len - at : 8);
	}
}

uint64_t verify_count_bad(const void *buf, size_t len, uint64_t seed, int source)
{
	const unsigned char *p = buf;
	uint64_t bad = 0;

	for (size_t at = 0; at < len; at += 8) {
		size_t n = len - at < 8 ? len - at : 8;
		uint64_t w = word(seed, source, at / 8);
		unsigned char expected[8];

		memcpy(expected, &w, sizeof(expected));
		if (memcmp(p + at, expected, n) == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			bad += p[at + i] != expected[i];
	}
	return bad;
}
