/* From a scene to causes: who is told, what explains whom, what is joined, kept and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "tests/unit/rule_case.h"

struct world {
	json_object *o;
	struct rule_case c;
	struct rules rules;
	struct expected expected;
	struct diagnosis d;
};

static json_object *parse(const char *text)
{
	json_object *o = NULL;
	struct hb_err err = { 0 };

	if (js_parse(text, strlen(text), "test", &o, &err) != HB_OK)
		fail_msg("%s: %s", err.text, text);
	return o;
}

/* rules: what stands in the array; extra: further members of the file, with a comma. */
static void make(struct world *w, const char *scene, const char *rules, const char *extra)
{
	struct hb_err err = { 0 };
	char *text = hb_format("{\"schema\":1,\"rules\":[%s]%s}", rules, extra);
	json_object *file = parse(text);

	*w = (struct world){ .o = parse(scene) };
	if (rules_from_json(file, "test", "2026-06-01", &w->rules, &err) != HB_OK ||
	    rule_case_make(w->o, &w->expected, &w->c, &err) != HB_OK)
		fail_msg("%s", err.text);
	diagnose_make(&w->c.scene, &w->rules, &w->d);
	js_put(file);
	free(text);
}

static void done(struct world *w)
{
	diagnosis_free(&w->d);
	rules_free(&w->rules);
	rule_case_free(&w->c);
	js_put(w->o);
}

#define RULE(id, severity, confidence, rest)                                                       \
	"{\"id\":\"" id "\",\"title\":\"t\",\"severity\":\"" severity                              \
	"\",\"confidence\":\"" confidence "\",\"next\":\"look at {node}\","                        \
	"\"refute\":\"r\",\"source\":\"s\"," rest "}"
#define MTU                                                                                        \
	RULE("mtu", "error", "certain",                                                            \
	     "\"scope\":\"device\",\"message\":\"{value} for {peers} of {count} of {of}\","        \
	     "\"explains\":{\"bench\":[\"mpi.*\"]},"                                               \
	     "\"when\":[{\"test\":\"differs\",\"key\":\"net.mtu\"}]")
#define SCENE                                                                                      \
	"{\"nodes\":\"n[1-6]\",\"facts\":[[\"*/eth0\",\"net.mtu\",\"9000\",\"/sys/mtu\"],"         \
	"[\"n[3-4]/eth0\",\"net.mtu\",\"1500\",\"/sys/mtu\"]],"                                    \
	"\"blamed\":[{\"subject\":\"n3\",\"kind\":\"slow-node\",\"bench\":\"mpi.bandwidth\","      \
	"\"bytes\":1048576,\"loss\":0.38},{\"subject\":\"n1-n2\",\"kind\":\"slow-link\","          \
	"\"bench\":\"mpi.bandwidth\",\"bytes\":8,\"loss\":0.2}]}"

static void nodes_with_the_same_trouble_are_one_cause_with_its_evidence(void **state)
{
	struct world w;

	(void)state;
	make(&w, SCENE, MTU, "");
	assert_int_equal(w.d.n, 1);
	const struct cause *c = &w.d.v[0];
	assert_string_equal(c->subject, "n[3-4]/eth0");
	assert_string_equal(c->text, "1500 for 9000 of 4 of 5");
	assert_string_equal(c->next, "look at n[3-4]");
	assert_int_equal(c->n_evidence, 1);
	assert_string_equal(c->evidence[0], "net.mtu of n[3-4]/eth0 is 1500 (/sys/mtu), 4 of 5 "
	                                    "peers have 9000");
	assert_int_equal(diagnosis_code(&w.d), CODE_FINDINGS);
	done(&w);
}

static void a_cause_explains_its_own_node_and_what_is_left_has_a_next_step(void **state)
{
	struct world w;

	(void)state;
	make(&w, SCENE, MTU, "");
	assert_int_equal(w.d.v[0].n_explains, 1);
	assert_int_equal(w.d.v[0].explains[0], 0);
	assert_ptr_equal(diagnosis_cause(&w.d, 0, 0), &w.d.v[0]);
	assert_null(diagnosis_cause(&w.d, 0, 1));
	assert_null(diagnosis_cause(&w.d, 1, 0));
	assert_int_equal(w.d.n_unproven, 2);
	assert_null(w.d.unproven[0]);
	assert_true(strlen(w.d.unproven[1]) > 0);
	done(&w);
}

