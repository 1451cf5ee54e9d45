/*
 * Acceptance: which of the new nodes may work, as far as one run shows. Pure functions of what the
 * run measured and what was found in it: no files, no clock, no output; `accept`, `report` and the
 * tests call these. A node is accepted only where nothing speaks against it and enough was looked
 * at: every decision has its evidence, the number of partners behind it and the smallest loss that
 * would have been found.
 *
 * Who decides what, worst first; a node has the worst of its reasons:
 *	rejected	slow by itself or in one direction (findings) with at least
 *		ACCEPT_PARTNERS_MIN healthy controls, or the end of a slow link whose other end is a
 *		control; regressed against the baseline; slow beside the
 *		controls (below); wrong data; a hardware class that no control has
 *	not measured	absent, silent, without figures of something that others have figures of
 *	not decided	one of several that it could be; suspect without confirmation; slow where
 *		fewer controls see it; on a slow
 *		link to another new node or behind a slow leaf; disturbed; fewer than
 *		ACCEPT_PARTNERS_MIN healthy controls measured with it; what would have been found is
 *		above the tolerance
 * Controls are judged the same way. One that is not healthy is told, and no pair with it counts as
 * a partner.
 *
 * Beside the controls: figures of one node alone (node.memory), and the scores of nodes in pairs,
 * which no node of a batch that is slow as a whole can show among its like. y is the log of a
 *figure (lower is worse), n the number of healthy controls of the same key, m their mean, s their
 *s.d., not below ACCEPT_SPREAD_MIN. One-sided prediction interval for one further observation (Hahn
 *& Meeker 1991, section 4.2; facts of the two-sample t with one new value): t = (m - y) / (s sqrt(1
 *+ 1/n)), df = n - 1 The p-values of a benchmark's rows are combined by Simes. Below ACCEPT_ALPHA
 *and beyond the practical floor of the row: rejected; below ACCEPT_SUSPECT and beyond the floor:
 *not decided. The smallest loss that is noticed with power 0.9 is 1 - exp(-(t_{1-ACCEPT_SUSPECT,df}
 *+ t_{0.9,df}) s sqrt(1 + 1/n)), at least the floor.
 */
#ifndef HPCBENCH_HARNESS_ACCEPT_H
#define HPCBENCH_HARNESS_ACCEPT_H

#include "harness/judge/verdict.h"
#include "harness/localize/findings.h"
#include "harness/plan/plan.h"

enum {
	ACCEPT_PARTNERS_MIN = 2, /* healthy controls that a new node must have figures with, and
	                            that must see it slow before it is rejected for that */
	ACCEPT_CONTROLS_MIN = 3, /* of one key, for the comparison beside controls */
	ACCEPT_ALONE_MIN = 4     /* new nodes that can judge each other without controls */
};
#define ACCEPT_SPREAD_MIN 0.003
#define ACCEPT_ALPHA      0.001
#define ACCEPT_SUSPECT    0.005
#define ACCEPT_POWER      0.9

/* Better ones first: of two the larger is worse. */
enum accept_word {
	ACCEPT_ACCEPTED,
	ACCEPT_UNDECIDED,
	ACCEPT_UNMEASURED,
	ACCEPT_REJECTED,
	ACCEPT_WORDS
};
const char *accept_name(enum accept_word w); /* "accepted", "not-decided" ... */

enum accept_why {
	ACCEPT_SLOW,      /* the node itself, in both directions */
	ACCEPT_DIRECTION, /* in one direction */
	ACCEPT_LINK,
	ACCEPT_PATH, /* leaf or rail that it hangs on */
	ACCEPT_REGRESSED,
	ACCEPT_BESIDE, /* slow beside the controls */
	ACCEPT_DATA,
	ACCEPT_HARDWARE,
	ACCEPT_GROUP, /* one of several that it could be */
	ACCEPT_DOUBT, /* looks slow, not confirmed */
	ACCEPT_DISTURBED,
	ACCEPT_FEW,   /* partners, or controls to compare with */
	ACCEPT_VAGUE, /* what would have been found is above the tolerance */
	ACCEPT_LOST,  /* absent, silent, no figures */
	ACCEPT_WHYS
};
const char *accept_why_name(enum accept_why w); /* "slow-node", "wrong-data" ... */

