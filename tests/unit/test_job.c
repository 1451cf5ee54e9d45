#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/helper.h"

enum { RANKS = 3 };

/*
 * mpi.latency's row, measured by nothing: what happens is told by the seed, so that it comes with
 * the job. Sizes are what the row allows.
 */
enum plan_seed {
	SEED_FINE,
	SEED_NO_PROBE,
	SEED_NO_SETUP,
	SEED_WRONG_DATA,
	SEED_SILENT_64, /* rank 1 is silent in the case of 64 bytes */
	SEED_FAIL_64
};

static atomic_int setups, teardowns;

static int fake_probe(const struct bench *b, struct hb_err *err)
{
	if (b->seed == SEED_NO_PROBE && b->rank == 1)
		return hb_fail(err, HB_E_UNSUPPORTED, "no such device on this node");
	return HB_OK;
}

static int fake_setup(struct bench *b, struct hb_err *err)
{
	atomic_fetch_add(&setups, 1);
	if (b->bytes != b->max_bytes)
		return hb_fail(err, HB_E_USAGE, "setup is not for the largest case");
	if (b->seed == SEED_NO_SETUP && b->rank == 1)
		return hb_fail(err, HB_E_LIB, "out of buffers");
	return HB_OK;
}

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static int fake_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	uint64_t end = clock_ns() + n * 2000;

	(void)sink;
	if (b->seed == SEED_FAIL_64 && b->bytes == 64)
		return hb_fail(err, HB_E_LIB, "64 is too many");
	if (b->seed == SEED_SILENT_64 && b->bytes == 64) {
		if (b->rank == 1)
			nap(600);
		while (clock_ns() < b->deadline_ns)
			nap(1);
		return hb_fail(err, HB_E_TIMEOUT, "rank 1 is silent");
	}
	while (clock_ns() < end)
		;
	return HB_OK;
}

static int fake_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	(void)err;
	*checked = b->bytes;
	*bad = b->seed == SEED_WRONG_DATA && b->rank == 1;
	return HB_OK;
}

static void fake_teardown(struct bench *b)
{
	(void)b;
	atomic_fetch_add(&teardowns, 1);
}

static const struct bench_ops fake_latency = {
	.info = &info_mpi_latency,
	.state_size = 8,
	.probe = fake_probe,
	.setup = fake_setup,
	.iterate = fake_iterate,
	.verify = fake_verify,
	.teardown = fake_teardown,
};
static const struct bench_ops fake_allreduce = {
	.info = &info_mpi_allreduce,
	.state_size = 8,
	.setup = fake_setup,
	.iterate = fake_iterate,
	.verify = fake_verify,
	.teardown = fake_teardown,
};
static const struct bench_ops fake_memory = {
	.info = &info_node_memory,
	.iterate = fake_iterate,
};
static const struct bench_ops *const benches[] = { &fake_latency, &fake_allreduce, &fake_memory,
	                                           NULL };
static const struct helper helper = { .name = "fake", .benches = benches };

static json_object *parsed(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;

	if (js_parse(text, strlen(text), "test", &o, &err) < 0)
		fail_msg("%s", err.text);
	return o;
}

#define HEAD                                                                                       \
	"\"msg\":\"job\",\"job\":7,\"step\":2,\"attempt\":3,\"phase\":\"extra\","                  \
	"\"bench\":\"mpi.latency\",\"a\":\"n1\",\"b\":\"n2\",\"dir\":\"both\",\"round\":4,"
#define CASES "\"cases\":[{\"unit\":11,\"bytes\":8,\"opts\":{}}]"

