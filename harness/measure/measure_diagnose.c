/* Why somebody is slow, once nothing more is measured. */
#include "harness/measure/measure_parts.h"

void measure_diagnose(struct measure *m)
{
	const struct diagnose_input in = { .told = &m->told,
		                           .base = m->has_base ? &m->base : NULL,
		                           .summary = &m->summary,
		                           .findings = &m->findings,
		                           .verdicts = m->judged ? &m->verdicts : NULL,
		                           .acks = &m->acks };

	measure_diagnose_not(m);
	if (m->has_summary)
		run_diagnosis_make(&m->causes, &in, &m->why);
}

void measure_diagnose_not(struct measure *m)
{
	run_diagnosis_free(&m->why);
}

json_object *measure_findings_json(const struct measure *m)
{
	json_object *o = findings_to_json(&m->findings);

	if (m->why.known)
		diagnosis_to_json(&m->why.d, o);
	return o;
}
