/* What is wrong between hosts, and what only looks so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/facts/host_checks.h"
#include "harness/judge/verdict.h"
#include "harness/report/report_probe.h"

/* The documents are linked with the commands that print them; none is run here. */
const struct command *const commands[] = { NULL };

enum { NODES = 6 };

static void nodes(struct facts *f)
{
	char name[32], boot[32];

	facts_init(f);
	for (size_t i = 0; i < NODES; i++) {
		snprintf(name, sizeof name, "n%zu", i + 1);
		snprintf(boot, sizeof boot, "boot%zu", i + 1);
		facts_add_node(f, name, "a");
		facts_add(f, i, "", "node.boot_id", boot, "s");
		facts_add(f, i, "eth0", "net.kind", "physical", "s");
		facts_add(f, i, "docker0", "net.kind", "bridge", "s");
		facts_add(f, i, "docker0", "net.addresses", "172.17.0.1/16", "s");
		facts_add(f, i, "docker0", "net.mac", "02:42:00:00:00:01", "s");
		facts_add(f, i, "eth0", "net.addresses", "none", "s");
		facts_add(f, i, "lo", "net.mac", "00:00:00:00:00:00", "s");
	}
}

static void check(struct facts *f, struct host_checks *c)
{
	facts_sort(f);
	host_checks_make(f, c);
}

/* Exactly one, of this kind, with these words. */
static void expect_one(struct facts *f, enum host_check_kind kind, bool error, const char *words)
{
	struct host_checks c;

	check(f, &c);
	if (c.n != 1)
		fail_msg("%zu checks, first: %s", c.n, c.n ? c.v[0].text : "");
	assert_int_equal(c.v[0].kind, kind);
	assert_int_equal(c.v[0].error, error);
	assert_int_equal(host_checks_error(&c), error);
	if (!strstr(c.v[0].text, words))
		fail_msg("%s", c.v[0].text);
	host_checks_free(&c);
	facts_free(f);
}

static void expect_none(struct facts *f)
{
	struct host_checks c;

	check(f, &c);
	if (c.n)
		fail_msg("%s", c.v[0].text);
	host_checks_free(&c);
	facts_free(f);
}

static void bridges_and_loopback_are_alike_everywhere(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f);
	expect_none(&f);
}

static void two_nodes_with_one_address_are_an_error(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f);
	facts_add(&f, 1, "eth0", "net.addresses", "10.0.0.1/24,10.1.0.1/24", "s");
	facts_add(&f, 4, "eth1", "net.addresses", "10.1.0.1/16", "s");
	expect_one(&f, HOST_DUPLICATE, true, "10.1.0.1 is on eth0 of n2 and on eth1 of n5");
}

static void one_machine_with_several_names_shares_its_devices(void **state)
{
	struct facts f;
	struct host_checks c;

	(void)state;
	nodes(&f);
	for (size_t i = 0; i < 2; i++) {
		facts_add(&f, i, "", "node.boot_id", "b", "s");
		facts_add(&f, i, "", "node.hostname", "front", "s");
		facts_add(&f, i, "eth0", "net.addresses", "10.0.0.1/24", "s");
		facts_add(&f, i, "eth0", "net.mac", "aa:bb:cc:00:00:01", "s");
	}
	check(&f, &c);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.v[0].kind, HOST_SAME);
	host_checks_free(&c);
	/* With a hardware address of its own each has a network of its own: then it is one. */
	facts_add(&f, 1, "eth0", "net.mac", "aa:bb:cc:00:00:02", "s");
	check(&f, &c);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.v[0].kind, HOST_DUPLICATE);
	host_checks_free(&c);
	facts_free(&f);
}

