/* Topologies from Slurm's words and from JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/topo/topo.h"

static int from_slurm(const char *text, struct topo *t, struct hb_err *err)
{
	*err = (struct hb_err){ HB_OK, "" };
	return topo_from_slurm(text, strlen(text), "t", t, err);
}

static int from_json(const char *text, struct topo *t, struct hb_err *err)
{
	json_object *o = NULL;
	*err = (struct hb_err){ HB_OK, "" };
	assert_int_equal(js_parse(text, strlen(text), "j", &o, err), HB_OK);
	int rc = topo_from_json(o, "j", t, err);
	js_put(o);
	return rc;
}

static void check_leaf(const struct topo *t, size_t i, const char *name, const char *nodes)
{
	struct buf b = BUF_INIT;
	assert_true(i < t->n_leaves);
	assert_string_equal(t->leaves[i].name, name);
	nodeset_format(&t->leaves[i].nodes, &b);
	assert_string_equal(buf_text(&b), nodes);
	buf_free(&b);
}

static void a_configuration_file_is_read_with_all_its_liberties(void **state)
{
	static const char text[] = "# the machine room\n"
	                           "SwitchName=sw1 Nodes=n[1-4] LinkSpeed=100 # left\r\n"
	                           "\n"
	                           "  switchname=sw2\tNODES=n[5-6],\\\n"
	                           "\n"
	                           "SwitchName=sw3 \\\n"
	                           "  Nodes=m1\n"
	                           "SwitchName=spine Switches=sw[1-3]\n"
	                           "BlockName=b1 Nodes=x[1-3]\n";
	struct topo t;
	struct hb_err err;
	(void)state;
	/* A comma before the break: the list ends there, which is no list. */
	assert_int_equal(from_slurm(text, &t, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "t:4"));
	char *fixed = strdup(text);
	memcpy(strstr(fixed, "n[5-6],"), "n[5-6] ", 7);
	assert_int_equal(from_slurm(fixed, &t, &err), HB_OK);
	free(fixed);
	assert_int_equal(t.n_leaves, 3);
	assert_int_equal(t.routing, TOPO_UNKNOWN);
	check_leaf(&t, 0, "sw1", "n[1-4]");
	check_leaf(&t, 1, "sw2", "n[5-6]");
	check_leaf(&t, 2, "sw3", "m1");
	assert_int_equal(topo_leaf_of(&t, "n6"), 1);
	assert_int_equal(topo_leaf_of(&t, "x1"), TOPO_NO_LEAF);
	topo_free(&t);
}

static void what_scontrol_prints_has_its_leaves_at_the_bottom(void **state)
{
	static const char text[] =
	        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-2] \n"
	        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[3-4] \n"
	        "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[0-1] \n";
	struct topo t;
	struct hb_err err;
	(void)state;
	assert_int_equal(from_slurm(text, &t, &err), HB_OK);
	assert_int_equal(t.n_leaves, 2);
	check_leaf(&t, 0, "s0", "n[1-2]");
	topo_free(&t);
	assert_int_equal(from_slurm("", &t, &err), HB_OK);
	assert_int_equal(t.n_leaves, 0);
	topo_free(&t);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
	static const struct {
		const char *text, *words;
	} v[] = {
		{ "SwitchName=a Nodes=n[1-\n", "t:1" },
		{ "\nSwitchName=a Nodes=n[1-2]\nSwitchName=b/c Nodes=n3\n", "t:3" },
		{ "SwitchName=a Nodes=\n", "Nodes has no value" },
		{ "SwitchName=a Nodes=n1 Nodes=n2\n", "stands twice" },
		{ "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "switch a stands twice" },
		{ "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[3-4]\n", "n3 hangs on two" },
		{ "include /etc/more.conf\n", "includes are not followed" },
		{ "SwitchName=a Nodes=n[1-40000]\nSwitchName=b Nodes=m[1-40000]\n", "more than" },
	};
	struct topo t;
	struct hb_err err;
	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		assert_int_equal(from_slurm(v[i].text, &t, &err), HB_E_FORMAT);
		if (!strstr(err.text, v[i].words))
			fail_msg("'%s' does not say '%s'", err.text, v[i].words);
	}
}