static void a_job_says_all_that_a_rank_needs(void **state)
{
	json_object *msg = parsed(
	        "{" HEAD "\"ranks\":[2,0],\"seed\":99,\"precision\":0.02,\"max_time\":0.5,"
	        "\"max_iters\":1000,\"deadline\":9,\"verify\":false,\"inject\":2,\"new key\":1,"
	        "\"cases\":[{\"unit\":11,\"bytes\":8,\"opts\":{\"datatype\":\"int32\"}},"
	        "{\"unit\":12,\"bytes\":1024}]}");
	struct hb_err err = { HB_OK, "" };
	const struct mpi_opts *o;
	struct job j;

	(void)state;
	if (job_from_json(msg, &helper, &j, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(j.id, 7);
	assert_int_equal(j.ids.step, 2);
	assert_int_equal(j.ids.attempt, 3);
	assert_int_equal(j.ids.phase, PHASE_EXTRA);
	assert_ptr_equal(j.ops, &fake_latency);
	assert_string_equal(j.a, "n1");
	assert_string_equal(j.b, "n2");
	assert_int_equal(j.dir, DIR_BOTH);
	assert_int_equal(j.round, 4);
	assert_int_equal(j.seed, 99);
	assert_int_equal(j.n_ranks, 2);
	assert_int_equal(j.ranks[0], 2);
	assert_int_equal(j.ranks[1], 0);
	assert_int_equal(j.params.max_iters, 1000);
	assert_false(j.params.verify);
	assert_true(j.params.inject > 1.9 && j.params.deadline_s > 8.9);
	assert_int_equal(j.cases.n, 2);
	assert_int_equal(j.units[1], 12);
	assert_int_equal(j.cases.v[1].bytes, 1024);
	o = j.cases.v[0].opts;
	assert_int_equal(o->datatype, DATATYPE_INT32);
	o = j.cases.v[1].opts;
	assert_int_equal(o->datatype, DATATYPE_BYTE);
	job_free(&j);
	js_put(msg);
}

static void what_is_left_out_has_its_default(void **state)
{
	json_object *msg = parsed("{\"job\":1,\"bench\":\"node.memory\",\"a\":\"n1\","
	                          "\"ranks\":[0],\"cases\":[{\"unit\":1,\"bytes\":65536}]}");
	struct run_params d = RUN_PARAMS_DEFAULT;
	struct hb_err err = { HB_OK, "" };
	struct job j;

	(void)state;
	if (job_from_json(msg, &helper, &j, &err) < 0)
		fail_msg("%s", err.text);
	assert_memory_equal(&j.params.max_time_s, &d.max_time_s, sizeof(double));
	assert_true(j.params.verify);
	assert_int_equal(j.ids.attempt, 1);
	assert_int_equal(j.ids.phase, PHASE_MAIN);
	assert_int_equal(j.round, -1);
	assert_null(j.b);
	job_free(&j);
	js_put(msg);
}

static void a_hostile_job_is_one_error_that_says_where(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "{}", "job" },
		{ "{\"job\":-1}", "job" },
		{ "{\"job\":\"x\"}", "job" },
		{ "{\"job\":1,\"bench\":7}", "bench" },
		{ "{\"job\":1,\"bench\":\"mpi.nothing\"}", "does not know 'mpi.nothing'" },
		{ "{" HEAD "\"ranks\":[]," CASES "}", "ranks" },
		{ "{" HEAD "\"ranks\":[0]," CASES "}", "does not run on 1 ranks" },
		{ "{" HEAD "\"ranks\":[0,1,2]," CASES "}", "does not run on 3 ranks" },
		{ "{" HEAD "\"ranks\":[1,1]," CASES "}", "twice" },
		{ "{" HEAD "\"ranks\":[0,-1]," CASES "}", "element 1 is not a rank" },
		{ "{" HEAD "\"ranks\":[0,4294967296]," CASES "}", "element 1 is not a rank" },
		{ "{" HEAD "\"ranks\":[0,\"1\"]," CASES "}", "element 1 is not a rank" },
		{ "{" HEAD "\"ranks\":{}," CASES "}", "ranks" },
		{ "{" HEAD "\"ranks\":[0,1]}", "cases" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[]}", "cases" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[1]}", "cases[0]" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"unit\":1}]}", "bytes" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"bytes\":1}]}", "unit" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"unit\":1,\"bytes\":-8}]}", "bytes" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"unit\":1,\"bytes\":8,"
		  "\"opts\":{\"windwo\":1}}]}",
		  "windwo" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"unit\":1,\"bytes\":8,"
		  "\"opts\":{\"datatype\":\"quark\"}}]}",
		  "quark" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"unit\":1,\"bytes\":6,"
		  "\"opts\":{\"datatype\":\"int32\"}}]}",
		  "multiple of 4" },
		{ "{" HEAD "\"ranks\":[0,1],\"cases\":[{\"unit\":1,\"bytes\":"
		  "18446744073709551615}]}",
		  "sizes" },
		{ "{" HEAD "\"ranks\":[0,1],\"inject\":1e300," CASES "}", "inject" },
		{ "{" HEAD "\"ranks\":[0,1],\"inject\":0.5," CASES "}", "inject" },
		{ "{" HEAD "\"ranks\":[0,1],\"max_time\":-1," CASES "}", "max_time" },
		{ "{" HEAD "\"ranks\":[0,1],\"deadline\":1e9," CASES "}", "deadline" },
		{ "{" HEAD "\"ranks\":[0,1],\"precision\":2," CASES "}", "precision" },
		{ "{" HEAD "\"ranks\":[0,1],\"verify\":1," CASES "}", "verify" },
		{ "{\"job\":1,\"phase\":\"later\",\"bench\":\"mpi.latency\"}", "later" },
		{ "{\"job\":1,\"bench\":\"mpi.latency\",\"a\":\"n1\",\"ranks\":[0,1]," CASES "}",
		  "b" },
		{ "{\"job\":1,\"bench\":\"mpi.latency\",\"a\":\"\",\"b\":\"n2\",\"ranks\":[0,1]"
		  "," CASES "}",
		  "endpoint" },
		{ "{\"job\":1,\"bench\":\"mpi.latency\",\"a\":\"n1\",\"b\":\"n2\","
		  "\"dir\":\"up\",\"ranks\":[0,1]," CASES "}",
		  "'up'" },
		{ "{\"job\":1,\"bench\":\"node.memory\",\"a\":\"n1\",\"ranks\":[0],\"cases\":"
		  "[{\"unit\":1,\"bytes\":65536,\"opts\":{\"op\":[\"copy\",\"add\"]}}]}",
		  "several values" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_object *msg = parsed(rows[i].text);
		struct hb_err err = { HB_OK, "" };
		struct job j;
		int rc = job_from_json(msg, &helper, &j, &err);

		if (rc >= 0 || !strstr(err.text, rows[i].says))
			fail_msg("row %zu gives %d '%s', not '%s'", i, rc, err.text, rows[i].says);
		assert_true(rc == HB_E_FORMAT || rc == HB_E_USAGE);
		js_put(msg);
	}
}

