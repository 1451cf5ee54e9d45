/*
 * What a node is, as facts with their sources (design.md section 10; the keys are in
 * bench/base/fact.h). Read from /proc and /sys below HPCBENCH_SYSFS_ROOT, by ioctl and system
 * calls; where that variable is set, only what lies in that tree is told, so that a captured tree
 * of another machine reads the same anywhere. Nothing here starts a program, needs root, waits for
 * a file system that hangs, or takes longer than some tens of milliseconds. Never told: secrets.
 */
#ifndef HPCBENCH_FACTS_H
#define HPCBENCH_FACTS_H

#include "bench/core/fact_sink.h"

/* All that a node tells of itself. */
void facts_node(const struct fact_sink *s);
/*
 * Settings in the environment of MPI, UCX, libfabric, PSM and NCCL (env.*), without what a launcher
 * tells its own ranks and what looks like a secret.
 */
void facts_environment(const struct fact_sink *s);
/* The libraries that this process has really loaded and that matter to a benchmark. */
void facts_libraries(const struct fact_sink *s);

#endif
