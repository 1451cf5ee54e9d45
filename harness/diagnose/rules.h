/*
 * Rules: what a fault looks like in facts, counters and figures, as data (baselines/rules, *.json,
 * rules.schema.json beside them; a site's own by --rules). A rule is a list of tests from a closed
 * set; there is no expression language. This module reads and checks them; scene.h evaluates.
 *
 * A file: {"schema": 1, "rules": [RULE...], "suppress": [SUPPRESS...]}; a rule of a site with the
 * id of a built-in one takes its place.
 *
 * RULE: id ("mtu-differs"), title (one line), scope, severity, confidence, when [TEST...] (all must
 * hold), unless [TEST...] (none may), explains {bench: [globs], kinds: [...]} (the slow figures
 * that it can be the cause of; absent: none), message, next, refute, source (where the knowledge is
 * from), tags [words].
 *
 * scope: what it is evaluated for, one finding each at most:
 * - node: each node; a fact test of a device holds if any device of the node fits, and binds it
 * - device: each (node, device) that has the key of the first test about a device in `when`
 * - pair: each link or pair of nodes that findings blame, and what they lost
 * - cluster: the whole once; a test of facts or counters holds if it does for `share` (default
 *   0.9) of the nodes that have them
 *
 * TEST: {"test": NAME, ...}, with "of": "node" | "device" | "any" where its own device (device
 * scope) or the bound one is not meant:
 * - fact: key, and one of: is [texts], not [texts], like [globs], unlike [globs], below N and above
 *   N, known true|false (false: it was told that it could not be had); device [globs]: these alone
 * - differs: key, direction below|above|any, peers [globs that their value must fit], device:
 *   from what peers say (facts_peers)
 * - changed: key, direction, device: from the baseline's facts of this hardware class
 * - less: key, than KEY2, factor F (default 1): number(key) < F * number(than); than is about the
 *   same thing or the node, or key is about the node and than about the device that is bound
 * - shared: key: another node has the same value; all but FACT_OWN keys are refused. Of network
 *   devices not where three or more nodes and most of those with such a device have it: that is a
 *   link inside each node, to its management controller or a card
 * - ends: key: the two ends of the pair differ in it (pair scope; of any device that carried the
 *   bytes where the key is of devices)
 * - counter: name [globs], above N, per "none"|"second"|"GB" (of bytes that went over it): the sum
 *   of those that match, of the device; of the node where "of" is node; of all other nodes together
 *   where it is "others" (node scope)
 * - still: name [globs]: the node told counters in this run and none of these moved. Helpers tell
 *   what moved alone, so one that stood at 0 and one that is not there look alike: ask beside it
 *   for a fact or a counter that only a device with such counters has
 * - wire: device [globs] or kind [net.kind values] or port true|false (none: the bound device),
 *   above SHARE, below SHARE: share of the node's bytes that went over such devices; or main
 *   "differs"|"slower": the device that most of them went over is not that of the peers, or
 *   another one that is up and has an address is at least twice as fast
 * - foreign: above SHARE: bytes that the run's own do not explain
 * - slow: bench [globs], loss N (at least; default 0), kinds [slow-node, slow-sending,
 *   slow-receiving, slow-link, slow-link-direction, slow-leaf, slow-rail, silent-node, regressed,
 *   lost, any]: findings or verdicts say so of this node (its links, its leaf), in cluster scope of
 *   anybody or the cluster
 * - fine: bench [globs]: it was measured and nothing of the kind is said
 * - grows: bench [globs], from BYTES or from_key KEY (a fact of bytes): sizes at most that are not
 *   slow (less than a third of the loss), sizes above are
 * - noisy: bench [globs], above RATIO: its p99 / p50 is that many times the median of the others
 * - class: achieved [names], below_promised true: the interconnect class of the node or cluster
 *   (expected.h)
 * - expect: figure NAME, below RATIO: a figure of baselines/expected is missed by that much
 * - event: code [texts], text [globs] (may be absent): an event of the run of this node
 *
 * Placeholders in message, next and refute: {subject} {node} {device} {key} {value} {peers}
 * {count} {of} {was} {other} {bytes} {share}; each from the first test of `when` that knows it;
 * unknown ones are refused when a rule is read.
 */
