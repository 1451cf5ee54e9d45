/* What becomes of a record on its way from a rank to the files, without any process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "desk.h"

static void records_of_no_unit_are_stamped_with_step_and_attempt(void **state)
{
	struct desk *d = desk_new("n[1-4]");
	char *got;

	(void)state;
	must(say(d, 0, "{\"type\":\"rank\",\"rank\":0}"), &d->err);
	must(say(d, 1, "{\"type\":\"event\",\"level\":\"info\",\"step\":1,\"attempt\":2}"),
	     &d->err);
	must(say(d, 2,
	         "{\"type\":\"fact\",\"endpoint\":\"n3\",\"key\":\"k\",\"value\":\"v\","
	         "\"source\":\"s\"}"),
	     &d->err);
	step_event(&d->r, "info", "told", "by the harness");
	got = desk_end(d);
	assert_string_equal(got,
	                    "{\"type\":\"rank\",\"rank\":0,\"step\":1,\"attempt\":2}\n"
	                    "{\"type\":\"event\",\"level\":\"info\",\"step\":1,\"attempt\":2}\n"
	                    "{\"type\":\"fact\",\"endpoint\":\"n3\",\"key\":\"k\",\"value\":\"v\","
	                    "\"source\":\"s\",\"step\":1,\"attempt\":2}\n"
	                    "{\"type\":\"event\",\"level\":\"info\",\"code\":\"told\","
	                    "\"text\":\"by the harness\",\"step\":1,\"attempt\":2}\n");
	free(got);
}

static void a_record_that_claims_another_step_or_attempt_is_refused(void **state)
{
	static const char *const wrong[] = {
		"{\"type\":\"rank\",\"step\":2}",
		"{\"type\":\"rank\",\"step\":1,\"attempt\":1}",
		"{\"type\":\"fact\",\"key\":\"k\",\"step\":\"1\"}",
		"{\"type\":\"meta\",\"attempt\":-2}",
	};
	struct desk *d = desk_new("n[1-4]");
	char *got;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_int_equal(say(d, 0, wrong[i]), HB_E_FORMAT);
	got = desk_end(d);
	assert_string_equal(got, "");
	free(got);
}

static void meta_gets_the_nodes_of_the_plan_in_hostlist_form(void **state)
{
	struct desk *d = desk_new("n[01-40],login");
	char *got;

	(void)state;
	must(say(d, 0, "{\"type\":\"meta\",\"nodes\":\"somewhere\",\"ranks\":41}"), &d->err);
	got = desk_end(d);
	assert_string_equal(got, "{\"type\":\"meta\",\"nodes\":\"n[01-40],login\",\"ranks\":41,"
	                         "\"step\":1,\"attempt\":2}\n");
	free(got);
}

static void a_node_list_that_fits_no_record_is_left_to_the_plan(void **state)
{
	struct buf nodes = BUF_INIT;
	struct desk *d;
	char *got;

	(void)state;
	for (int i = 0; i < 500; i++)
		buf_printf(&nodes, "%sa%dx", i ? "," : "", i * 7);
	d = desk_new(buf_text(&nodes));
	must(say(d, 0, "{\"type\":\"meta\"}"), &d->err);
	got = desk_end(d);
	assert_string_equal(got, "{\"type\":\"meta\",\"nodes\":null,\"step\":1,\"attempt\":2}\n");
	free(got);
	buf_free(&nodes);
}

static void a_fact_is_stored_once_for_each_distinct_value(void **state)
{
	struct desk *d = desk_new("n[1-4]");
	char *got, text[128];
	size_t lines = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof text,
		         "{\"type\":\"fact\",\"endpoint\":\"n%d\",\"key\":\"sw.mpi\","
		         "\"value\":\"%s\",\"source\":\"lib\"}",
		         i + 1, i == 2 ? "5.0" : "4.1");
		must(say(d, i, text), &d->err);
	}
	/* Another source, and another key, say something else. */
	must(say(d, 0, "{\"type\":\"fact\",\"key\":\"sw.mpi\",\"value\":\"4.1\"}"), &d->err);
	must(say(d, 0, "{\"type\":\"fact\",\"key\":\"sw.x\",\"value\":\"4.1\"}"), &d->err);
	got = desk_end(d);
	for (const char *at = got; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	assert_int_equal(lines, 4);
	assert_non_null(strstr(got, "\"endpoint\":\"n1\",\"key\":\"sw.mpi\",\"value\":\"4.1\""));
	assert_non_null(strstr(got, "\"endpoint\":\"n3\",\"key\":\"sw.mpi\",\"value\":\"5.0\""));
	free(got);
}

/* a, b and the words for people of the step's first job. */
static void assert_ends(const char *nodes, const char *a, const char *b, const char *what)
{
	const struct js_at at = JS_AT_TOP("job");
	struct desk *d = desk_new(nodes);
	json_object *msg = step_job_message(&d->r, 0);
	const char *got_a = "", *got_b = "";
	struct buf text = BUF_INIT;

	must(js_get_str(msg, &at, "a", JS_REQUIRED, &got_a, &d->err), &d->err);
	must(js_get_str(msg, &at, "b", JS_REQUIRED, &got_b, &d->err), &d->err);
	assert_string_equal(got_a, a);
	assert_string_equal(got_b, b);
	step_job_text(&d->r, 0, &text);
	assert_string_equal(buf_text(&text), what);
	js_put(msg);
	buf_free(&text);
	free(desk_end(d));
}

