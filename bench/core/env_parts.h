/*
 * Between the files of env: what the kernel tells in /proc and /sys, and what hwloc or its
 * stand-in adds. HPCBENCH_SYSFS_ROOT is put before every path here.
 */
#ifndef HPCBENCH_CORE_ENV_PARTS_H
#define HPCBENCH_CORE_ENV_PARTS_H

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/core/env.h"

/* True if HPCBENCH_SYSFS_ROOT redirects: then hwloc must not mix in what this machine is. */
bool sys_redirected(void);
/* The path to open for a path of the machine; false if it does not fit. */
bool sys_path(const char *path, char *out, size_t n);
/*
 * First line of a file below /proc or /sys, without the newline and the spaces around; false (and
 * an empty text) if it cannot be read.
 */
bool sys_line(const char *path, char *out, size_t n);
/* A small file as a number; dflt if absent or no number. */
long sys_number(const char *path, long dflt);
/* A file below /proc or /sys, to be closed with fclose; NULL if there is none. */
FILE *sys_open(const char *path);
/* Opens a directory below /proc or /sys; NULL if there is none. */
DIR *sys_dir(const char *path);
/* The last part of a symbolic link's target; false if there is none. */
bool sys_link_name(const char *path, char *out, size_t n);
/*
 * The value behind the first line "key : value" (also "key: value") of a /proc file; false if
 * absent.
 */
bool sys_keyed(const char *path, const char *key, char *out, size_t n);

/*
 * The processors that the calling thread may run on, as a set of *size bytes; CPU_FREE it. NULL
 * where the kernel does not tell.
 */
cpu_set_t *env_allowed_set(size_t *size, struct hb_err *err);

/* Sockets, cores and NUMA nodes from sysfs alone. Leaves 0 what cannot be seen. */
void env_topology_sysfs(struct env_node *out);
/* The same from hwloc where it is there, else from sysfs: env_hwloc.c or env_plain.c. */
int env_topology(struct env_node *out, struct hb_err *err);
/* Appends "2x MT4123 PCIe 16 GT/s x16" and "8x GPU 10de:2330", each after " | ". */
void env_hcas(struct buf *out);
void env_gpus(struct buf *out);
/*
 * Is a PCI device an accelerator? Displays are none, save those of a vendor whose cards are both.
 */
bool sys_is_gpu(long class_code, long vendor);
/*
 * Installed memory from what the kernel has left of it: the nearest sixteenth of the next power of
 * two. 503 GiB seen are 512 installed; one of sixteen modules lost still shows.
 */
uint64_t env_round_memory(uint64_t bytes);

#endif
