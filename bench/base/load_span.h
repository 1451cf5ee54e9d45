/*
 * What a node did while a job ran, as a rank tells it: the `load` object of its done message and,
 * summed over a node's ranks, the `load` record (harness/README.md has the fields). The one place
 * that knows their spelling. What is read is untrusted and bounded.
 */
#ifndef HPCBENCH_BASE_LOAD_SPAN_H
#define HPCBENCH_BASE_LOAD_SPAN_H

#include "bench/base/err.h"
#include "bench/base/json.h"

enum { LOAD_NICS_MAX = 4, LOAD_NAME_MAX = 40 };

/* A network device: what went through it, whoever sent it. */
struct load_nic {
	char name[LOAD_NAME_MAX]; /* "eth0", "mlx5_0/1" */
	double rx, tx;            /* bytes */
	double max_Bps;           /* of one direction; 0: nobody knows */
	double lag_s;             /* its counters may be so much behind */
};

struct load_span {
	double seconds;
	double busy_s; /* CPU time of the node's processes, all cores; irq and softirq apart */
	double soft_s; /* in irq and softirq */
	double own_s;  /* CPU time of the rank itself */
	double cores;  /* processors of the node; 0: the node's CPU time could not be read */
	double load1;  /* load average of the last minute, at the end */
	double tx, rx; /* bytes that the rank itself sent and received, an estimate from above */
	double tx_before, rx_before;         /* the same, in jobs that ended shortly before */
	struct load_nic nics[LOAD_NICS_MAX]; /* those that moved most */
	int n_nics;
};

/* Adds its fields to o. */
void load_span_set(json_object *o, const struct load_span *s);
/* HB_E_FORMAT: a figure that is negative or not finite, too many devices, a name too long. */
int load_span_from_json(json_object *o, const struct js_at *at, struct load_span *out,
                        struct hb_err *err);

#endif
