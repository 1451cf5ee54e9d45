/* Draining with a scontrol that the test writes itself: what is left alone, and what is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "harness/slurm/slurm.h"

enum { ALARM_S = 50 };

/* ---- words ---- */

static void a_reason_is_one_line_of_plain_characters(void **state)
{
	char out[SLURM_DRAIN_MAX + 1];

	(void)state;
	slurm_drain_reason("r1", "mpi.bandwidth -38 % with all 6 controls", out);
	assert_string_equal(out, "HPCBENCH: r1: mpi.bandwidth -38 % with all 6 controls");
	slurm_drain_reason("r1", "a'b\"c\\d`e$(f)|g;h\n\ti\x1b[0m \xc3\xa9 j", out);
	assert_string_equal(out, "HPCBENCH: r1: a b c d e (f) g h i [0m j");
	char *flood = hb_alloc(5000);
	memset(flood, 'x', 4999);
	slurm_drain_reason("r1", flood, out);
	assert_int_equal(strlen(out), SLURM_DRAIN_MAX);
	free(flood);
}

static void the_command_can_be_pasted_whatever_the_names_hold(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	slurm_drain_words("n20", "HPCBENCH: r1: slow", &b);
	assert_string_equal(buf_text(&b),
	                    "scontrol update nodename=n20 state=drain reason='HPCBENCH: r1: slow'");
	buf_clear(&b);
	slurm_drain_words("n1;reboot", "it's $(reboot)\nreboot", &b);
	assert_string_equal(buf_text(&b), "scontrol update nodename='n1;reboot' state=drain "
	                                  "reason='it'\\''s $(reboot) reboot'");
	buf_clear(&b);
	slurm_drain_words("", "", &b);
	assert_string_equal(buf_text(&b), "scontrol update nodename='' state=drain reason=''");
	buf_free(&b);
}

/* ---- who may be drained ---- */

static bool may(const char *state, const char *reason, char why[SLURM_TEXT_MAX])
{
	char *line = hb_format("NodeName=n1 State=%s%s%s\n", state, *reason ? " Reason=" : "",
	                       reason);
	struct slurm_node *v = NULL;
	size_t n = 0;

	assert_int_equal(slurm_nodes_parse(line, &v, &n, NULL), HB_OK);
	assert_int_equal(n, 1);
	bool yes = slurm_may_drain(&v[0], why);
	free(v);
	free(line);
	return yes;
}

static void only_nodes_in_service_are_drained(void **state)
{
	static const char *const good[] = { "IDLE",
		                            "ALLOCATED",
		                            "MIXED",
		                            "COMPLETING",
		                            "IDLE+PLANNED",
		                            "IDLE+CLOUD",
		                            "ALLOCATED+COMPLETING",
		                            "IDLE+RESERVED",
		                            NULL };
	static const char *const bad[] = { "DOWN",
		                           "DOWN*",
		                           "IDLE*",
		                           "IDLE+DRAIN",
		                           "MIXED+DRAIN",
		                           "DRAINED",
		                           "DRAINING",
		                           "FAIL",
		                           "FAILING",
		                           "IDLE+FAIL",
		                           "MAINT",
		                           "IDLE+MAINT",
		                           "IDLE$",
		                           "UNKNOWN",
		                           "FUTURE",
		                           "POWERED_DOWN",
		                           "IDLE+POWERED_DOWN",
		                           "IDLE+REBOOT_REQUESTED",
		                           "IDLE+SOMETHING_NEW",
		                           "REBOOT_ISSUED",
		                           "IDLE+",
		                           "+",
		                           "idle",
		                           NULL };
	char why[SLURM_TEXT_MAX];

	(void)state;
	for (size_t i = 0; good[i]; i++)
		if (!may(good[i], "", why))
			fail_msg("%s: %s", good[i], why);
	for (size_t i = 0; bad[i]; i++) {
		if (may(bad[i], "", why))
			fail_msg("%s was drained", bad[i]);
		assert_true(strlen(why) > 0);
	}
}

static void a_reason_of_somebody_else_is_never_overwritten(void **state)
{
	char why[SLURM_TEXT_MAX];

	(void)state;
	assert_false(may("IDLE", "bad dimm [root@2026-11-30T04:48:24]", why));
	assert_non_null(strstr(why, "somebody else's reason: bad dimm"));
	assert_false(may("IDLE", "see HPCBENCH: x [root@2026-11-30T04:48:24]", why));
	assert_true(may("IDLE", "HPCBENCH: r0: slow [root@2026-11-30T04:48:24]", why));
	assert_string_equal(why, "");
}