static void json_has_routing_and_levels(void **state)
{
	struct topo t, again;
	struct hb_err err;
	(void)state;
	assert_int_equal(
	        from_json("{\"schema\":1,\"routing\":\"static\",\"leaves\":{\"sw1\":\"n[1-8]\","
	                  "\"sw2\":\"n[9-16]\"},\"levels\":[{\"name\":\"top\",\"of\":[\"mid\"]},"
	                  "{\"name\":\"mid\",\"of\":[\"sw1\",\"sw2\"]}]}",
	                  &t, &err),
	        HB_OK);
	assert_int_equal(t.routing, TOPO_STATIC);
	check_leaf(&t, 1, "sw2", "n[9-16]");
	json_object *o = topo_to_json(&t);
	assert_int_equal(topo_from_json(o, "other", &again, &err), HB_OK);
	js_put(o);
	assert_string_equal(again.source, "j");
	assert_int_equal(again.routing, TOPO_STATIC);
	check_leaf(&again, 0, "sw1", "n[1-8]");
	topo_free(&again);

	struct nodeset some = { 0 };
	assert_int_equal(nodeset_parse("n[9,3,20]", &some, &err), HB_OK);
	topo_restrict(&t, &some, &again);
	assert_int_equal(again.n_leaves, 2);
	check_leaf(&again, 0, "sw1", "n3");
	check_leaf(&again, 1, "sw2", "n9");
	size_t leaf[3];
	topo_leaves(&again, &some, leaf);
	assert_int_equal(leaf[0], 1);
	assert_int_equal(leaf[1], 0);
	assert_int_equal(leaf[2], TOPO_NO_LEAF);
	nodeset_free(&some);
	topo_free(&again);
	topo_free(&t);
}

static void json_that_is_wrong_is_refused(void **state)
{
	static const char *const v[] = {
		"{}",
		"{\"schema\":1}",
		"{\"schema\":2,\"leaves\":{}}",
		"{\"schema\":1,\"leaves\":{\"a\":3}}",
		"{\"schema\":1,\"leaves\":{\"a\":\"n[1-\"}}",
		"{\"schema\":1,\"leaves\":{\"a b\":\"n1\"}}",
		"{\"schema\":1,\"leaves\":{\"a\":\"n1\",\"b\":\"n1\"}}",
		"{\"schema\":1,\"routing\":\"round\",\"leaves\":{\"a\":\"n1\"}}",
		"{\"schema\":1,\"leaves\":{\"a\":\"n1\"},\"levels\":[{\"name\":\"s\",\"of\":[\"x\"]"
		"}]}",
		"{\"schema\":1,\"leaves\":{\"a\":\"n1\"},\"levels\":[{\"name\":\"a\",\"of\":[]}]}",
		"{\"schema\":1,\"leaves\":{\"a\":\"n1\"},\"levels\":[7]}",
	};
	struct topo t;
	struct hb_err err;
	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		if (from_json(v[i], &t, &err) != HB_E_FORMAT || strncmp(err.text, "j: $", 4) != 0)
			fail_msg("%s gives '%s'", v[i], err.text);
}

static void words_of_the_option_that_mean_nothing_are_refused(void **state)
{
	struct nodeset nodes = { 0 };
	struct topo t;
	struct hb_err err = { HB_OK, "" };
	char *note;
	(void)state;
	assert_int_equal(topo_choose("none", true, &nodes, -1, &t, &note, &err), HB_OK);
	assert_int_equal(t.n_leaves, 0);
	assert_int_equal(topo_choose("", true, &nodes, -1, &t, &note, &err), HB_E_USAGE);
	assert_int_equal(topo_choose("/no/such/file", false, &nodes, -1, &t, &note, &err), HB_E_IO);
	assert_non_null(strstr(err.text, "--topology"));
}

static void a_file_that_knows_none_of_the_nodes_is_refused(void **state)
{
	struct nodeset nodes = { 0 };
	struct topo t;
	struct hb_err err = { HB_OK, "" };
	char *note, path[] = "/tmp/hpcbench-topo-XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "SwitchName=s1 Nodes=x[1-4]\n") > 0);
	close(fd);
	assert_int_equal(nodeset_parse("n[1-4]", &nodes, &err), HB_OK);
	assert_int_equal(topo_choose(path, false, &nodes, -1, &t, &note, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "none of the nodes stands in it"));
	nodeset_free(&nodes);
	assert_int_equal(nodeset_parse("n1,x2", &nodes, &err), HB_OK);
	assert_int_equal(topo_choose(path, false, &nodes, -1, &t, &note, &err), HB_OK);
	assert_int_equal(t.n_leaves, 1);
	topo_free(&t);
	nodeset_free(&nodes);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_configuration_file_is_read_with_all_its_liberties),
		cmocka_unit_test(what_scontrol_prints_has_its_leaves_at_the_bottom),
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(json_has_routing_and_levels),
		cmocka_unit_test(json_that_is_wrong_is_refused),
		cmocka_unit_test(words_of_the_option_that_mean_nothing_are_refused),
		cmocka_unit_test(a_file_that_knows_none_of_the_nodes_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
