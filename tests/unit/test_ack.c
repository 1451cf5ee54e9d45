/* Acknowledgements: days, the file, what they cover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/judge/ack.h"
#include "harness/store/store.h"

static int64_t day(const char *text)
{
	int64_t d = -1;
	assert_int_equal(ack_day_parse(text, false, 0, &d, NULL), HB_OK);
	return d;
}

static void days_are_read_and_written_as_the_calendar_has_them(void **state)
{
	static const char *const wrong[] = { "",           "2026-02-29", "2026-13-01",
		                             "2026-00-10", "2026-1-1",   "2026-01-32",
		                             "x026-01-01", "2026/01/01", "2026-01-01 ",
		                             "14d",        "-1d" };
	char text[ACK_DAY_TEXT];
	int64_t d;

	(void)state;
	assert_int_equal(day("1970-01-01"), 0);
	assert_int_equal(day("2000-03-01") - day("2000-02-28"), 2);
	assert_int_equal(day("2100-03-01") - day("2100-02-28"), 1);
	assert_int_equal(ack_day_of(86399), 0);
	assert_int_equal(ack_day_of(86400), 1);
	assert_int_equal(ack_day_of(-1), -1);
	for (int64_t k = -1000; k < 60000; k += 17) {
		ack_day_text(k, text);
		assert_int_equal(day(text), k);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(ack_day_parse(wrong[i], false, 0, &d, NULL), HB_E_USAGE);
	assert_int_equal(ack_day_parse("14d", true, 100, &d, NULL), HB_OK);
	assert_int_equal(d, 114);
	assert_int_equal(ack_day_parse("2w", true, 100, &d, NULL), HB_OK);
	assert_int_equal(d, 114);
	assert_int_equal(ack_day_parse("1000d", true, 100, &d, NULL), HB_E_USAGE);
	assert_int_equal(ack_day_parse("3h", true, 100, &d, NULL), HB_E_USAGE);
}

static void subjects_follow_the_one_grammar(void **state)
{
	static const char *const good[] = { "n17",
		                            "n17/mlx5_2:1",
		                            "n17>n18",
		                            "n17-n18",
		                            "leaf:sw3",
		                            "rail:2",
		                            "cluster",
		                            "fs:/scratch#OST0004",
		                            "a.b-c_d",
		                            "n1/hca_0-n2",
		                            "n1/hca_0:1>n2/hca_1:2",
		                            "n1/gpu0" };
	static const char *const bad[] = { "",      "n 1",      "n1\n", "leaf:", "lea:sw3",
		                           "n1>",   ">n2",      "n1/",  "n1/x:", "n1[2]",
		                           "n1,n2", "n1>n2>n3", "\x1b", "n1:1" };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (ack_subject_check(good[i], NULL) != HB_OK)
			fail_msg("%s is refused", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (ack_subject_check(bad[i], NULL) == HB_OK)
			fail_msg("%s is taken", bad[i]);
}

static bool is_node(const void *ctx, const char *name)
{
	const char *const *names = ctx;
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static void a_node_covers_its_devices_and_links_and_nothing_else(void **state)
{
	static const char *const names[] = { "n1", "n2", "n1-n2x", "n12", NULL };
	const struct ack_nodes nodes = { is_node, names };
	static const struct {
		const char *of, *subject;
		bool covers;
	} wants[] = {
		{ "n1", "n1", true },
		{ "n1", "n12", false },
		{ "n1", "n2", false },
		{ "n1", "cluster", false },
		{ "n1", "n1/mlx5_0:1", true },
		{ "n1", "n1-n2", true },
		{ "n1", "n2-n1", true },
		{ "n1", "n2>n1", true },
		{ "n1", "n12-n2", false },
		{ "n1", "n1-n2x", false },     /* that is the name of a node */
		{ "n1", "n1-strange", false }, /* nobody knows a node "strange" */
		{ "n1", "n2/hca-n1/hca", true },
		{ "n1/mlx5_0", "n1/mlx5_0:1", true },
		{ "n1/mlx5_0", "n1/mlx5_01", false },
		{ "n1/mlx5_0:1", "n1", false },
		{ "n1-n2", "n2-n1", true },
		{ "n1-n2", "n1>n2", true },
		{ "n1-n2", "n2>n1", true },
		{ "n1>n2", "n1-n2", false },
		{ "n1>n2", "n2>n1", false },
		{ "n1-n2", "n1", false },
		{ "cluster", "n1", false },
		{ "leaf:a", "leaf:a", true },
		{ "leaf:a", "leaf:ab", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
		if (ack_covers(wants[i].of, wants[i].subject, &nodes) != wants[i].covers)
			fail_msg("%s and %s", wants[i].of, wants[i].subject);
	assert_false(ack_covers("n1", "n1-n2", NULL));
	assert_true(ack_covers("a-b", "b-a", NULL));
}