static void a_name_that_stands_for_several_nodes_is_refused(void **state)
{
	static const char *const names[] = { "n[1-9]", "n1,n2", "ALL", "all", "", "n1 n2", NULL };
	char why[SLURM_TEXT_MAX];

	(void)state;
	for (size_t i = 0; names[i]; i++) {
		struct slurm_node n = { .up = true };
		snprintf(n.name, sizeof n.name, "%s", names[i]);
		snprintf(n.state, sizeof n.state, "IDLE");
		assert_false(slurm_may_drain(&n, why));
		/* Nor is anything asked about it. */
		struct slurm_drain d = { .node = names[i], .reason = "HPCBENCH: x" };
		slurm_drain(&d, 1, -1);
		assert_false(d.drained);
		assert_string_equal(d.text, "its name is not that of one node");
	}
}

/* ---- doing it ---- */

struct fake {
	char dir[64];
	char *path; /* PATH as it was */
};

/*
 * A scontrol that keeps a node a file: its state and its reason. "show node" prints them, "update"
 * changes them and writes down what it was told.
 */
static const char scontrol[] =
        "case \"$1 $2 $3\" in\n"
        "'--oneliner show node')\n"
        "  [ -f \"$FAKE/$4\" ] || { echo \"Node $4 not found\" >&2; exit 1; }\n"
        "  echo \"NodeName=$4 $(cat \"$FAKE/$4\")\" ;;\n"
        "update*)\n"
        "  echo \"$#:$1|$2|$3|$4\" >>\"$FAKE/asked\"\n"
        "  [ ! -f \"$FAKE/denied\" ] || { cat \"$FAKE/denied\" >&2; exit 1; }\n"
        "  [ ! -f \"$FAKE/deaf\" ] || exit 0\n"
        "  node=${2#nodename=}; read -r state rest <\"$FAKE/$node\"\n"
        "  echo \"$state+DRAIN Reason=${4#reason=} [root@2026-11-30T04:48:24]\" >\"$FAKE/$node\" "
        ";;\n"
        "*) exit 64 ;;\n"
        "esac\n";

static void put(const struct fake *f, const char *name, const char *text)
{
	char *file = hb_format("%s/%s", f->dir, name);
	FILE *out = fopen(file, "we");

	assert_non_null(out);
	fprintf(out, "%s\n", text);
	assert_int_equal(fclose(out), 0);
	free(file);
}

