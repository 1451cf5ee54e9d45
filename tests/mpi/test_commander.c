/*
 * hpcbench-mpi under command, with real mpirun: five ranks measure pairs as they are told, while
 * one of them is stopped and later goes on.
 */
#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/core/clock.h"
#include "child.h"
#include "commander.h"

enum { RANKS = 5, SILENT = RANKS - 1, CASES = 2 };
/* A pair with a silent rank takes this long; the others must never come near it. */
enum { SHORT_DEADLINE_S = 1, LONG_DEADLINE_S = 50 };

struct job {
	uint64_t id;
	int ranks[2];
	bool both_answer; /* else only the first is expected to */
};

/* Units of job n are CASES * n ... : latency of 8 B, then of 64 KiB. */
static void give(struct commander *c, const struct job *j, const char *bench, int deadline)
{
	struct buf text = BUF_INIT;

	buf_printf(
	        &text,
	        "{\"msg\":\"job\",\"job\":%" PRIu64 ",\"phase\":\"main\",\"attempt\":1,\"step\":1,"
	        "\"bench\":\"%s\",\"ranks\":[%d,%d],\"a\":\"r%d\",\"b\":\"r%d\","
	        "\"dir\":\"ab\",\"round\":0,\"seed\":%" PRIu64 ",\"precision\":0.05,"
	        "\"max_time\":0.02,\"max_iters\":0,\"deadline\":%d,\"verify\":true,"
	        "\"inject\":1,\"cases\":[",
	        j->id, bench, j->ranks[0], j->ranks[1], j->ranks[0], j->ranks[1], j->id, deadline);
	buf_printf(&text, "{\"unit\":%" PRIu64 ",\"bytes\":8,\"opts\":{}},", (CASES * j->id));
	buf_printf(&text, "{\"unit\":%" PRIu64 ",\"bytes\":65536,\"opts\":{}}]}",
	           (CASES * j->id + 1));
	commander_job(c, buf_text(&text), j->ranks, 2);
	buf_free(&text);
}

static bool all_in(struct commander *c, void *arg)
{
	int *n = arg;

	for (int i = 0; i < *n; i++)
		if (c->ranks[i].fd < 0)
			return false;
	return true;
}

static bool answered(struct commander *c, void *arg)
{
	const struct job *j = arg;

	return c->ranks[j->ranks[0]].done_job == j->id &&
	       (!j->both_answer || c->ranks[j->ranks[1]].done_job == j->id);
}

static void assert_measured(struct commander *c, const struct job *j)
{
	for (int i = 0; i < 2; i++)
		assert_string_equal(c->ranks[j->ranks[i]].done_status, "ok");
	for (size_t i = 0; i < CASES; i++) {
		const struct commander_unit *u = &c->units[CASES * j->id + i];

		assert_true(u->ended);
		assert_true(u->figures);
		assert_int_equal(u->status, UNIT_OK);
	}
}

static void measure(struct commander *c, uint64_t id, int a, int b, const char *bench)
{
	struct job j = { id, { a, b }, true };

	give(c, &j, bench, LONG_DEADLINE_S);
	assert_true(commander_until(c, answered, &j));
	assert_measured(c, &j);
}

/* The living rank gives up after its deadline, says why, and has no figures. */
static void lose(struct commander *c, uint64_t id, int a)
{
	struct job j = { id, { a, SILENT }, false };
	uint64_t start = clock_ns();

	give(c, &j, "mpi.latency", SHORT_DEADLINE_S);
	assert_true(commander_until(c, answered, &j));
	assert_true(clock_ns() - start >= SHORT_DEADLINE_S * 900000000ull);
	assert_string_equal(c->ranks[a].done_status, "timeout");
	assert_true(c->units[CASES * id].ended);
	assert_int_equal(c->units[CASES * id].status, UNIT_TIMEOUT);
	assert_true(c->units[CASES * id].reason[0] != '\0');
	assert_false(c->units[CASES * id].figures);
	assert_true(c->units[CASES * id + 1].ended);
	assert_int_not_equal(c->units[CASES * id + 1].status, UNIT_OK);
}

static void start_ranks(struct commander *c, struct child *mpirun)
{
	static const char *const argv[] = { MPIRUN, "-n", "5", HELPER, NULL };
	int n = RANKS;

	commander_open(c, RANKS);
	child_start(mpirun, argv, c->env);
	assert_true(commander_until(c, all_in, &n));
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(c->ranks[i].size, RANKS);
}