struct one_rank {
	struct emit emit; /* first: record() finds the rest behind it */
	pthread_t thread;
	const struct job *job;
	struct comm *world;
	json_object *records;
	struct hb_err err;
	int rc, fail;
};

static int keep(struct emit *e, json_object *record, struct hb_err *err)
{
	struct one_rank *r = (struct one_rank *)e;

	if (r->fail)
		return hb_fail(err, HB_E_IO, "nobody listens");
	return json_object_array_add(r->records, json_object_get(record));
}

static void *run_job(void *arg)
{
	struct one_rank *r = arg;

	r->rc = job_run(r->job, r->world, &r->emit, &r->err);
	return NULL;
}

struct crew {
	struct comm *worlds[RANKS];
	struct one_rank ranks[RANKS];
	struct job job;
	json_object *msg;
};

static void crew_open(struct crew *c)
{
	memset(c, 0, sizeof(*c));
	comm_threads_open(RANKS, c->worlds);
}

/* Runs the job of text on the ranks it names (0 and 2, or all). */
static void crew_run(struct crew *c, const char *text)
{
	struct hb_err err = { HB_OK, "" };

	atomic_store(&setups, 0);
	atomic_store(&teardowns, 0);
	c->msg = parsed(text);
	if (job_from_json(c->msg, &helper, &c->job, &err) < 0)
		fail_msg("%s", err.text);
	for (int i = 0; i < c->job.n_ranks; i++) {
		struct one_rank *r = &c->ranks[i];

		*r = (struct one_rank){ .emit = { keep, NULL }, .job = &c->job };
		r->world = c->worlds[c->job.ranks[i]];
		r->records = json_object_new_array();
		pthread_create(&r->thread, NULL, run_job, r);
	}
	for (int i = 0; i < c->job.n_ranks; i++)
		pthread_join(c->ranks[i].thread, NULL);
	for (int i = 1; i < c->job.n_ranks; i++)
		assert_int_equal(json_object_array_length(c->ranks[i].records), 0);
}

