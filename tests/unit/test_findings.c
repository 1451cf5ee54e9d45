/*
 * Findings: what sheets say of the same subject becomes one culprit, in words and in JSON. What a
 * sheet says is written down here in place of localize's own answer, so that each rule of joining
 * is seen alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/localize/findings.h"

/* ---- what localize is made to say ---- */

enum { SHEETS = 4, BLAMES = 4, NODES = 10 };

struct said {
	struct loc_blame v[BLAMES];
	size_t n;
};
static struct said said[SHEETS];
static size_t asked;
static double rest_s; /* of those that are not blamed */

void localize(const struct loc_sheet *sheet, const struct loc_params *p, struct localized *out)
{
	const struct said *s = &said[asked++];
	(void)p;
	*out = (struct localized){ .v = hb_alloc(sizeof(s->v)),
		                   .n = s->n,
		                   .nodes = hb_alloc(NODES * sizeof(*out->nodes)),
		                   .n_nodes = NODES,
		                   .stored = isfinite(sheet->stored_median),
		                   .detectable = 0.021,
		                   .rest_nodes = { 0, rest_s, NODES - 1, NODES - 2 },
		                   .rest_links = { 0, rest_s, 4 * NODES, 4 * NODES - 1 },
		                   .links_tested = 40,
		                   .links = 45 };
	memcpy(out->v, s->v, sizeof(s->v));
}

void localized_free(struct localized *l)
{
	free(l->v);
	free(l->nodes);
	*l = (struct localized){ 0 };
}

const char *loc_kind_name(enum loc_kind k)
{
	static const char *const names[] = { "slow-node", "slow-send",      "slow-receive",
		                             "slow-link", "slow-direction", "slow-leaf",
		                             "slow-rail", "silent" };
	return (unsigned)k < LOC_KINDS ? names[k] : "unknown";
}

static struct loc_blame blame(enum loc_kind kind, uint32_t a, uint32_t b, double loss)
{
	return (struct loc_blame){ .kind = kind,
		                   .state = LOC_SLOW,
		                   .a = a,
		                   .b = b,
		                   .group = LOC_NONE,
		                   .loss = loss,
		                   .z = -41.2,
		                   .tests = 9,
		                   .slow_tests = 9,
		                   .partners = 9,
		                   .detectable = 0.021,
		                   .loaded = NAN,
		                   .isolated = NAN,
		                   .control = NAN };
}

static struct loc_blame *say(size_t sheet, struct loc_blame b)
{
	struct loc_blame *v = &said[sheet].v[said[sheet].n++];
	*v = b;
	return v;
}

static struct loc_blame *say_open(size_t sheet, uint32_t group, struct loc_blame b)
{
	struct loc_blame *v = say(sheet, b);
	v->state = LOC_UNDECIDED;
	v->group = group;
	return v;
}

/* ---- sheets: mpi.latency 8 B, mpi.bandwidth 64 KiB, 1 MiB and 4 MiB of n1 .. n10 ---- */

static void one_sheet(struct sheets *s, const char *bench, uint64_t bytes, size_t ends)
{
	struct sheet *v = &s->v[s->n++];
	*v = (struct sheet){ .key = { .bench = hb_strdup(bench),
		                      .metric = hb_strdup(strcmp(bench, "mpi.latency") == 0
		                                                  ? "lat_p50_ns"
		                                                  : "algbw_Bps"),
		                      .opts = hb_strdup("{}"),
		                      .class_ = hb_strdup("remote"),
		                      .hw = hb_strdup("A"),
		                      .bytes = bytes,
		                      .nodes = 2,
		                      .rpn = 1 },
		             .n_ends = ends };
	key_make(&v->key);
	v->ends = hb_alloc(ends * sizeof(*v->ends));
	for (size_t i = 0; i < ends; i++)
		v->ends[i] = (struct loc_end){ (uint32_t)i, i < 5 ? 0 : 1, LOC_NONE };
}

