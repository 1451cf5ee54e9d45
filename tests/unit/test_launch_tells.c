/* What launch makes of a job that tells facts: its message, and when it has ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "desk.h"

static const char suite_text[] = "{\"schema\":1,\"name\":\"test\",\"benches\":["
                                 "{\"bench\":\"node.peers\",\"groups\":[64]}]}";

/* Three ranks that have come, two of which tell a port. */
static struct desk *three_here(void)
{
	struct desk *d = desk_open(suite_text, "n[1-3]");

	d->site.ops = &launcher_sim;
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

static void says(struct desk *d, int rank, const char *text)
{
	must(say(d, rank, text), &d->err);
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
	struct desk *d = three_here();
	struct buf text = BUF_INIT;

	(void)state;
	json_object *msg = step_job_message(&d->r, 0);
	js_write(msg, JS_PLAIN, &text);
	assert_non_null(strstr(buf_text(&text), "\"peers\":[[\"n1\",\"10.0.0.1\",4000],"
	                                        "[\"n2\",\"10.0.0.1\",4001],[\"n3\",null,0]]"));
	buf_free(&text);
	js_put(msg);
	free(desk_end(d));
}

#define END_OK                                                                                     \
	"{\"type\":\"end\",\"step\":1,\"unit\":1,\"attempt\":1,\"phase\":\"main\","                \
	"\"status\":\"ok\",\"reason\":null,\"seconds\":0.1}"
#define DONE(status) "{\"msg\":\"done\",\"job\":1,\"status\":\"" status "\",\"reason\":\"why\"}"

static void the_unit_ends_when_the_last_rank_has_told(void **state)
{
	struct desk *d = three_here();

	(void)state;
	step_announce_job(&d->r, 0);
	says(d, 0, END_OK);
	says(d, 0, DONE("ok"));
	says(d, 2, DONE("ok"));
	assert_int_equal(d->r.ended[0], 0);
	assert_false(wrote(d, "\"status\":\"ok\""));
	says(d, 1, DONE("ok"));
	assert_int_equal(d->r.ended[0], 1);
	assert_true(wrote(d, "\"status\":\"ok\""));
	free(desk_end(d));
}

static void one_rank_that_cannot_tell_is_a_loss(void **state)
{
	struct desk *d = three_here();

	(void)state;
	step_announce_job(&d->r, 0);
	says(d, 0, END_OK);
	says(d, 0, DONE("ok"));
	says(d, 2, DONE("failed"));
	says(d, 1, DONE("ok"));
	assert_true(wrote(d, "\"status\":\"failed\",\"reason\":\"why\""));
	assert_false(wrote(d, "\"status\":\"ok\""));
	free(desk_end(d));
}

static void a_rank_that_falls_silent_is_a_loss_though_the_first_has_told(void **state)
{
	struct desk *d = three_here();

	(void)state;
	step_announce_job(&d->r, 0);
	says(d, 0, END_OK);
	says(d, 0, DONE("ok"));
	says(d, 1, DONE("ok"));
	step_rank_lost(&d->r, 2, "it did not answer");
	step_close_jobs(&d->r, UNIT_GIVEN_UP, "over");
	assert_true(wrote(d, "\"status\":\"given-up\""));
	assert_false(wrote(d, "\"status\":\"ok\""));
	free(desk_end(d));
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
