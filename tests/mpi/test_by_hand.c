/*
 * hpcbench-mpi started by hand under real mpirun with 2, 3 and 5 ranks: what it writes reads back,
 * is complete and verified; a wrong byte is caught; what cannot run says why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/info.h"
#include "bench/base/record.h"
#include "child.h"

enum { UNITS_MAX = 64, FILE_MAX = 16 << 20 };

static const char *const no_env[] = { NULL };

/* What one file of records holds. */
struct seen {
	size_t points, ends, oks, invalids;
	uint64_t verified, bad;
	char dirs[UNITS_MAX][8];
	bool ended[UNITS_MAX], figures[UNITS_MAX];
};

static void see_point(struct seen *s, json_object *o, const struct js_at *at, const char *bench,
                      int ranks)
{
	struct rec_point p = { 0 };
	struct hb_err err = { HB_OK, "" };

	if (rec_point_from_json(o, at, &p, &err))
		fail_msg("%s", err.text);
	assert_string_equal(p.bench, bench);
	assert_true(p.ids.unit < UNITS_MAX);
	assert_false(s->figures[p.ids.unit]);
	s->figures[p.ids.unit] = true;
	assert_true(p.n_metrics > 0);
	assert_string_equal(p.metrics[0].name, catalog_find(bench)->metrics[0].name);
	assert_true(p.metrics[0].s.n > 0);
	assert_int_equal(p.ranks, ranks);
	if (p.dir)
		snprintf(s->dirs[p.ids.unit], sizeof(s->dirs[0]), "%s", p.dir);
	if (p.bytes > 0)
		assert_true(p.verified > 0);
	s->points++;
	s->verified += p.verified;
	s->bad += p.bad;
}

static void see_end(struct seen *s, json_object *o, const struct js_at *at)
{
	struct rec_end e = { 0 };
	struct hb_err err = { HB_OK, "" };

	if (rec_end_from_json(o, at, &e, &err))
		fail_msg("%s", err.text);
	assert_true(e.ids.unit < UNITS_MAX);
	assert_false(s->ended[e.ids.unit]);
	s->ended[e.ids.unit] = true;
	s->ends++;
	s->oks += e.status == UNIT_OK;
	s->invalids += e.status == UNIT_INVALID;
}

static void see_file(struct seen *s, const char *path, const char *bench, int ranks)
{
	struct js_parser *parser = js_parser_new();
	struct js_at at = JS_AT_TOP(path);
	struct buf text = BUF_INIT;
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;

	*s = (struct seen){ 0 };
	if (buf_read_file(&text, path, FILE_MAX, &err))
		fail_msg("%s", err.text);
	for (const char *line = buf_text(&text), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end - line <= RECORD_MAX);
		if (js_parser_line(parser, line, (size_t)(end - line), path, &o, &err))
			fail_msg("%s", err.text);
		if (record_type_of(o) == REC_POINT || record_type_of(o) == REC_PAIR)
			see_point(s, o, &at, bench, ranks);
		else if (record_type_of(o) == REC_END)
			see_end(s, o, &at);
		else
			assert_int_not_equal(record_type_of(o), REC_UNKNOWN);
		js_put(o);
	}
	buf_free(&text);
	js_parser_free(parser);
}

/* Starts the helper by mpirun and returns its status; reads its records where it wrote some. */
static int by_hand(int ranks, const char *bench, const char *sizes, const char *const *env,
                   struct seen *seen)
{
	char folder[] = "/tmp/hpcbench-by-hand-XXXXXX", path[64], count[8];
	bool windowed = !strcmp(bench, "mpi.bandwidth");
	const char *argv[] = { MPIRUN, "-n",
		               count,  HELPER,
		               bench,  "--sizes",
		               sizes,  "--max-time",
		               "0.05", "--precision",
		               "0.05", "--records",
		               path,   windowed ? "--window=8" : NULL,
		               NULL };
	struct child c;
	int status, used = !strcmp(bench, "mpi.allreduce") ? ranks : 2;

	*seen = (struct seen){ 0 };
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/records", folder);
	snprintf(count, sizeof(count), "%d", ranks);
	child_start(&c, argv, env);
	status = child_finish(&c);
	if (access(path, R_OK) == 0)
		see_file(seen, path, bench, used);
	else
		fail_msg("no records; status %d: %s", status, buf_text(&c.text));
	unlink(path);
	rmdir(folder);
	child_free(&c);
	return status;
}

static void assert_all_good(const struct seen *s, size_t at_least)
{
	assert_true(s->ends >= at_least);
	assert_int_equal(s->oks, s->ends);
	assert_int_equal(s->points, s->ends);
	assert_int_equal(s->bad, 0);
	for (size_t i = 0; i < UNITS_MAX; i++)
		assert_int_equal(s->ended[i], s->figures[i]);
}

static void latency_by_hand_with_2_3_and_5_ranks(void **state)
{
	static const int ranks[] = { 2, 3, 5 };
	struct seen s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(by_hand(ranks[i], "mpi.latency", "0,8,1Ki,64Ki,1Mi", no_env, &s),
		                 0);
		assert_all_good(&s, 5);
	}
}

