/* From records of facts, counters and events to the table, the summary and a baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/diagnose/diagnose.h"
#include "harness/judge/baseline.h"
#include "tests/unit/collect_fixture.h"

static void fact(struct made *m, const char *endpoint, const char *key, const char *value,
                 const char *also)
{
	json_object *o = rec_fact_to_json(endpoint, key, value, "s");

	js_set_u64(o, "step", 1);
	if (also)
		js_set_str(o, "also", also);
	add_line(m, o);
}

static void counter(struct made *m, uint64_t step, const char *endpoint, uint64_t before,
                    uint64_t after, int width)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "type", "counter");
	js_set_u64(o, "step", step);
	js_set_str(o, "endpoint", endpoint);
	js_set_str(o, "name", "rx_bytes");
	js_set_u64(o, "before", before);
	js_set_u64(o, "after", after);
	js_set_i64(o, "width", width);
	add_line(m, o);
}

static void event(struct made *m, const char *code)
{
	json_object *o = rec_event_to_json(NULL, "warn", code, "text");

	js_set_str(o, "endpoint", "n2");
	add_line(m, o);
}

static void told(struct made *m, struct run_told *out)
{
	struct sheets sheets;

	static const char about[] = "{\"steps\":[{\"id\":1,\"seconds\":2.5}]}";

	write_file(m, "run.json", about, sizeof about - 1);
	collected(m);
	summary_free(&m->s);
	assert_int_equal(collect_run_sheets(m->dir, &m->s, &sheets, out, &m->err), HB_OK);
	sheets_free(&sheets);
}

static void what_others_told_too_is_theirs(void **state)
{
	struct made m;
	struct run_told t;
	uint64_t moved;

	(void)state;
	start(&m, suite_latency, "n[1-4]", 3);
	for (int i = 1; i <= 4; i++) {
		char name[8];

		snprintf(name, sizeof name, "n%d", i);
		add_hw(&m, name, "a");
	}
	fact(&m, "n1/eth0", "net.mtu", "9000", NULL);
	fact(&m, "n1/eth0", "net.mtu", "9000", "n[2,4],stranger");
	fact(&m, "n3/eth0", "net.mtu", "1500", NULL);
	fact(&m, "stranger/eth0", "net.mtu", "7", NULL);
	fact(&m, "n3", "sw.kernel", "6.1", NULL);
	counter(&m, 1, "n2/eth0", 100, 350, 64);
	counter(&m, 1, "n2/eth0", 4294967000, 1000, 32);
	counter(&m, 1, "n3/eth0", 500, 100, 0); /* set back: nobody knows */
	event(&m, "clock-slow");
	told(&m, &t);
	assert_int_equal(t.facts.n_nodes, 4);
	assert_string_equal(facts_text(&t.facts, 1, "eth0", "net.mtu"), "9000");
	assert_string_equal(facts_text(&t.facts, 3, "eth0", "net.mtu"), "9000");
	assert_string_equal(facts_text(&t.facts, 2, "eth0", "net.mtu"), "1500");
	assert_int_equal(facts_row(&t.facts, "eth0", "net.mtu")->n, 2);
	assert_string_equal(t.facts.hw[2], "a");
	assert_true(facts_counter(&t.facts, 1, "eth0", "rx_bytes", &moved));
	assert_int_equal(moved, 250 + 1296);
	assert_true(facts_counter(&t.facts, 2, "eth0", "rx_bytes", &moved));
	assert_int_equal(moved, 0);
	assert_true(t.facts.counted_s[1] > 2.4 && t.facts.counted_s[1] < 2.6);
	assert_true(t.facts.counted_s[0] <= 0);
	assert_int_equal(t.n_events, 1);
	assert_string_equal(t.events[0].node, "n2");
	assert_string_equal(t.events[0].code, "clock-slow");
	assert_true(json_object_object_get_ex(m.s.fingerprint, "kernel", NULL));
	assert_non_null(m.s.facts);
	run_told_free(&t);
	finish(&m);
}

static void hostile_records_are_named_and_nothing_else(void **state)
{
	static const char *const bad[] = {
		"{\"type\":\"fact\",\"endpoint\":\"n1\",\"key\":7}",
		"{\"type\":\"fact\",\"endpoint\":\"n1\",\"key\":\"k\",\"value\":\"1\",\"also\":\"n["
		"\"}",
		"{\"type\":\"counter\",\"endpoint\":\"n1\",\"name\":\"c\",\"before\":-1,\"after\":"
		"1}",
	};
	struct made m;
	struct run_told t;

	(void)state;
	start(&m, suite_latency, "n[1-2]", 1);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		json_object *o = NULL;

		assert_int_equal(js_parse(bad[i], strlen(bad[i]), "t", &o, &m.err), HB_OK);
		add_line(&m, o);
	}
	for (int i = 0; i < RUN_EVENTS_MAX + 9; i++)
		event(&m, "flood");
	told(&m, &t);
	assert_int_equal(t.facts.n_rows, 0);
	assert_int_equal(t.n_events, RUN_EVENTS_MAX);
	assert_null(m.s.facts);
	size_t named = 0;

	for (size_t i = 0; i < m.s.n_losses; i++)
		named += strncmp(m.s.losses[i].subject, "records.jsonl:", 14) == 0;
	assert_int_equal(named, 3);
	run_told_free(&t);
	finish(&m);
}

static json_object *mtu_of(int mtu)
{
	struct facts f;
	char text[16];

	facts_init(&f);
	snprintf(text, sizeof text, "%d", mtu);
	facts_add(&f, facts_add_node(&f, "n1", "a"), "eth0", "net.mtu", text, "s");
	facts_sort(&f);
	json_object *o = facts_to_json(&f, FACTS_AGREE);

	facts_free(&f);
	return o;
}

static void a_baseline_keeps_the_facts_of_its_newest_run(void **state)
{
	struct summary s[3];
	const struct summary *runs[3] = { &s[0], &s[1], &s[2] };
	static const char *const when[] = { "2001-01-02T00:00:00Z", "2001-01-03T00:00:00Z",
		                            "2001-01-01T00:00:00Z" };
	struct baseline b, again;
	struct hb_err err;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char id[8];

		summary_init(&s[i]);
		snprintf(id, sizeof id, "r%d", i);
		s[i].run = hb_strdup(id);
		s[i].started = hb_strdup(when[i]);
		s[i].facts = mtu_of(1000 * (i + 1));
	}
	baseline_build(runs, 3, &b);
	b.name = hb_strdup("night");
	b.created = hb_strdup(when[1]);
	json_object *o = baseline_to_json(&b);

	assert_int_equal(baseline_from_json(o, "t", &again, &err), HB_OK);
	assert_string_equal(json_object_to_json_string(again.facts),
	                    json_object_to_json_string(s[1].facts));
	baseline_free(&again);
	json_object_object_del(o, "facts"); /* as older ones are */
	assert_int_equal(baseline_from_json(o, "t", &again, &err), HB_OK);
	assert_null(again.facts);
	baseline_free(&again);
	js_put(o);
	baseline_free(&b);
	for (int i = 0; i < 3; i++)
		summary_free(&s[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_told_too_is_theirs),
		cmocka_unit_test(hostile_records_are_named_and_nothing_else),
		cmocka_unit_test(a_baseline_keeps_the_facts_of_its_newest_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
