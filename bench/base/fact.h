/*
 * The facts that hpcbench knows of a node, as pure data: how each is called, what it is about,
 * whether nodes of one hardware class must agree about it. Helpers tell them (bench/facts), the
 * harness compares them (harness/facts), rules name them (baselines/rules). A fact that no row
 * knows is kept and shown, never compared.
 *
 * A fact is told of an endpoint: "n1", or "n1/DEVICE" where the key is about a device. How devices
 * are called says enum fact_about. Numbers are plain decimals in SI base units (the key's suffix
 * names the unit where it is not a count), yes and no are "yes" and "no", several values are a
 * comma list without spaces, sorted. A fact that could not be had has no value (null), and its
 * source says what was tried and why it failed: "ethtool: Operation not permitted".
 */
#ifndef HPCBENCH_BASE_FACT_H
#define HPCBENCH_BASE_FACT_H

#include <stdbool.h>
#include <stddef.h>

enum fact_about {
	FACT_NODE,   /* no device */
	FACT_NETDEV, /* "eth0" */
	FACT_PORT,   /* of an RDMA device: "mlx5_0:1" */
	FACT_GPU,    /* "gpu0", in the order of PCI addresses */
	FACT_FOLDER, /* "fs:/home" */
	FACT_LIB,    /* "lib:libmpi.so.40": as its soname says */
	FACT_PEER    /* "peer:n2": another node, as this one sees it */
};

enum fact_type { FACT_TEXT, FACT_NUMBER, FACT_YESNO };

enum fact_peers {
	FACT_ALIKE, /* nodes of a hardware class agree: who differs is told (drift), and baselines
	               keep it */
	FACT_OWN,   /* each node has its own: two that agree are a finding for some rules */
	FACT_VARIES /* load, counts, offsets: compared by rules alone */
};

struct fact_info {
	const char *key; /* "net.mtu"; ends with ".*" where the rest is free: "env.*" */
	enum fact_about about;
	enum fact_type type;
	enum fact_peers peers;
	const char *unit;    /* for people: "B", "b/s", "s", "Hz", "GT/s"; "" */
	const char *summary; /* what it is, one line */
};

/* Ends with a row whose key is NULL. */
extern const struct fact_info fact_catalog[];
/* The row of a key; NULL: unknown. An exact row goes before one that ends with ".*". */
const struct fact_info *fact_find(const char *key);
/* "node", "netdev", "port", "gpu", "folder", "lib", "peer" */
const char *fact_about_name(enum fact_about about);
/*
 * Splits an endpoint in place of copying it: the node's name is *node_len bytes at its beginning;
 * returns the device behind the first '/', or "" where there is none.
 */
const char *fact_device(const char *endpoint, size_t *node_len);

#endif