static void crew_done(struct crew *c)
{
	for (int i = 0; i < c->job.n_ranks; i++)
		js_put(c->ranks[i].records);
	job_free(&c->job);
	js_put(c->msg);
}

static void crew_close(struct crew *c)
{
	for (int i = 0; i < RANKS; i++)
		c->worlds[i]->ops->close(c->worlds[i]);
}

/* "unit:status" of every end record, in order, and how many figures there are. */
static void summary_of(const struct crew *c, char *out, size_t n, int *figures)
{
	json_object *arr = c->ranks[0].records;
	struct js_at at = JS_AT_TOP("record");
	struct buf text = BUF_INIT;

	*figures = 0;
	for (size_t i = 0; i < json_object_array_length(arr); i++) {
		json_object *o = json_object_array_get_idx(arr, i);
		enum record_type type = record_type_of(o);
		struct hb_err err = { HB_OK, "" };
		struct rec_point p;
		struct rec_end end;

		if (type == REC_PAIR || type == REC_POINT) {
			(*figures)++;
			if (rec_point_from_json(o, &at, &p, &err) < 0)
				fail_msg("%s", err.text);
		} else if (type == REC_END) {
			if (rec_end_from_json(o, &at, &end, &err) < 0)
				fail_msg("%s", err.text);
			assert_int_equal(end.ids.step, 2);
			buf_printf(&text, "%s%llu:%s", text.len ? " " : "",
			           (unsigned long long)end.ids.unit, unit_status_name(end.status));
			if (end.reason)
				buf_printf(&text, "(%s)", end.reason);
		}
	}
	snprintf(out, n, "%s", buf_text(&text));
	buf_free(&text);
}

static void check(const struct crew *c, int status, int n_figures, const char *ends)
{
	char text[2000];
	int figures;

	summary_of(c, text, sizeof(text), &figures);
	assert_string_equal(text, ends);
	assert_int_equal(figures, n_figures);
	for (int i = 0; i < c->job.n_ranks; i++) {
		if (c->ranks[i].rc != status)
			print_error("rank %d: %s\n", i, c->ranks[i].err.text);
		assert_int_equal(c->ranks[i].rc, status);
	}
	assert_int_equal(atomic_load(&setups) > 0 ? c->job.n_ranks : 0, atomic_load(&setups));
}

#define PAIR_JOB(seed)                                                                             \
	"{" HEAD                                                                                   \
	"\"ranks\":[0,2],\"max_time\":0.02,\"max_iters\":200,\"deadline\":1.5,\"seed\":" seed      \
	",\"cases\":[{\"unit\":1,\"bytes\":8},{\"unit\":2,\"bytes\":64},"                          \
	"{\"unit\":3,\"bytes\":1024}]}"
/* The same with time enough for a busy machine. */
#define PATIENT_JOB(seed)                                                                          \
	"{" HEAD                                                                                   \
	"\"ranks\":[0,2],\"max_time\":0.02,\"max_iters\":200,\"deadline\":60,\"seed\":" seed       \
	",\"cases\":[{\"unit\":1,\"bytes\":8},{\"unit\":2,\"bytes\":64},"                          \
	"{\"unit\":3,\"bytes\":1024}]}"

static void every_case_of_a_pair_gives_figures_samples_and_an_end(void **state)
{
	struct crew c;
	json_object *first;
	struct js_at at = JS_AT_TOP("record");
	struct rec_point p;

	(void)state;
	crew_open(&c);
	crew_run(&c, PATIENT_JOB("0"));
	check(&c, HB_OK, 3, "1:ok 2:ok 3:ok");
	assert_int_equal(atomic_load(&teardowns), 2);
	first = json_object_array_get_idx(c.ranks[0].records, 0);
	assert_int_equal(record_type_of(first), REC_PAIR);
	assert_int_equal(rec_point_from_json(first, &at, &p, NULL), HB_OK);
	assert_string_equal(p.bench, "mpi.latency");
	assert_string_equal(p.a, "n1");
	assert_string_equal(p.b, "n2");
	assert_string_equal(p.dir, "both");
	assert_int_equal(p.round, 4);
	assert_int_equal(p.ids.unit, 1);
	assert_int_equal(p.ids.phase, PHASE_EXTRA);
	assert_int_equal(p.verified, 16);
	assert_true(p.metrics[0].s.p50 >= 1000); /* half of 2000 ns at least */
	assert_int_equal(record_type_of(json_object_array_get_idx(c.ranks[0].records, 1)),
	                 REC_SAMPLES);
	crew_done(&c);
	crew_close(&c);
}

