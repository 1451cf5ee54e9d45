/*
 * Where the kernel counts what goes over networks: read here for everybody who wants to know
 * (load.h, counters.h). HPCBENCH_SYSFS_ROOT is put before every path.
 */
#ifndef HPCBENCH_CORE_SYS_NET_H
#define HPCBENCH_CORE_SYS_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYS_NET_COLUMNS = 16, SYS_NAME_MAX = 100 };

/* Decimal numbers with blanks between them; returns how many there were, at most max. */
size_t sys_numbers(const char *text, uint64_t *out, size_t max);

/*
 * Each device of this process's own network, from /proc/net/dev: one read for all, and right where
 * /sys shows another network's. v: received bytes packets errs drop fifo frame compressed
 * multicast, sent bytes packets errs drop fifo colls carrier compressed.
 */
void sys_netdevs(void (*take)(void *ctx, const char *name, const uint64_t *v, size_t n), void *ctx);

struct ifreq;
/*
 * Asks the kernel about a network device of this process's own network: an ioctl on the socket fd,
 * which fills r. 0, or an errno value: EBADF without a socket, ENAMETOOLONG. Never redirected.
 */
int sys_net_ioctl(int fd, const char *device, unsigned long what, struct ifreq *r);
/* The same of its driver, SIOCETHTOOL; command begins with its number. */
int sys_ethtool(int fd, const char *device, void *command);

/* Each port of each RDMA device ("mlx5_0", "1"), in no order; at most 64 of each. */
void sys_ports(void (*take)(void *ctx, const char *device, const char *port), void *ctx);
/* A file of the port's folder counters, as it stands. */
bool sys_port_counter(const char *device, const char *port, const char *name, uint64_t *out);

#endif
