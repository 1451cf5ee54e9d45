/* What the files of accept share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_ACCEPT_PARTS_H
#define HPCBENCH_HARNESS_ACCEPT_PARTS_H

#include <math.h>

#include "bench/base/buf.h"
#include "harness/accept/accept.h"
#include "harness/judge/ack.h"

/* The decision while it is made. */
struct accept {
	const struct accept_input *in;
	struct acceptance *out;
	bool alone;      /* there are no controls: new nodes judge each other */
	size_t *place;   /* of each node of the plan, in out->v */
	size_t *by_name; /* places in out->v, sorted by name */
	bool *healthy;   /* of each node of the plan: a control that nothing speaks against */
};

/* Node k of the plan, as out has it. */
struct accept_node *accept_at(const struct accept *a, size_t k);
/* By name, absent ones too; NULL: none. */
struct accept_node *accept_named(const struct accept *a, const char *name);
/* Index in the plan, or SIZE_MAX. */
size_t accept_index(const struct accept *a, const char *name);
/* Is node k of the plan one that others are compared with? */
bool accept_is_control(const struct accept *a, size_t k);
/* Takes text, which may be NULL where the same was said before. */
struct accept_reason *accept_add(struct accept_node *n, enum accept_why why, enum accept_word word,
                                 char *text, const struct ack *ack);
bool accept_has(const struct accept_node *n, enum accept_why why);
/* Nothing speaks against it but, perhaps, a figure that foreign load spoiled. */
bool accept_sound(const struct accept_node *n);
void accept_note(struct accept *a, char *text); /* takes text */
/* A loss as the figure itself shows it: "-38 %", of a latency, which grows, "+61 %". */
void accept_change(const struct key *k, double loss, struct buf *out);
/* A benchmark's smallest detectable loss on a node, beside what is tolerated. */
void accept_detectable(struct accept_node *n, const char *bench, double detectable,
                       double tolerance);

/* What the summary, the verdicts and the hardware say of each node. */
void accept_rows(struct accept *a);
void accept_hardware(struct accept *a);
/* What was found in pairs, of the controls or of the new nodes; of controls first. */
void accept_blame(struct accept *a, enum plan_role role);
/* Once healthy is known: how nodes stand beside the controls, which may find one of them slow. */
void accept_local(struct accept *a);
void accept_beside_pairs(struct accept *a);
/* At last: with how many partners each was measured, and what would have been found. */
void accept_partners(struct accept *a);

/* One node beside the controls. */
struct accept_beside {
	size_t n; /* controls */
	double loss, p, detectable;
};
/* y: of the controls, n of them, at least ACCEPT_CONTROLS_MIN; floor: practical, a ratio. */
void accept_beside(const double *controls, size_t n, double y, double floor,
                   struct accept_beside *out);

/* Healthy controls (or, without any, other new nodes) that a node has figures with in one sheet. */
struct accept_seen {
	size_t controls, slow;        /* in main and extra pairs together */
	size_t slow_main, slow_extra; /* how many it was slow with in each */
};
/* Slow: by at least half of loss, and what the sheet blames, below the median of the others. */
void accept_seen(const struct accept *a, size_t sheet, size_t node, double loss,
                 struct accept_seen *out);

#endif
