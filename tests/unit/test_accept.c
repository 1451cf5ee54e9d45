/* Decisions about new nodes, from plans, summaries and findings that the test makes itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/accept/accept.h"
#include "harness/judge/ack.h"
#include "plan_fixture.h"
#include "rows.h"

static const char suite_text[] = SUITE(
        "{\"bench\":\"node.memory\",\"options\":{\"sizes\":\"64Mi\"},\"floor\":\"5%\","
        "\"tolerance\":\"20%\"},"
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"1Mi\"}}");

/* New nodes n1 .. n4, controls n5 .. n10, all of them measured and equal. */
struct bed {
	struct made made;
	struct summary s;
	struct sheets sheets;
	struct sheet sheet;
	struct loc_end ends[16];
	struct loc_pair pairs[128];
	struct findings f;
	struct localized found;
	struct loc_node nodes[16];
	struct culprit culprits[4];
	struct evidence evidence[4];
	char who[8], text[16];
	struct acceptance a;
};

enum { NEW = 4, ALL = 10 };

static void add_pair(struct bed *b, size_t x, size_t y, double level, bool extra)
{
	b->pairs[b->sheet.n_pairs++] = (struct loc_pair){ .a = (uint32_t)x,
		                                          .b = (uint32_t)y,
		                                          .y = log(level),
		                                          .ab = NAN,
		                                          .ba = NAN,
		                                          .extra = extra,
		                                          .silent = LOC_NONE };
}

static void bed_open_with(struct bed *b, const char *controls)
{
	struct nodeset set = { 0 };
	struct plan_params p = { .seed = 1, .rounds = 3, .controls = &set };

	*b = (struct bed){ .who = "who", .text = "who is slow" };
	if (*controls)
		assert_int_equal(nodeset_parse(controls, &set, NULL), HB_OK);
	make_plan_with(&b->made, suite_text, "n[1-10]", &p);
	nodeset_free(&set);
	rows_begin(&b->s, "r1");
	b->sheet = (struct sheet){ .entry = 1, .ends = b->ends, .pairs = b->pairs, .floor = 0.03 };
	b->sheet.key.bench = hb_strdup("mpi.bandwidth");
	b->sheet.key.metric = hb_strdup("bandwidth_Bps");
	b->sheet.key.opts = hb_strdup("{}");
	b->sheet.key.bytes = 1 << 20;
	b->sheet.n_ends = ALL;
	b->found = (struct localized){ .nodes = b->nodes, .n_nodes = ALL, .detectable = 0.03 };
	for (size_t i = 0; i < ALL; i++) {
		b->ends[i] = (struct loc_end){ (uint32_t)i, LOC_NONE, LOC_NONE };
		b->nodes[i] = (struct loc_node){ .tests = 4, .partners = 4 };
		rows_add(&b->s, "node.memory", 64 << 20, b->made.nodes.v[i],
		         1e9 * (1 + 0.004 * (double)(i % 3)));
		rows_add(&b->s, "mpi.bandwidth", 1 << 20, b->made.nodes.v[i], 1e9);
	}
	for (size_t i = 0; i < NEW; i++)
		for (size_t k = NEW; k < ALL; k++)
			add_pair(b, i, k, 1e9, false);
	b->sheets = (struct sheets){ .v = &b->sheet, .n = 1, .n_nodes = ALL };
	b->f = (struct findings){ .v = b->culprits, .found = &b->found, .n_found = 1 };
}

static void bed_open(struct bed *b)
{
	bed_open_with(b, "n[5-10]");
}

/* What a new node has with all controls is 40 % less. */
static void slow_pairs(struct bed *b, uint32_t node)
{
	for (size_t i = 0; i < b->sheet.n_pairs; i++)
		if (b->pairs[i].a == node)
			b->pairs[i].y = log(0.6e9);
}

static void bed_close(struct bed *b)
{
	accept_free(&b->a);
	summary_free(&b->s);
	key_free(&b->sheet.key);
	drop(&b->made);
}

