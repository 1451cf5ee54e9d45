/* What a counter of a kernel or an adapter counted between two readings. */
#ifndef HPCBENCH_BASE_COUNTER_H
#define HPCBENCH_BASE_COUNTER_H

#include <stdint.h>

/*
 * after - before. Backwards: it wrapped at its width (in bits, below 64), where it can have and not
 * more than half its range went by; else it was set back meanwhile, and nobody knows: 0. A counter
 * of 32 bits that counts words of 4 bytes and is given in bytes wraps at 34.
 */
uint64_t counter_moved(uint64_t before, uint64_t after, int width);

/* The counters (of no device) by which helpers tell what their ranks moved themselves. */
#define COUNTER_OWN_TX "own.tx_bytes"
#define COUNTER_OWN_RX "own.rx_bytes"

#endif
