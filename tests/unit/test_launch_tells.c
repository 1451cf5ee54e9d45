/* What launch makes of a job that tells facts: its message, and when it has ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"

static const char suite_text[] = "{\"schema\":1,\"name\":\"test\",\"benches\":["
                                 "{\"bench\":\"node.peers\",\"groups\":[64]}]}";

/* Three ranks that have come, two of which tell a port. */
struct desk {
	char dir[64];
	struct suite suite;
	struct plan plan;
	struct launch l;
	struct launcher_ops ops;
	struct launch_site site;
	struct step_run r;
	struct hb_err err;
};

static void must(int rc, const struct hb_err *err)
{
	if (rc != HB_OK)
		fail_msg("%s", err->text);
}

static struct desk *desk_new(void)
{
	struct desk *d = hb_alloc(sizeof *d);
	struct plan_params p = { .seed = 5 };
	struct nodeset set = { 0 };
	json_object *o = NULL;

	snprintf(d->dir, sizeof d->dir, "/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(d->dir));
	must(js_parse(suite_text, strlen(suite_text), "test", &o, &d->err), &d->err);
	must(suite_from_json(o, "test", &d->suite, &d->err), &d->err);
	js_put(o);
	must(nodeset_parse("n[1-3]", &set, &d->err), &d->err);
	must(plan_make(&d->suite, &set, "test", &p, &d->plan, &d->err), &d->err);
	nodeset_free(&set);
	d->ops = launcher_sim;
	d->site.ops = &d->ops;
	d->l.p.plan = &d->plan;
	d->l.p.site = &d->site;
	must(launch_log_open(&d->l.log, d->dir, &d->err), &d->err);
	step_run_init(&d->r, &d->l, 0);
	d->r.attempt = 1;
	for (int i = 0; i < 3; i++) {
		char host[8];
		struct ctl_hello h = { .rank = i, .size = 3, .host = host, .local = -1 };

		snprintf(host, sizeof host, "n%d", i + 1);
		h.port = i < 2 ? 4000 + i : 0;
		h.from = i < 2 ? "10.0.0.1" : NULL;
		step_joined(&d->r, i, &h);
	}
	return d;
}

static void desk_end(struct desk *d)
{
	static const char *const names[] = { "samples.jsonl", "journal.jsonl", "records.jsonl" };
	char path[128];

	must(launch_log_close(&d->l.log, &d->err), &d->err);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", d->dir, names[i]);
		unlink(path);
	}
	rmdir(d->dir);
	step_run_free(&d->r);
	free(d->l.where);
	plan_free(&d->plan);
	suite_free(&d->suite);
	free(d);
}

static void say(struct desk *d, int rank, const char *text)
{
	json_object *o = NULL;

	must(js_parse(text, strlen(text), "test", &o, &d->err), &d->err);
	must(step_on_message(&d->r, rank, o, strlen(text), &d->err), &d->err);
	js_put(o);
}

static bool wrote(struct desk *d, const char *text)
{
	struct buf b = BUF_INIT;
	char path[128];
	bool found;

	must(launch_log_flush(&d->l.log, &d->err), &d->err);
	snprintf(path, sizeof path, "%s/records.jsonl", d->dir);
	must(buf_read_file(&b, path, 1 << 20, &d->err), &d->err);
	found = strstr(buf_text(&b), text) != NULL;
	buf_free(&b);
	return found;
}

static void the_message_names_every_rank_with_its_address_and_port(void **state)
{
	struct desk *d = desk_new();
	struct buf text = BUF_INIT;

	(void)state;
	json_object *msg = step_job_message(&d->r, 0);
	js_write(msg, JS_PLAIN, &text);
	assert_non_null(strstr(buf_text(&text), "\"peers\":[[\"n1\",\"10.0.0.1\",4000],"
	                                        "[\"n2\",\"10.0.0.1\",4001],[\"n3\",null,0]]"));
	buf_free(&text);
	js_put(msg);
	desk_end(d);
}

#define END_OK                                                                                     \
	"{\"type\":\"end\",\"step\":1,\"unit\":1,\"attempt\":1,\"phase\":\"main\","                \
	"\"status\":\"ok\",\"reason\":null,\"seconds\":0.1}"
#define DONE(status) "{\"msg\":\"done\",\"job\":1,\"status\":\"" status "\",\"reason\":\"why\"}"

static void the_unit_ends_when_the_last_rank_has_told(void **state)
{
	struct desk *d = desk_new();

	(void)state;
	step_announce_job(&d->r, 0);
	say(d, 0, END_OK);
	say(d, 0, DONE("ok"));
	say(d, 2, DONE("ok"));
	assert_int_equal(d->r.ended[0], 0);
	assert_false(wrote(d, "\"status\":\"ok\""));
	say(d, 1, DONE("ok"));
	assert_int_equal(d->r.ended[0], 1);
	assert_true(wrote(d, "\"status\":\"ok\""));
	desk_end(d);
}

static void one_rank_that_cannot_tell_is_a_loss(void **state)
{
	struct desk *d = desk_new();

	(void)state;
	step_announce_job(&d->r, 0);
	say(d, 0, END_OK);
	say(d, 0, DONE("ok"));
	say(d, 2, DONE("failed"));
	say(d, 1, DONE("ok"));
	assert_true(wrote(d, "\"status\":\"failed\",\"reason\":\"why\""));
	assert_false(wrote(d, "\"status\":\"ok\""));
	desk_end(d);
}

static void a_rank_that_falls_silent_is_a_loss_though_the_first_has_told(void **state)
{
	struct desk *d = desk_new();

	(void)state;
	step_announce_job(&d->r, 0);
	say(d, 0, END_OK);
	say(d, 0, DONE("ok"));
	say(d, 1, DONE("ok"));
	step_rank_lost(&d->r, 2, "it did not answer");
	step_close_jobs(&d->r, UNIT_GIVEN_UP, "over");
	assert_true(wrote(d, "\"status\":\"given-up\""));
	assert_false(wrote(d, "\"status\":\"ok\""));
	desk_end(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_message_names_every_rank_with_its_address_and_port),
		cmocka_unit_test(the_unit_ends_when_the_last_rank_has_told),
		cmocka_unit_test(one_rank_that_cannot_tell_is_a_loss),
		cmocka_unit_test(a_rank_that_falls_silent_is_a_loss_though_the_first_has_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