static bool all_out(struct commander *c, void *arg)
{
	(void)arg;
	for (int i = 0; i < RANKS; i++)
		if (c->ranks[i].fd >= 0)
			return false;
	return true;
}

static void every_pair_is_measured_and_quit_ends_the_step(void **state)
{
	struct commander c;
	struct child mpirun;
	uint64_t id = 1;

	(void)state;
	start_ranks(&c, &mpirun);
	for (int a = 0; a < RANKS; a++)
		for (int b = a + 1; b < RANKS; b++, id++)
			measure(&c, id, a, b, id % 2 ? "mpi.latency" : "mpi.bandwidth");
	for (int i = 0; i < RANKS; i++) {
		assert_int_equal(c.ranks[i].rank_records, 1);
		commander_quit(&c, i);
	}
	assert_true(commander_until(&c, all_out, NULL));
	assert_int_equal(child_finish(&mpirun), 0);
	child_free(&mpirun);
	commander_close(&c);
}

static bool silent_is_through(struct commander *c, void *arg)
{
	const uint64_t *id = arg;

	return c->ranks[SILENT].done_job == *id;
}

static void a_silent_rank_costs_only_its_pairs(void **state)
{
	struct commander c;
	struct child mpirun;
	uint64_t id = 1, last = 0;

	(void)state;
	start_ranks(&c, &mpirun);
	measure(&c, id++, 0, SILENT, "mpi.latency");
	assert_int_equal(kill(c.ranks[SILENT].pid, SIGSTOP), 0);
	for (int a = SILENT - 1; a >= 0; a--) {
		for (int b = a + 1; b < SILENT; b++, id++)
			measure(&c, id, a, b, id % 2 ? "mpi.latency" : "mpi.bandwidth");
		last = id;
		lose(&c, id++, a);
	}
	/* It wakes up and works through jobs that nobody else is in any more ... */
	assert_int_equal(kill(c.ranks[SILENT].pid, SIGCONT), 0);
	assert_true(commander_until(&c, silent_is_through, &last));
	assert_string_equal(c.ranks[SILENT].done_status, "timeout");
	/* ... and what it sent into them does not disturb what comes next. */
	for (int a = 0; a < SILENT; a++, id++)
		measure(&c, id, a, SILENT, id % 2 ? "mpi.latency" : "mpi.bandwidth");
	child_end(&mpirun);
	for (int i = 0; i < RANKS; i++)
		assert_true(process_gone(c.ranks[i].pid));
	child_free(&mpirun);
	commander_close(&c);
}

static void a_step_with_a_stopped_rank_can_be_ended(void **state)
{
	struct commander c;
	struct child mpirun;

	(void)state;
	start_ranks(&c, &mpirun);
	assert_int_equal(kill(c.ranks[SILENT].pid, SIGSTOP), 0);
	lose(&c, 1, 0);
	child_end(&mpirun);
	for (int i = 0; i < RANKS; i++)
		assert_true(process_gone(c.ranks[i].pid));
	child_free(&mpirun);
	commander_close(&c);
}

static bool is_over(struct commander *c, void *arg)
{
	struct pollfd p = { .fd = c->watched, .events = POLLIN };

	(void)arg;
	return poll(&p, 1, 0) > 0;
}

static void a_world_of_one_where_two_were_started_names_the_cause(void **state)
{
	static const char *const argv[] = { HELPER, NULL };
	struct commander c;
	struct child helper;
	struct buf all = BUF_INIT;

	(void)state;
	commander_open(&c, 2);
	child_start(&helper, argv, c.env);
	c.watched = process_fd(helper.pid);
	assert_true(c.watched >= 0);
	assert_true(commander_until(&c, is_over, NULL));
	close(c.watched);
	assert_int_equal(child_finish(&helper), 70);
	buf_puts(&all, buf_text(&helper.text));
	buf_puts(&all, buf_text(&c.events));
	assert_non_null(strstr(buf_text(&all), "PMI"));
	buf_free(&all);
	child_free(&helper);
	commander_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_is_measured_and_quit_ends_the_step),
		cmocka_unit_test(a_silent_rank_costs_only_its_pairs),
		cmocka_unit_test(a_step_with_a_stopped_rank_can_be_ended),
		cmocka_unit_test(a_world_of_one_where_two_were_started_names_the_cause),
	};

	mpirun_environment();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