static void what_explains_goes_first_then_severity_then_confidence(void **state)
{
#define SLOW(id, severity, confidence, more)                                                       \
	RULE(id, severity, confidence,                                                             \
	     "\"scope\":\"device\",\"message\":\"m\"," more                                        \
	     "\"when\":[{\"test\":\"differs\",\"key\":\"net.mtu\"}]")
	static const char *const order[] = { "b", "c", "a", "d", "e" };
	struct world w;

	(void)state;
	make(&w, SCENE,
	     SLOW("a", "error", "possible", "") "," SLOW(
	             "b", "note", "possible",
	             "\"explains\":{\"bench\":[\"mpi.*\"],\"kinds\":[\"slow-node\"]"
	             "},") "," SLOW("c", "error", "likely",
	                            "\"explains\":{\"bench\":[\"mpi.*\"],\"kinds\":"
	                            "[\"slow-rail\"]},") "," SLOW("d", "warning", "certain",
	                                                          "") "," SLOW("e",
	                                                                       "not"
	                                                                       "e",
	                                                                       "cer"
	                                                                       "tai"
	                                                                       "n",
	                                                                       ""),
	     "");
	assert_int_equal(w.d.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(w.d.v[i].rule, order[i]);
	done(&w);
}

static void a_suppressed_cause_is_told_last_and_counts_for_nothing(void **state)
{
	struct world w;

	(void)state;
	make(&w, SCENE, MTU,
	     ",\"suppress\":[{\"rule\":\"m*\",\"subject\":\"n[34]/eth0\",\"until\":\"2026-07-01\","
	     "\"reason\":\"known\"}]");
	assert_string_equal(w.d.v[0].suppressed, "until 2026-07-01: known");
	assert_int_equal(diagnosis_code(&w.d), CODE_OK);
	done(&w);
	make(&w, SCENE, MTU,
	     ",\"suppress\":[{\"rule\":\"mtu\",\"subject\":\"n3/*\",\"until\":\"2026-07-01\","
	     "\"reason\":\"one of two\"}]");
	assert_null(w.d.v[0].suppressed);
	done(&w);
	make(&w, SCENE, MTU,
	     ",\"suppress\":[{\"rule\":\"mtu\",\"until\":\"2026-05-01\",\"reason\":\"over\"}]");
	assert_null(w.d.v[0].suppressed);
	assert_int_equal(diagnosis_code(&w.d), CODE_FINDINGS);
	done(&w);
}

/* The first device that fits the first test does not fit the second. */
static void a_rule_of_a_node_finds_the_device_that_fits_all_its_tests(void **state)
{
	struct world w;

	(void)state;
	make(&w,
	     "{\"nodes\":\"n[1-3]\",\"facts\":[[\"n2/eth0\",\"net.state\",\"up\"],"
	     "[\"n2/eth1\",\"net.state\",\"up\"],[\"n2/eth0\",\"net.mtu\",\"9000\"],"
	     "[\"n2/eth1\",\"net.mtu\",\"1400\"]]}",
	     RULE("small", "error", "certain",
	          "\"scope\":\"node\",\"message\":\"{device} {value}\",\"when\":["
	          "{\"test\":\"fact\",\"key\":\"net.state\",\"is\":[\"up\"]},"
	          "{\"test\":\"fact\",\"key\":\"net.mtu\",\"below\":1500}]"),
	     "");
	assert_int_equal(w.d.n, 1);
	assert_string_equal(w.d.v[0].subject, "n2");
	assert_string_equal(w.d.v[0].text, "eth1 up");
	assert_string_equal(w.d.v[0].evidence[1], "net.mtu of n2/eth1 is 1400 (/sys)");
	done(&w);
}

static void figures_that_differ_are_told_of_the_worst(void **state)
{
	struct world w;

	(void)state;
	make(&w,
	     "{\"nodes\":\"n[1-4]\",\"counters\":[[\"n1/eth0\",\"rx_errors\",50],"
	     "[\"n2/eth0\",\"rx_errors\",70],[\"n3/eth0\",\"rx_errors\",5]]}",
	     RULE("errors", "warning", "likely",
	          "\"scope\":\"device\",\"message\":\"{value} errors\",\"when\":["
	          "{\"test\":\"counter\",\"name\":[\"rx_errors\"],\"above\":10}]"),
	     "");
	assert_int_equal(w.d.n, 1);
	assert_string_equal(w.d.v[0].subject, "n[1-2]/eth0");
	assert_string_equal(w.d.v[0].text, "up to 70 errors");
	assert_string_equal(w.d.v[0].evidence[0],
	                    "rx_errors of n2/eth0 moved by 70, the most of 2 nodes");
	done(&w);
}

static void the_cluster_is_told_when_enough_nodes_hold(void **state)
{
#define SWAP                                                                                       \
	RULE("swap", "warning", "likely",                                                          \
	     "\"scope\":\"cluster\",\"message\":\"{count} of {of}\",\"when\":[{\"test\":\"fact\"," \
	     "\"key\":\"mem.thp\",\"is\":[\"never\"],\"share\":0.5}]")
	struct world w;

	(void)state;
	make(&w,
	     "{\"nodes\":\"n[1-4]\",\"facts\":[[\"*\",\"mem.thp\",\"never\"],"
	     "[\"n1\",\"mem.thp\",\"always\"]]}",
	     SWAP, "");
	assert_int_equal(w.d.n, 1);
	assert_string_equal(w.d.v[0].subject, "cluster");
	assert_string_equal(w.d.v[0].text, "3 of 4");
	done(&w);
	make(&w,
	     "{\"nodes\":\"n[1-4]\",\"facts\":[[\"*\",\"mem.thp\",\"always\"],"
	     "[\"n1\",\"mem.thp\",\"never\"]]}",
	     SWAP, "");
	assert_int_equal(w.d.n, 0);
	done(&w);
}

static void the_ends_of_a_link_that_is_slow_are_compared(void **state)
{
#define ENDS                                                                                       \
	RULE("ends", "error", "certain",                                                           \
	     "\"scope\":\"pair\",\"message\":\"{value} and {was}\",\"explains\":{\"bench\":[\"*\"" \
	     "]},\"when\":[{\"test\":\"ends\",\"key\":\"net.mtu\"}]")
	struct world w;

	(void)state;
	make(&w,
	     "{\"nodes\":\"n[1-3]\",\"facts\":[[\"*/eth0\",\"net.mtu\",\"9000\"],"
	     "[\"n2/eth0\",\"net.mtu\",\"1500\"]],\"blamed\":[{\"subject\":\"n1-n2\","
	     "\"kind\":\"slow-link\",\"bench\":\"mpi.bandwidth\",\"bytes\":8,\"loss\":0.2}]}",
	     ENDS, "");
	assert_int_equal(w.d.n, 1);
	assert_string_equal(w.d.v[0].subject, "n1-n2");
	assert_string_equal(w.d.v[0].text, "9000 and 1500");
	assert_int_equal(w.d.v[0].n_explains, 1);
	done(&w);
	make(&w,
	     "{\"nodes\":\"n[1-3]\",\"facts\":[[\"*/eth0\",\"net.mtu\",\"9000\"],"
	     "[\"n2/eth0\",\"net.mtu\",\"1500\"]]}",
	     ENDS, "");
	assert_int_equal(w.d.n, 0); /* nobody blames it */
	done(&w);
}

static void sizes_above_a_bound_are_slow_and_those_below_are_not(void **state)
{
#define GROWS                                                                                      \
	RULE("grows", "warning", "possible",                                                       \
	     "\"scope\":\"node\",\"message\":\"from {bytes}\",\"when\":[{\"test\":\"grows\","      \
	     "\"bench\":[\"mpi.*\"],\"from\":\"4Ki\"}]")
#define FIGURES(small)                                                                             \
	"{\"nodes\":\"n[1-3]\",\"figures\":[{\"node\":\"n2\",\"bench\":\"mpi.latency\","           \
	"\"bytes\":8,\"loss\":" small "},{\"node\":\"n2\",\"bench\":\"mpi.bandwidth\","            \
	"\"bytes\":1048576,\"loss\":0.4}]}"
	struct world w;

	(void)state;
	make(&w, FIGURES("0.01"), GROWS, "");
	assert_int_equal(w.d.n, 1);
	assert_string_equal(w.d.v[0].text, "from 4 KiB");
	done(&w);
	make(&w, FIGURES("0.2"), GROWS, "");
	assert_int_equal(w.d.n, 0);
	done(&w);
}

static void causes_read_back_as_they_were_written(void **state)
{
	struct world w;
	struct diagnosis again;
	struct hb_err err = { 0 };

	(void)state;
	make(&w, SCENE, MTU,
	     ",\"suppress\":[{\"rule\":\"mtu\",\"until\":\"2026-07-01\","
	     "\"reason\":\"known\"}]");
	json_object *o = findings_to_json(&w.c.findings), *twice = findings_to_json(&w.c.findings);
	diagnosis_to_json(&w.d, o);
	if (diagnosis_from_json(o, "f", &again, &err) != HB_OK)
		fail_msg("%s", err.text);
	diagnosis_to_json(&again, twice);
	assert_true(json_object_equal(o, twice));
	assert_int_equal(again.n, 1);
	assert_string_equal(again.v[0].subject, "n[3-4]/eth0");
	assert_int_equal(again.rules, 1);
	diagnosis_free(&again);
	json_object *causes = NULL, *explains = NULL;
	json_object_object_get_ex(o, "causes", &causes);
	json_object_object_get_ex(json_object_array_get_idx(causes, 0), "explains", &explains);
	json_object_array_put_idx(explains, 0, json_object_new_int(7));
	assert_int_equal(diagnosis_from_json(o, "f", &again, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "$.causes[0].explains[0]: no place in findings"));
	js_put(o);
	js_put(twice);
	done(&w);
}

/* ---- figures ---- */

static void add_row(struct summary *s, const char *node, const char *metric, bool rate, double v,
                    double p99)
{
	struct summary_row *r = summary_add_row(s, false);

	r->key = (struct key){ .bench = hb_strdup("node.memory"),
		               .metric = hb_strdup(metric),
		               .opts = hb_strdup("{}"),
		               .class_ = hb_strdup("same-node"),
		               .hw = hb_strdup("A"),
		               .bytes = 64,
		               .nodes = 1,
		               .rpn = 1 };
	key_make(&r->key);
	r->subject = hb_strdup(node);
	r->kind = SUBJECT_NODE;
	r->higher_is_better = rate;
	r->value = v;
	r->p99 = p99;
}

static void loss_and_tail_are_held_against_the_median_of_the_nodes(void **state)
{
	struct summary s;
	struct scene_figure *f = NULL;

	(void)state;
	summary_init(&s);
	add_row(&s, "n1", "rate_Bps", true, 100, 90);
	add_row(&s, "n2", "rate_Bps", true, 100, 90);
	add_row(&s, "n3", "rate_Bps", true, 60, 27);
	add_row(&s, "n1", "lat_p50_ns", false, 10, 12);
	add_row(&s, "n2", "lat_p50_ns", false, 10, 12);
	add_row(&s, "n3", "lat_p50_ns", false, 20, 48);
	add_row(&s, "n1", "alone_ns", false, 10, NAN);
	size_t n = scene_figures_make(&s, NULL, &f);
	assert_int_equal(n, 7);
	for (size_t i = 0; i < n; i++) {
		bool slow = strcmp(f[i].node, "n3") == 0, rate = f[i].metric[0] == 'r';
		if (f[i].metric[0] == 'a') {
			assert_true(isnan(f[i].loss) && isnan(f[i].tail));
			continue;
		}
		assert_true(fabs(f[i].loss - (!slow ? 0 : rate ? 0.4 : 0.5)) < 1e-9);
		assert_true(fabs(f[i].tail - (slow ? 2 : 1)) < 1e-9);
	}
	free(f);
	summary_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_with_the_same_trouble_are_one_cause_with_its_evidence),
		cmocka_unit_test(a_cause_explains_its_own_node_and_what_is_left_has_a_next_step),
		cmocka_unit_test(what_explains_goes_first_then_severity_then_confidence),
		cmocka_unit_test(a_suppressed_cause_is_told_last_and_counts_for_nothing),
		cmocka_unit_test(a_rule_of_a_node_finds_the_device_that_fits_all_its_tests),
		cmocka_unit_test(figures_that_differ_are_told_of_the_worst),
		cmocka_unit_test(the_cluster_is_told_when_enough_nodes_hold),
		cmocka_unit_test(the_ends_of_a_link_that_is_slow_are_compared),
		cmocka_unit_test(sizes_above_a_bound_are_slow_and_those_below_are_not),
		cmocka_unit_test(causes_read_back_as_they_were_written),
		cmocka_unit_test(loss_and_tail_are_held_against_the_median_of_the_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