static void benchmarks_are_lists_of_patterns(void **state)
{
	(void)state;
	assert_true(ack_bench_fits(NULL, "mpi.latency"));
	assert_true(ack_bench_fits(NULL, NULL));
	assert_true(ack_bench_fits("mpi.*", "mpi.latency"));
	assert_true(ack_bench_fits("node.memory,mpi.lat*", "mpi.latency"));
	assert_false(ack_bench_fits("node.*", "mpi.latency"));
	assert_false(ack_bench_fits("mpi.*", NULL)); /* what is wrong with the node itself */
}

/* ---- the file ---- */

#define ONE(id, more)                                                                              \
	"{\"id\":\"" id "\",\"subject\":\"n3\",\"until\":\"2026-12-24\",\"made\":\"2026-12-01\","  \
	"\"reason\":\"cable\",\"by\":\"ops\"" more "}"
#define FILE_OF(list) "{\"schema\":1,\"acks\":[" list "]}"

static int parse(const char *text, struct acks *out)
{
	struct hb_err err = { 0 };
	int rc = acks_parse(text, strlen(text), "acks.json", out, &err);
	assert_true(rc == HB_OK || strstr(err.text, "acks.json"));
	assert_true(rc == HB_OK || out->n == 0);
	return rc;
}

static void a_file_reads_back_as_it_was_written(void **state)
{
	struct acks a, again;
	struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(
	        parse(FILE_OF(ONE("00000001", "") "," ONE("00000002", ",\"bench\":\"mpi.*\"")), &a),
	        HB_OK);
	json_object *o = acks_to_json(&a);
	js_write(o, JS_PRETTY, &text);
	js_put(o);
	assert_int_equal(parse(buf_text(&text), &again), HB_OK);
	assert_int_equal(again.n, 2);
	assert_null(again.v[0].bench);
	assert_string_equal(again.v[1].bench, "mpi.*");
	assert_string_equal(again.v[1].reason, "cable");
	assert_int_equal(again.v[1].until, a.v[1].until);
	buf_free(&text);
	acks_free(&a);
	acks_free(&again);
}

static void a_file_that_is_not_right_acknowledges_nothing(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{}",
		"{\"schema\":2,\"acks\":[]}",
		"{\"schema\":1,\"acks\":{}}",
		"{\"schema\":1,\"acks\":[],\"more\":1}",
		FILE_OF("1"),
		FILE_OF("{}"),
		FILE_OF(ONE("1", "")),
		FILE_OF(ONE("0000000g", "")),
		FILE_OF(ONE("00000001", ",\"unknown\":1")),
		FILE_OF(ONE("00000001", ",\"bench\":\"a b\"")),
		FILE_OF(ONE("00000001", ",\"bench\":\"\"")),
		FILE_OF(ONE("00000001", "") "," ONE("00000001", "")),
		FILE_OF("{\"id\":\"00000001\",\"subject\":\"n3\",\"until\":\"2999-12-24\","
		        "\"made\":\"2026-12-01\",\"reason\":\"for ever\",\"by\":\"ops\"}"),
		FILE_OF("{\"id\":\"00000001\",\"subject\":\"n3\",\"until\":\"2026-11-30\","
		        "\"made\":\"2026-12-01\",\"reason\":\"backwards\",\"by\":\"ops\"}"),
		FILE_OF("{\"id\":\"00000001\",\"subject\":\"n[1-4]\",\"until\":\"2026-12-24\","
		        "\"made\":\"2026-12-01\",\"reason\":\"a set\",\"by\":\"ops\"}"),
		FILE_OF("{\"id\":\"00000001\",\"subject\":\"n3\",\"until\":\"2026-02-30\","
		        "\"made\":\"2026-02-01\",\"reason\":\"no day\",\"by\":\"ops\"}"),
		FILE_OF("{\"id\":\"00000001\",\"subject\":\"n3\",\"until\":\"2026-12-24\","
		        "\"made\":\"2026-12-01\",\"reason\":\"\",\"by\":\"ops\"}"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct acks a;
		if (parse(bad[i], &a) == HB_OK)
			fail_msg("taken: %s", bad[i]);
	}
}

static void every_cut_of_a_file_is_refused_without_harm(void **state)
{
	static const char whole[] = FILE_OF(ONE("00000001", ",\"bench\":\"mpi.*\""));

	(void)state;
	for (size_t n = 0; n + 1 < sizeof whole; n++) {
		struct acks a;
		char *cut = hb_strndup(whole, n);
		assert_int_equal(parse(cut, &a), HB_E_FORMAT);
		free(cut);
	}
}

static struct ack like(const char *subject, const char *bench)
{
	return (struct ack){ .subject = hb_strdup(subject),
		             .bench = hb_strdup(bench),
		             .until = 110,
		             .made = 100,
		             .reason = hb_strdup("why"),
		             .by = hb_strdup("me") };
}

static void add(struct acks *a, const char *subject, const char *bench)
{
	struct ack k = like(subject, bench);
	struct hb_err err = { 0 };
	if (!acks_add(a, &k, &err))
		fail_msg("%s", err.text);
	free(k.subject);
	free(k.bench);
	free(k.reason);
	free(k.by);
}

