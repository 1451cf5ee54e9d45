#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "bench/core/helper_seats.h"
#include "bench/core/slots.h"

#define SEATS "{\"msg\":\"seats\",\"hosts\":[\"a\",\"b\",\"b\"]}\n"
#define JOB(slot, ranks, more)                                                                     \
	"{\"msg\":\"job\",\"slot\":" slot ",\"ranks\":[" ranks "],\"cases\":[{},{}]" more "}\n"
#define QUIT "{\"msg\":\"quit\"}\n"

/* A folder with a schedule in it, of any bytes. */
struct folder {
	char path[64], file[96];
};

static void write_file(struct folder *d, const char *text, size_t len)
{
	FILE *f;

	snprintf(d->path, sizeof(d->path), "/tmp/hpcbench-slots-XXXXXX");
	assert_non_null(mkdtemp(d->path));
	snprintf(d->file, sizeof(d->file), "%s/schedule.jsonl", d->path);
	f = fopen(d->file, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void drop(struct folder *d)
{
	assert_int_equal(remove(d->file), 0);
	assert_int_equal(rmdir(d->path), 0);
}

static int read_bytes(const char *text, size_t len, int seat, struct slots *s, struct hb_err *err)
{
	struct folder d;
	int rc;

	write_file(&d, text, len);
	rc = slots_open(d.file, 0, s, err);
	if (!rc)
		rc = slots_load(s, seat, err);
	drop(&d);
	return rc;
}

static int read_text(const char *text, int seat, struct slots *s, struct hb_err *err)
{
	return read_bytes(text, strlen(text), seat, s, err);
}

static void a_seat_gets_its_jobs_slot_by_slot(void **state)
{
	struct js_at at = JS_AT_TOP("job");
	struct hb_err err = { HB_OK, "" };
	struct slots s;
	uint64_t job = 0;
	json_object *o;

	(void)state;
	assert_int_equal(read_text(SEATS JOB("0", "0", ",\"job\":1") JOB("0", "2,1", ",\"job\":2")
	                                   JOB("3", "0", ",\"job\":3")
	                                           JOB("4", "0,1,2", ",\"job\":4") QUIT,
	                           1, &s, &err),
	                 HB_OK);
	assert_int_equal(s.n_hosts, 3);
	assert_string_equal(s.hosts[0], "a");
	assert_string_equal(s.hosts[2], "b");
	assert_int_equal(s.n, 3);
	assert_int_equal(s.v[1].number, 3);
	o = slots_job(&s, 0);
	assert_int_equal(js_get_u64(o, &at, "job", JS_REQUIRED, &job, &err), HB_OK);
	assert_int_equal(job, 2);
	js_put(o);
	assert_null(slots_job(&s, 1));
	o = slots_job(&s, 2);
	assert_int_equal(js_get_u64(o, &at, "job", JS_REQUIRED, &job, &err), HB_OK);
	assert_int_equal(job, 4);
	js_put(o);
	slots_free(&s);
}

static void a_slot_lasts_as_long_as_its_longest_job_may(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct slots s;

	(void)state;
	assert_int_equal(
	        read_text(SEATS JOB("0", "0", ",\"deadline\":5") JOB("0", "1", ",\"deadline\":9")
	                          JOB("1", "0", ",\"deadline\":2") JOB("1", "1", ",\"deadline\":0")
	                                  JOB("2", "0", "") QUIT,
	                  0, &s, &err),
	        HB_OK);
	/* Two cases, and as long again as two for meeting and setup. */
	assert_true(s.v[0].seconds >= 18 && s.v[0].seconds <= 40);
	assert_false(s.v[0].endless);
	assert_true(s.v[1].endless);
	assert_true(s.v[2].seconds > 0); /* what a job that says nothing has */
	slots_free(&s);
}

static void nothing_to_do_is_a_schedule_too(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct slots s;

	(void)state;
	assert_int_equal(read_text(SEATS QUIT, 0, &s, &err), HB_OK);
	assert_int_equal(s.n, 0);
	slots_free(&s);
}

static void a_hostile_schedule_is_one_error_that_says_where(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "", ":1: the schedule ends" },
		{ "\n", ":1" },
		{ "[]\n", ":1: is not an object" },
		{ "{}\n", "msg" },
		{ QUIT, "'quit' where the seats" },
		{ "{\"msg\":\"seats\"}\n" QUIT, "hosts" },
		{ "{\"msg\":\"seats\",\"hosts\":[]}\n" QUIT, "0 seats" },
		{ "{\"msg\":\"seats\",\"hosts\":{}}\n" QUIT, "hosts" },
		{ "{\"msg\":\"seats\",\"hosts\":[\"\"]}\n" QUIT, "element 0" },
		{ "{\"msg\":\"seats\",\"hosts\":[\"a\",7]}\n" QUIT, "element 1" },
		{ "{\"msg\":\"seats\",\"hosts\":[\"a\\u0000b\"]}\n" QUIT, ":1" },
		{ SEATS, ":2: the schedule ends" },
		{ SEATS "{\"msg\":\"quit\"}", ":2: the schedule ends" },
		{ SEATS JOB("0", "0", ""), ":3: the schedule ends" },
		{ SEATS SEATS QUIT, "'seats' is unknown here" },
		{ SEATS QUIT QUIT, "goes on behind quit" },
		{ SEATS "{\"msg\":\"job\"", ":2" },
		{ SEATS "{\"msg\":\"job\"}\n" QUIT, "slot" },
		{ SEATS "{\"msg\":\"job\",\"slot\":0}\n" QUIT, "cases" },
		{ SEATS "{\"msg\":\"job\",\"slot\":0,\"cases\":[]}\n" QUIT, "ranks" },
		{ SEATS JOB("-1", "0", "") QUIT, "slot" },
		{ SEATS JOB("1", "0", "") JOB("0", "1", "") QUIT, "comes after slot 1" },
		{ SEATS JOB("0", "3", "") QUIT, "is not a seat" },
		{ SEATS JOB("0", "-1", "") QUIT, "is not a seat" },
		{ SEATS JOB("0", "\"a\"", "") QUIT, "is not a seat" },
		{ SEATS JOB("0", "0,1", "") JOB("0", "1,2", "") QUIT, "two jobs in slot 0" },
		{ SEATS JOB("0", "0", ",\"deadline\":-1") QUIT, "deadline" },
		{ SEATS JOB("0", "0", ",\"deadline\":1e9") QUIT, "deadline" },
		{ SEATS JOB("0", "0", ",\"deadline\":\"x\"") QUIT, "deadline" },
		{ SEATS "{\"msg\":\"job\",\"msg\":\"quit\"}\n" QUIT, ":2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct hb_err err = { HB_OK, "" };
		struct slots s;

		if (read_text(rows[i].text, 1, &s, &err) != HB_E_FORMAT)
			fail_msg("row %zu is taken: %s", i, rows[i].text);
		if (!strstr(err.text, rows[i].error))
			fail_msg("row %zu: '%s' has no '%s'", i, err.text, rows[i].error);
		slots_free(&s);
	}
}

/* Whatever byte a good schedule is cut at or has changed, reading ends. */
static void damaged_schedules_do_no_harm(void **state)
{
	static const char good[] = SEATS JOB("0", "0,1", ",\"deadline\":5") JOB("1", "2", "") QUIT;
	char text[sizeof(good)];

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		static const char bytes[] = { '\0', '\n', '"', '\xff', '9' };
		struct hb_err err = { HB_OK, "" };
		struct slots s;

		assert_int_equal(read_bytes(good, i, 0, &s, &err), HB_E_FORMAT);
		slots_free(&s);
		for (size_t k = 0; k < sizeof(bytes); k++) {
			memcpy(text, good, sizeof(good));
			text[i] = bytes[k];
			if (read_bytes(text, sizeof(good) - 1, 0, &s, &err) < 0)
				assert_true(err.text[0] != '\0');
			slots_free(&s);
		}
	}
}