static void begin_with(struct sheets *s, size_t ends)
{
	memset(said, 0, sizeof(said));
	asked = 0;
	rest_s = 0.002;
	*s = (struct sheets){ .v = hb_alloc(SHEETS * sizeof(*s->v)), .n_nodes = NODES };
	one_sheet(s, "mpi.latency", 8, ends);
	one_sheet(s, "mpi.bandwidth", 64 << 10, ends);
	one_sheet(s, "mpi.bandwidth", 1 << 20, ends);
	one_sheet(s, "mpi.bandwidth", 4 << 20, ends);
	s->nodes = hb_alloc(NODES * sizeof(*s->nodes));
	for (size_t i = 0; i < NODES; i++)
		s->nodes[i] = hb_format("n%zu", i + 1);
}

static void begin(struct sheets *s)
{
	begin_with(s, NODES);
}

static void end(struct sheets *s, struct findings *f)
{
	findings_free(f);
	sheets_free(s);
}

/* ---- joining ---- */

static void a_slow_node_is_one_finding_with_all_that_shows_it(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	say(0, blame(LOC_NODE, 2, LOC_NONE, 0.15));
	say(1, blame(LOC_NODE, 2, LOC_NONE, 0.20));
	struct loc_blame *b = say(2, blame(LOC_NODE, 2, LOC_NONE, 0.38));
	b->isolated = 0.37;
	b->control = -0.01;
	findings_make(&s, NULL, &f);
	assert_int_equal(asked, SHEETS);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.v[0].subject, "n3");
	assert_int_equal(f.v[0].kind, LOC_NODE);
	assert_int_equal(f.v[0].n_evidence, 3);
	assert_true(f.v[0].loss == 0.38);
	assert_string_equal(f.v[0].text,
	                    "n3 is slow: mpi.bandwidth 1 MiB -38 % with all 9 partners (z -41; "
	                    "detectable 2.1 %), isolated -37 %, controls +1.0 %; also "
	                    "mpi.bandwidth 64 KiB -20 %, mpi.latency 8 B +18 %");
	struct buf brief = BUF_INIT;
	findings_brief(&f.v[0], &brief);
	assert_string_equal(buf_text(&brief), "n3: mpi.bandwidth 1 MiB -38 % with all 9 partners");
	buf_free(&brief);
	assert_ptr_equal(findings_of_node(&f, "n3"), &f.v[0]);
	assert_null(findings_of_node(&f, "n30"));
	assert_int_equal(findings_code(&f), CODE_FINDINGS);
	assert_int_equal(f.n_scope, 2);
	assert_int_equal(f.scope[1].links_tested, 40);
	assert_int_equal(f.scope[1].links, 45);
	assert_int_equal(f.scope[1].nodes, NODES);
	end(&s, &f);
}

static void the_word_about_a_direction_wins_over_that_of_whoever_cannot_tell(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	say(0, blame(LOC_NODE, 2, LOC_NONE, 0.40));
	say(1, blame(LOC_NODE_OUT, 2, LOC_NONE, 0.20));
	say(2, blame(LOC_NODE_OUT, 2, LOC_NONE, 0.30));
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.v[0].kind, LOC_NODE_OUT);
	assert_non_null(strstr(f.v[0].text, "n3 is slow in what it sends: mpi.latency 8 B +67 %"));
	assert_ptr_equal(findings_of_node(&f, "n3"), &f.v[0]);
	end(&s, &f);

	begin(&s); /* they do not agree: it is the node */
	say(1, blame(LOC_NODE_OUT, 2, LOC_NONE, 0.20));
	say(2, blame(LOC_NODE_IN, 2, LOC_NONE, 0.30));
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.v[0].kind, LOC_NODE);
	end(&s, &f);
}