static void one_takes_the_place_of_the_same_and_is_removed_by_name_or_id(void **state)
{
	struct acks a = { 0 };

	(void)state;
	add(&a, "n3", NULL);
	add(&a, "n3", NULL);
	assert_int_equal(a.n, 1);
	add(&a, "n3", "mpi.*");
	add(&a, "n1-n2", NULL);
	add(&a, "n2-n1", NULL);
	add(&a, "n1>n2", NULL);
	assert_int_equal(a.n, 4);
	assert_int_equal(acks_remove(&a, "n4"), 0);
	assert_int_equal(acks_remove(&a, "n2-n1"), 1);
	assert_int_equal(acks_remove(&a, a.v[0].id), 1);
	assert_int_equal(acks_remove(&a, "n3"), 1);
	assert_int_equal(a.n, 1);
	acks_free(&a);
}

static void an_acknowledgement_ends_with_its_last_day(void **state)
{
	struct acks a = { 0 };

	(void)state;
	add(&a, "n3", NULL); /* until day 110 */
	acks_set_day(&a, 110);
	assert_int_equal(a.v[0].state, ACK_ACTIVE);
	assert_non_null(acks_find(&a, "n3", "mpi.latency", NULL));
	acks_set_day(&a, 111);
	assert_int_equal(a.v[0].state, ACK_EXPIRED);
	assert_null(acks_find(&a, "n3", "mpi.latency", NULL));
	assert_false(acks_touch_node(&a, "n3"));
	acks_set_day(&a, 110 + ACK_TOLD_DAYS);
	assert_int_equal(a.v[0].state, ACK_EXPIRED);
	acks_set_day(&a, 111 + ACK_TOLD_DAYS);
	assert_int_equal(a.v[0].state, ACK_OVER);
	acks_free(&a);
}

static int add_one(struct acks *a, void *ctx, struct hb_err *err)
{
	(void)err;
	add(a, ctx, NULL);
	return HB_OK;
}

enum { WRITERS = 4, EACH = 6 };

/* Two people at once: whatever the order, nothing is lost. */
static void writers_at_the_same_time_lose_nothing(void **state)
{
	char dir[] = "/tmp/hpcbench-ack-XXXXXX";
	pid_t pids[WRITERS];
	struct acks a;

	(void)state;
	assert_non_null(mkdtemp(dir));
	char *path = acks_path(dir);
	for (int w = 0; w < WRITERS; w++) {
		pids[w] = fork();
		assert_true(pids[w] >= 0);
		for (int i = 0; pids[w] == 0 && i < EACH; i++) {
			char name[32];
			struct hb_err err;
			(void)snprintf(name, sizeof name, "n%d", w * EACH + i);
			if (acks_update(path, add_one, name, &err) != HB_OK)
				_exit(1);
		}
		if (pids[w] == 0)
			_exit(0);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status = -1;
		assert_int_equal(waitpid(pids[w], &status, 0), pids[w]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(acks_read(path, &a, NULL), HB_OK);
	assert_int_equal(a.n, WRITERS * EACH);
	acks_free(&a);
	unlink(path);
	rmdir(dir);
	free(path);
}

static void a_broken_file_is_a_warning_and_is_never_written_over(void **state)
{
	char dir[] = "/tmp/hpcbench-ack-XXXXXX", name[] = "n1";
	struct hb_err err;
	struct acks a;
	struct buf text = BUF_INIT;

	(void)state;
	assert_non_null(mkdtemp(dir));
	char *path = acks_path(dir);
	acks_load(dir, 0, &a);
	assert_int_equal(a.n, 0);
	assert_null(a.warning); /* there is none: nothing to warn of */
	acks_free(&a);
	assert_int_equal(store_write(path, "{\"schema\":", 10, &err), HB_OK);
	acks_load(dir, 0, &a);
	assert_int_equal(a.n, 0);
	assert_non_null(a.warning);
	acks_free(&a);
	assert_int_equal(acks_update(path, add_one, name, &err), HB_E_FORMAT);
	assert_int_equal(buf_read_file(&text, path, 100, &err), HB_OK);
	assert_string_equal(buf_text(&text), "{\"schema\":");
	buf_free(&text);
	unlink(path);
	assert_int_equal(rmdir(dir), 0); /* no lock is left behind */
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(days_are_read_and_written_as_the_calendar_has_them),
		cmocka_unit_test(subjects_follow_the_one_grammar),
		cmocka_unit_test(a_node_covers_its_devices_and_links_and_nothing_else),
		cmocka_unit_test(benchmarks_are_lists_of_patterns),
		cmocka_unit_test(a_file_reads_back_as_it_was_written),
		cmocka_unit_test(a_file_that_is_not_right_acknowledges_nothing),
		cmocka_unit_test(every_cut_of_a_file_is_refused_without_harm),
		cmocka_unit_test(one_takes_the_place_of_the_same_and_is_removed_by_name_or_id),
		cmocka_unit_test(an_acknowledgement_ends_with_its_last_day),
		cmocka_unit_test(writers_at_the_same_time_lose_nothing),
		cmocka_unit_test(a_broken_file_is_a_warning_and_is_never_written_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
