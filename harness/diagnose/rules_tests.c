/* The one table of tests, and that of the members they may have. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/scene.h"

static const char *const directions[] = { "any", "below", "above", NULL };
static const char *const pers[] = { "none", "second", "GB", NULL };
static const char *const ofs[] = { "own", "node", "device", "any", "others", NULL };
static const char *const mains[] = { "differs", "slower", NULL };
static const char *const net_kinds[] = { "physical", "ipoib",   "bond",     "bridge", "vlan",
	                                 "veth",     "virtual", "loopback", NULL };
static const char *const slow_kinds[] = { "slow-node",
	                                  "slow-sending",
	                                  "slow-receiving",
	                                  "slow-link",
	                                  "slow-link-direction",
	                                  "slow-leaf",
	                                  "slow-rail",
	                                  "silent-node",
	                                  "regressed",
	                                  "lost",
	                                  "any",
	                                  NULL };

#define AT(field) offsetof(struct rule_test, field)
#define MANY      1e18
const struct rule_field_info rule_fields[RULE_FIELDS] = {
	[FIELD_KEY] = { "key", FIELD_TYPE_KEY, AT(key), NULL, 0, 0 },
	[FIELD_THAN] = { "than", FIELD_TYPE_KEY, AT(than), NULL, 0, 0 },
	[FIELD_FROM_KEY] = { "from_key", FIELD_TYPE_KEY, AT(from_key), NULL, 0, 0 },
	[FIELD_IS] = { "is", FIELD_TYPE_WORDS, AT(is), NULL, 0, 0 },
	[FIELD_NOT] = { "not", FIELD_TYPE_WORDS, AT(not ), NULL, 0, 0 },
	[FIELD_LIKE] = { "like", FIELD_TYPE_WORDS, AT(like), NULL, 0, 0 },
	[FIELD_UNLIKE] = { "unlike", FIELD_TYPE_WORDS, AT(unlike), NULL, 0, 0 },
	[FIELD_BELOW] = { "below", FIELD_TYPE_NUMBER, AT(below), NULL, -MANY, MANY },
	[FIELD_ABOVE] = { "above", FIELD_TYPE_NUMBER, AT(above), NULL, -MANY, MANY },
	[FIELD_KNOWN] = { "known", FIELD_TYPE_BOOL, AT(known), NULL, 0, 0 },
	[FIELD_DIRECTION] = { "direction", FIELD_TYPE_CHOICE, AT(direction), directions, 0, 0 },
	[FIELD_PEERS] = { "peers", FIELD_TYPE_WORDS, AT(peers), NULL, 0, 0 },
	[FIELD_FACTOR] = { "factor", FIELD_TYPE_NUMBER, AT(factor), NULL, 1e-9, 1e9 },
	[FIELD_NAME] = { "name", FIELD_TYPE_WORDS, AT(name), NULL, 0, 0 },
	[FIELD_PER] = { "per", FIELD_TYPE_CHOICE, AT(per), pers, 0, 0 },
	[FIELD_DEVICE] = { "device", FIELD_TYPE_WORDS, AT(device), NULL, 0, 0 },
	[FIELD_KIND] = { "kind", FIELD_TYPE_WORDS, AT(net_kind), net_kinds, 0, 0 },
	[FIELD_PORT] = { "port", FIELD_TYPE_BOOL, AT(port), NULL, 0, 0 },
	[FIELD_MAIN] = { "main", FIELD_TYPE_CHOICE, AT(main), mains, 0, 0 },
	[FIELD_BENCH] = { "bench", FIELD_TYPE_WORDS, AT(bench), NULL, 0, 0 },
	[FIELD_LOSS] = { "loss", FIELD_TYPE_NUMBER, AT(loss), NULL, 0, 1 },
	[FIELD_KINDS] = { "kinds", FIELD_TYPE_WORDS, AT(kinds), slow_kinds, 0, 0 },
	[FIELD_FROM] = { "from", FIELD_TYPE_BYTES, AT(from), NULL, 0, MANY },
	[FIELD_ACHIEVED] = { "achieved", FIELD_TYPE_WORDS, AT(achieved), NULL, 0, 0 },
	[FIELD_BELOW_PROMISED] = { "below_promised", FIELD_TYPE_BOOL, AT(below_promised), NULL, 0,
	                           0 },
	[FIELD_FIGURE] = { "figure", FIELD_TYPE_WORDS, AT(figure), NULL, 0, 0 },
	[FIELD_CODE] = { "code", FIELD_TYPE_WORDS, AT(code), NULL, 0, 0 },
	[FIELD_TEXT] = { "text", FIELD_TYPE_WORDS, AT(text), NULL, 0, 0 },
	[FIELD_OF] = { "of", FIELD_TYPE_CHOICE, AT(of), ofs, 0, 0 },
	[FIELD_SHARE] = { "share", FIELD_TYPE_NUMBER, AT(share), NULL, 0.01, 1 },
};
#undef AT

enum {
	VALUE = FIELD(IS) | FIELD(NOT) | FIELD(LIKE) | FIELD(UNLIKE) | FIELD(BELOW) | FIELD(ABOVE) |
	        FIELD(KNOWN),
	WHERE = FIELD(OF) | FIELD(SHARE),
	WHO = PLACE(SUBJECT) | PLACE(NODE) | PLACE(DEVICE),
	KEYED = WHO | PLACE(KEY) | PLACE(VALUE) | PLACE(PEERS) | PLACE(COUNT) | PLACE(OF),
	SIZED = WHO | PLACE(KEY) | PLACE(VALUE) | PLACE(BYTES),
	PAIRS = 1u << RULE_PAIR
};

/* clang-format off */
const struct rule_test_info rule_tests[TEST_KINDS] = {
	[TEST_FACT] = { "fact", FIELD(KEY) | FIELD(DEVICE) | VALUE | WHERE, FIELD(KEY), VALUE, KEYED, 0, true, false, false, false,
		holds_fact, "a fact has such a value" },
	[TEST_DIFFERS] = { "differs", FIELD(KEY) | FIELD(DEVICE) | FIELD(DIRECTION) | FIELD(PEERS) | WHERE, FIELD(KEY), 0, KEYED, 0, true, false, false, false,
		holds_differs, "a fact differs from what the peers agree about" },
	[TEST_CHANGED] = { "changed", FIELD(KEY) | FIELD(DEVICE) | FIELD(DIRECTION) | WHERE, FIELD(KEY), 0, KEYED | PLACE(WAS), 0, true, false, false, false,
		holds_changed, "a fact is not what the baseline's nodes of this hardware class had" },
	[TEST_LESS] = { "less", FIELD(KEY) | FIELD(THAN) | FIELD(FACTOR) | WHERE, FIELD(KEY) | FIELD(THAN), 0, KEYED | PLACE(WAS), 0, false, false, false, false,
		holds_less, "a fact's number is below another one's of the same node or device" },
	[TEST_SHARED] = { "shared", FIELD(KEY) | WHERE, FIELD(KEY), 0, WHO | PLACE(KEY) | PLACE(VALUE) | PLACE(OTHER), 0, false, false, false, false,
		holds_shared, "another node has the same value of what each should have alone" },
	[TEST_ENDS] = { "ends", FIELD(KEY) | FIELD(OF), FIELD(KEY), 0, WHO | PLACE(KEY) | PLACE(VALUE) | PLACE(OTHER) | PLACE(WAS), PAIRS, false, false, false, false,
		holds_ends, "the two ends of the link differ in a fact" },
	[TEST_COUNTER] = { "counter", FIELD(NAME) | FIELD(ABOVE) | FIELD(PER) | WHERE, FIELD(NAME) | FIELD(ABOVE), 0, WHO | PLACE(KEY) | PLACE(VALUE) | PLACE(COUNT) | PLACE(OF), 0, false, false, true, false,
		holds_counter, "counters moved by more than so much" },
	[TEST_STILL] = { "still", FIELD(NAME) | WHERE, FIELD(NAME), 0, WHO | PLACE(KEY) | PLACE(COUNT) | PLACE(OF), 0, false, false, false, false,
		holds_still, "counters were told and none of these moved" },
	[TEST_WIRE] = { "wire", FIELD(DEVICE) | FIELD(KIND) | FIELD(PORT) | FIELD(MAIN) | FIELD(ABOVE) | FIELD(BELOW) | FIELD(SHARE), 0, FIELD(ABOVE) | FIELD(BELOW), WHO | PLACE(SHARE) | PLACE(PEERS) | PLACE(OTHER) | PLACE(COUNT) | PLACE(OF), 0, false, false, true, false,
		holds_wire, "such a share of the node's bytes went over such devices" },
	[TEST_FOREIGN] = { "foreign", FIELD(ABOVE) | FIELD(SHARE), FIELD(ABOVE), 0, WHO | PLACE(SHARE) | PLACE(COUNT) | PLACE(OF), 0, false, false, true, false,
		holds_foreign, "more of the node's bytes than this are not the run's own" },
	[TEST_SLOW] = { "slow", FIELD(BENCH) | FIELD(LOSS) | FIELD(KINDS), 0, 0, SIZED | PLACE(OTHER), 0, false, true, true, true,
		holds_slow, "it was found slow" },
	[TEST_FINE] = { "fine", FIELD(BENCH), 0, 0, WHO | PLACE(KEY), 0, false, true, false, true,
		holds_fine, "it was measured and nothing is wrong with it" },
	[TEST_GROWS] = { "grows", FIELD(BENCH) | FIELD(FROM) | FIELD(FROM_KEY) | FIELD(LOSS) | FIELD(SHARE), 0, FIELD(FROM) | FIELD(FROM_KEY), SIZED, 0, false, false, true, true,
		holds_grows, "sizes above a bound are slow, those at most as large are not" },
	[TEST_NOISY] = { "noisy", FIELD(BENCH) | FIELD(ABOVE) | FIELD(SHARE), FIELD(ABOVE), 0, SIZED, 0, false, false, true, true,
		holds_noisy, "its slowest hundredth is that many times further from its median than the others'" },
	[TEST_CLASS] = { "class", FIELD(ACHIEVED) | FIELD(BELOW_PROMISED), 0, FIELD(ACHIEVED) | FIELD(BELOW_PROMISED), WHO | PLACE(VALUE) | PLACE(PEERS) | PLACE(SHARE), 0, false, true, false, true,
		holds_class, "the interconnect that the figures show" },
	[TEST_EXPECT] = { "expect", FIELD(FIGURE) | FIELD(BELOW), FIELD(FIGURE), 0, WHO | PLACE(KEY) | PLACE(VALUE), 0, false, true, true, true,
		holds_expect, "a figure that such hardware must reach is missed" },
	[TEST_EVENT] = { "event", FIELD(CODE) | FIELD(TEXT), FIELD(CODE), 0, WHO | PLACE(KEY) | PLACE(VALUE), 0, false, true, false, false,
		holds_event, "the run told such an event" },
};
/* clang-format on */

