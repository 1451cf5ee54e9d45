/*
 * What a node did between two moments: CPU time of all its processes and of this one, bytes through
 * its network devices. Cheap enough to be read before and after each job; nothing here is called
 * while something is timed. HPCBENCH_SYSFS_ROOT redirects /proc and /sys; what is not there is 0.
 *
 * Network devices come from /proc/net/dev, one read for all of them, and those of the process's own
 * network, also where /sys shows another one's; InfiniBand ports from their counters.
 */
#ifndef HPCBENCH_CORE_LOAD_H
#define HPCBENCH_CORE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/base/load_span.h"

struct bench;

enum { LOAD_DEVICES_MAX = 64, LOAD_ID_MAX = 20 };

/* The counters of a device as they stand. */
struct load_device {
	char name[LOAD_NAME_MAX];
	uint64_t rx, tx;
	bool port; /* of InfiniBand: counts words of 4 bytes */
};

/* The state of a node at one moment. */
struct load_reading {
	uint64_t ns;
	double busy_s, soft_s, own_s, load1;
	int cores; /* 0: /proc/stat cannot be read */
	struct load_device v[LOAD_DEVICES_MAX];
	size_t n;
};

/* What a rank itself sent and received in a job, in bytes. */
struct load_moved {
	double tx, rx;
};

/* Drivers that refresh a device's counters by a timer do so at least this often. */
#define LOAD_LAG_S 1.0

void load_read(struct load_reading *out);
/* From one reading to the next; the devices that moved most, with the speed of each. */
void load_between(const struct load_reading *before, const struct load_reading *after,
                  const struct load_moved *own, struct load_span *out);
/*
 * What a counter counted. One that went backwards has wrapped, at 32 bits where it can have; else
 * it was reset, and 0 is returned.
 */
uint64_t load_counted(uint64_t before, uint64_t after);

/*
 * Adds what iterations of the case that b stands on move, as the shape says, with the messages'
 * own overhead: an estimate from above, so that nobody takes it for foreign traffic.
 */
void load_count(struct load_moved *m, const struct bench *b, uint64_t iterations);

/*
 * Tells kernels and networks apart: equal on two nodes that are the same machine (namespaces,
 * containers), or share its network too. Empty texts where the kernel does not tell.
 */
void load_identity(char kernel[LOAD_ID_MAX], char network[LOAD_ID_MAX]);

#endif