static void fake_open(struct fake *f)
{
	const char *old = getenv("PATH");

	snprintf(f->dir, sizeof f->dir, "/tmp/test-drain-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->path = hb_strdup(old);
	char *script = hb_format("#!/bin/sh\n%s", scontrol);
	char *file = hb_format("%s/scontrol", f->dir), *path = hb_format("%s:%s", f->dir, old);
	put(f, "scontrol", script);
	assert_int_equal(chmod(file, 0755), 0);
	setenv("PATH", path, 1);
	setenv("FAKE", f->dir, 1);
	free(path);
	free(file);
	free(script);
}

static char *asked(const struct fake *f)
{
	struct buf b = BUF_INIT;
	char *file = hb_format("%s/asked", f->dir);

	if (buf_read_file(&b, file, 4000, NULL) != HB_OK)
		buf_clear(&b);
	free(file);
	char *text = hb_strdup(buf_text(&b));
	buf_free(&b);
	return text;
}

static void fake_close(struct fake *f)
{
	static const char *const files[] = { "scontrol", "asked", "denied", "deaf",
		                             "n1",       "n2",    "n3",     NULL };

	setenv("PATH", f->path, 1);
	for (size_t i = 0; files[i]; i++) {
		char *file = hb_format("%s/%s", f->dir, files[i]);
		unlink(file);
		free(file);
	}
	assert_int_equal(rmdir(f->dir), 0);
	free(f->path);
}

static void rejected_nodes_are_drained_and_others_left_alone(void **state)
{
	struct slurm_drain v[] = { { .node = "n1", .reason = "HPCBENCH: r1: slow" },
		                   { .node = "n2", .reason = "HPCBENCH: r1: slow" },
		                   { .node = "n3", .reason = "HPCBENCH: r1: slow" },
		                   { .node = "n4", .reason = "HPCBENCH: r1: slow" } };
	struct fake f;

	(void)state;
	fake_open(&f);
	put(&f, "n1", "State=ALLOCATED");
	put(&f, "n2", "State=IDLE+DRAIN Reason=bad dimm [root@2026-11-30T04:48:24]");
	put(&f, "n3", "State=IDLE Reason=look at it [root@2026-11-30T04:48:24]");
	slurm_drain(v, 4, -1);
	assert_true(v[0].drained);
	assert_string_equal(v[0].text, "Slurm says ALLOCATED+DRAIN: HPCBENCH: r1: slow");
	assert_false(v[1].drained);
	assert_non_null(strstr(v[1].text, "IDLE+DRAIN and is left as it is: bad dimm"));
	assert_false(v[2].drained);
	assert_non_null(strstr(v[2].text, "somebody else's reason: look at it"));
	assert_false(v[3].drained);
	assert_non_null(strstr(v[3].text, "unknown"));
	char *text = asked(&f);
	assert_string_equal(text, "4:update|nodename=n1|state=drain|reason=HPCBENCH: r1: slow\n");
	free(text);
	fake_close(&f);
}

static void without_the_right_to_drain_slurm_says_so_itself(void **state)
{
	struct slurm_drain d = { .node = "n1", .reason = "HPCBENCH: r1: slow" };
	struct fake f;

	(void)state;
	fake_open(&f);
	put(&f, "n1", "State=IDLE");
	put(&f, "denied", "slurm_update error: Invalid user id");
	slurm_drain(&d, 1, -1);
	assert_false(d.drained);
	assert_string_equal(d.text, "slurm_update error: Invalid user id");
	fake_close(&f);
}

static void a_drain_that_slurm_only_pretends_to_do_is_told(void **state)
{
	struct slurm_drain d = { .node = "n1", .reason = "HPCBENCH: r1: slow" };
	struct fake f;

	(void)state;
	fake_open(&f);
	put(&f, "n1", "State=IDLE");
	put(&f, "deaf", "");
	slurm_drain(&d, 1, -1);
	assert_false(d.drained);
	assert_string_equal(d.text, "Slurm says IDLE");
	fake_close(&f);
}

/* ---- who is idle ---- */

static void idle_nodes_are_those_of_the_partition(void **state)
{
	static const char text[] = "debug|n[1-2]\nbatch*|n[3-5],x7\nempty|\nbad|n[\n";
	struct nodeset set;
	struct hb_err err;

	(void)state;
	assert_int_equal(slurm_idle_parse(text, NULL, &set, &err), HB_OK);
	assert_int_equal(set.n, 4);
	assert_string_equal(set.v[3], "x7");
	nodeset_free(&set);
	assert_int_equal(slurm_idle_parse(text, "debug", &set, &err), HB_OK);
	assert_int_equal(set.n, 2);
	nodeset_free(&set);
	assert_int_equal(slurm_idle_parse(text, "empty", &set, &err), HB_OK);
	assert_int_equal(set.n, 0);
	assert_int_equal(slurm_idle_parse(text, "none", &set, &err), HB_OK);
	assert_int_equal(set.n, 0);
	assert_int_equal(slurm_idle_parse(text, "bad", &set, &err), HB_E_FORMAT);
	assert_non_null(strstr(err.text, "sinfo"));
	assert_int_equal(slurm_idle_parse("n1\n", NULL, &set, &err), HB_OK);
	assert_int_equal(set.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_one_line_of_plain_characters),
		cmocka_unit_test(the_command_can_be_pasted_whatever_the_names_hold),
		cmocka_unit_test(only_nodes_in_service_are_drained),
		cmocka_unit_test(a_reason_of_somebody_else_is_never_overwritten),
		cmocka_unit_test(a_name_that_stands_for_several_nodes_is_refused),
		cmocka_unit_test(rejected_nodes_are_drained_and_others_left_alone),
		cmocka_unit_test(without_the_right_to_drain_slurm_says_so_itself),
		cmocka_unit_test(a_drain_that_slurm_only_pretends_to_do_is_told),
		cmocka_unit_test(idle_nodes_are_those_of_the_partition),
	};

	alarm(ALARM_S);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