static void blame(struct bed *b, enum loc_kind kind, enum loc_state state, uint32_t x, uint32_t y)
{
	size_t i = b->f.n++;

	b->evidence[i] = (struct evidence){ .key = &b->sheet.key };
	b->evidence[i].blame =
	        (struct loc_blame){ .kind = kind, .state = state, .a = x, .b = y, .loss = 0.4 };
	b->culprits[i] = (struct culprit){ .subject = b->who,
		                           .kind = kind,
		                           .state = state,
		                           .text = b->text,
		                           .evidence = &b->evidence[i],
		                           .n_evidence = 1,
		                           .loss = 0.4 };
}

static void decide_against(struct bed *b, const struct verdicts *v)
{
	const struct accept_input in = {
		.plan = &b->made.plan, .s = &b->s, .v = v, .sheets = &b->sheets, .findings = &b->f
	};

	accept_free(&b->a);
	assert_true(accept_wanted(&b->made.plan));
	accept_decide(&in, &b->a);
}

static void decide(struct bed *b)
{
	decide_against(b, NULL);
}

static const struct accept_node *node(const struct bed *b, const char *name)
{
	const struct accept_node *n = accept_find(&b->a, name);

	assert_non_null(n);
	return n;
}

static void expect(const struct bed *b, const char *name, enum accept_word word,
                   enum accept_why why)
{
	const struct accept_node *n = node(b, name);

	if (n->word != word || (n->n_reasons && n->reasons[0].why != why))
		fail_msg("%s is %s: %s", name, accept_name(n->word),
		         n->n_reasons ? n->reasons[0].text : "no reason");
}

static struct summary_row *row(struct bed *b, const char *bench, const char *subject)
{
	for (size_t i = 0; i < b->s.n_rows; i++)
		if (strcmp(b->s.rows[i].key.bench, bench) == 0 &&
		    strcmp(b->s.rows[i].subject, subject) == 0)
			return &b->s.rows[i];
	fail_msg("no row of %s for %s", bench, subject);
	return NULL;
}

/* ---- accepted ---- */

static void good_nodes_are_accepted_with_what_would_have_been_found(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	decide(&b);
	assert_int_equal(b.a.n_new, NEW);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], NEW);
	assert_int_equal(b.a.controls_healthy, ALL - NEW);
	assert_int_equal(accept_code(&b.a), CODE_OK);
	assert_int_equal(node(&b, "n1")->partners, 6);
	assert_true(node(&b, "n1")->detectable >= 0.03);
	assert_string_equal(node(&b, "n1")->detectable_bench, "node.memory");
	bed_close(&b);
}

static void too_few_partners_and_too_blunt_a_test_decide_nothing(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	/* n1 has figures with n5 alone. */
	for (size_t i = 0; i < b.sheet.n_pairs; i++)
		if (b.pairs[i].a == 0 && b.pairs[i].b != NEW)
			b.pairs[i].y = NAN;
	decide(&b);
	expect(&b, "n1", ACCEPT_UNDECIDED, ACCEPT_FEW);
	assert_int_equal(node(&b, "n1")->partners, 1);
	expect(&b, "n2", ACCEPT_ACCEPTED, ACCEPT_WHYS);
	assert_int_equal(accept_code(&b.a), CODE_SUSPECT);
	b.found.detectable = 0.061; /* twice the floor is 6 % */
	decide(&b);
	expect(&b, "n2", ACCEPT_UNDECIDED, ACCEPT_VAGUE);
	assert_int_equal(b.a.count[ACCEPT_UNDECIDED], NEW);
	b.found.detectable = NAN;
	decide(&b);
	expect(&b, "n2", ACCEPT_UNDECIDED, ACCEPT_VAGUE);
	bed_close(&b);
}

/* ---- blamed ---- */

static void a_node_that_no_control_sees_slow_is_not_rejected_for_what_its_like_say(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	blame(&b, LOC_NODE, LOC_SLOW, 3, LOC_NONE);
	decide(&b);
	expect(&b, "n4", ACCEPT_UNDECIDED, ACCEPT_DOUBT);
	assert_false(node(&b, "n4")->reasons[0].confirmed);
	assert_int_equal(accept_code(&b.a), CODE_SUSPECT);
	bed_close(&b);
}