static void a_name_that_resolves_differently_is_told_with_both_values(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f);
	facts_add(&f, 1, "peer:n1", "peer.address", "10.0.0.1", "s");
	facts_add(&f, 2, "peer:n1", "peer.address", "10.0.0.1", "s");
	facts_add(&f, 0, "", "name.own", "10.0.0.1,fd00::1", "s");
	facts_add(&f, 0, "", "name.own_loopback", "no", "s");
	facts_add(&f, 3, "peer:n1", "peer.address", "10.9.0.1", "s");
	expect_one(&f, HOST_NAME, false, "n1 is 10.0.0.1 on n[2-3], 10.9.0.1 on n4");
	nodes(&f);
	facts_add(&f, 1, "peer:n1", "peer.address", "10.0.0.1", "s");
	facts_add(&f, 0, "", "name.own", "10.5.0.1", "s");
	expect_one(&f, HOST_NAME, false, "10.5.0.1 to itself");
	nodes(&f);
	facts_add(&f, 1, "peer:n1", "peer.address", "10.0.0.1", "s");
	facts_add(&f, 0, "", "name.own", "10.0.0.1,fd00::1", "s");
	expect_none(&f);
}

static void clock_of(struct facts *f, size_t node, const char *off)
{
	facts_add(f, node, "", "time.offset_s", off, "s");
	facts_add(f, node, "", "time.offset_bound_s", "0.010", "s");
}

static void one_clock_that_is_off_is_the_nodes_all_are_this_hosts(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f);
	for (size_t i = 0; i < NODES; i++)
		clock_of(&f, i, i == 2 ? "2.0" : "0.055");
	expect_one(&f, HOST_CLOCK, false, "the clock of n3 is 2.000 s ahead");
	nodes(&f);
	for (size_t i = 0; i < NODES; i++)
		clock_of(&f, i, "-5.001");
	expect_one(&f, HOST_CLOCK, false, "most nodes is 5.001 s behind that of this host");
	nodes(&f);
	clock_of(&f, 0, "0.059"); /* within its bound and 50 ms */
	expect_none(&f);
}

static void a_world_that_is_too_small_is_an_error(void **state)
{
	struct facts f;

	(void)state;
	nodes(&f);
	facts_add(&f, 0, "", "world.size", "1", "s");
	facts_add(&f, 0, "", "world.started", "6", "s");
	facts_add(&f, 1, "", "world.size", "6", "s");
	facts_add(&f, 1, "", "world.started", "6", "s");
	expect_one(&f, HOST_WORLD, true, "MPI on n1 sees a world of 1, 6 ranks were started");
}

static void a_probe_that_missed_a_node_ends_with_13_a_duplicate_with_10(void **state)
{
	struct summary s;
	struct facts f;

	(void)state;
	summary_init(&s);
	nodes(&f);
	facts_sort(&f);
	assert_int_equal(report_probe_code(&s, &f), CODE_OK);
	s.losses = hb_alloc(sizeof *s.losses);
	s.cap_losses = s.n_losses = 1;
	s.losses[0] = (struct summary_loss){ .subject = hb_strdup("n2"),
		                             .bench = hb_strdup("node.peers"),
		                             .reason = hb_strdup("it never connected"),
		                             .status = UNIT_GIVEN_UP };
	assert_int_equal(report_probe_code(&s, &f), CODE_NOT_MEASURED);
	facts_add(&f, 0, "eth0", "net.mac", "aa:bb:cc:00:00:01", "s");
	facts_add(&f, 1, "eth0", "net.mac", "aa:bb:cc:00:00:01", "s");
	facts_sort(&f);
	assert_int_equal(report_probe_code(&s, &f), CODE_FINDINGS);
	summary_free(&s);
	facts_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bridges_and_loopback_are_alike_everywhere),
		cmocka_unit_test(two_nodes_with_one_address_are_an_error),
		cmocka_unit_test(one_machine_with_several_names_shares_its_devices),
		cmocka_unit_test(a_name_that_resolves_differently_is_told_with_both_values),
		cmocka_unit_test(one_clock_that_is_off_is_the_nodes_all_are_this_hosts),
		cmocka_unit_test(a_world_that_is_too_small_is_an_error),
		cmocka_unit_test(a_probe_that_missed_a_node_ends_with_13_a_duplicate_with_10),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