static void lines_are_bounded(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;
	struct slots s;

	(void)state;
	buf_puts(&text, SEATS "{\"msg\":\"job\",\"slot\":0,\"ranks\":[0],\"cases\":[],\"x\":\"");
	buf_pad(&text, 'x', FRAME_MAX);
	buf_puts(&text, "\"}\n" QUIT);
	assert_int_equal(read_bytes(text.data, text.len, 0, &s, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, ":2: longer than 65536 bytes"));
	slots_free(&s);
	buf_free(&text);
}

static void a_file_that_is_not_there_or_not_plain_is_refused(void **state)
{
	struct hb_err err = { HB_OK, "" };
	char link[128], fifo[128];
	struct folder d;
	struct slots s;

	(void)state;
	assert_int_equal(slots_open("/tmp/hpcbench-no-such/schedule.jsonl", 0, &s, &err), HB_E_IO);
	assert_non_null(strstr(err.text, "all nodes must see"));
	slots_free(&s);
	write_file(&d, SEATS QUIT, strlen(SEATS QUIT));
	snprintf(link, sizeof(link), "%s/link", d.path);
	snprintf(fifo, sizeof(fifo), "%s/fifo", d.path);
	assert_int_equal(symlink(d.file, link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(slots_open(link, 0, &s, &err), HB_E_IO);
	slots_free(&s);
	assert_int_equal(slots_open(fifo, 0, &s, &err), HB_E_IO);
	assert_non_null(strstr(err.text, "not a plain file"));
	slots_free(&s);
	assert_int_equal(slots_open(d.path, 0, &s, &err), HB_E_IO);
	slots_free(&s);
	remove(link);
	remove(fifo);
	drop(&d);
}

static void a_file_that_comes_late_is_waited_for(void **state)
{
	struct hb_err err = { HB_OK, "" };
	char late[128];
	struct folder d;
	struct slots s;
	pid_t child;

	(void)state;
	write_file(&d, SEATS QUIT, strlen(SEATS QUIT));
	snprintf(late, sizeof(late), "%s/late", d.path);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		usleep(300000);
		_exit(rename(d.file, late) != 0);
	}
	assert_int_equal(slots_open(late, 30000, &s, &err), HB_OK);
	assert_int_equal(s.n_hosts, 3);
	slots_free(&s);
	assert_int_equal(rename(late, d.file), 0);
	drop(&d);
}

/* ---- who gets which seat ---- */

static const char *const hosts[] = { "a", "b", "b", "c" };

static void everybody_gets_the_seat_of_the_own_host(void **state)
{
	static const struct seat_claim claim[] = { { "c", 0 }, { "b", 1 }, { "a", 0 }, { "b", 0 } };
	static const int want[] = { 3, 2, 0, 1 };
	struct seat_given given[4];

	(void)state;
	seats_give(hosts, 4, claim, 4, given);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(given[i].seat, want[i]);
		assert_false(given[i].stranger);
	}
}

