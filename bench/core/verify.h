/*
 * Data patterns f(seed, source rank, offset) that a receiver can check without the sender: a wrong,
 * shifted, stale or missing byte changes some element with near certainty.
 */
#ifndef HPCBENCH_CORE_VERIFY_H
#define HPCBENCH_CORE_VERIFY_H

#include <stddef.h>
#include <stdint.h>

void verify_fill(void *buf, size_t len, uint64_t seed, int source);
/* How many bytes of buf differ from what verify_fill would have written. */
uint64_t verify_count_bad(const void *buf, size_t len, uint64_t seed, int source);

#endif
