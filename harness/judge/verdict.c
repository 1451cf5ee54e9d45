#include "harness/judge/verdict.h"

#include <stdlib.h>
#include <string.h>

const char *verdict_name(enum verdict v)
{
	static const char *const names[VERDICTS] = {
		[VERDICT_PASS] = "pass",
		[VERDICT_IMPROVED] = "improved",
		[VERDICT_NEW] = "new",
		[VERDICT_INCONCLUSIVE] = "inconclusive",
		[VERDICT_SUSPECT] = "suspect",
		[VERDICT_REGRESSED] = "regressed",
		[VERDICT_NOT_MEASURED] = "not-measured",
		[VERDICT_INVALID] = "invalid",
		[VERDICT_DISTURBED] = "disturbed",
		[VERDICT_GONE] = "gone",
	};

	return (unsigned)v < VERDICTS ? names[v] : "unknown";
}

const char *spread_source_text(enum spread_source s)
{
	switch (s) {
	case SPREAD_OWN: return "own runs";
	case SPREAD_CLASS: return "all subjects of the class";
	case SPREAD_BASELINE: return "the given baseline";
	case SPREAD_STORED: return "stored runs of the same key";
	case SPREAD_SUBJECTS: return "like subjects inside the runs";
	case SPREAD_DEFAULT: return "a stated default";
	default: return "unknown";
	}
}

void verdicts_count(struct verdicts *v)
{
	memset(v->count, 0, sizeof(v->count));
	memset(v->known, 0, sizeof(v->known));
	v->known_findings = 0;
	for (size_t i = 0; i < v->n; i++) {
		v->count[v->rows[i].verdict]++;
		v->known[v->rows[i].verdict] += v->rows[i].ack != NULL;
	}
	for (size_t i = 0; i < v->n_findings; i++)
		v->known_findings += v->findings[i].ack != NULL;
}

size_t verdicts_open(const struct verdicts *v, enum verdict which)
{
	return v->count[which] - v->known[which];
}

const char *finding_kind_name(enum finding_kind k)
{
	static const char *const names[FINDING_KINDS] = {
		[FINDING_HW_CHANGED] = "hardware-changed",
		[FINDING_HW_ALONE] = "hardware-alone",
	};

	return (unsigned)k < FINDING_KINDS ? names[k] : "unknown";
}

void verdicts_free(struct verdicts *v)
{
	for (size_t i = 0; i < v->n_findings; i++)
		free(v->findings[i].text);
	free(v->findings);
	free(v->rows);
	memset(v, 0, sizeof(*v));
}

/* A provisional baseline must never fail a machine for good, whoever made the verdicts. */
static bool has_regressed(const struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].verdict == VERDICT_REGRESSED && !v->rows[i].provisional &&
		    !v->rows[i].ack)
			return true;
	return false;
}

static int code_of_verdicts(const struct code_input *in)
{
	const struct verdicts *v = in->verdicts;
	const size_t *c = v->count, *known = v->known;
	size_t judged = c[VERDICT_PASS] + c[VERDICT_IMPROVED] + c[VERDICT_INCONCLUSIVE] +
	                c[VERDICT_SUSPECT] + c[VERDICT_REGRESSED];
	size_t open = judged - known[VERDICT_PASS] - known[VERDICT_IMPROVED] -
	              known[VERDICT_INCONCLUSIVE] - known[VERDICT_SUSPECT] -
	              known[VERDICT_REGRESSED];

	if (in->invalid || verdicts_open(v, VERDICT_INVALID) || v->n_findings > v->known_findings ||
	    has_regressed(v))
		return CODE_FINDINGS;
	if (in->not_measured || verdicts_open(v, VERDICT_NOT_MEASURED) ||
	    verdicts_open(v, VERDICT_DISTURBED))
		return CODE_NOT_MEASURED;
	if (in->baseline_missing || judged == 0)
		return CODE_NO_BASELINE;
	if (verdicts_open(v, VERDICT_SUSPECT) || verdicts_open(v, VERDICT_REGRESSED) ||
	    4 * verdicts_open(v, VERDICT_INCONCLUSIVE) > open)
		return CODE_SUSPECT;
	return CODE_OK;
}

int code_of(const struct code_input *in)
{
	if (in->signal > 0)
		return 128 + in->signal;
	if (in->broken)
		return CODE_BROKEN;
	if (in->verdicts)
		return code_of_verdicts(in);
	if (in->invalid)
		return CODE_FINDINGS;
	if (in->not_measured)
		return CODE_NOT_MEASURED;
	if (in->baseline_asked && in->baseline_missing)
		return CODE_NO_BASELINE;
	return CODE_OK;
}

/* The place in the order: the lower, the worse. */
static int rank_of(int code)
{
	static const int order[] = { CODE_USAGE,       CODE_BROKEN,
		                     CODE_FINDINGS,    CODE_NOT_MEASURED,
		                     CODE_NO_BASELINE, CODE_SUSPECT,
		                     CODE_OK };
	enum { N = sizeof order / sizeof *order };

	for (int i = 0; i < N; i++)
		if (order[i] == code)
			return i;
	return -1; /* a signal */
}

int code_worse(int a, int b)
{
	return rank_of(b) < rank_of(a) ? b : a;
}