static void a_link_is_one_finding_whichever_end_stands_first(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	say(0, blame(LOC_LINK, 1, 4, 0.20))->z = NAN;
	say(1, blame(LOC_LINK_AB, 4, 1, 0.50))->z = NAN;
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.v[0].subject, "n5>n2");
	assert_string_equal(f.v[0].text,
	                    "the link n5>n2 is slow in this direction: mpi.bandwidth 64 KiB -50 % "
	                    "in 9 of 9 tests (detectable 2.1 %); also mpi.latency 8 B +25 %");
	assert_ptr_equal(findings_of_pair(&f, "mpi.bandwidth", "n2", "n5"), &f.v[0]);
	assert_ptr_equal(findings_of_pair(&f, "mpi.latency", "n5", "n2"), &f.v[0]);
	assert_null(findings_of_pair(&f, "mpi.latency", "n5", "n3"));
	assert_null(findings_of_node(&f, "n5"));
	end(&s, &f);

	begin(&s); /* both directions */
	say(1, blame(LOC_LINK_AB, 4, 1, 0.50));
	say(2, blame(LOC_LINK_AB, 1, 4, 0.50));
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.v[0].subject, "n2-n5");
	assert_int_equal(f.v[0].kind, LOC_LINK);
	end(&s, &f);
}

/* Limits of 10 nodes in 4 sheets, in s.d. of the rest: 6.1 in two sheets of a benchmark, 17 in one.
 */
static void what_chance_may_bring_is_told_and_does_not_count(void **state)
{
	static const struct {
		size_t sheet[2]; /* 0: latency, else bandwidth */
		double loss;     /* 0.105 is 5.3 s.d., 0.20 is 10.6, 0.40 is 24 */
		bool sure;
	} cases[] = {
		{ { 1, 1 }, 0.20, false }, { { 1, 1 }, 0.40, true },  { { 1, 2 }, 0.105, false },
		{ { 1, 2 }, 0.20, true },  { { 0, 1 }, 0.20, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sheets s;
		struct findings f;
		begin(&s);
		rest_s = 0.02;
		for (size_t k = 0; k < 2; k++)
			if (k == 0 || cases[i].sheet[k] != cases[i].sheet[0])
				say(cases[i].sheet[k], blame(LOC_NODE, 2, LOC_NONE, cases[i].loss));
		findings_make(&s, NULL, &f);
		assert_int_equal(f.n, 1);
		assert_int_equal(f.v[0].unsure, !cases[i].sure);
		assert_int_equal(findings_code(&f), cases[i].sure ? CODE_FINDINGS : CODE_OK);
		assert_int_equal(strstr(f.v[0].text, "n3 stands out, but that may be chance: ") ==
		                         f.v[0].text,
		                 !cases[i].sure);
		end(&s, &f);
	}
}

static void a_group_that_cannot_be_told_apart_is_told_once(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	for (size_t i = 1; i < 3; i++) {
		say_open(i, 7, blame(LOC_LINK, 6, 7, 0.44));
		say_open(i, 7, blame(LOC_NODE, 7, LOC_NONE, 0.44));
		say_open(i, 7, blame(LOC_NODE, 6, LOC_NONE, 0.44));
	}
	said[1].v[1].tests = said[1].v[1].slow_tests = said[1].v[1].partners = 1;
	said[1].v[2].tests = said[1].v[2].slow_tests = said[1].v[2].partners = 1;
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.v[0].subject, "n7");
	assert_string_equal(f.v[0].others, "n8,n7-n8");
	assert_int_equal(f.v[0].n_evidence, 2);
	assert_non_null(strstr(f.v[0].text, "n7 or n8 or n7-n8: which one is slow cannot be told"));
	assert_non_null(strstr(f.v[0].text, "; one more pair needed"));
	assert_int_equal(findings_code(&f), CODE_SUSPECT);
	assert_null(findings_of_node(&f, "n7"));
	assert_ptr_equal(findings_of_pair(&f, "mpi.bandwidth", "n7", "n8"), &f.v[0]);
	end(&s, &f);
}

static void a_group_of_which_one_is_blamed_elsewhere_is_none(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	say(0, blame(LOC_NODE, 7, LOC_NONE, 0.30));
	say_open(1, 1, blame(LOC_NODE, 6, LOC_NONE, 0.44));
	say_open(1, 1, blame(LOC_NODE, 7, LOC_NONE, 0.44));
	say_open(2, 1, blame(LOC_NODE, 1, LOC_NONE, 0.10));
	say_open(2, 1, blame(LOC_NODE, 2, LOC_NONE, 0.10));
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 2);
	assert_string_equal(f.v[0].subject, "n8");
	assert_string_equal(f.v[1].subject, "n2");
	assert_string_equal(f.v[1].others, "n3");
	assert_int_equal(findings_code(&f), CODE_FINDINGS);
	end(&s, &f);
}