static void a_group_tells_who_is_late(void **state)
{
	struct crew c;
	json_object *first, *per_rank = NULL, *latest = NULL;
	struct js_at at = JS_AT_TOP("record");

	(void)state;
	crew_open(&c);
	crew_run(&c, "{\"job\":1,\"step\":2,\"bench\":\"mpi.allreduce\",\"a\":\"n[1-3]\","
	             "\"ranks\":[2,0,1],\"max_time\":0.02,\"max_iters\":100,"
	             "\"cases\":[{\"unit\":5,\"bytes\":64}]}");
	check(&c, HB_OK, 1, "5:ok");
	first = json_object_array_get_idx(c.ranks[0].records, 0);
	assert_int_equal(record_type_of(first), REC_POINT);
	assert_int_equal(js_get_obj(first, &at, "per_rank", JS_REQUIRED, &per_rank, NULL), HB_OK);
	assert_int_equal(js_get_arr(per_rank, &at, "latest", JS_REQUIRED, &latest, NULL), HB_OK);
	assert_int_equal(json_object_array_length(latest), 3);
	crew_done(&c);
	crew_close(&c);
}

static void what_probe_refuses_is_skipped_with_its_reason(void **state)
{
	struct crew c;

	(void)state;
	crew_open(&c);
	crew_run(&c, PATIENT_JOB("1"));
	check(&c, HB_E_UNSUPPORTED, 0,
	      "1:skipped(rank 1: no such device on this node) "
	      "2:skipped(rank 1: no such device on this node) "
	      "3:skipped(rank 1: no such device on this node)");
	assert_int_equal(atomic_load(&setups), 0);
	crew_done(&c);
	crew_close(&c);
}

static void a_failed_setup_fails_every_case_and_is_torn_down(void **state)
{
	struct crew c;

	(void)state;
	crew_open(&c);
	crew_run(&c, PATIENT_JOB("2"));
	check(&c, HB_E_LIB, 0,
	      "1:failed(rank 1: out of buffers) 2:failed(rank 1: out of buffers) "
	      "3:failed(rank 1: out of buffers)");
	assert_int_equal(atomic_load(&teardowns), 2);
	crew_done(&c);
	crew_close(&c);
}

static void wrong_data_are_told_with_their_figures(void **state)
{
	struct crew c;

	(void)state;
	crew_open(&c);
	crew_run(&c, PATIENT_JOB("3"));
	check(&c, HB_E_DATA, 3,
	      "1:invalid(wrong data: elements that differ on rank 1: 1 of 8) "
	      "2:invalid(wrong data: elements that differ on rank 1: 1 of 64) "
	      "3:invalid(wrong data: elements that differ on rank 1: 1 of 1024)");
	crew_done(&c);
	crew_close(&c);
}

static void a_case_that_fails_leaves_the_others(void **state)
{
	struct crew c;

	(void)state;
	crew_open(&c);
	crew_run(&c, PATIENT_JOB("5"));
	check(&c, HB_E_LIB, 2,
	      "1:ok 2:failed(rank 0: 64 is too many; rank 1: 64 is too many) 3:ok");
	crew_done(&c);
	crew_close(&c);
}

