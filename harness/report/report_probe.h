/*
 * The document of `hpcbench probe`. Its data: schema 1, kind "probe", dir, baseline (name or null),
 * code, summary (as summary.json), facts (as facts.json), drift: [{device, key, nodes, told, value,
 * source, peers, n_peers, of_peers}], changes: [{device, key, was, is, nodes}] against the
 * baseline, hosts: [{kind, error, text}], causes and what else findings.json has of a diagnosis
 * (diagnosis_to_json).
 */
#ifndef HPCBENCH_HARNESS_REPORT_PROBE_H
#define HPCBENCH_HARNESS_REPORT_PROBE_H

#include "harness/collect/summary.h"
#include "harness/diagnose/diagnose.h"
#include "harness/facts/facts.h"
#include "reports/doc.h"

/* All is borrowed: free the document first. */
struct report_probe {
	const struct summary *s;
	const struct facts *facts;
	const struct facts *base;    /* of the baseline; NULL: none, or it knows none */
	const char *base_name;       /* NULL: none was asked for */
	const struct diagnosis *why; /* the causes; NULL: nobody looked */
	const char *dir;             /* where the run is, or NULL */
	int code;                    /* how the command ends */
};
/* Nodes told what they are, and nothing was there to measure. */
bool report_is_probe(const struct summary *s, const struct facts *f);
struct doc *report_probe_doc(const struct report_probe *in);
/* CODE_FINDINGS: something is wrong between the hosts; CODE_NOT_MEASURED: somebody told nothing. */
int report_probe_code(const struct summary *s, const struct facts *f);

#endif