static void a_silent_node_is_one_finding_that_the_losses_count_already(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	for (size_t i = 0; i < SHEETS; i++)
		say(i, blame(LOC_SILENT, 4, LOC_NONE, NAN))->tests = 5;
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.v[0].kind, LOC_SILENT);
	assert_int_equal(f.v[0].n_evidence, SHEETS);
	assert_non_null(strstr(f.v[0].text, "n5 fell silent: "));
	assert_non_null(strstr(f.v[0].text, "nothing came of 5 tests with 9 partners; also "));
	assert_null(strstr(f.v[0].text, "nan"));
	assert_int_equal(findings_code(&f), CODE_OK);
	end(&s, &f);
}

static void the_worst_stands_first_and_the_undecided_last(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	say_open(0, 1, blame(LOC_NODE, 0, LOC_NONE, 0.90));
	say(0, blame(LOC_NODE, 1, LOC_NONE, 0.10));
	say(0, blame(LOC_SILENT, 2, LOC_NONE, NAN));
	say(0, blame(LOC_NODE, 3, LOC_NONE, 0.20));
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 4);
	assert_string_equal(f.v[0].subject, "n4");
	assert_string_equal(f.v[1].subject, "n2");
	assert_string_equal(f.v[2].subject, "n3");
	assert_string_equal(f.v[3].subject, "n1");
	assert_int_equal(findings_open(&f, LOC_SLOW), 2);
	assert_int_equal(findings_open(&f, LOC_UNDECIDED), 1);
	end(&s, &f);
}

static void a_leaf_explains_what_crosses_its_up_link(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin(&s);
	s.leaves = hb_alloc(2 * sizeof(*s.leaves));
	s.leaf_nodes = hb_alloc(2 * sizeof(*s.leaf_nodes));
	s.n_leaves = 2;
	s.leaves[0] = hb_strdup("sw1");
	s.leaves[1] = hb_strdup("sw2");
	s.leaf_nodes[0] = hb_strdup("n[1-5]");
	s.leaf_nodes[1] = hb_strdup("n[6-10]");
	say(2, blame(LOC_LEAF, 1, LOC_NONE, 0.5));
	findings_make(&s, NULL, &f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.v[0].subject, "leaf:sw2");
	assert_non_null(strstr(f.v[0].text, "leaf:sw2 (n[6-10]) is slow towards other leaves: "));
	assert_ptr_equal(findings_of_pair(&f, "mpi.bandwidth", "n1", "n10"), &f.v[0]);
	assert_null(findings_of_pair(&f, "mpi.bandwidth", "n6", "n10"));
	assert_null(findings_of_pair(&f, "mpi.bandwidth", "n1", "n2"));
	end(&s, &f);
}

static void two_nodes_cannot_be_told_apart_and_nobody_is_asked(void **state)
{
	struct sheets s;
	struct findings f;
	(void)state;
	begin_with(&s, 2);
	say(0, blame(LOC_NODE, 1, LOC_NONE, 0.5));
	findings_make(&s, NULL, &f);
	assert_int_equal(asked, 0);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.n_scope, 0);
	assert_int_equal(findings_code(&f), CODE_OK);
	end(&s, &f);
}

/* ---- a baseline ---- */

static void the_spread_of_a_baseline_counts_from_five_runs_on(void **state)
{
	struct sheets s;
	struct loc_sheet view;
	(void)state;
	begin(&s);
	for (int runs = BASELINE_MIN_RUNS - 1; runs <= BASELINE_MIN_RUNS; runs++) {
		struct base_entry e = { .kind = SUBJECT_NODE,
			                .runs = runs,
			                .mean = 23.2,
			                .s_node = 0.003,
			                .s_run = 0.004 };
		struct baseline b = { .entries = &e, .n_entries = 1 };
		key_copy(&s.v[2].key, &e.key);
		sheets_view(&s, 2, &b, &view);
		assert_true(isnan(view.stored_s) == (runs < BASELINE_MIN_RUNS));
		if (runs == BASELINE_MIN_RUNS) {
			assert_true(view.stored_median == 23.2);
			assert_true(fabs(view.stored_s - 0.005) < 1e-12);
		}
		sheets_view(&s, 1, &b, &view); /* another key */
		assert_true(isnan(view.stored_s) && isnan(view.stored_median));
		sheets_view(&s, 2, NULL, &view);
		assert_true(isnan(view.stored_s));
		key_free(&e.key);
	}
	assert_true(sheets_same(&s.v[1], &s.v[2]));
	assert_false(sheets_same(&s.v[0], &s.v[1]));
	sheets_free(&s);
}

