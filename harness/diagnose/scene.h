/*
 * How rules look at a scene: what a test is asked about (binding) and what it saw (seen). Shared by
 * the files of this folder; tests are pure functions of the scene.
 */
#ifndef HPCBENCH_HARNESS_SCENE_H
#define HPCBENCH_HARNESS_SCENE_H

#include "harness/diagnose/diagnose.h"
#include "harness/diagnose/rules_parts.h"

enum { ABOUTS = FACT_PEER + 1 };

/* Something that findings, verdicts or losses say of a subject. */
struct trouble {
	size_t node, other;          /* SIZE_MAX: the cluster; other: the second end of a link, else
	                                SIZE_MAX */
	const char *subject, *bench; /* borrowed; bench NULL: nothing of the node came */
	uint64_t bytes;
	unsigned kind; /* enum loc_kind, SLOW_REGRESSED, SLOW_LOST */
	double loss;   /* NaN: unknown */
};

/* A scene made ready to be asked. */
struct look {
	const struct scene *s;
	const struct facts *f; /* = s->facts */
	size_t n_nodes;
	size_t *class_of; /* of each node: number of its hardware class */
	size_t n_classes;
	struct trouble *troubles; /* ordered by node; SIZE_MAX last */
	size_t n_troubles, cap_troubles;
	/* Figures by node: those of node i are figures[order[begin[i] .. begin[i + 1]]]. */
	size_t *order, *begin;
	const char **judged; /* benchmarks that findings looked at in pairs */
	size_t n_judged;
	unsigned char *counts;    /* of each node: it told counters */
	struct look_cache *cache; /* inside: which counters a test is about */
	struct look_mains *mains; /* inside: which device most bytes went over */
};

/* The counters whose names a test is about, by their places in facts.counters. */
struct counter_rows {
	const struct rule_test *test;
	size_t *v, n;
	size_t cells; /* of all nodes together, and what they counted */
	double total;
};
const struct counter_rows *look_counters(const struct look *l, const struct rule_test *t);

/* All that nodes have of a key that each should have alone: elements of its lists, ordered. */
struct shared_at {
	const char *text; /* borrowed, not terminated */
	size_t len, node;
	const char *device;
	size_t of; /* how many nodes have such a device */
	size_t n;  /* how many nodes have this */
};
struct shared_index {
	const char *key;
	struct shared_at *v;
	size_t n;
};
const struct shared_index *look_shared(const struct look *l, const char *key);
/* Another node's element of this text, or NULL. */
const struct shared_at *shared_with(const struct shared_index *s, const char *text, size_t len,
                                    size_t node);
/* wire_of a node; NULL: it told no counters. */
const struct wire *look_wire(const struct look *l, size_t node);
double look_bytes(const struct look *l); /* of all nodes together */
void look_cache_make(struct look *l);
void look_cache_free(struct look *l);
void look_mains_make(struct look *l);
void look_mains_free(struct look *l);
void look_make(const struct scene *s, struct look *out);
void look_free(struct look *l);

struct binding {
	enum rule_scope scope;
	size_t node;                 /* SIZE_MAX: the cluster */
	size_t other;                /* pair: the other end; else SIZE_MAX */
	const char *link;            /* pair: its subject as findings call it, borrowed */
	const char *device[ABOUTS];  /* of each kind of device; NULL: none is bound */
	const char *own;             /* of these the one that a rule of devices is about */
	const struct fact_row *only; /* of the rows of a key this one alone; NULL: all */
};

/* What a test saw. All texts are borrowed from the scene. */
struct seen {
	const struct rule_test *test;
	bool applies;               /* something is known that it could be held against */
	size_t node;                /* SIZE_MAX: the cluster */
	size_t other;               /* another node that matters; SIZE_MAX: none */
	const char *device;         /* "" or NULL: of the node itself */
	const char *other_device;   /* the same of the other */
	const char *key;            /* of a fact, a counter, a benchmark */
	const char *value, *source; /* of a fact; NULL: could not be had */
	const char *peers;          /* what they agree about; NULL: nothing */
	size_t count, of;    /* of the peers; in cluster scope of the nodes; of: 0: unknown */
	const char *was;     /* in the baseline; of the other end */
	double number;       /* counted, a loss, a ratio; NaN: none */
	double limit;        /* that it was held against; NaN */
	double share, bytes; /* NaN: not known */
	const char *text;    /* of an event; of a verdict on a class */
	unsigned kind;       /* of trouble */
};
void seen_init(struct seen *s, const struct rule_test *t, const struct binding *b);

