/* Which of the rejected nodes `accept --drain` drains, with a scontrol that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "fake_path.h"
#include "harness/cmd/cmd_run.h"

enum { NODES = 5 };

/* Every node is idle until it is named in the file "drained". */
static const char scontrol[] = "case \"$1\" in\n"
                               "update) echo \"${2#nodename=}\" >>\"$FAKE/drained\" ;;\n"
                               "*) if grep -qx \"$4\" \"$FAKE/drained\" 2>/dev/null; then\n"
                               "  echo \"NodeName=$4 State=IDLE+DRAIN Reason=HPCBENCH: x [a@b]\"\n"
                               "else echo \"NodeName=$4 State=IDLE\"; fi ;;\n"
                               "esac\n";

/* n1 is accepted; the others are rejected, each slower than the one before; n2 is not confirmed. */
struct bed {
	struct measure m;
	struct accept_node nodes[NODES];
	struct accept_reason reasons[NODES];
	char texts[NODES][16];
};

static void bed_make(struct bed *b, size_t in_run)
{
	static const char *const names[NODES] = { "n1", "n2", "n3", "n4", "n5" };

	*b = (struct bed){ .m = { .accepting = true } };
	b->m.id = b->texts[0];
	snprintf(b->texts[0], sizeof b->texts[0], "r1");
	b->m.plan.nodes.n = in_run;
	for (size_t i = 0; i < NODES; i++) {
		b->nodes[i] = (struct accept_node){ .node = names[i], .role = ROLE_NEW };
		if (i == 0)
			continue;
		snprintf(b->texts[i], sizeof b->texts[i], "slow %zu", i);
		b->reasons[i] = (struct accept_reason){ .why = ACCEPT_SLOW,
			                                .word = ACCEPT_REJECTED,
			                                .text = b->texts[i],
			                                .loss = 0.1 * (double)i,
			                                .confirmed = i > 1 };
		b->nodes[i].word = ACCEPT_REJECTED;
		b->nodes[i].reasons = &b->reasons[i];
		b->nodes[i].n_reasons = 1;
	}
	b->m.acceptance = (struct acceptance){ .v = b->nodes, .n = NODES, .n_new = NODES };
}

static const struct report_drain *of(const struct drained *d, const char *node)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->v[i].node, node) == 0)
			return &d->v[i];
	return NULL;
}

static void one_node_in_twenty_is_drained_the_worst_first_and_all_are_told(void **state)
{
	struct drained d;
	struct fake f;
	struct bed b;

	(void)state;
	fake_open(&f);
	fake_put(&f, "scontrol", scontrol);
	bed_make(&b, 12);
	cmd_accept_drain(&b.m, &d);
	assert_int_equal(d.n, NODES - 1);
	assert_null(of(&d, "n1"));
	assert_non_null(strstr(of(&d, "n2")->text, "not confirmed"));
	assert_string_equal(of(&d, "n3")->text, "at most 1 of this run's 12 nodes at a time");
	assert_true(of(&d, "n5")->drained);
	assert_false(of(&d, "n2")->drained || of(&d, "n3")->drained || of(&d, "n4")->drained);
	cmd_accept_drain_free(&d);
	bed_make(&b, 40);
	b.nodes[4].word = ACCEPT_ACCEPTED;
	cmd_accept_drain(&b.m, &d);
	assert_int_equal(d.n, NODES - 2);
	assert_true(of(&d, "n3")->drained && of(&d, "n4")->drained);
	cmd_accept_drain_free(&d);
	fake_close(&f);
}

static void a_run_that_was_stopped_drains_nobody(void **state)
{
	struct drained d;
	struct fake f;
	struct bed b;

	(void)state;
	fake_open(&f);
	fake_put(&f, "scontrol", scontrol);
	bed_make(&b, 12);
	b.m.signal = 15;
	cmd_accept_drain(&b.m, &d);
	assert_int_equal(d.n, 0);
	assert_non_null(d.v);
	cmd_accept_drain_free(&d);
	bed_make(&b, 12);
	b.m.broken = true;
	cmd_accept_drain(&b.m, &d);
	assert_int_equal(d.n, 0);
	cmd_accept_drain_free(&d);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node_in_twenty_is_drained_the_worst_first_and_all_are_told),
		cmocka_unit_test(a_run_that_was_stopped_drains_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
