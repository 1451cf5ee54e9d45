/* When a job counts as disturbed, and the words that ranks say it with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bench/base/record.h"
#include "harness/launch/launch_load.h"

static const struct suite_disturbed usual = { false, 0.25, 0.1 };

/* A rank that spins for a second on a node of so many cores, and sends and receives 1 GB. */
static struct node_load node_of(double cores)
{
	struct node_load n = { .node = "n3", .ranks = 1 };

	n.sum = (struct load_span){ .seconds = 1, .busy_s = 1, .own_s = 1, .cores = cores };
	n.sum.tx = n.sum.rx = 1e9;
	n.sum.n_nics = 1;
	n.sum.nics[0] = (struct load_nic){ "ib0", 1.05e9, 1.05e9, 12.5e9, 0 };
	return n;
}

static struct node_load with_foreign(double cores, double foreign)
{
	struct node_load n = node_of(cores);

	n.sum.busy_s += foreign;
	return n;
}

static void expect_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-5 * fabs(want)))
		fail_msg("%.9g, expected %.9g", got, want);
}

static bool judged(const struct node_load *n)
{
	char why[200];

	return load_disturbed(&usual, n, 1, why, sizeof(why));
}

static bool judged_by(double cpu, double nic, const struct node_load *n)
{
	const struct suite_disturbed limits = { true, cpu, nic };
	char why[200];

	return load_disturbed(&limits, n, 1, why, sizeof(why));
}

static void a_quiet_node_is_not_disturbed(void **state)
{
	struct node_load n = node_of(4);

	(void)state;
	assert_false(judged(&n));
	n = node_of(1);
	assert_false(judged(&n));
}

static void foreign_processes_disturb_where_no_core_is_left(void **state)
{
	struct node_load n = with_foreign(4, 3);
	char why[200];

	(void)state;
	assert_true(load_disturbed(&usual, &n, 1, why, sizeof(why)));
	assert_string_equal(why, "n3: foreign processes used 3.0 of 4 cores");
	/* A core is idle: our rank had its own. */
	n = with_foreign(4, 2.4);
	assert_false(judged(&n));
	/* A single process on a node of many cores disturbs nobody. */
	n = with_foreign(64, 1);
	assert_false(judged(&n));
	n = with_foreign(64, 62);
	assert_true(judged(&n));
	/* Half a core is borne even where it is much. */
	n = with_foreign(1, 0.4);
	n.sum.busy_s = 1;
	n.sum.own_s = 0.6;
	assert_false(judged(&n));
	n.sum.own_s = 0.4;
	assert_true(judged(&n));
}

static void what_all_of_its_ranks_used_is_not_foreign(void **state)
{
	struct node_load n = { .node = "n1" };
	const struct load_span first = { .seconds = 0.98,
		                         .busy_s = 3.8,
		                         .own_s = 0.97,
		                         .cores = 4 },
	                       other = { .seconds = 1, .busy_s = 3.9, .own_s = 0.97, .cores = 4 };

	(void)state;
	node_load_add(&n, &first);
	assert_true(judged(&n));
	for (int i = 0; i < 3; i++)
		node_load_add(&n, &other);
	assert_int_equal(n.ranks, 4);
	expect_near(n.sum.seconds, 1);
	expect_near(n.sum.busy_s, 3.9);
	expect_near(n.sum.own_s, 3.88);
	assert_false(judged(&n));
}

static void interrupts_are_our_own_where_the_job_uses_the_network(void **state)
{
	struct node_load n = node_of(2);

	(void)state;
	n.sum.soft_s = 0.9;
	assert_false(judged(&n));
	n.sum.tx = n.sum.rx = 0;
	assert_true(judged(&n));
}

static void what_the_clock_of_the_kernel_cannot_tell_is_not_judged(void **state)
{
	struct node_load n = with_foreign(2, 1);

	(void)state;
	assert_true(judged(&n));
	n.sum.seconds = 0.04;
	assert_false(judged(&n));
	/* A few ticks of 10 ms are noise. */
	n = node_of(1);
	n.sum.seconds = 0.1;
	n.sum.busy_s = 0.1;
	n.sum.own_s = 0.01;
	assert_false(judged(&n));
	n = with_foreign(2, 1);
	n.sum.cores = 0;
	assert_false(judged(&n));
	n = with_foreign(2, 1);
	n.ranks = 0;
	assert_false(judged(&n));
}

