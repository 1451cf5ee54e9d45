/*
 * Launchers that number ranks their own way and can do without a node: the simulator is started
 * with the nodes in another order, and fewer of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "launch_bed.h"

/* The nodes that are left, the last one first. */
static int backwards(const struct launch_what *w, struct launch_command *c, struct hb_err *err)
{
	struct buf list = BUF_INIT;
	char *path;
	int rc = launch_helper_path(NULL, "sim", &path, err);

	if (rc != HB_OK)
		return rc;
	for (int i = w->step->n_ranks - 1; i >= 0; i--)
		if (!w->left_out[i])
			buf_printf(&list, "%s%s", list.len ? "," : "",
			           w->plan->nodes.v[w->step->rank_node[i]]);
	launch_command_arg(c, "%s", path);
	launch_command_arg(c, "--model");
	launch_command_arg(c, "%s", w->site->arg);
	launch_command_arg(c, "--nodes");
	launch_command_arg(c, "%s", buf_text(&list));
	launch_command_arg(c, "--seed");
	launch_command_arg(c, "1");
	launch_command_arg(c, "--die-together");
	buf_free(&list);
	free(path);
	return HB_OK;
}

static void blame_n3(const char *text, struct launch_cause *out)
{
	(void)text;
	*out = (struct launch_cause){ .name = "program", .again = true };
	snprintf(out->node, sizeof out->node, "n3");
	snprintf(out->text, sizeof out->text, "task 2 on n3 was killed");
}

static void cancelled(const char *text, struct launch_cause *out)
{
	(void)text;
	*out = (struct launch_cause){ .name = "cancelled" };
	snprintf(out->text, sizeof out->text, "somebody cancelled it");
}

static int n2_is_down(struct launch_site *s, const struct plan *plan, char **reason,
                      struct hb_err *err)
{
	(void)s;
	(void)err;
	reason[nodeset_find(&plan->nodes, "n2")] = hb_strdup("Slurm says DOWN");
	return HB_OK;
}

static int all_are_down(struct launch_site *s, const struct plan *plan, char **reason,
                        struct hb_err *err)
{
	(void)s;
	(void)err;
	for (size_t i = 0; i < plan->nodes.n; i++)
		reason[i] = hb_strdup("Slurm says DOWN");
	return HB_OK;
}

#define OPS      .name = "back", .summary = "", .arg = "FILE", .leaves_out = true, .command = backwards
#define PATIENCE .connect_ms = 20000, .straggle_ms = 20000, .slack_ms = 20000
static const struct launcher_ops ops_back = { OPS, PATIENCE },
                                 ops_blames = { OPS, .explain = blame_n3, PATIENCE },
                                 ops_cancelled = { OPS, .explain = cancelled, PATIENCE },
                                 ops_down = { OPS, .look = n2_is_down, PATIENCE },
                                 ops_all_down = { OPS, .look = all_are_down, PATIENCE };

static const char n3_dies[] = "{\"kind\":\"dead-node\",\"node\":\"n3\",\"after\":1}";
/* Each of four nodes has three pairs of two sizes. */
enum { OF_A_NODE = 3 * 2 };

static void figures_belong_to_the_nodes_that_made_them(void **state)
{
	struct bed *b = run_sim(&ops_back, "{\"kind\":\"slow-link\",\"a\":\"n1\",\"b\":\"n2\","
	                                   "\"factor\":1000}");
	const char *at = buf_text(&b->records);
	size_t slow = 0;

	(void)state;
	assert_int_equal(b->status, STEP_DONE);
	assert_all_ended(b);
	assert_int_equal(ends(b, "ok"), UNITS);
	while (*at) {
		size_t len = strcspn(at, "\n");
		char *line = hb_strndup(at, len);
		const char *p50 = strstr(line, "\"p50\":");
		if (strstr(line, "\"type\":\"pair\"") && p50 && strtod(p50 + 6, NULL) > 100000) {
			slow++;
			assert_non_null(strstr(line, "\"n1\""));
			assert_non_null(strstr(line, "\"n2\""));
		}
		free(line);
		at += len + (at[len] == '\n');
	}
	assert_int_equal(slow, 2);
	bed_free(b);
}

static void the_node_that_the_launcher_blames_is_left_out_of_the_relaunch(void **state)
{
	/* Everybody dies 0.2 s after n3, in the middle of what they measure. */
	struct bed *b = run_slowly(&ops_blames, n3_dies, 500);

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(count(&b->journal, "step-start", NULL, NULL), 2);
	assert_int_equal(count(&b->journal, "\"connected\"", "\"attempt\":2", NULL), 3);
	assert_int_equal(count(&b->journal, "\"connected\"", "\"attempt\":2", "\"n3\""), 0);
	assert_int_equal(count(&b->journal, "step-end", "\"cause\":\"program\"", "\"node\":\"n3\""),
	                 1);
	/* Its first job is done; everything without it is, too. */
	assert_int_equal(ends(b, "ok"), UNITS - OF_A_NODE + 2);
	assert_int_equal(ends(b, "given-up") + ends(b, "timeout"), OF_A_NODE - 2);
	bed_free(b);
}

static void a_step_that_somebody_cancelled_is_not_started_again(void **state)
{
	struct bed *b = run_slowly(&ops_cancelled, n3_dies, 500);

	(void)state;
	assert_int_equal(count(&b->journal, "step-start", NULL, NULL), 1);
	assert_int_equal(count(&b->journal, "step-end", "\"cause\":\"cancelled\"", NULL), 1);
	assert_string_equal(b->reason, "somebody cancelled it");
	assert_all_ended(b);
	bed_free(b);
}

static void a_node_that_is_down_is_never_started(void **state)
{
	struct bed *b = run_sim(&ops_down, "");

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(count(&b->journal, "\"connected\"", NULL, NULL), 3);
	assert_int_equal(ends(b, "ok"), UNITS - OF_A_NODE);
	assert_int_equal(count(&b->records, "\"given-up\"", "Slurm says DOWN", NULL), OF_A_NODE);
	bed_free(b);
}

static void where_all_nodes_are_down_nothing_is_started(void **state)
{
	struct bed *b = run_sim(&ops_all_down, "");

	(void)state;
	assert_int_equal(b->status, STEP_PARTIAL);
	assert_all_ended(b);
	assert_int_equal(count(&b->journal, "step-start", NULL, NULL), 0);
	assert_int_equal(ends(b, "ok"), 0);
	bed_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_belong_to_the_nodes_that_made_them),
		cmocka_unit_test(the_node_that_the_launcher_blames_is_left_out_of_the_relaunch),
		cmocka_unit_test(a_step_that_somebody_cancelled_is_not_started_again),
		cmocka_unit_test(a_node_that_is_down_is_never_started),
		cmocka_unit_test(where_all_nodes_are_down_nothing_is_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