/* ---- acknowledgements ---- */

static void an_acknowledgement_takes_a_culprit_out_of_the_exit_code(void **state)
{
	struct sheets s;
	struct findings f;
	struct summary run;
	struct hb_err err;
	struct acks a = { 0 };
	char subject[] = "n3", bench[] = "mpi.latency", why[] = "cable", by[] = "ops";
	struct ack like = { .subject = subject,
		            .bench = bench,
		            .until = 110,
		            .made = 100,
		            .reason = why,
		            .by = by };
	(void)state;
	summary_init(&run);
	begin(&s);
	say(0, blame(LOC_NODE, 2, LOC_NONE, 0.15));
	say(1, blame(LOC_NODE, 2, LOC_NONE, 0.20));
	findings_make(&s, NULL, &f);
	assert_non_null(acks_add(&a, &like, &err));
	acks_set_day(&a, 105);
	acks_mark_findings(&a, &run, 1, &f);
	assert_null(f.v[0].ack); /* bandwidth shows it too */
	assert_int_equal(findings_code(&f), CODE_FINDINGS);
	like.bench = NULL;
	assert_non_null(acks_add(&a, &like, &err));
	acks_set_day(&a, 105);
	acks_mark_findings(&a, &run, 1, &f);
	assert_non_null(f.v[0].ack);
	assert_int_equal(f.v[0].ack->covers, 1);
	assert_int_equal(findings_code(&f), CODE_OK);
	acks_set_day(&a, 111); /* it has expired: told, and it counts again */
	acks_mark_findings(&a, &run, 1, &f);
	assert_null(f.v[0].ack);
	assert_int_equal(a.v[1].covers, 1);
	assert_int_equal(findings_code(&f), CODE_FINDINGS);
	end(&s, &f);

	begin(&s); /* one of a group is enough */
	say_open(1, 1, blame(LOC_NODE, 2, LOC_NONE, 0.44));
	say_open(1, 1, blame(LOC_NODE, 1, LOC_NONE, 0.44));
	findings_make(&s, NULL, &f);
	assert_string_equal(f.v[0].subject, "n2");
	acks_set_day(&a, 105);
	acks_mark_findings(&a, &run, 1, &f);
	assert_int_equal(findings_code(&f), CODE_OK);
	end(&s, &f);
	acks_free(&a);
	summary_free(&run);
}

/* ---- the file ---- */

static char *text_of(const struct findings *f)
{
	struct buf b = BUF_INIT;
	json_object *o = findings_to_json(f);
	js_write(o, JS_PLAIN, &b);
	js_put(o);
	return buf_detach(&b);
}

static int read_text(const char *text, struct findings *out, struct hb_err *err)
{
	json_object *o = NULL;
	int rc = js_parse(text, strlen(text), "findings.json", &o, err);
	if (rc == HB_OK)
		rc = findings_from_json(o, "findings.json", out, err);
	js_put(o);
	return rc;
}