static void a_slow_node_is_rejected_with_the_controls_that_saw_it(void **state)
{
	const char *why;
	struct bed b;

	(void)state;
	bed_open(&b);
	slow_pairs(&b, 3);
	blame(&b, LOC_NODE, LOC_SLOW, 3, LOC_NONE);
	decide(&b);
	expect(&b, "n4", ACCEPT_REJECTED, ACCEPT_SLOW);
	assert_string_equal(node(&b, "n4")->reasons[0].text,
	                    "mpi.bandwidth 1 MiB -40 % with all 6 controls");
	assert_int_equal(accept_code(&b.a), CODE_FINDINGS);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], 3);
	/* Measured once: not sure enough to be drained. */
	assert_false(accept_may_drain(node(&b, "n4"), &why));
	assert_non_null(strstr(why, "not confirmed"));
	add_pair(&b, 3, 5, 0.6e9, true);
	decide(&b);
	assert_true(accept_may_drain(node(&b, "n4"), &why));
	assert_false(accept_may_drain(node(&b, "n1"), &why));
	assert_string_equal(why, "it is not rejected");
	/* Known trouble is rejected too, in silence and in service. */
	struct ack ack = { .subject = b.who };
	b.culprits[0].ack = &ack;
	decide(&b);
	expect(&b, "n4", ACCEPT_REJECTED, ACCEPT_SLOW);
	assert_ptr_equal(node(&b, "n4")->ack, &ack);
	assert_int_equal(accept_code(&b.a), CODE_OK);
	assert_false(accept_may_drain(node(&b, "n4"), &why));
	bed_close(&b);
}

static void a_slow_link_rejects_the_new_end_only_beside_a_control(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	blame(&b, LOC_LINK, LOC_SLOW, 0, 5);
	decide(&b);
	expect(&b, "n1", ACCEPT_REJECTED, ACCEPT_LINK);
	assert_int_equal(b.a.controls_healthy, ALL - NEW);
	b.evidence[0].blame.b = 1; /* of two new ones nobody knows whose it is */
	decide(&b);
	expect(&b, "n1", ACCEPT_UNDECIDED, ACCEPT_GROUP);
	expect(&b, "n2", ACCEPT_UNDECIDED, ACCEPT_GROUP);
	b.evidence[0].blame.a = 6;
	b.evidence[0].blame.b = 5; /* of two controls it is told */
	decide(&b);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], NEW);
	assert_int_equal(b.a.n_notes, 1);
	bed_close(&b);
}

static void undecided_silent_and_doubtful_nodes_have_words_of_their_own(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	blame(&b, LOC_NODE, LOC_UNDECIDED, 0, LOC_NONE);
	blame(&b, LOC_SILENT, LOC_SLOW, 1, LOC_NONE);
	slow_pairs(&b, 2);
	blame(&b, LOC_NODE_OUT, LOC_SLOW, 2, LOC_NONE);
	b.nodes[3] = (struct loc_node){
		.tests = 4, .partners = 4, .state = LOC_CANDIDATE, .z = -3, .loss = 0.025
	};
	decide(&b);
	expect(&b, "n1", ACCEPT_UNDECIDED, ACCEPT_GROUP);
	expect(&b, "n2", ACCEPT_UNMEASURED, ACCEPT_LOST);
	expect(&b, "n3", ACCEPT_REJECTED, ACCEPT_DIRECTION);
	expect(&b, "n4", ACCEPT_UNDECIDED, ACCEPT_DOUBT);
	assert_int_equal(accept_code(&b.a), CODE_FINDINGS);
	b.nodes[3].loss = 0.01; /* below what is blamed at all */
	decide(&b);
	expect(&b, "n4", ACCEPT_ACCEPTED, ACCEPT_WHYS);
	bed_close(&b);
}