#ifndef HPCBENCH_HARNESS_RULES_H
#define HPCBENCH_HARNESS_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/err.h"
#include "bench/base/json.h"

enum {
	RULES_SCHEMA = 1,
	RULES_MAX = 2048,
	RULE_TESTS_MAX = 16,
	RULE_WORDS_MAX = 64,  /* globs or texts of a test */
	RULE_TEXT_MAX = 2048, /* bytes of any text */
	RULES_FILE_MAX = 4 << 20
};

enum rule_scope { RULE_NODE, RULE_DEVICE, RULE_PAIR, RULE_CLUSTER };
/* error: breaks or slows jobs for sure, exit 10; warning: told, counts only as the cause of what is
 * slow; note: looks wrong but is not, and says why. */
enum rule_severity { RULE_ERROR, RULE_WARNING, RULE_NOTE };
/* How sure the cause is once its tests hold. */
enum rule_confidence { RULE_CERTAIN, RULE_LIKELY, RULE_POSSIBLE };
const char *rule_scope_name(enum rule_scope s);
const char *rule_severity_name(enum rule_severity s);
const char *rule_confidence_name(enum rule_confidence c);

enum rule_test_kind {
	TEST_FACT,
	TEST_DIFFERS,
	TEST_CHANGED,
	TEST_LESS,
	TEST_SHARED,
	TEST_ENDS,
	TEST_COUNTER,
	TEST_STILL,
	TEST_WIRE,
	TEST_FOREIGN,
	TEST_SLOW,
	TEST_FINE,
	TEST_GROWS,
	TEST_NOISY,
	TEST_CLASS,
	TEST_EXPECT,
	TEST_EVENT,
	TEST_KINDS
};
const char *rule_test_name(enum rule_test_kind k);

struct rule_test; /* rules_parts.h */

struct rule {
	char *id, *title, *message, *next, *refute, *source;
	char *file; /* that it was read from */
	enum rule_scope scope;
	enum rule_severity severity;
	enum rule_confidence confidence;
	struct rule_test *when, *unless;
	size_t n_when, n_unless;
	char **explains; /* globs of benchmarks */
	size_t n_explains;
	unsigned explains_kinds; /* 1 << enum loc_kind; 0: all */
	char **tags;
	size_t n_tags;
};

/* What a site does not want to be told until a day. */
struct suppression {
	char *rule;    /* glob of ids */
	char *subject; /* glob; NULL: all */
	char *until;   /* YYYY-MM-DD, the last day (UTC); required */
	char *reason;  /* required */
	bool expired;  /* as of the day it was read */
};

struct rules {
	struct rule *v; /* ordered by id */
	size_t n, cap;
	struct suppression *suppress;
	size_t n_suppress, cap_suppress;
};

/*
 * The built-in rules (HPCBENCH_RULES_PATH, else share/hpcbench/rules beside the program)
 * and those of a site: site is a file or a folder of *.json; NULL: none. Every error names file,
 * JSON path and what is known. today: YYYY-MM-DD.
 */
int rules_load(const char *site, const char *today, struct rules *out, struct hb_err *err);
/* Adds what one file, or a folder of them, says. */
int rules_read_site(const char *path, const char *today, struct rules *out, struct hb_err *err);
int rules_from_json(json_object *o, const char *source, const char *today, struct rules *out,
                    struct hb_err *err);
const struct rule *rules_find(const struct rules *r, const char *id); /* NULL: none */
const char *rules_nearest(const struct rules *r, const char *id);     /* may be NULL */
void rules_free(struct rules *r);

/* Appends what a test asks, in words: "net.mtu differs from its peers". */
void rule_test_words(const struct rule_test *t, struct buf *out);
/* The same of test i of `when`, or else of `unless`; false: there is none. */
bool rule_words(const struct rule *r, bool when, size_t i, struct buf *out);

#endif