/* Rows of a key (or of all keys that "env.*" stands for) stand beside each other. */
struct row_range {
	const struct fact_row *v;
	size_t n;
};
struct row_range look_rows(const struct look *l, const char *key);
/* Of these the rows of one device alone; of a pattern of keys all. */
struct row_range look_rows_on(const struct look *l, const char *key, const char *device);
/*
 * The places, in look_rows of the key, of the rows that a node has a value in, ascending; so that
 * of 10,000 peers nobody looks through all for each node. key must outlive l.
 */
struct row_places {
	const size_t *v;
	size_t n;
};
struct row_places look_rows_of(const struct look *l, const char *key, size_t node);
/* The device that a test about devices is held against; "" for the node itself. */
const char *bound_device(const struct binding *b, const struct rule_test *t);
/*
 * The devices bound, whatever their kind, that a counter can belong to; NULL: none, then it is the
 * whole node.
 */
bool bound_has(const struct binding *b, const char *device);
bool bound_any(const struct binding *b);
/* Of which kind a device is by its name. */
enum fact_about device_about(const char *device);
/* What the baseline's facts of a node's hardware class say; NULL: nothing. */
const char *look_was(const struct look *l, const char *device, const char *key, size_t node);
/* The two nodes of "a-b" or "a>b"; false: it is no such pair of nodes that are known. */
bool look_pair(const struct look *l, const char *subject, size_t *a, size_t *b);
/* A number that a text is; NaN: none. */
double look_number(const char *text);

#define HOLDS(name)                                                                                \
	bool name(const struct look *l, const struct binding *b, const struct rule_test *t,        \
	          struct seen *seen)
HOLDS(holds_fact);
HOLDS(holds_differs);
HOLDS(holds_changed);
HOLDS(holds_less);
HOLDS(holds_shared);
HOLDS(holds_ends);
HOLDS(holds_counter);
HOLDS(holds_still);
HOLDS(holds_wire);
HOLDS(holds_main); /* of `wire` with `main` */
HOLDS(holds_foreign);
HOLDS(holds_slow);
HOLDS(holds_fine);
HOLDS(holds_grows);
HOLDS(holds_noisy);
HOLDS(holds_class);
HOLDS(holds_expect);
HOLDS(holds_event);

/* ---- a rule that holds ---- */

/* A rule and what its tests saw; becomes a cause, alone or joined with its like. */
struct hit {
	const struct rule *rule;
	struct binding b;
	struct seen *seen; /* of each test of when, owned */
};
struct hits {
	struct hit *v;
	size_t n, cap;
};
void hits_free(struct hits *h);
/* Adds what a rule finds, in the order of nodes and devices. */
void rule_evaluate(const struct look *l, const struct rule *r, struct hits *out);
/* Does a rule hold for what is bound? Binds devices where the rule leaves them free; seen has room
 * for RULE_TESTS_MAX. */
bool rule_holds(const struct look *l, const struct rule *r, struct hit *hit);
/* Which nodes it could hold for (bytes by node, 1: perhaps); the caller frees. */
unsigned char *rule_nodes(const struct look *l, const struct rule *r);
/* Cluster scope: does the test hold for enough nodes? Sees one of them, and counts. */
bool cluster_holds(const struct look *l, struct binding *b, const struct rule_test *t,
                   struct seen *seen);

/* ---- words ---- */

/* Hits that are alike, told as one. */
struct told {
	const struct look *l;
	const struct hit *h; /* the one whose figures are told */
	const char *nodes;   /* of all of them, hostlist form; "cluster" */
	size_t n;            /* how many nodes */
};
/* Who it is about: "n17", "n[3-7]/eth0", "n1-n2", "cluster". The caller frees. */
char *told_subject(const struct told *t);
/* A message with its placeholders filled. The caller frees. */
char *told_text(const struct told *t, const char *message);
/* What its test number i saw, as a line of evidence. */
void told_evidence(const struct told *t, size_t i, struct buf *out);
/* A fact's value with its unit, for people: "256 GiB", "25 Gb/s", "1500". */
void fact_words(const struct fact_info *info, const char *text, struct buf *out);
/* Is a test's figure each node's own, so that nodes are alike whatever it is? */
bool seen_varies(const struct seen *s);
bool seen_least(const struct seen *s); /* the least of them is the worst */
/* Everything that makes two hits of one rule alike. */
void hit_pattern(const struct hit *h, struct buf *out);

/* ---- causes ---- */

/* Which nodes each culprit is about. */
struct blamed {
	size_t *v, n;
};
struct blamed *blamed_make(const struct look *l);
void blamed_free(const struct look *l, struct blamed *b);
/* Makes the causes of hits that are alike one each; sets all but the order. */
void causes_make(const struct look *l, const struct rules *rules, const struct hits *h,
                 struct diagnosis *out);
#endif