static void a_slow_control_is_told_and_acquits_nobody(void **state)
{
	bool in[ALL];
	struct bed b;

	(void)state;
	bed_open(&b);
	blame(&b, LOC_NODE, LOC_SLOW, 6, LOC_NONE);
	decide(&b);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], NEW);
	assert_int_equal(b.a.controls_healthy, ALL - NEW - 1);
	assert_int_equal(node(&b, "n1")->partners, 5);
	assert_int_equal(b.a.n_notes, 1);
	assert_non_null(strstr(b.a.notes[0], "control n7 is slow itself: mpi.bandwidth"));
	assert_int_equal(accept_code(&b.a), CODE_OK);
	accept_members(&b.a, &b.made.plan, in);
	for (size_t i = 0; i < ALL; i++)
		assert_int_equal(in[i], i != 6);
	bed_close(&b);
}

/* ---- figures of one node ---- */

static void slow_memory_is_seen_beside_the_controls(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	row(&b, "node.memory", "n2")->value = 0.7e9;
	decide(&b);
	expect(&b, "n2", ACCEPT_REJECTED, ACCEPT_BESIDE);
	assert_non_null(strstr(node(&b, "n2")->reasons[0].text, "beside 6 controls"));
	row(&b, "node.memory", "n2")->value = 0.98e9; /* significant, but within the floor */
	decide(&b);
	expect(&b, "n2", ACCEPT_ACCEPTED, ACCEPT_WHYS);
	/* A slow control first, or it would hide the node. */
	row(&b, "node.memory", "n2")->value = 0.7e9;
	row(&b, "node.memory", "n9")->value = 0.6e9;
	decide(&b);
	expect(&b, "n2", ACCEPT_REJECTED, ACCEPT_BESIDE);
	expect(&b, "n9", ACCEPT_REJECTED, ACCEPT_BESIDE);
	assert_int_equal(b.a.controls_healthy, ALL - NEW - 1);
	bed_close(&b);
}

static void lost_wrong_and_disturbed_figures_are_told_apart(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	rows_loss(&b.s, "n1", "mpi.bandwidth", "no answer");
	b.s.losses[0].status = UNIT_TIMEOUT;
	rows_loss(&b.s, "n2", "mpi.bandwidth", "7 elements are wrong");
	b.s.losses[1].status = UNIT_INVALID;
	rows_loss(&b.s, "n3-n6", "mpi.bandwidth", "7 elements are wrong");
	b.s.losses[2].status = UNIT_INVALID;
	rows_loss(&b.s, "cluster", "gpu.copy", "no GPU");
	b.s.losses[3].status = UNIT_SKIPPED;
	row(&b, "node.memory", "n4")->quality = ROW_DISTURBED;
	decide(&b);
	expect(&b, "n1", ACCEPT_UNMEASURED, ACCEPT_LOST);
	expect(&b, "n2", ACCEPT_REJECTED, ACCEPT_DATA);
	expect(&b, "n3", ACCEPT_REJECTED, ACCEPT_DATA);
	expect(&b, "n4", ACCEPT_UNDECIDED, ACCEPT_DISTURBED);
	expect(&b, "n6", ACCEPT_ACCEPTED, ACCEPT_WHYS);
	/* A benchmark of which nothing came accepts nobody; one of groups is told. */
	rows_loss(&b.s, "cluster", "mpi.bandwidth", "it never started");
	b.s.losses[4].status = UNIT_FAILED;
	rows_loss(&b.s, "cluster", "mpi.allreduce", "it never started");
	b.s.losses[5].status = UNIT_FAILED;
	decide(&b);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], 0);
	assert_true(b.a.groups_lost);
	bed_close(&b);
}