static void foreign_traffic_counts_against_the_speed_of_its_device(void **state)
{
	struct node_load n = node_of(4);
	char why[200];

	(void)state;
	n.sum.nics[0].rx += 1e9;
	assert_false(judged(&n)); /* 8 % of 12.5 GB/s */
	n.sum.nics[0].rx += 0.6e9;
	assert_true(load_disturbed(&usual, &n, 1, why, sizeof(why)));
	assert_string_equal(why, "n3: ib0 carried foreign traffic of 1.550 GB/s");
	/* Which way it goes does not matter. */
	n = node_of(4);
	n.sum.nics[0].tx += 1.6e9;
	assert_true(judged(&n));
	/* A job that does not use the network does not mind. */
	n.sum.tx = n.sum.rx = 0;
	assert_false(judged(&n));
}

static void where_no_speed_is_known_the_own_rate_is_the_measure(void **state)
{
	struct node_load n = node_of(4);

	(void)state;
	n.sum.nics[0] = (struct load_nic){ "eth0", 1.5e9, 1.05e9, 0, 0 };
	assert_false(judged(&n)); /* 0.4 GB/s beside our 1 GB/s */
	n.sum.nics[0].rx = 1.7e9;
	assert_true(judged(&n));
	/* Little is never much. */
	n.sum.tx = n.sum.rx = 1e6;
	n.sum.nics[0] = (struct load_nic){ "eth0", 9e6, 9e6, 0, 0 };
	assert_false(judged(&n));
	n.sum.nics[0].tx = 12e6;
	assert_true(judged(&n));
}

static void late_counters_may_tell_of_what_our_own_job_did_before(void **state)
{
	struct node_load n = node_of(4);

	(void)state;
	n.sum.seconds = 0.2;
	n.sum.nics[0] = (struct load_nic){ "eth0", 5e9, 5e9, 12.5e9, 0 };
	n.sum.tx_before = n.sum.rx_before = 4e9;
	assert_true(judged(&n));
	n.sum.nics[0].lag_s = 1;
	assert_false(judged(&n));
	n.sum.nics[0].rx = 6e9; /* over more than the job's time: 0.5 GB/s */
	assert_false(judged(&n));
	n.sum.nics[0].rx = 9e9;
	assert_true(judged(&n));
}

static void even_a_short_job_knows_foreign_traffic(void **state)
{
	struct node_load n = node_of(4);

	(void)state;
	n.sum.seconds = 0.03;
	n.sum.tx = n.sum.rx = 1e5;
	n.sum.nics[0] = (struct load_nic){ "eth0", 3e6, 1e5, 0, 0 };
	assert_true(judged(&n));
	n.sum.nics[0].rx = 1e6;
	assert_false(judged(&n));
	n.sum.nics[0].rx = 3e6;
	n.sum.seconds = 0.005;
	assert_false(judged(&n));
}

static void own_traffic_may_go_through_several_devices(void **state)
{
	struct node_load n = node_of(4);
	char why[200];

	(void)state;
	n.sum.n_nics = 3;
	n.sum.nics[1] = (struct load_nic){ "bond0", 1.05e9, 1.05e9, 12.5e9, 0 };
	n.sum.nics[2] = (struct load_nic){ "ib1", 3e9, 1e6, 12.5e9, 0 };
	assert_true(load_disturbed(&usual, &n, 1, why, sizeof(why)));
	assert_non_null(strstr(why, "ib1"));
	n.sum.nics[2].rx = 1e9;
	assert_false(judged(&n));
}

static void limits_can_be_moved_and_switched_off(void **state)
{
	struct node_load n = with_foreign(4, 3);

	(void)state;
	assert_false(judged_by(0, 0.1, &n));
	assert_false(judged_by(0.8, 0.1, &n));
	n = node_of(4);
	n.sum.nics[0].rx += 2e9;
	assert_true(judged_by(0, 0.1, &n));
	assert_false(judged_by(0.25, 0, &n));
	assert_false(judged_by(0.25, 0.2, &n));
}

static void nobody_knows_whose_load_it_is_on_a_machine_that_nodes_share(void **state)
{
	struct node_load n = with_foreign(4, 3);

	(void)state;
	n.cpu_shared = true;
	assert_false(judged(&n));
	n.sum.nics[0].rx += 2e9;
	assert_true(judged(&n));
	n.net_shared = true;
	assert_false(judged(&n));
}