static void a_silent_rank_costs_its_job_alone(void **state)
{
	char text[2000];
	struct crew c;
	int figures;

	(void)state;
	crew_open(&c);
	crew_run(&c, PAIR_JOB("4"));
	summary_of(&c, text, sizeof(text), &figures);
	assert_non_null(strstr(text, "2:timeout("));
	assert_non_null(strstr(text, "3:given-up("));
	for (int i = 0; i < 2; i++)
		assert_int_equal(c.ranks[i].rc, HB_E_TIMEOUT);
	assert_int_equal(atomic_load(&teardowns), 2);
	crew_done(&c);
	/* The same ranks take their next command. */
	crew_run(&c, PATIENT_JOB("0"));
	check(&c, HB_OK, 3, "1:ok 2:ok 3:ok");
	crew_done(&c);
	crew_close(&c);
}

static void a_rank_that_never_comes_costs_a_timeout(void **state)
{
	struct one_rank r = { .emit = { keep, NULL } };
	struct hb_err err = { HB_OK, "" };
	struct crew c;

	(void)state;
	crew_open(&c);
	c.msg = parsed(PAIR_JOB("0"));
	assert_int_equal(job_from_json(c.msg, &helper, &c.job, &err), HB_OK);
	r.job = &c.job;
	r.world = c.worlds[0];
	r.records = json_object_new_array();
	run_job(&r);
	assert_int_equal(r.rc, HB_E_TIMEOUT);
	assert_int_equal(json_object_array_length(r.records), 3); /* three ends */
	js_put(r.records);
	job_free(&c.job);
	js_put(c.msg);
	crew_close(&c);
}

static void a_job_for_others_or_for_ranks_that_are_not_there_is_refused(void **state)
{
	struct one_rank r = { .emit = { keep, NULL } };
	struct hb_err err = { HB_OK, "" };
	struct crew c;

	(void)state;
	crew_open(&c);
	c.msg = parsed(PAIR_JOB("0"));
	assert_int_equal(job_from_json(c.msg, &helper, &c.job, &err), HB_OK);
	r.job = &c.job;
	r.world = c.worlds[1];
	r.records = json_object_new_array();
	run_job(&r);
	assert_int_equal(r.rc, HB_E_USAGE);
	assert_non_null(strstr(r.err.text, "does not name it"));
	c.job.ranks[1] = 77;
	r.world = c.worlds[0];
	run_job(&r);
	assert_int_equal(r.rc, HB_E_USAGE);
	assert_non_null(strstr(r.err.text, "rank 77 of 3"));
	js_put(r.records);
	job_free(&c.job);
	js_put(c.msg);
	crew_close(&c);
}

static void nobody_who_listens_ends_the_job(void **state)
{
	struct one_rank r = { .emit = { keep, NULL }, .fail = 1 };
	struct comm *solo = comm_solo_open();
	struct hb_err err = { HB_OK, "" };
	json_object *msg = parsed("{\"job\":1,\"bench\":\"node.memory\",\"a\":\"n1\","
	                          "\"ranks\":[0],\"max_iters\":3,"
	                          "\"cases\":[{\"unit\":1,\"bytes\":65536}]}");
	struct job j;

	(void)state;
	assert_int_equal(job_from_json(msg, &helper, &j, &err), HB_OK);
	r.job = &j;
	r.world = solo;
	run_job(&r);
	assert_int_equal(r.rc, HB_E_IO);
	assert_string_equal(r.err.text, "nobody listens");
	job_free(&j);
	js_put(msg);
	solo->ops->close(solo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_says_all_that_a_rank_needs),
		cmocka_unit_test(what_is_left_out_has_its_default),
		cmocka_unit_test(a_hostile_job_is_one_error_that_says_where),
		cmocka_unit_test(every_case_of_a_pair_gives_figures_samples_and_an_end),
		cmocka_unit_test(a_group_tells_who_is_late),
		cmocka_unit_test(what_probe_refuses_is_skipped_with_its_reason),
		cmocka_unit_test(a_failed_setup_fails_every_case_and_is_torn_down),
		cmocka_unit_test(wrong_data_are_told_with_their_figures),
		cmocka_unit_test(a_case_that_fails_leaves_the_others),
		cmocka_unit_test(a_silent_rank_costs_its_job_alone),
		cmocka_unit_test(a_rank_that_never_comes_costs_a_timeout),
		cmocka_unit_test(a_job_for_others_or_for_ranks_that_are_not_there_is_refused),
		cmocka_unit_test(nobody_who_listens_ends_the_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