const char *const rule_places[RULE_PLACES + 1] = {
	[PLACE_SUBJECT] = "subject", [PLACE_NODE] = "node",   [PLACE_DEVICE] = "device",
	[PLACE_KEY] = "key",         [PLACE_VALUE] = "value", [PLACE_PEERS] = "peers",
	[PLACE_COUNT] = "count",     [PLACE_OF] = "of",       [PLACE_WAS] = "was",
	[PLACE_OTHER] = "other",     [PLACE_BYTES] = "bytes", [PLACE_SHARE] = "share",
};

const char *rule_test_name(enum rule_test_kind k)
{
	return k >= 0 && k < TEST_KINDS ? rule_tests[k].name : "unknown";
}

enum fact_about rule_test_about(const struct rule_test *t)
{
	return t->fact ? t->fact->about : FACT_NODE;
}

bool rule_words_fit(const struct rule_words *w, const char *text)
{
	for (size_t i = 0; i < w->n; i++)
		if (fnmatch(w->v[i], text, FNM_NOESCAPE) == 0)
			return true;
	return false;
}

bool rule_words_have(const struct rule_words *w, const char *text)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->v[i], text) == 0)
			return true;
	return false;
}

void rule_words_free(struct rule_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct rule_words){ 0 };
}

void rule_test_free(struct rule_test *t)
{
	for (size_t i = 0; i < RULE_FIELDS; i++) {
		char *at = (char *)t + rule_fields[i].offset;
		if (rule_fields[i].type == FIELD_TYPE_WORDS)
			rule_words_free((struct rule_words *)(void *)at);
		else if (rule_fields[i].type == FIELD_TYPE_KEY)
			free(*(char **)(void *)at);
	}
	*t = (struct rule_test){ 0 };
}

const char *rule_place_next(const char *text, size_t *len)
{
	for (const char *p = strchr(text, '{'); p; p = strchr(p + 1, '{')) {
		size_t n = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");
		if (n && p[n + 1] == '}') {
			*len = n + 2;
			return p;
		}
	}
	return NULL;
}
