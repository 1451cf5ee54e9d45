/* What nodes tell of themselves on its way to the records: each distinct fact once, and by whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "desk.h"

#define TAIL ",\"step\":1,\"attempt\":2"

static size_t lines_with(const char *text, const char *one, const char *two)
{
	size_t n = 0;

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, "\n");
		char *line = hb_strndup(at, len);

		n += strstr(line, one) && strstr(line, two);
		assert_true(len <= RECORD_MAX);
		free(line);
		at += len + (at[len] == '\n');
	}
	return n;
}

static int say_fact(struct desk *d, int rank, const char *device, const char *key,
                    const char *value)
{
	char *text = hb_format("{\"msg\":\"facts\",\"v\":[[\"%s\",\"%s\",%s,\"seen\"]]}", device,
	                       key, value);
	int rc = say(d, rank, text);

	free(text);
	return rc;
}

static void the_first_who_tells_a_fact_is_written_and_in_the_end_who_else(void **state)
{
	struct desk *d = desk_new("n[1-4]");
	char *got;

	(void)state;
	must(say_fact(d, 1, "eth0", "net.mtu", "\"9000\""), &d->err);
	must(say_fact(d, 0, "eth0", "net.mtu", "\"9000\""), &d->err);
	must(say_fact(d, 3, "eth0", "net.mtu", "\"1500\""), &d->err);
	must(say_fact(d, 2, "eth0", "net.mtu", "\"9000\""), &d->err);
	/* Says it twice, and so does who was first. */
	must(say_fact(d, 0, "eth0", "net.mtu", "\"9000\""), &d->err);
	must(say_fact(d, 1, "eth0", "net.mtu", "\"9000\""), &d->err);
	step_facts_finish(&d->r);
	/* Nothing is told twice. */
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_string_equal(got, "{\"type\":\"fact\",\"endpoint\":\"n2/eth0\",\"key\":\"net.mtu\","
	                         "\"value\":\"9000\",\"source\":\"seen\"" TAIL "}\n"
	                         "{\"type\":\"fact\",\"endpoint\":\"n4/eth0\",\"key\":\"net.mtu\","
	                         "\"value\":\"1500\",\"source\":\"seen\"" TAIL "}\n"
	                         "{\"type\":\"fact\",\"endpoint\":\"n2/eth0\",\"key\":\"net.mtu\","
	                         "\"value\":\"9000\",\"source\":\"seen\"" TAIL
	                         ",\"also\":\"n[1,3]\"}\n");
	free(got);
}

static void what_could_not_be_had_is_no_value_and_not_an_empty_one(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	must(say_fact(d, 0, "", "sw.nvidia", "null"), &d->err);
	must(say_fact(d, 1, "", "sw.nvidia", "\"\""), &d->err);
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_int_equal(lines_with(got, "\"endpoint\":\"n1\"", "\"value\":null"), 1);
	assert_int_equal(lines_with(got, "\"endpoint\":\"n2\"", "\"value\":\"\""), 1);
	assert_int_equal(lines_with(got, "also", ""), 0);
	free(got);
}

static void the_parts_of_a_fact_are_not_mixed_up(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	must(say_fact(d, 0, "a", "bc", "\"d\""), &d->err);
	must(say_fact(d, 1, "ab", "c", "\"d\""), &d->err);
	must(say_fact(d, 1, "a", "b", "\"cd\""), &d->err);
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_int_equal(lines_with(got, "\"type\":\"fact\"", ""), 3);
	assert_int_equal(lines_with(got, "also", ""), 0);
	free(got);
}

static void what_each_node_has_for_itself_is_written_as_it_comes(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	must(say_fact(d, 0, "eth0", "net.mac", "\"02:00\""), &d->err);
	must(say_fact(d, 1, "eth0", "net.mac", "\"02:00\""), &d->err);
	must(say_fact(d, 0, "eth0", "net.addresses", "null"), &d->err);
	must(say_fact(d, 1, "eth0", "net.addresses", "null"), &d->err);
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_int_equal(lines_with(got, "net.mac", ""), 2);
	assert_int_equal(lines_with(got, "net.addresses", "\"also\":\"n2\""), 1);
	free(got);
}

