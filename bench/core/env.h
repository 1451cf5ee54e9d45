/*
 * What this node is: host, hardware class, fingerprint, binding as read back (hwloc). The class
 * names models and maximum capability, never the present state, so that a fault cannot hide itself
 * in a class of its own (contracts.md section 1). HPCBENCH_SYSFS_ROOT redirects /sys and /proc.
 */
#ifndef HPCBENCH_CORE_ENV_H
#define HPCBENCH_CORE_ENV_H

#include "bench/base/buf.h"
#include "bench/base/err.h"
#include "bench/base/json.h"

struct env_node {
	char host[256]; /* SLURMD_NODENAME, else gethostname; HPCBENCH_NODE overrides (tests) */
	char hw[512];   /* "2x AMD EPYC 7763 64c | 512 GiB | 2x mlx5 200G" */
	char kernel[128];
	int cores, sockets, numa_nodes;
	uint64_t memory_bytes, cache_bytes; /* cache: last level, summed over the node */
};
/* The host's name alone, as env_node has it. */
void env_host(char *out, size_t n);
int env_node_read(struct env_node *out, struct hb_err *err);

/* Where the calling thread is bound: "cores 0-3" or "not bound". */
int env_binding_text(struct buf *out, struct hb_err *err);

/*
 * One processor (the kernel's number) of each core this process may use, ascending; the caller
 * frees *cpus. *n is at least 1.
 */
int env_core_list(int **cpus, int *n, struct hb_err *err);
/* The NUMA node (the kernel's number) that has each of n processors; 0 where nobody knows. */
void env_numa_of(const int *cpus, int n, int *numa);
/*
 * Memory that is not touched yet comes from that NUMA node alone. Where that cannot be asked for,
 * it comes from the node of who touches it first.
 */
void env_bind_memory(void *at, size_t len, int numa);
/* Binds the calling thread to one processor. HB_E_UNSUPPORTED where that is not allowed. */
int env_bind_cpu(int cpu, struct hb_err *err);
/* What the environment may ask for: "nic". */
#define ENV_BIND "HPCBENCH_BIND"
/*
 * Where HPCBENCH_BIND is "nic": binds the calling thread to the first processor it may use of the
 * NUMA node of the network device. That is the first RDMA device with an active port whose NUMA
 * node is known, else the device of the default route. Before the world is joined, so that the
 * library's own threads follow. Appends what was decided to told; nothing where nothing was asked.
 * Where nothing is known or allowed the binding stays as it is: never an error.
 */
void env_bind_near_nic(struct buf *told);
/* Memory that can be used without pushing others out, in bytes; 0 where the node does not tell. */
uint64_t env_memory_available(void);

/* This process's rank, and its place among those on its host, as its launcher says; -1: it does
 * not.
 */
int env_launch_rank(void);
int env_launch_local(void);
/* How many ranks the launcher was asked to start (HPCBENCH_RANKS); *out is 0 where nobody says. */
int env_launch_started(int *out, struct hb_err *err);

/* Software that every helper sees: kernel, libc, hpcbench. Appends fact records to arr. */
void env_facts(const char *endpoint, json_object *arr);

#endif