static void the_two_sides_of_a_pair_within_one_node_are_its_ranks(void **state)
{
	(void)state;
	assert_ends("vm", "vm/rank0", "vm/rank1", "mpi.latency vm");
}

static void the_two_sides_of_a_pair_of_nodes_are_the_nodes(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	const struct plan_job *job = &d->r.step->jobs[0];
	const char *const *host = (const char *const *)d->r.host;
	char a[8], b[8], what[40];

	(void)state;
	snprintf(a, sizeof a, "%s", host[job->ranks[0]]);
	snprintf(b, sizeof b, "%s", host[job->ranks[1]]);
	snprintf(what, sizeof what, "mpi.latency %s-%s", a, b);
	free(desk_end(d));
	assert_string_not_equal(a, b);
	assert_ends("n[1-2]", a, b, what);
}

/* The first job of n[1-2], on kernels and networks of these names; how often it is commanded. */
static uint64_t tries_on(const char *const *ids, const char *load)
{
	static const struct launcher_ops ops = { .name = "test" };
	struct desk *d = desk_new("n[1-2]");
	const struct plan_job *job = &d->r.step->jobs[0];
	char text[400];
	uint64_t n;

	d->site.ops = &ops;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof text,
		         "{\"type\":\"rank\",\"rank\":%d,\"kernel\":%s,\"network\":%s}", i,
		         ids[2 * i], ids[2 * i + 1]);
		must(say(d, i, text), &d->err);
	}
	step_announce_job(&d->r, 0);
	snprintf(text, sizeof text,
	         "{\"type\":\"end\",\"step\":1,\"attempt\":1,\"unit\":%llu,\"phase\":\"main\","
	         "\"status\":\"ok\",\"seconds\":1}",
	         (unsigned long long)job->first_unit);
	must(say(d, job->ranks[0], text), &d->err);
	snprintf(text, sizeof text, "{\"msg\":\"done\",\"job\":%llu,\"load\":%s}",
	         (unsigned long long)job->id, load);
	for (int i = 0; i < 2; i++)
		must(say(d, job->ranks[i], text), &d->err);
	if (d->r.s.job[0] == JOB_WAITING)
		step_announce_job(&d->r, 0);
	n = d->r.tries[0];
	free(desk_end(d));
	return n;
}

static void load_is_nobodys_where_nodes_are_the_same_machine(void **state)
{
	static const char *const apart[] = { "\"k1\"", "\"w1\"", "\"k2\"", "\"w2\"" };
	static const char *const cells[] = { "\"k1\"", "\"w1\"", "\"k1\"", "\"w2\"" };
	static const char *const one[] = { "\"k1\"", "\"w1\"", "\"k1\"", "\"w1\"" };
	static const char *const unknown[] = { "null", "null", "null", "null" };
	static const char cpu[] = "{\"seconds\":1,\"busy_s\":4,\"own_s\":1,\"cores\":4}";
	static const char net[] = "{\"seconds\":1,\"tx\":1e6,\"rx\":1e6,"
	                          "\"nics\":[{\"name\":\"eth0\",\"rx\":9e8,\"max_Bps\":1e9}]}";

	(void)state;
	assert_int_equal(tries_on(apart, cpu), 2);
	assert_int_equal(tries_on(cells, cpu), 1);
	assert_int_equal(tries_on(unknown, cpu), 2);
	assert_int_equal(tries_on(apart, net), 2);
	assert_int_equal(tries_on(cells, net), 2);
	assert_int_equal(tries_on(one, net), 1);
}

static void a_rank_that_tells_no_load_or_nonsense_is_told_apart(void **state)
{
	static const char *const apart[] = { "\"k1\"", "\"w1\"", "\"k2\"", "\"w2\"" };
	struct desk *d = desk_new("n[1-2]");
	char text[200], *got;

	(void)state;
	assert_int_equal(tries_on(apart, "null"), 1);
	step_announce_job(&d->r, 0);
	snprintf(text, sizeof text, "{\"msg\":\"done\",\"job\":%llu,\"load\":{\"seconds\":-1}}",
	         (unsigned long long)d->r.step->jobs[0].id);
	assert_int_equal(say(d, 0, text), HB_E_FORMAT);
	assert_int_equal(say(d, 0, "{\"type\":\"load\",\"seconds\":1}"), HB_E_FORMAT);
	got = desk_end(d);
	assert_string_equal(got, "");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_no_unit_are_stamped_with_step_and_attempt),
		cmocka_unit_test(a_record_that_claims_another_step_or_attempt_is_refused),
		cmocka_unit_test(meta_gets_the_nodes_of_the_plan_in_hostlist_form),
		cmocka_unit_test(a_node_list_that_fits_no_record_is_left_to_the_plan),
		cmocka_unit_test(a_fact_is_stored_once_for_each_distinct_value),
		cmocka_unit_test(the_two_sides_of_a_pair_within_one_node_are_its_ranks),
		cmocka_unit_test(the_two_sides_of_a_pair_of_nodes_are_the_nodes),
		cmocka_unit_test(load_is_nobodys_where_nodes_are_the_same_machine),
		cmocka_unit_test(a_rank_that_tells_no_load_or_nonsense_is_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