static void a_rank_tells_of_its_own_node_alone(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	must(say(d, 1,
	         "{\"type\":\"fact\",\"endpoint\":\"n1/fs:/home\",\"key\":\"fs.type\","
	         "\"value\":\"nfs4\",\"source\":\"mountinfo\"}"),
	     &d->err);
	must(say(d, 1,
	         "{\"type\":\"counter\",\"endpoint\":\"n1/eth0\",\"name\":\"rx_bytes\","
	         "\"before\":1,\"after\":18446744073709551615,\"width\":64,\"more\":1}"),
	     &d->err);
	got = desk_end(d);
	assert_string_equal(got,
	                    "{\"type\":\"fact\",\"endpoint\":\"n2/fs:/home\",\"key\":\"fs.type\","
	                    "\"value\":\"nfs4\",\"source\":\"mountinfo\"" TAIL "}\n"
	                    "{\"type\":\"counter\",\"endpoint\":\"n2/eth0\",\"name\":\"rx_bytes\","
	                    "\"before\":1,\"after\":18446744073709551615,\"width\":64" TAIL "}\n");
	free(got);
}

static void what_is_no_fact_or_counter_is_refused(void **state)
{
	static const char *const wrong[] = {
		"{\"msg\":\"facts\"}",
		"{\"msg\":\"facts\",\"v\":{}}",
		"{\"msg\":\"facts\",\"v\":[1]}",
		"{\"msg\":\"facts\",\"v\":[[\"\",\"k\",\"v\"]]}",
		"{\"msg\":\"facts\",\"v\":[[\"\",\"\",\"v\",\"s\"]]}",
		"{\"msg\":\"facts\",\"v\":[[\"\",\"k\",1,\"s\"]]}",
		"{\"msg\":\"facts\",\"v\":[[null,\"k\",\"v\",\"s\"]]}",
		"{\"msg\":\"facts\",\"v\":[[\"\",\"k\",\"v\",null]]}",
		"{\"msg\":\"facts\",\"about\":1,\"v\":[]}",
		"{\"type\":\"fact\",\"value\":\"v\"}",
		"{\"type\":\"fact\",\"key\":\"\"}",
		"{\"type\":\"fact\",\"key\":\"k\",\"value\":1}",
		"{\"type\":\"counter\",\"endpoint\":\"n1\",\"name\":\"x\",\"before\":1}",
		"{\"type\":\"counter\",\"endpoint\":\"n1\",\"name\":\"\",\"before\":1,\"after\":2}",
		"{\"type\":\"counter\",\"endpoint\":\"n1\",\"name\":\"x\",\"before\":-1,\"after\":"
		"2}",
		"{\"type\":\"counter\",\"endpoint\":\"n1\",\"name\":\"x\",\"before\":1,\"after\":2,"
		"\"width\":65}",
	};
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (say(d, 0, wrong[i]) != HB_E_FORMAT)
			fail_msg("taken: %s", wrong[i]);
	got = desk_end(d);
	assert_string_equal(got, "");
	free(got);
}

static void what_cannot_be_shown_is_made_fit_and_what_is_long_is_cut(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	struct buf long_value = BUF_INIT;
	char *got;

	(void)state;
	must(say_fact(d, 0, "my disk", "env.A B\\u00e9", "\"a\\u001b[31m\\nb\""), &d->err);
	buf_putc(&long_value, '"');
	for (int i = 0; i < 1900; i++)
		buf_puts(&long_value, "\\\\");
	buf_putc(&long_value, '"');
	for (int i = 0; i < 2; i++)
		must(say_fact(d, i, "eth0", "sw.long", buf_text(&long_value)), &d->err);
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_int_equal(lines_with(got, "n1/my disk", "\"env.A?B??\",\"value\":\"a?[31m?b\""), 1);
	assert_int_equal(lines_with(got, "sw.long", ""), 2);
	assert_int_equal(lines_with(got, "sw.long", "\"also\":\"n2\""), 1);
	buf_free(&long_value);
	free(got);
}