static void the_reason_names_the_first_nodes_and_counts_the_others(void **state)
{
	struct node_load v[6];
	char why[300], little[20];

	(void)state;
	for (int i = 0; i < 6; i++)
		v[i] = i == 1 ? node_of(4) : with_foreign(4, 3);
	assert_true(load_disturbed(&usual, v, 6, why, sizeof(why)));
	assert_string_equal(why, "n3: foreign processes used 3.0 of 4 cores; "
	                         "n3: foreign processes used 3.0 of 4 cores; "
	                         "n3: foreign processes used 3.0 of 4 cores; and 2 more nodes");
	assert_true(load_disturbed(&usual, v, 6, little, sizeof(little)));
	assert_int_equal(strlen(little), sizeof(little) - 1);
}

/* ---- words ---- */

static int parse(const char *text, struct load_span *out)
{
	const struct js_at at = JS_AT_TOP("load");
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;
	int rc = js_parse(text, strlen(text), "load", &o, &err);

	assert_int_equal(rc, HB_OK);
	rc = load_span_from_json(o, &at, out, &err);
	js_put(o);
	return rc;
}

static void a_span_reads_back_as_it_was_told_and_fits_a_record(void **state)
{
	struct load_span s = node_of(256).sum, got;
	json_object *o = json_object_new_object();
	struct buf text = BUF_INIT;

	(void)state;
	s.n_nics = LOAD_NICS_MAX;
	for (int i = 0; i < LOAD_NICS_MAX; i++) {
		s.nics[i] = (struct load_nic){ "", 1.23456e17 / (i + 1), 9.87654e16, 1.25e10, 0 };
		memset(s.nics[i].name, 'x', LOAD_NAME_MAX - 1);
	}
	load_span_set(o, &s);
	js_write(o, JS_PLAIN, &text);
	assert_true(text.len + 700 < RECORD_MAX);
	assert_int_equal(parse(buf_text(&text), &got), HB_OK);
	expect_near(got.seconds, s.seconds);
	expect_near(got.cores, 256);
	assert_int_equal(got.n_nics, LOAD_NICS_MAX);
	assert_string_equal(got.nics[3].name, s.nics[3].name);
	expect_near(got.nics[0].rx, 1.23456e17);
	buf_free(&text);
	js_put(o);
}

static void a_span_that_cannot_be_is_refused(void **state)
{
	static const char *const wrong[] = {
		"{}",
		"{\"seconds\":-1}",
		"{\"seconds\":1e19}",
		"{\"seconds\":\"1\"}",
		"{\"seconds\":1,\"cores\":-4}",
		"{\"seconds\":1,\"busy_s\":[]}",
		"{\"seconds\":1,\"nics\":{}}",
		"{\"seconds\":1,\"nics\":[1]}",
		"{\"seconds\":1,\"nics\":[{\"rx\":1}]}",
		"{\"seconds\":1,\"nics\":[{\"name\":\"e\",\"tx\":-1}]}",
		"{\"seconds\":1,\"nics\":[{\"name\":\"a-name-of-more-than-forty-bytes-is-no-"
		"device\"}"
		"]}",
		"{\"seconds\":1,\"nics\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},"
		"{\"name\":\"d\"},{\"name\":\"e\"}]}",
	};
	struct load_span s;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (parse(wrong[i], &s) != HB_E_FORMAT)
			fail_msg("%s is taken", wrong[i]);
	assert_int_equal(parse("{\"seconds\":1,\"nics\":[{\"name\":\"e\\u001b[1m\"}]}", &s), HB_OK);
	assert_string_equal(s.nics[0].name, "e?[1m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_node_is_not_disturbed),
		cmocka_unit_test(foreign_processes_disturb_where_no_core_is_left),
		cmocka_unit_test(what_all_of_its_ranks_used_is_not_foreign),
		cmocka_unit_test(interrupts_are_our_own_where_the_job_uses_the_network),
		cmocka_unit_test(what_the_clock_of_the_kernel_cannot_tell_is_not_judged),
		cmocka_unit_test(foreign_traffic_counts_against_the_speed_of_its_device),
		cmocka_unit_test(where_no_speed_is_known_the_own_rate_is_the_measure),
		cmocka_unit_test(late_counters_may_tell_of_what_our_own_job_did_before),
		cmocka_unit_test(even_a_short_job_knows_foreign_traffic),
		cmocka_unit_test(own_traffic_may_go_through_several_devices),
		cmocka_unit_test(limits_can_be_moved_and_switched_off),
		cmocka_unit_test(nobody_knows_whose_load_it_is_on_a_machine_that_nodes_share),
		cmocka_unit_test(the_reason_names_the_first_nodes_and_counts_the_others),
		cmocka_unit_test(a_span_reads_back_as_it_was_told_and_fits_a_record),
		cmocka_unit_test(a_span_that_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
