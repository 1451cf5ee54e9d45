/* Between the files of counters. */
#ifndef HPCBENCH_CORE_COUNTERS_PARTS_H
#define HPCBENCH_CORE_COUNTERS_PARTS_H

#include "bench/core/counters.h"

/* Adds one, its name in lower case; names that do not fit and what is beyond COUNTERS_MAX go. */
void counters_add(struct counters *c, const char *device, const char *name, uint64_t value,
                  int width);
/* Every port of every RDMA device: counters and hw_counters (counters_ib.c). */
void counters_add_ports(struct counters *c);
/* What the driver of a network device tells of pauses, priorities and losses
 * (counters_ethtool.c). */
void counters_add_driver(struct counters *c, const char *device);

#endif