static void nodes_that_do_not_fold_are_told_in_pieces(void **state)
{
	enum { NODES = 200 };
	struct buf nodes = BUF_INIT;
	struct nodeset told = { 0 };
	struct desk *d;
	char *got;

	(void)state;
	for (int i = 0; i < NODES; i++)
		buf_printf(&nodes, "%sa-rather-long-name-of-%dx%d", i ? "," : "", i * 7, i % 3);
	d = desk_new(buf_text(&nodes));
	for (int i = 0; i < NODES; i++)
		must(say_fact(d, i, "", "sw.os", "\"Debian\""), &d->err);
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_true(lines_with(got, "\"sw.os\"", "\"also\"") > 1);
	for (const char *at = got; (at = strstr(at, "\"also\":\"")) != NULL;) {
		char *list;

		at += strlen("\"also\":\"");
		list = hb_strndup(at, strcspn(at, "\""));
		struct nodeset some = { 0 };
		struct hb_err err;
		must(nodeset_parse(list, &some, &err), &err);
		for (size_t i = 0; i < some.n; i++)
			must(nodeset_add(&told, some.v[i], &err), &err); /* each once */
		nodeset_free(&some);
		free(list);
	}
	assert_int_equal(told.n, NODES - 1);
	nodeset_free(&told);
	buf_free(&nodes);
	free(got);
}

static void a_rank_cannot_tell_without_end(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	struct buf text = BUF_INIT;
	int rc = HB_OK, n = 0;

	(void)state;
	buf_puts(&text, "{\"msg\":\"facts\",\"v\":[");
	for (int i = 0; i < 4000; i++)
		buf_printf(&text, "%s[\"\",\"k\",\"v\",\"s\"]", i ? "," : "");
	buf_puts(&text, "]}");
	while (rc == HB_OK && n++ < 100)
		rc = say(d, 0, buf_text(&text));
	assert_int_equal(rc, HB_E_FORMAT);
	assert_int_equal(n, 17);
	/* The others are heard, and so is it in another attempt. */
	must(say_fact(d, 1, "", "k", "\"v\""), &d->err);
	d->r.attempt = 3;
	must(say_fact(d, 0, "", "k", "\"v\""), &d->err);
	buf_free(&text);
	free(desk_end(d));
}

static struct ctl_wish wish(struct desk *d, const char *host)
{
	const struct ctl_hello h = { .host = host, .local = -1, .bound_s = -1, .address = "" };
	struct ctl_wish w = { false, -1 };

	step_wish(&d->r, &h, &w);
	return w;
}

static void the_first_of_a_node_is_asked_and_for_its_node_until_that_was_told(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	struct ctl_wish w;

	(void)state;
	assert_true(step_facts_wanted(&d->r));
	w = wish(d, "n1");
	assert_true(w.facts && w.first == 1);
	w = wish(d, "n1");
	assert_true(!w.facts && w.first == 0);
	w = wish(d, "n2");
	assert_true(w.facts && w.first == 1);
	/* Nobody knows whom it means. */
	w = wish(d, "elsewhere");
	assert_true(w.facts && w.first == -1);
	must(say(d, 0, "{\"msg\":\"facts\",\"about\":\"node\",\"v\":[]}"), &d->err);
	must(say(d, 1, "{\"msg\":\"facts\",\"about\":\"step\",\"v\":[]}"), &d->err);
	assert_true(step_facts_wanted(&d->r));
	d->r.attempt++;
	w = wish(d, "n1");
	assert_true(!w.facts && w.first == 1);
	w = wish(d, "n2");
	assert_true(w.facts && w.first == 1);
	must(say(d, 1, "{\"msg\":\"facts\",\"about\":\"node\",\"v\":[]}"), &d->err);
	assert_false(step_facts_wanted(&d->r));
	free(desk_end(d));
}

static void join(struct desk *d, int seat, double offset_s, double bound_s, const char *address)
{
	const struct ctl_hello h = {
		.host = "n", .offset_s = offset_s, .bound_s = bound_s, .address = address
	};

	step_fact_joined(&d->r, seat, &h);
}