static void what_is_written_reads_back_equal(void **state)
{
	struct sheets s;
	struct findings f, again;
	struct hb_err err;
	(void)state;
	begin(&s);
	struct loc_blame *b = say(2, blame(LOC_NODE, 2, LOC_NONE, 0.38));
	b->isolated = 0.37;
	say(0, blame(LOC_SILENT, 5, LOC_NONE, NAN));
	say_open(1, 1, blame(LOC_NODE, 6, LOC_NONE, 0.44));
	say_open(1, 1, blame(LOC_NODE, 7, LOC_NONE, 0.44));
	say_open(1, 1, blame(LOC_LINK, 6, 7, 0.44));
	findings_make(&s, NULL, &f);
	char *text = text_of(&f);
	if (read_text(text, &again, &err) != HB_OK)
		fail_msg("%s", err.text);
	char *text2 = text_of(&again);
	assert_string_equal(text, text2);
	assert_int_equal(findings_code(&again), CODE_FINDINGS);
	assert_non_null(findings_of_node(&again, "n3"));
	assert_non_null(findings_of_pair(&again, "mpi.bandwidth", "n8", "n1"));
	free(text);
	free(text2);
	findings_free(&again);
	end(&s, &f);
}

static void broken_findings_are_refused_in_one_line(void **state)
{
#define ONE(subject, kind, state, evidence)                                                        \
	"{\"schema\":1,\"findings\":[{\"subject\":" subject ",\"kind\":\"" kind                    \
	"\",\"state\":\"" state "\",\"text\":\"x\",\"evidence\":" evidence "}],\"scope\":[]}"
	static const char *const bad[] = {
		"{}",
		"{\"schema\":2,\"findings\":[],\"scope\":[]}",
		"{\"schema\":1,\"findings\":{},\"scope\":[]}",
		"{\"schema\":1,\"findings\":[],\"scope\":[7]}",
		"{\"schema\":1,\"findings\":[null],\"scope\":[]}",
		"{\"schema\":1,\"findings\":[],\"scope\":[{\"bench\":\"x\",\"links\":-1}]}",
		ONE("7", "slow-node", "slow", "[]"),
		ONE("\"n1\"", "slow", "slow", "[]"),
		ONE("\"n1\"", "slow-node", "guilty", "[]"),
		ONE("\"n1\"", "slow-node", "slow", "{}"),
		ONE("\"n1\"", "slow-node", "slow", "[3]"),
		ONE("\"n1\"", "slow-node", "slow", "[{\"kind\":\"slow-node\"}]"),
		ONE("\"n1\"", "slow-node", "slow", "[{\"key\":{},\"kind\":\"slow-node\"}]"),
	};
	struct findings f;
	struct hb_err err;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(bad[i], &f, &err), HB_E_FORMAT);
		assert_non_null(strstr(err.text, "findings.json"));
		assert_null(strchr(err.text, '\n'));
		assert_int_equal(f.n + f.n_scope + f.n_keys, 0);
	}
	/* A culprit without evidence has nothing to show, and breaks nothing. */
	assert_int_equal(read_text(ONE("\"n1\"", "slow-node", "slow", "[]"), &f, &err), HB_OK);
	struct buf brief = BUF_INIT;
	findings_brief(&f.v[0], &brief);
	assert_string_equal(buf_text(&brief), "n1");
	assert_null(findings_of_pair(&f, "mpi.latency", "n1", "n2"));
	buf_free(&brief);
	findings_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_node_is_one_finding_with_all_that_shows_it),
		cmocka_unit_test(the_word_about_a_direction_wins_over_that_of_whoever_cannot_tell),
		cmocka_unit_test(a_link_is_one_finding_whichever_end_stands_first),
		cmocka_unit_test(what_chance_may_bring_is_told_and_does_not_count),
		cmocka_unit_test(a_group_that_cannot_be_told_apart_is_told_once),
		cmocka_unit_test(a_group_of_which_one_is_blamed_elsewhere_is_none),
		cmocka_unit_test(a_silent_node_is_one_finding_that_the_losses_count_already),
		cmocka_unit_test(the_worst_stands_first_and_the_undecided_last),
		cmocka_unit_test(a_leaf_explains_what_crosses_its_up_link),
		cmocka_unit_test(two_nodes_cannot_be_told_apart_and_nobody_is_asked),
		cmocka_unit_test(the_spread_of_a_baseline_counts_from_five_runs_on),
		cmocka_unit_test(an_acknowledgement_takes_a_culprit_out_of_the_exit_code),
		cmocka_unit_test(what_is_written_reads_back_equal),
		cmocka_unit_test(broken_findings_are_refused_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
