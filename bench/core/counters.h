/*
 * Counters of a node before and after a step: what was sent, lost, paused, marked, and on which
 * device. HPCBENCH_SYSFS_ROOT redirects /proc and /sys.
 */
#ifndef HPCBENCH_CORE_COUNTERS_H
#define HPCBENCH_CORE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/counter.h" /* counter_moved */

enum { COUNTERS_MAX = 4096, COUNTERS_LIFESPAN_MS = 100 };

/*
 * Counters of a node (netdev bytes, errors and drops, TCP, InfiniBand counters and hw_counters,
 * ethtool's pause and per-priority ones), each once. device as in facts: "eth0", "mlx5_0:1", "".
 * Names are the kernel's or the driver's own, in lower case: "rx_bytes", "tcp.retrans_segs",
 * "port_xmit_data", "rx_prio3_pause". width: bits after which it wraps (32, 64; 0: unknown, or it
 * stays at its end). Values are as they stand; those that count words of 4 bytes (port_xmit_data,
 * port_rcv_data) are given in bytes, and wrap at 34 bits where they can at 32. At most
 * COUNTERS_MAX.
 */
struct counter_value {
	char device[64];
	char name[64];
	uint64_t value;
	int width;
};
struct counters {
	struct counter_value *v; /* ordered by device, then name */
	size_t n, cap;
	uint64_t ns;
	int lifespan_ms; /* adapters keep what they told that long; 0: none does */
};
void counters_read(struct counters *out);
/* The same, but not before what adapters told for the first reading has grown old. */
void counters_read_again(const struct counters *first, struct counters *out);
void counters_free(struct counters *c);

#endif
