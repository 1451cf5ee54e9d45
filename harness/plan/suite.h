/*
 * A suite: which benchmarks, with which sizes and options, judged how. A JSON file (schema:
 * harness/suites/suite.schema.json); the shipped ones are found by name, others by path.
 */
#ifndef HPCBENCH_HARNESS_SUITE_H
#define HPCBENCH_HARNESS_SUITE_H

#include "bench/base/info.h"

enum { SUITE_SCHEMA = 1, SUITE_ENTRIES_MAX = 64, SUITE_GROUPS_MAX = 16 };
enum { SUITE_GROUP_ALL = 0 }; /* in groups: the whole node set */

/* What a case may be asked for, in a suite file and on the command line. */
#define SUITE_PRECISION_MIN  0.0001
#define SUITE_PRECISION_MAX  0.5
#define SUITE_MAX_TIME_MIN_S 0.001
#define SUITE_MAX_TIME_MAX_S 3600.0

struct suite_entry {
	const struct bench_info *info;
	void *opts; /* info_opts_new; owned */
	double precision, max_time_s, deadline_s;
	uint64_t max_iters;
	double floor; /* practical floor delta */
	/* The least loss that a node is blamed for against its peers: 2 %, or what the suite says,
	 * or the floor where the suite has one of its own. */
	double node_floor;
	double tolerance; /* of the smallest detectable effect; 0: twice the floor */
	int rpn;          /* ranks a node, groups */
	/* Groups: nodes in each, ascending, SUITE_GROUP_ALL last; at least one entry. */
	int groups[SUITE_GROUPS_MAX];
	int n_groups;
	bool verify;
};

/* How much foreign load a job bears before its figures do not count; 0: any. */
struct suite_disturbed {
	bool given; /* the suite says so itself */
	double cpu; /* foreign processes, as a share of a node's cores */
	double nic; /* foreign traffic, as a share of a device's speed */
};

struct suite {
	char *name, *summary, *path;
	int rounds;           /* pairs: default number of rounds, 0: all */
	int max_pairs;        /* default of --max-pairs; 0: no limit */
	bool max_pairs_given; /* the suite says so itself */
	int shape;            /* default of --shape, enum plan_shape; -1: it does not say */
	struct suite_disturbed disturbed;
	struct suite_entry *entries;
	size_t n_entries;
	char *note; /* what suite_override left as it was, in one line; NULL: nothing */
};

/* The keys that a suite file may have, NULL-terminated: its top level, and each of its benches. */
extern const char *const suite_keys[], *const suite_entry_keys[];

/* name: a shipped suite, or a path (contains '/' or ends in .json). */
int suite_load(const char *name, struct suite *out, struct hb_err *err);
int suite_from_json(json_object *o, const char *source, struct suite *out, struct hb_err *err);
json_object *suite_to_json(const struct suite *s);
/* A suite of the named benchmarks with their defaults ("--bench a,b"). */
int suite_of_benches(const char *list, struct suite *out, struct hb_err *err);
/*
 * Keeps only the listed benchmarks; sets sizes, precision, max_time where given (NULL, 0: keep).
 * Sizes go to the benchmarks that can take all of them; the others keep theirs, and s->note says
 * so. If none can it is HB_E_USAGE.
 */
int suite_override(struct suite *s, const char *benches, const char *sizes, double precision,
                   double max_time_s, struct hb_err *err);
/* How many nodes it needs to measure all it has: two where there are pairs or groups, else one. */
size_t suite_nodes_min(const struct suite *s);
/* Names of the shipped suites, NULL-terminated; the caller frees with suite_names_free. */
char **suite_names(void);
void suite_names_free(char **names);
/* Names of the files DIR/NAME.json, ordered, without schemas; none where there is no such folder.
 * Freed likewise. */
char **data_names(const char *dir);
void suite_free(struct suite *s);

/* Where shipped files lie: HPCBENCH_DATA_PATH, else beside the program as built or installed. */
char *suite_data_path(const char *relative);

#endif