static void bandwidth_by_hand_with_2_3_and_5_ranks(void **state)
{
	static const int ranks[] = { 2, 3, 5 };
	struct seen s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(by_hand(ranks[i], "mpi.bandwidth", "8,1Ki,64Ki,1Mi", no_env, &s),
		                 0);
		assert_all_good(&s, 4);
	}
}

static void allreduce_by_hand_with_2_3_and_5_ranks(void **state)
{
	static const int ranks[] = { 2, 3, 5 };
	struct seen s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(by_hand(ranks[i], "mpi.allreduce", "8,1Ki,64Ki,1Mi", no_env, &s),
		                 0);
		assert_all_good(&s, 4);
	}
}

/* One byte of the middle one of three sizes is wrong: its unit alone is invalid. */
static void assert_caught(int ranks, const char *bench, const char *fault, size_t units)
{
	const char *env[] = { "LD_PRELOAD=" FAULTY_MPI, fault, NULL };
	struct seen s;

	assert_int_not_equal(by_hand(ranks, bench, "8,1000,4Ki", env, &s), 0);
	assert_int_equal(s.ends, units);
	assert_int_equal(s.invalids, 1);
	assert_int_equal(s.oks, units - 1);
	assert_true(s.bad > 0);
}

static void a_wrong_byte_in_either_direction_of_latency_is_caught(void **state)
{
	(void)state;
	assert_caught(2, "mpi.latency", "HPCBENCH_FAULT=0:1000:0", 3);
	assert_caught(2, "mpi.latency", "HPCBENCH_FAULT=1:1000:999", 3);
}

/* Both directions are measured, and each has its own sender. */
static void a_wrong_byte_in_either_direction_of_bandwidth_is_caught(void **state)
{
	(void)state;
	assert_caught(2, "mpi.bandwidth", "HPCBENCH_FAULT=0:1000:517", 6);
	assert_caught(2, "mpi.bandwidth", "HPCBENCH_FAULT=1:1000:999", 6);
}

static void a_wrong_byte_in_one_ranks_allreduce_is_caught(void **state)
{
	(void)state;
	assert_caught(3, "mpi.allreduce", "HPCBENCH_FAULT=2:1000:998", 3);
}

static void assert_output(const char *const *argv, int status, const char *text)
{
	struct child c;

	child_start(&c, argv, no_env);
	assert_int_equal(child_finish(&c), status);
	if (!strstr(buf_text(&c.text), text))
		fail_msg("'%s' is not in: %s", text, buf_text(&c.text));
	child_free(&c);
}

static void one_rank_is_told_how_to_start_two(void **state)
{
	static const char *const latency[] = { HELPER, "mpi.latency", NULL };
	static const char *const allreduce[] = { HELPER, "mpi.allreduce", NULL };

	(void)state;
	assert_output(latency, 64, "mpirun -n 2");
	assert_output(allreduce, 64, "mpirun -n 2");
}

static void what_cannot_be_measured_is_refused(void **state)
{
	static const char *const cold[] = { HELPER, "mpi.latency", "--buffers=cold", NULL };
	static const char *const bytes[] = { HELPER, "mpi.allreduce", "--datatype=byte", NULL };
	static const char *const odd[] = { MPIRUN,          "-n",        "2", HELPER,
		                           "mpi.allreduce", "--sizes=9", NULL };

	(void)state;
	assert_output(cold, 64, "cold");
	assert_output(bytes, 64, "byte");
	assert_output(odd, 64, "9 is not a multiple");
}

/* With this, MPI_Init ends the process: so none of these may call it. */
static void listing_does_not_start_mpi(void **state)
{
	static const char *const lists[][3] = { { HELPER, "--list", NULL },
		                                { HELPER, "--describe", NULL },
		                                { HELPER, "--version", NULL },
		                                { HELPER, "--facts", NULL } };
	static const char *const texts[] = { "mpi.allreduce", "window", ".", "sw.mpi" };
	static const char *const env[] = { "OMPI_MCA_pml=none-such", "UCX_SECRET_KEY=mellon",
		                           NULL };
	struct child c;

	(void)state;
	for (int i = 0; i < 4; i++) {
		child_start(&c, lists[i], env);
		assert_int_equal(child_finish(&c), 0);
		assert_non_null(strstr(buf_text(&c.text), texts[i]));
		assert_null(strstr(buf_text(&c.text), "mellon"));
		if (i == 3)
			assert_non_null(strstr(buf_text(&c.text), "none-such"));
		child_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latency_by_hand_with_2_3_and_5_ranks),
		cmocka_unit_test(bandwidth_by_hand_with_2_3_and_5_ranks),
		cmocka_unit_test(allreduce_by_hand_with_2_3_and_5_ranks),
		cmocka_unit_test(a_wrong_byte_in_either_direction_of_latency_is_caught),
		cmocka_unit_test(a_wrong_byte_in_either_direction_of_bandwidth_is_caught),
		cmocka_unit_test(a_wrong_byte_in_one_ranks_allreduce_is_caught),
		cmocka_unit_test(one_rank_is_told_how_to_start_two),
		cmocka_unit_test(what_cannot_be_measured_is_refused),
		cmocka_unit_test(listing_does_not_start_mpi),
	};

	mpirun_environment();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