static void a_node_without_any_figure_is_not_accepted(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	row(&b, "node.memory", "n1")->quality = ROW_NOT_MEASURED;
	row(&b, "mpi.bandwidth", "n1")->quality = ROW_NOT_MEASURED;
	b.made.plan.absent = hb_alloc(2 * sizeof *b.made.plan.absent);
	b.made.plan.absent[0] = (struct plan_absent){ hb_strdup("n11"),
		                                      hb_strdup("Slurm says DOWN"), ROLE_NEW };
	b.made.plan.absent[1] = (struct plan_absent){ hb_strdup("n12"),
		                                      hb_strdup("Slurm says DOWN"), ROLE_CONTROL };
	b.made.plan.n_absent = 2;
	decide(&b);
	expect(&b, "n1", ACCEPT_UNMEASURED, ACCEPT_LOST);
	expect(&b, "n11", ACCEPT_UNMEASURED, ACCEPT_LOST);
	assert_int_equal(b.a.n_new, NEW + 1);
	assert_int_equal(b.a.controls, ALL - NEW + 1);
	assert_int_equal(accept_code(&b.a), CODE_NOT_MEASURED);
	bed_close(&b);
}

/* ---- hardware, baseline, no controls ---- */

static void another_hardware_class_than_the_controls_is_rejected(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	for (size_t i = 0; i < ALL; i++)
		js_set_str(b.s.hw, b.made.nodes.v[i], i == 2 ? "2 DIMMs" : "4 DIMMs");
	decide(&b);
	expect(&b, "n3", ACCEPT_REJECTED, ACCEPT_HARDWARE);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], NEW - 1);
	bed_close(&b);
}

static void a_confirmed_regression_rejects_and_a_suspicion_does_not_decide(void **state)
{
	struct verdict_row rows[3];
	struct verdicts v = { .rows = rows, .n = 3 };
	const char *why;
	struct bed b;

	(void)state;
	bed_open(&b);
	for (size_t i = 0; i < 3; i++) {
		const struct summary_row *r = row(&b, "mpi.bandwidth", b.made.nodes.v[i]);
		rows[i] = (struct verdict_row){ .key = &r->key,
			                        .subject = r->subject,
			                        .row = r,
			                        .verdict = VERDICT_REGRESSED,
			                        .loss = 0.2,
			                        .confirmed = true };
	}
	rows[1].verdict = VERDICT_SUSPECT;
	rows[2].provisional = true;
	verdicts_count(&v);
	decide_against(&b, &v);
	expect(&b, "n1", ACCEPT_REJECTED, ACCEPT_REGRESSED);
	expect(&b, "n2", ACCEPT_UNDECIDED, ACCEPT_DOUBT);
	expect(&b, "n3", ACCEPT_UNDECIDED, ACCEPT_DOUBT);
	assert_true(accept_may_drain(node(&b, "n1"), &why));
	/* A baseline that knows nothing of this run is none. */
	for (size_t i = 0; i < 3; i++)
		rows[i].verdict = VERDICT_NEW;
	verdicts_count(&v);
	decide_against(&b, &v);
	assert_int_equal(accept_code(&b.a), CODE_NO_BASELINE);
	bed_close(&b);
}

static void without_controls_new_nodes_judge_each_other(void **state)
{
	struct bed b;

	(void)state;
	bed_open_with(&b, "");
	decide(&b);
	assert_int_equal(b.a.n_new, ALL);
	assert_int_equal(b.a.controls, 0);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], ALL);
	row(&b, "node.memory", "n2")->value = 0.7e9;
	decide(&b);
	expect(&b, "n2", ACCEPT_REJECTED, ACCEPT_BESIDE);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], ALL - 1);
	bed_close(&b);
}

