/*
 * What a test of a rule is made of, and the one table of tests. Shared by the files of this folder
 * and their tests; nobody else includes this. A new test is a row in rule_tests and one function.
 */
#ifndef HPCBENCH_HARNESS_RULES_PARTS_H
#define HPCBENCH_HARNESS_RULES_PARTS_H

#include "bench/base/fact.h"
#include "harness/diagnose/rules.h"

struct look;
struct binding;
struct seen;

struct rule_words {
	char **v;
	size_t n;
};

/* The members that tests may have. */
enum rule_field {
	FIELD_KEY,
	FIELD_THAN,
	FIELD_FROM_KEY,
	FIELD_IS,
	FIELD_NOT,
	FIELD_LIKE,
	FIELD_UNLIKE,
	FIELD_BELOW,
	FIELD_ABOVE,
	FIELD_KNOWN,
	FIELD_DIRECTION,
	FIELD_PEERS,
	FIELD_FACTOR,
	FIELD_NAME,
	FIELD_PER,
	FIELD_DEVICE,
	FIELD_KIND,
	FIELD_PORT,
	FIELD_MAIN,
	FIELD_BENCH,
	FIELD_LOSS,
	FIELD_KINDS,
	FIELD_FROM,
	FIELD_ACHIEVED,
	FIELD_BELOW_PROMISED,
	FIELD_FIGURE,
	FIELD_CODE,
	FIELD_TEXT,
	FIELD_OF,
	FIELD_SHARE,
	RULE_FIELDS
};
#define FIELD(name) (1u << FIELD_##name)

enum rule_field_type {
	FIELD_TYPE_KEY,
	FIELD_TYPE_WORDS,
	FIELD_TYPE_NUMBER,
	FIELD_TYPE_BOOL,
	FIELD_TYPE_CHOICE,
	FIELD_TYPE_BYTES
};
struct rule_field_info {
	const char *name;
	enum rule_field_type type;
	size_t offset;              /* in struct rule_test */
	const char *const *choices; /* CHOICE, and the only words of WORDS; NULL-terminated */
	double min, max;            /* NUMBER */
};
extern const struct rule_field_info rule_fields[RULE_FIELDS];

enum rule_of { OF_OWN, OF_NODE, OF_DEVICE, OF_ANY, OF_OTHERS };
enum rule_main { MAIN_DIFFERS, MAIN_SLOWER };
enum rule_direction { DIRECTION_ANY, DIRECTION_BELOW, DIRECTION_ABOVE };
enum rule_per { PER_NONE, PER_SECOND, PER_GB };

/* What `slow` may ask for beside the kinds of localize. */
enum { SLOW_REGRESSED = 16, SLOW_LOST = 17 };
#define SLOW_ANY UINT32_MAX

struct rule_test {
	enum rule_test_kind kind;
	uint32_t said; /* 1 << enum rule_field */
	char *key, *than, *from_key;
	const struct fact_info *fact, *than_fact; /* of key and than; NULL without */
	struct rule_words is, not, like, unlike, peers, name, device, net_kind, bench, kinds,
	        achieved, figure, code, text;
	double below, above, factor, loss, from, share;
	int known, port, below_promised;
	int direction, per, of, main; /* the enums above */
	uint32_t slow;                /* of kinds: 1 << enum loc_kind, SLOW_REGRESSED, SLOW_LOST */
};

/* Placeholders, in the order of rule_places. */
enum rule_place {
	PLACE_SUBJECT,
	PLACE_NODE,
	PLACE_DEVICE,
	PLACE_KEY,
	PLACE_VALUE,
	PLACE_PEERS,
	PLACE_COUNT,
	PLACE_OF,
	PLACE_WAS,
	PLACE_OTHER,
	PLACE_BYTES,
	PLACE_SHARE,
	RULE_PLACES
};
#define PLACE(name) (1u << PLACE_##name)
extern const char *const rule_places[RULE_PLACES + 1];

struct rule_test_info {
	const char *name;
	uint32_t may, must; /* fields */
	uint32_t one_of;    /* of these at least one, and but for below with above at most one */
	uint32_t places;    /* the placeholders that it can fill */
	uint32_t scopes;    /* 1 << enum rule_scope; 0: all */
	/* What it says depends on the value and the hardware class alone: asked once for all nodes
	 * that share both. */
	bool by_value;
	bool whole;   /* cluster scope: answers for the whole at once, else node by node */
	bool varies;  /* each node has its own figure: nodes are alike whatever it is */
	bool figures; /* it is about what was measured, and counts in the ranking */
	/*
	 * Does it hold for what is bound? Fills seen, also where it does not as far as
	 * seen->applies goes.
	 */
	bool (*holds)(const struct look *l, const struct binding *b, const struct rule_test *t,
	              struct seen *seen);
	const char *summary;
};
extern const struct rule_test_info rule_tests[TEST_KINDS];

/* Is its key about devices, and one where none is bound must be looked for? FACT_NODE: no. */
enum fact_about rule_test_about(const struct rule_test *t);

/* Fits a text one of the patterns? No patterns fit nothing. */
bool rule_words_fit(const struct rule_words *w, const char *text);
bool rule_words_have(const struct rule_words *w, const char *text); /* exactly */
void rule_words_free(struct rule_words *w);

/* One test; scope of its rule. On failure what was read is freed. */
int rule_test_read(json_object *o, const struct js_at *at, enum rule_scope scope,
                   struct rule_test *out, struct hb_err *err);
void rule_test_free(struct rule_test *t);
/* A list of words: an array of texts, or one. */
int rule_words_read(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                    struct rule_words *out, struct hb_err *err);
/* One RULE. On failure out is freed. */
int rule_read(json_object *o, const struct js_at *at, struct rule *out, struct hb_err *err);
void rule_free(struct rule *r);
/* A text of at most RULE_TEXT_MAX bytes that can be shown in a line, owned by the caller. */
int rule_text_read(json_object *o, const struct js_at *at, const char *key, enum js_need need,
                   char **out, struct hb_err *err);
/* The place of a word in a NULL-terminated list; -1: not there, err names the nearest. what: "a
 * scope". */
int rule_choice(const struct js_at *at, const char *what, const char *word, const char *const *list,
                struct hb_err *err);

/* The next placeholder of a text: its name's place, or NULL. *len: bytes with braces. */
const char *rule_place_next(const char *text, size_t *len);

#endif
