/*
 * Verdicts and exit codes: words and numbers shared by compare, the commands and the renderers
 * (design.md section 6, contracts.md section 7).
 */
#ifndef HPCBENCH_HARNESS_VERDICT_H
#define HPCBENCH_HARNESS_VERDICT_H

#include "harness/collect/summary.h"

enum verdict {
	VERDICT_PASS,
	VERDICT_IMPROVED,
	VERDICT_NEW,
	VERDICT_INCONCLUSIVE,
	VERDICT_SUSPECT,
	VERDICT_REGRESSED,
	VERDICT_NOT_MEASURED,
	VERDICT_INVALID,
	VERDICT_DISTURBED,
	VERDICT_GONE, /* diff: only in the old side */
	VERDICTS
};
const char *verdict_name(enum verdict v);

enum hb_code { /* exit codes of hpcbench; 1 and 2 belong to shells, make and crashes */
	       CODE_OK = 0,
	       CODE_FINDINGS = 10,
	       CODE_SUSPECT = 11,
	       CODE_NO_BASELINE = 12,
	       CODE_NOT_MEASURED = 13,
	       CODE_BROKEN = 20,
	       CODE_USAGE = 64
};

/* Where a row's spread came from, best first. */
enum spread_source {
	SPREAD_OWN,      /* the subject's own runs */
	SPREAD_CLASS,    /* the key's runs over all subjects: s_node and s_run */
	SPREAD_BASELINE, /* diff: --baseline */
	SPREAD_STORED,   /* diff: stored runs of the same key */
	SPREAD_SUBJECTS, /* diff: over like subjects inside the runs */
	SPREAD_DEFAULT   /* diff: the stated default */
};
const char *
spread_source_text(enum spread_source s); /* "own runs", "a stated default of 2 %" ... */

struct verdict_row {
	const struct key *key;          /* of either side; never NULL. Borrowed */
	const char *subject;            /* of either side; never NULL. Borrowed */
	const struct summary_row *row;  /* new side; NULL: gone, or not measured. Borrowed */
	const struct base_entry *entry; /* old side; NULL: new. Borrowed */
	enum verdict verdict;
	double old_value, new_value; /* in the metric's unit; NaN if absent */
	double old_half, new_half; /* relative half interval of each side (95 %); NaN if unknown */
	double delta;              /* new/old - 1 in the metric's own unit */
	double loss;               /* 1 - exp(y_new - y_old): above 0 is worse */
	double p, p_family;        /* one-sided; NaN if not tested */
	double s, df;              /* of the test */
	double mde;                /* smallest detectable loss, a ratio above 0; NaN if unknown */
	double floor, tolerance;   /* tolerance 0: twice the floor */
	int n_old, n_new;          /* runs */
	enum spread_source source;
	bool provisional; /* fewer than BASELINE_MIN_RUNS runs, or a borrowed spread */
	bool confirmed;   /* by two or more runs, or by the confirming rerun */
	double confirm_p, confirm_loss; /* NaN without a confirming rerun */
	char note[160];                 /* one reason in words, or "" */
	const struct ack *ack;          /* known trouble (acks_mark), borrowed; NULL: none */
};

/* What is wrong with a subject whatever its figures say. */
enum finding_kind {
	FINDING_HW_CHANGED, /* its hardware class is not the one its baseline stored */
	FINDING_HW_ALONE,   /* nobody else among at least FINDING_ALONE_MIN nodes has its class */
	FINDING_KINDS
};
enum { FINDING_ALONE_MIN = 8 };
const char *finding_kind_name(enum finding_kind k); /* "hardware-changed", "hardware-alone" */

struct finding {
	enum finding_kind kind;
	const char *subject;         /* borrowed, as are both classes */
	const char *old_hw, *new_hw; /* old_hw NULL: FINDING_HW_ALONE */
	char *text;                  /* one line for people, names the subject; owned */
	const struct ack *ack;       /* as in verdict_row */
};

/* Which side alone has rows of leaf classes, so that all pairs were compared together. */
enum leaf_gap { LEAVES_ALIKE, LEAVES_NEW, LEAVES_OLD };

struct verdicts {
	struct verdict_row *rows;
	size_t n;
	struct finding *findings;
	size_t n_findings, cap_findings;
	size_t count[VERDICTS];
	/* Those of them that are acknowledged: shown, but not in the exit code. */
	size_t known[VERDICTS], known_findings;
	size_t families, families_rejected;
	double q;
	bool any_tested;
	enum leaf_gap leaves;
};
void verdicts_count(struct verdicts *v); /* renews count and known */
/* Rows of this verdict that are not acknowledged. */
size_t verdicts_open(const struct verdicts *v, enum verdict which);
void verdicts_free(struct verdicts *v);

/*
 * What the exit code is decided from, in one place. Precedence: signal, 20, 10, 13, 12, 11, 0
 * (64 never gets here). invalid and findings give 10; regressed gives 10 unless its baseline is
 * provisional (then 11); disturbed counts as not measured; no row that could be compared at all
 * gives 12; suspect, or more than a quarter of the compared rows inconclusive, gives 11. What is
 * acknowledged counts in none of these; that something was compared at all it does tell.
 */
struct code_input {
	const struct verdicts *verdicts; /* NULL: no baseline was asked for */
	bool baseline_asked, baseline_missing;
	size_t invalid, not_measured; /* units or subjects lost and not acknowledged */
	bool broken;                  /* hpcbench or the launcher failed */
	int signal;                   /* 0, or the signal that ended it */
};
int code_of(const struct code_input *in);
/* The one of two exit codes that goes first in the same order. */
int code_worse(int a, int b);

#endif
