/* Jobs that tell facts: no communicator, records of each rank, one end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/helper_parts.h"

/* What the row is asked and answers. */
static int answer(const struct tell *t, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("job");
	uint64_t seed = 0;

	js_get_u64(t->msg, &at, "seed", JS_OPTIONAL, &seed, NULL);
	assert_string_equal(t->endpoint, "n7");
	assert_int_equal(t->n_ranks, 2);
	assert_int_equal(t->listener, 42);
	fact_tell_u64(t->sink, "", "world.size", (uint64_t)t->ranks[t->me], "test");
	fact_tell(t->sink, "peer:n8", "peer.address", NULL, "nobody knows");
	return seed == 1 ? hb_fail(err, HB_E_LIB, "half of it is not to be had") : HB_OK;
}

static const struct bench_ops peers = { .info = &info_node_peers, .tell = answer };
static const struct bench_ops *const benches[] = { &peers, NULL };
static const struct helper helper = { .name = "test", .benches = benches, .listens = true };

static const char job_text[] =
        "{\"msg\":\"job\",\"job\":3,\"step\":4,\"attempt\":1,\"bench\":\"node.peers\","
        "\"ranks\":[5,6],\"a\":\"cluster\",\"seed\":%d,"
        "\"cases\":[{\"unit\":9,\"bytes\":%d,\"opts\":{}}],\"peers\":[]}";

/* Keeps the texts of what is sent. */
struct kept {
	struct emit base;
	struct buf text;
};

static int keep(struct emit *e, json_object *record, struct hb_err *err)
{
	struct kept *k = (struct kept *)e;

	(void)err;
	js_write(record, JS_PLAIN, &k->text);
	buf_putc(&k->text, '\n');
	return HB_OK;
}

/* A world that can do nothing but say who one is. */
static int rank_5(const struct comm *c)
{
	(void)c;
	return 5;
}
static int rank_6(const struct comm *c)
{
	(void)c;
	return 6;
}
static int rank_7(const struct comm *c)
{
	(void)c;
	return 7;
}
static const struct comm_ops fifth = { .rank = rank_5 }, sixth = { .rank = rank_6 },
                             seventh = { .rank = rank_7 };

static json_object *message(int seed, int bytes)
{
	struct hb_err err;
	json_object *o = NULL;
	char *text = hb_format(job_text, seed, bytes);

	assert_int_equal(js_parse(text, strlen(text), "test", &o, &err), HB_OK);
	free(text);
	return o;
}

static int tell(const struct comm_ops *who, int seed, struct kept *k, struct hb_err *err)
{
	json_object *msg = message(seed, 0);
	struct comm world = { .ops = who };
	struct job job;

	*k = (struct kept){ .base = { .record = keep }, .text = BUF_INIT };
	if (job_from_json(msg, &helper, &job, err) != HB_OK)
		fail_msg("%s", err->text);
	job.host = "n7";
	job.listener = 42;
	int rc = job_run(&job, &world, &k->base, err);
	job_free(&job);
	js_put(msg);
	return rc;
}

static void each_rank_tells_and_the_first_one_ends_the_unit(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct kept k;

	(void)state;
	assert_int_equal(tell(&fifth, 0, &k, &err), HB_OK);
	assert_non_null(strstr(buf_text(&k.text),
	                       "\"endpoint\":\"n7\",\"key\":\"world.size\",\"value\":\"5\""));
	assert_non_null(strstr(buf_text(&k.text), "\"endpoint\":\"n7/peer:n8\",\"key\":\"peer."
	                                          "address\",\"value\":null"));
	assert_non_null(strstr(buf_text(&k.text), "\"type\":\"end\""));
	assert_non_null(strstr(buf_text(&k.text), "\"unit\":9"));
	assert_non_null(strstr(buf_text(&k.text), "\"status\":\"ok\""));
	buf_free(&k.text);
	assert_int_equal(tell(&sixth, 0, &k, &err), HB_OK);
	assert_non_null(strstr(buf_text(&k.text), "\"value\":\"6\""));
	assert_null(strstr(buf_text(&k.text), "\"type\":\"end\""));
	buf_free(&k.text);
}

static void a_failure_keeps_what_was_told_before(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct kept k;

	(void)state;
	assert_int_equal(tell(&fifth, 1, &k, &err), HB_E_LIB);
	assert_string_equal(err.text, "half of it is not to be had");
	assert_non_null(strstr(buf_text(&k.text), "world.size"));
	assert_non_null(strstr(buf_text(&k.text), "\"status\":\"failed\""));
	buf_free(&k.text);
}

static void who_is_not_of_the_job_tells_nothing(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct kept k;

	(void)state;
	assert_int_equal(tell(&seventh, 0, &k, &err), HB_E_USAGE);
	assert_null(strstr(buf_text(&k.text), "fact"));
	buf_free(&k.text);
}

static void it_has_one_case_without_a_size(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct case_list cases;
	void *opts = info_opts_new(&info_node_peers);
	json_object *msg = message(0, 8);
	struct job job;

	(void)state;
	assert_null(info_sizes(&info_node_peers));
	assert_non_null(info_sizes(&info_node_memory));
	assert_int_equal(info_node_peers.cases(&info_node_peers, opts, &cases, &err), HB_OK);
	assert_int_equal(cases.n, 1);
	assert_int_equal(cases.v[0].bytes, 0);
	case_list_free(&cases);
	info_opts_free(&info_node_peers, opts);
	assert_int_equal(job_from_json(msg, &helper, &job, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "takes no sizes"));
	js_put(msg);
}

static void a_port_is_opened_only_where_it_is_asked_for(void **state)
{
	const struct helper deaf = { .name = "deaf" };
	int port = 1;

	(void)state;
	unsetenv(CONTROL_ENV_LISTEN);
	assert_int_equal(helper_listen(&helper, &port), -1);
	assert_int_equal(port, 0);
	setenv(CONTROL_ENV_LISTEN, "1", 1);
	assert_int_equal(helper_listen(&deaf, &port), -1);
	int fd = helper_listen(&helper, &port);
	assert_true(fd >= 0);
	assert_true(port > 0);
	close(fd);
	unsetenv(CONTROL_ENV_LISTEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rank_tells_and_the_first_one_ends_the_unit),
		cmocka_unit_test(a_failure_keeps_what_was_told_before),
		cmocka_unit_test(who_is_not_of_the_job_tells_nothing),
		cmocka_unit_test(it_has_one_case_without_a_size),
		cmocka_unit_test(a_port_is_opened_only_where_it_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
