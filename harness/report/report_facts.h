/* Facts in words, for the documents of probe, explain and diff. */
#ifndef HPCBENCH_HARNESS_REPORT_FACTS_H
#define HPCBENCH_HARNESS_REPORT_FACTS_H

#include "harness/facts/facts.h"
#include "reports/doc.h"

/* "mtu of eth0", "cpu.governor", "path of libmpi.so.40". */
void report_fact_name(const char *device, const char *key, struct buf *out);
/* A value with its unit where the catalog knows one: "200 Gb/s", "512 GiB", "9000"; cut at max
 * bytes. NULL: "(not known)". */
void report_fact_value(const char *key, const char *value, size_t max, struct buf *out);

/* The drift as lines "mtu of eth0: n17 1500, 63 nodes 9000", fewest nodes first, at most max of
 * them; all is told where what could not be had is told too. Returns how many facts differ. */
size_t report_drift(struct doc *d, const struct facts *f, const struct drift *drift, size_t max);
size_t report_drift_count(const struct facts *f, const struct drift *drift);
/* What changed against a baseline's facts, likewise. */
void report_drift_changes(struct doc *d, const struct facts *f, const struct drift *drift,
                          size_t max);
json_object *report_drift_json(const struct facts *f, const struct drift *drift);
json_object *report_drift_changes_json(const struct facts *f, const struct drift *drift);

#endif