/* A batch that is slow as a whole looks even among itself, and not beside the controls. */
static void a_batch_that_is_slow_as_a_whole_is_not_accepted(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b);
	for (size_t i = 0; i < b.sheet.n_pairs; i++)
		b.pairs[i].y = log(0.8e9);
	for (size_t i = NEW; i < ALL; i++)
		for (size_t k = i + 1; k < ALL; k++)
			add_pair(&b, i, k, 1e9 * (1 + 0.002 * (double)(k % 3)), false);
	for (size_t i = 0; i < NEW; i++)
		for (size_t k = i + 1; k < NEW; k++)
			add_pair(&b, i, k, 0.8e9, false);
	decide(&b);
	expect(&b, "n1", ACCEPT_UNDECIDED, ACCEPT_DOUBT);
	assert_int_equal(b.a.count[ACCEPT_UNDECIDED], NEW);
	/* Where new nodes are quick with each other it is the way to the controls. */
	for (size_t i = b.sheet.n_pairs - 6; i < b.sheet.n_pairs; i++)
		b.pairs[i].y = log(1e9);
	decide(&b);
	assert_int_equal(b.a.count[ACCEPT_ACCEPTED], NEW);
	bed_close(&b);
}

/* ---- choosing controls ---- */

static void controls_of_the_baseline_come_first_and_other_classes_never(void **state)
{
	static const struct accept_candidate v[] = {
		{ "a", NULL, ACCEPT_NEVER_SEEN },  { "b", "old", ACCEPT_IN_LEDGER },
		{ "c", "new", ACCEPT_IN_LEDGER },  { "d", "new", ACCEPT_IN_BASELINE },
		{ "e", NULL, ACCEPT_IN_BASELINE }, { "f", "old", ACCEPT_IN_BASELINE },
	};
	static const char *const hw[] = { NULL, "new" };
	static const char *const unknown[] = { NULL };
	size_t chosen[ACCEPT_AUTO_MAX];

	(void)state;
	assert_int_equal(accept_choose_controls(v, 6, hw, 2, chosen), 4);
	assert_int_equal(chosen[0], 3);
	assert_int_equal(chosen[1], 4);
	assert_int_equal(chosen[2], 2);
	assert_int_equal(chosen[3], 0);
	assert_int_equal(accept_choose_controls(v, 6, unknown, 1, chosen), 4);
	assert_int_equal(chosen[0], 3);
	assert_int_equal(chosen[2], 5);
	assert_int_equal(accept_choose_controls(v, 0, hw, 2, chosen), 0);
}

static void decisions_are_there_for_programs_too(void **state)
{
	json_object *v = NULL, *one = NULL;
	struct bed b;

	(void)state;
	bed_open(&b);
	slow_pairs(&b, 3);
	blame(&b, LOC_NODE, LOC_SLOW, 3, LOC_NONE);
	decide(&b);
	json_object *o = accept_to_json(&b.a);
	assert_true(json_object_object_get_ex(o, "decisions", &v));
	assert_int_equal(json_object_array_length(v), ALL);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(v, 3), "decision", &one));
	assert_string_equal(json_object_get_string(one), "rejected");
	js_put(o);
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_nodes_are_accepted_with_what_would_have_been_found),
		cmocka_unit_test(too_few_partners_and_too_blunt_a_test_decide_nothing),
		cmocka_unit_test(
		        a_node_that_no_control_sees_slow_is_not_rejected_for_what_its_like_say),
		cmocka_unit_test(a_slow_node_is_rejected_with_the_controls_that_saw_it),
		cmocka_unit_test(a_slow_link_rejects_the_new_end_only_beside_a_control),
		cmocka_unit_test(undecided_silent_and_doubtful_nodes_have_words_of_their_own),
		cmocka_unit_test(a_slow_control_is_told_and_acquits_nobody),
		cmocka_unit_test(slow_memory_is_seen_beside_the_controls),
		cmocka_unit_test(lost_wrong_and_disturbed_figures_are_told_apart),
		cmocka_unit_test(a_node_without_any_figure_is_not_accepted),
		cmocka_unit_test(another_hardware_class_than_the_controls_is_rejected),
		cmocka_unit_test(a_confirmed_regression_rejects_and_a_suspicion_does_not_decide),
		cmocka_unit_test(without_controls_new_nodes_judge_each_other),
		cmocka_unit_test(a_batch_that_is_slow_as_a_whole_is_not_accepted),
		cmocka_unit_test(controls_of_the_baseline_come_first_and_other_classes_never),
		cmocka_unit_test(decisions_are_there_for_programs_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