static void a_clock_is_told_when_it_is_known_much_better(void **state)
{
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	join(d, 0, 0, -1, "");
	join(d, 0, -2.0000004, 0.25, "10.0.0.1");
	join(d, 1, -2.0000004, 0.25, "10.0.0.2");
	join(d, 0, -2.1, 0.2, "10.0.0.1");
	join(d, 0, -2.01, 0.05, "10.0.0.9");
	join(d, 1, 1e-7, 0.001, "10.0.0.2");
	step_facts_finish(&d->r);
	got = desk_end(d);
	assert_int_equal(lines_with(got, "\"key\":\"time.offset_s\"", "\"endpoint\":\"n1\""), 2);
	/* The same of two nodes is told of each: the better one comes behind it. */
	assert_int_equal(lines_with(got, "also", ""), 0);
	assert_int_equal(lines_with(got, "time.offset_s", "\"value\":\"-2.000000\""), 2);
	assert_int_equal(lines_with(got, "time.offset_bound_s", "\"value\":\"0.250000\""), 2);
	assert_int_equal(lines_with(got, "time.offset_s", "\"value\":\"-2.010000\""), 1);
	assert_int_equal(lines_with(got, "time.offset_s", "\"value\":\"0.000000\""), 1);
	assert_int_equal(lines_with(got, "node.address", ""), 2);
	assert_int_equal(lines_with(got, "node.address", "10.0.0.9"), 0);
	free(got);
}

/* What a resource manager says of the second node. */
static int manager_says(struct launch_site *s, const struct nodeset *nodes, launch_fact_fn *tell,
                        void *ctx, struct hb_err *err)
{
	(void)s;
	(void)err;
	assert_int_equal(nodes->n, 2);
	tell(ctx, 1, "slurm.state", "IDLE+DRAIN", "scontrol show node");
	return HB_OK;
}

static int manager_fails(struct launch_site *s, const struct nodeset *nodes, launch_fact_fn *tell,
                         void *ctx, struct hb_err *err)
{
	(void)s;
	(void)nodes;
	(void)tell;
	(void)ctx;
	return hb_fail(err, HB_E_TIMEOUT, "scontrol: no answer");
}

static void the_resource_manager_is_asked_once_and_may_fail(void **state)
{
	static const struct launcher_ops says = { .name = "a", .facts = manager_says },
	                                 fails = { .name = "b", .facts = manager_fails };
	struct desk *d = desk_new("n[1-2]");
	char *got;

	(void)state;
	d->site.ops = &says;
	step_facts_manager(&d->r);
	step_facts_manager(&d->r);
	got = desk_end(d);
	assert_string_equal(got, "{\"type\":\"fact\",\"endpoint\":\"n2\",\"key\":\"slurm.state\","
	                         "\"value\":\"IDLE+DRAIN\",\"source\":\"scontrol show node\"" TAIL
	                         "}\n");
	free(got);
	d = desk_new("n[1-2]");
	d->site.ops = &fails;
	step_facts_manager(&d->r);
	step_facts_manager(&d->r);
	got = desk_end(d);
	assert_int_equal(lines_with(got, "\"code\":\"no-manager-facts\"", "no answer"), 1);
	assert_int_equal(lines_with(got, "\"type\"", ""), 1);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_who_tells_a_fact_is_written_and_in_the_end_who_else),
		cmocka_unit_test(what_could_not_be_had_is_no_value_and_not_an_empty_one),
		cmocka_unit_test(the_parts_of_a_fact_are_not_mixed_up),
		cmocka_unit_test(what_each_node_has_for_itself_is_written_as_it_comes),
		cmocka_unit_test(a_rank_tells_of_its_own_node_alone),
		cmocka_unit_test(what_is_no_fact_or_counter_is_refused),
		cmocka_unit_test(what_cannot_be_shown_is_made_fit_and_what_is_long_is_cut),
		cmocka_unit_test(nodes_that_do_not_fold_are_told_in_pieces),
		cmocka_unit_test(a_rank_cannot_tell_without_end),
		cmocka_unit_test(the_first_of_a_node_is_asked_and_for_its_node_until_that_was_told),
		cmocka_unit_test(a_clock_is_told_when_it_is_known_much_better),
		cmocka_unit_test(the_resource_manager_is_asked_once_and_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