static void a_stranger_takes_nobodys_seat(void **state)
{
	static const struct seat_claim claim[] = { { "z", 0 },  { "a", -1 }, { "b", -1 },
		                                   { "b", -1 }, { "c", -1 }, { "y", 0 } };
	struct seat_given given[6];

	(void)state;
	seats_give(hosts, 4, claim, 6, given);
	assert_int_equal(given[0].seat, -1);
	assert_int_equal(given[5].seat, -1);
	for (int i = 1; i < 5; i++)
		assert_int_equal(given[i].seat, i - 1);
	/* With a node left out its seat is free, and the stranger can at least be told by it. */
	seats_give(hosts, 4, claim, 4, given);
	assert_int_equal(given[0].seat, 3);
	assert_true(given[0].stranger);
	assert_int_equal(given[3].seat, 2);
	assert_false(given[3].stranger);
}

static void ranks_that_are_apart_find_their_own_seat(void **state)
{
	static const struct seat_claim mine = { "b", 1 }, other = { "z", 0 };
	struct comm *c = comm_solo_among(2, 4);
	struct hb_err err = { HB_OK, "" };
	struct seat_given given[4];

	(void)state;
	assert_int_equal(seats_agree(c, hosts, 4, &mine, given, &err), HB_OK);
	assert_int_equal(given[2].seat, 2);
	assert_false(given[2].stranger);
	assert_int_equal(given[0].seat, -1);
	assert_int_equal(seats_agree(c, hosts, 4, &other, given, &err), HB_OK);
	assert_true(given[2].stranger);
	c->ops->close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seat_gets_its_jobs_slot_by_slot),
		cmocka_unit_test(a_slot_lasts_as_long_as_its_longest_job_may),
		cmocka_unit_test(nothing_to_do_is_a_schedule_too),
		cmocka_unit_test(a_hostile_schedule_is_one_error_that_says_where),
		cmocka_unit_test(damaged_schedules_do_no_harm),
		cmocka_unit_test(lines_are_bounded),
		cmocka_unit_test(a_file_that_is_not_there_or_not_plain_is_refused),
		cmocka_unit_test(a_file_that_comes_late_is_waited_for),
		cmocka_unit_test(everybody_gets_the_seat_of_the_own_host),
		cmocka_unit_test(a_stranger_takes_nobodys_seat),
		cmocka_unit_test(ranks_that_are_apart_find_their_own_seat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