struct accept_reason {
	enum accept_why why;
	enum accept_word word; /* what it makes of the node */
	char *text;            /* for people, without the node's name; owned */
	double loss;           /* NaN: none */
	bool confirmed;        /* seen again in extra pairs or in a confirming rerun */
	const struct ack *ack; /* known trouble, borrowed; NULL: none */
};

struct accept_node {
	const char *node; /* borrowed from the plan */
	size_t index;     /* in the plan's nodes; SIZE_MAX: absent */
	enum plan_role role;
	enum accept_word word;
	struct accept_reason *reasons; /* worst first; none: accepted */
	size_t n_reasons, cap_reasons;
	const struct ack *ack; /* all that speaks against it is known trouble: this is one of it */
	size_t partners;       /* healthy controls with figures, in the benchmark with the fewest */
	bool paired;       /* partners counts pairs; else the controls that it was held against */
	double detectable; /* the largest of its benchmarks', beside their tolerance; NaN: none */
	const char *detectable_bench; /* of which; borrowed; NULL */
};

struct acceptance {
	struct accept_node *v; /* new nodes, then controls, each in the plan's order, absent last */
	size_t n, n_new;
	size_t count[ACCEPT_WORDS], known[ACCEPT_WORDS]; /* of the new nodes; acknowledged ones */
	size_t controls, controls_healthy;
	char **notes; /* what is to be told beside; owned */
	size_t n_notes, cap_notes;
	bool groups_lost, groups_slow; /* collectives over the accepted nodes */
	bool uncompared; /* there is a baseline, and no row could be held against it */
};

/* All borrowed; must outlive what is made of it. */
struct accept_input {
	const struct plan *plan;         /* with roles, and its suite */
	const struct summary *s;         /* acks_mark has been called */
	const struct verdicts *v;        /* NULL: no baseline */
	const struct sheets *sheets;     /* NULL: pairs were not looked at */
	const struct findings *findings; /* of these sheets; NULL with them */
};

/* Has this plan new nodes to decide about? */
bool accept_wanted(const struct plan *p);
/* Never fails on contents. Free with accept_free. */
void accept_decide(const struct accept_input *in, struct acceptance *out);
void accept_free(struct acceptance *a);
/* The decision about a node; NULL: it is none of them. */
const struct accept_node *accept_find(const struct acceptance *a, const char *node);
/* Adds to what is told beside the decisions; takes text. */
void accept_tell(struct acceptance *a, char *text);
/* The exit code: rejected 10, not measured 13, baseline asked for and nothing compared 12, not
 * decided 11, else 0; what is acknowledged does not count. */
int accept_code(const struct acceptance *a);
/* Of each node of the plan: accepted, or a healthy control. What collectives are measured over. */
void accept_members(const struct acceptance *a, const struct plan *p, bool *in);
/* Is it sure enough to be drained: rejected as slow by at least ACCEPT_PARTNERS_MIN controls in
 * main and extra pairs, or regressed and confirmed; not acknowledged. *why: if not, in words. */
bool accept_may_drain(const struct accept_node *n, const char **why);

/* ---- choosing controls ---- */

enum { ACCEPT_AUTO_MIN = 4, ACCEPT_AUTO_MAX = 16 };
enum accept_known { ACCEPT_IN_BASELINE, ACCEPT_IN_LEDGER, ACCEPT_NEVER_SEEN };
/* A node that could be a control now; all borrowed. */
struct accept_candidate {
	const char *node, *hw; /* hw NULL: class not known */
	enum accept_known known;
};
/*
 * Of n candidates as many as there are new nodes, at least ACCEPT_AUTO_MIN and at most
 * ACCEPT_AUTO_MAX; none whose class is known not to be one of the new nodes' (new_hw: n_new of
 * them, NULL where unknown). Those of the baseline first, then those of the ledger, of either those
 * whose class is known to fit first; else in their order. chosen has room for ACCEPT_AUTO_MAX
 * indices; returns how many there are.
 */
size_t accept_choose_controls(const struct accept_candidate *v, size_t n, const char *const *new_hw,
                              size_t n_new, size_t *chosen);

/* {"new","controls","counts","decisions":[...],"notes":[...]}; the caller's. */
json_object *accept_to_json(const struct acceptance *a);
/* Appends what the worst reason says: "mpi.bandwidth -38 % with all 6 controls". */
void accept_evidence(const struct accept_node *n, struct buf *out);

#endif
