/* What Slurm's commands say: every reader gets the text, and all that is kept of it can be shown.
 */
#include "harness/slurm/slurm.h"
#include "tests/fuzz/fuzz.h"

static void check_shown(const char *text, size_t room)
{
	FUZZ_CHECK(strnlen(text, room) < room);
	fuzz_check_clean(text, strlen(text), false);
}

static void check_fact(void *ctx, const char *key, const char *value)
{
	(void)ctx;
	FUZZ_CHECK(strncmp(key, "slurm.", 6) == 0 && *value);
	check_shown(value, SLURM_TEXT_MAX);
}

static void check_nodes(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	struct slurm_node *nodes = NULL;
	size_t n = 0;

	if (!fuzz_ok(slurm_nodes_parse(text, &nodes, &n, &err), &err))
		return;
	for (size_t i = 0; i < n; i++) {
		check_shown(nodes[i].name, sizeof(nodes[i].name));
		check_shown(nodes[i].address, sizeof(nodes[i].address));
		check_shown(nodes[i].state, sizeof(nodes[i].state));
		check_shown(nodes[i].reason, sizeof(nodes[i].reason));
		FUZZ_CHECK(nodes[i].name[0] && (nodes[i].up || !nodes[i].takes));
		check_shown(nodes[i].gres, sizeof(nodes[i].gres));
		check_shown(nodes[i].version, sizeof(nodes[i].version));
		slurm_node_facts(&nodes[i], check_fact, NULL);
		char why[SLURM_TEXT_MAX];
		bool may = slurm_may_drain(&nodes[i], why);
		FUZZ_CHECK(may == !why[0] && (nodes[i].up || !may));
		fuzz_check_clean(why, strlen(why), false);
	}
	free(nodes);
}

static void check_config(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	struct slurm_config c;

	if (!fuzz_ok(slurm_config_parse(text, &c, &err), &err))
		return;
	check_shown(c.cluster, sizeof(c.cluster));
	check_shown(c.version, sizeof(c.version));
	check_shown(c.mpi_default, sizeof(c.mpi_default));
	FUZZ_CHECK(c.port_lo >= 0 && c.port_lo <= c.port_hi && c.port_hi <= 65535);
}

/* Who is idle, and whether nodes that were told of may be drained. */
static void check_idle(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	struct nodeset idle;

	if (fuzz_ok(slurm_idle_parse(text, NULL, &idle, &err), &err))
		nodeset_free(&idle);
}

static void check_drain(const char *text)
{
	char reason[SLURM_DRAIN_MAX + 1];
	struct buf words = BUF_INIT;

	slurm_drain_reason("run", text, reason);
	check_shown(reason, sizeof(reason));
	FUZZ_CHECK(strncmp(reason, SLURM_DRAIN_PREFIX, strlen(SLURM_DRAIN_PREFIX)) == 0);
	slurm_drain_words(text, text, &words);
	/* Nothing but pasted quotes stands outside of quotes. */
	FUZZ_CHECK(!strpbrk(buf_text(&words), "\n\r"));
	buf_free(&words);
}

/* How long the job has, and why it waits. */
static void check_times(const char *text)
{
	struct slurm_pending pending;
	double left = slurm_left_parse(text);

	FUZZ_CHECK(left == left);
	if (!slurm_pending_parse(text, &pending))
		return;
	check_shown(pending.reason, sizeof(pending.reason));
	check_shown(pending.start, sizeof(pending.start));
	slurm_pending_hopeless(pending.reason);
}

/* Who else is there, of whom some nodes are ours. */
static void check_busy(const char *text)
{
	char a[] = "n1", b[] = "n3", *v[] = { a, b };
	const struct nodeset mine = { v, 2, 2 }, none = { 0 };
	struct slurm_busy all, others;

	FUZZ_CHECK(slurm_busy_parse(text, &none, &all) == slurm_busy_parse(text, &mine, &others));
	FUZZ_CHECK(all.busy <= all.nodes && others.busy <= others.nodes);
	FUZZ_CHECK(others.nodes <= all.nodes && others.nodes + 2 >= all.nodes);
}

void fuzz_one(const char *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct slurm_failure failure;
	struct slurm_types types;

	check_nodes(text);
	check_config(text);
	check_times(text);
	check_busy(text);
	check_idle(text);
	check_drain(text);
	long gpus = slurm_gres_gpus(text);
	FUZZ_CHECK(gpus >= 0 && gpus <= 4096);
	slurm_mpi_types_parse(text, &types);
	FUZZ_CHECK(types.n <= SLURM_TYPES_MAX);
	for (size_t i = 0; i < types.n; i++)
		check_shown(types.v[i], sizeof(types.v[i]));
	slurm_failure_parse(text, &failure);
	check_shown(failure.text, sizeof(failure.text));
	check_shown(failure.node, sizeof(failure.node));
	FUZZ_CHECK(failure.task >= -1 && slurm_cause_name(failure.cause));
	slurm_alloc_parse(text);
	free(text);
}
