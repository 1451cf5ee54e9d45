/* Nodes as scontrol of Slurm 22.05 wrote them, shortened in the middle, and texts that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "bench/base/buf.h"
#include "harness/slurm/slurm.h"

/* What stands before and behind the state in every line. */
#define HEAD(name, address)                                                                        \
	"NodeName=" name " Arch=x86_64 CoresPerSocket=1  CPUAlloc=0 CPUEfctv=4 CPUTot=4 "          \
	"CPULoad=0.13 AvailableFeatures=(null) ActiveFeatures=(null) Gres=(null) "                 \
	"NodeAddr=" address " NodeHostName=" name                                                  \
	" Version=22.05.8 OS=Linux 6.18.44 #1 SMP PREEMPT_DYNAMIC @0  RealMemory=2000 "            \
	"AllocMem=0 FreeMem=23471 Sockets=4 Boards=1 "
#define TAIL                                                                                       \
	" ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=all  "            \
	"BootTime=2026-11-30T01:19:00 SlurmdStartTime=2026-11-30T04:48:19 "                        \
	"LastBusyTime=2026-11-30T04:48:19 CfgTRES=cpu=4,mem=2000M,billing=4 AllocTRES= "           \
	"CapWatts=n/a CurrentWatts=0 AveWatts=0 ExtSensorsJoules=n/s ExtSensorsWatts=0 "           \
	"ExtSensorsTemp=n/s"

static struct slurm_node *parse(const char *text, size_t want)
{
	struct slurm_node *v = NULL;
	size_t n = 0;
	struct hb_err err;

	assert_int_equal(slurm_nodes_parse(text, &v, &n, &err), HB_OK);
	assert_int_equal(n, want);
	return v;
}

static void nodes_are_read_with_address_state_and_reason(void **state)
{
	struct slurm_node *v = parse(
	        HEAD("n1",
	             "10.77.0.1") "State=IDLE" TAIL "\n"
	                          "Node nope not found\n" HEAD(
	                                  "n4",
	                                  "10.77.0.4") "State=IDLE+DRAIN" TAIL
	                                               " Reason=bad \"dimm\" slot=3, State=UP a  b "
	                                               "[root@2026-11-30T04:48:24]\n" HEAD(
	                                                       "n3", "10.77.0.3") "State=DOWN+NOT_"
	                                                                          "RESPONDING" TAIL
	                                                                          " Reason=Not "
	                                                                          "responding "
	                                                                          "[root@2026-11-"
	                                                                          "30T05:09:18]\n",
	        3);

	(void)state;
	assert_string_equal(v[0].name, "n1");
	assert_string_equal(v[0].address, "10.77.0.1");
	assert_string_equal(v[0].state, "IDLE");
	assert_string_equal(v[0].reason, "");
	assert_true(v[0].up && v[0].takes);
	assert_string_equal(v[1].name, "n4");
	assert_string_equal(v[1].state, "IDLE+DRAIN");
	assert_string_equal(v[1].reason, "bad \"dimm\" slot=3, State=UP a  b");
	assert_true(v[1].up && !v[1].takes);
	assert_string_equal(v[2].reason, "Not responding");
	assert_true(!v[2].up && !v[2].takes);
	free(v);
}

/* What a line says of the hardware, as facts, one a line. */
static void note_fact(void *ctx, const char *key, const char *value)
{
	buf_printf(ctx, "%s=%s\n", key, value);
}

static void expect_facts(const char *line, const char *want)
{
	struct slurm_node *v = parse(line, 1);
	struct buf got = BUF_INIT;

	slurm_node_facts(v, note_fact, &got);
	assert_string_equal(buf_text(&got), want);
	buf_free(&got);
	free(v);
}

static void the_view_of_the_hardware_becomes_facts(void **state)
{
	(void)state;
	expect_facts(HEAD("n1", "10.77.0.1") "State=IDLE" TAIL "\n",
	             "slurm.state=IDLE\nslurm.reason=none\nslurm.cpus=4\nslurm.sockets=4\n"
	             "slurm.memory_bytes=2097152000\nslurm.gres=none\nslurm.gpus=0\n"
	             "slurm.version=22.05.8\n");
	/* As newer versions write it, with what they have more. */
	expect_facts("NodeName=g1 Arch=x86_64 CoresPerSocket=56 CPUAlloc=0 CPUEfctv=224 "
	             "CPUTot=224 CPULoad=1.02 AvailableFeatures=h100,ib "
	             "ActiveFeatures=h100,ib Gres=gpu:h100:8(S:0-1),nvme:1 NodeAddr=g1 "
	             "NodeHostName=g1 Version=24.05.3 OS=Linux 5.14.0-427 #1 SMP "
	             "RealMemory=2063937 AllocMem=0 FreeMem=1989217 Sockets=2 Boards=1 "
	             "CoreSpecCount=2 CPUSpecList=0,112 MemSpecLimit=4096 State=IDLE+DRAIN "
	             "ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A "
	             "Partitions=all BootTime=2024-09-01T08:00:00 LastBusyTime=Unknown "
	             "ResumeAfterTime=None CfgTRES=cpu=224,mem=2063937M,gres/gpu=8 AllocTRES= "
	             "CurrentWatts=0 AveWatts=0 Extra=Sockets=9 Comment=CPUTot=1 "
	             "Reason=xid 79 CPUTot=7 [root@2024-09-02T10:00:00]\n",
	             "slurm.state=IDLE+DRAIN\nslurm.reason=xid 79 CPUTot=7\nslurm.cpus=224\n"
	             "slurm.sockets=2\nslurm.memory_bytes=2164194803712\n"
	             "slurm.gres=gpu:h100:8(S:0-1),nvme:1\nslurm.gpus=8\n"
	             "slurm.version=24.05.3\n");
	/* What is not there, or no number, is not told. */
	expect_facts("NodeName=n1 CPUTot=many Sockets=-1 RealMemory=99999999999999999999 "
	             "State=DOWN\n",
	             "slurm.state=DOWN\nslurm.reason=none\n");
}

static void gpus_are_counted_whatever_they_are_called(void **state)
{
	(void)state;
	assert_int_equal(slurm_gres_gpus("gpu"), 1);
	assert_int_equal(slurm_gres_gpus("gpu:4"), 4);
	assert_int_equal(slurm_gres_gpus("gpu:tesla"), 1);
	assert_int_equal(slurm_gres_gpus("gpu:tesla:2(S:0),gpu:kepler:2(S:1)"), 4);
	assert_int_equal(slurm_gres_gpus("gpu:4(S:0,2),shard:16"), 4);
	assert_int_equal(slurm_gres_gpus("shard:16,gpus:2,mps:400,nvme:gpu:3"), 0);
	assert_int_equal(slurm_gres_gpus("gpu:"), 1);
	assert_int_equal(slurm_gres_gpus("gpu:999999999,gpu:999999999"), 4096);
	assert_int_equal(slurm_gres_gpus("gpu:2(((,gpu:2"), 2);
	assert_int_equal(slurm_gres_gpus(",,"), 0);
	assert_int_equal(slurm_gres_gpus(""), 0);
}

static void states_say_what_a_node_can_do(void **state)
{
	static const struct {
		const char *state;
		bool up, takes;
	} rows[] = {
		/* seen */
		{ "IDLE", true, true },
		{ "ALLOCATED", true, true },
		{ "ALLOCATED+DRAIN", true, false },
		{ "IDLE+DRAIN", true, false },
		{ "DOWN+NOT_RESPONDING", false, false },
		{ "ALLOCATED+NOT_RESPONDING", false, false },
		/* from the manual pages of sinfo and scontrol */
		{ "MIXED", true, true },
		{ "MIXED+PLANNED", true, true },
		{ "IDLE+CLOUD", true, true },
		{ "IDLE+COMPLETING", true, true },
		{ "IDLE+DYNAMIC_NORM", true, true },
		{ "IDLE*", false, false },
		{ "IDLE*+DRAIN", false, false },
		{ "DOWN", false, false },
		{ "DOWN*", false, false },
		{ "DOWN+DRAIN", false, false },
		{ "ERROR", false, false },
		{ "UNKNOWN", false, false },
		{ "UNKNOWN*", false, false },
		{ "FUTURE", false, false },
		{ "FAIL", false, false },
		{ "FAILING", true, false },
		{ "IDLE+POWERED_DOWN", false, false },
		{ "IDLE+CLOUD+POWERED_DOWN", false, false },
		{ "IDLE+POWERING_DOWN", false, false },
		{ "IDLE+POWER_DOWN", false, false },
		{ "IDLE+POWERING_UP", false, false },
		{ "IDLE~", false, false },
		{ "IDLE#", false, false },
		{ "IDLE%", false, false },
		{ "IDLE$", true, false },
		{ "IDLE-", true, true },
		{ "ALLOCATED@", true, true },
		{ "IDLE+MAINT", true, false },
		{ "IDLE+RESERVED", true, false },
		{ "MIXED+REBOOT_REQUESTED", true, true },
		{ "IDLE+REBOOT_ISSUED", false, false },
		{ "IDLE+INVALID_REG", true, false },
		{ "DRAINED", true, false },
		{ "DRAINING*", false, false },
		/* not in any manual */
		{ "*", false, false },
		{ "+", false, false },
		{ "+++DOWN", false, false },
		{ "", false, false },
	};
	char line[200];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		snprintf(line, sizeof line, "NodeName=n1 NodeAddr=a State=%s Weight=1\n",
		         rows[i].state);
		struct slurm_node *v = parse(line, 1);
		if (v->up != rows[i].up || v->takes != rows[i].takes)
			fail_msg("%s: up %d, takes %d", rows[i].state, v->up, v->takes);
		assert_string_equal(v->state, rows[i].state);
		free(v);
	}
}

static void a_reason_ends_where_slurm_says_who_and_when(void **state)
{
	static const struct {
		const char *tail, *reason;
	} rows[] = {
		{ " Reason=x [root@2026-11-30T04:48:28]", "x" },
		{ " Reason=x [root@2026-11-30T04:48:28] Comment=a [b@c] ", "x" },
		{ " Reason=x [ab] y [root@1]", "x [ab] y" },
		{ " Reason=a [ b@c ] d [slurm@2026-11-30T05:09:18]", "a [ b@c ] d" },
		{ " Reason=no end", "no end" },
		{ " Reason=open [root@", "open [root@" },
		{ " Reason= [root@1]", "" },
		{ " Reason=", "" },
		{ " Reason=tab\tescape\033[31m [root@1]", "tab escape [31m" },
		{ " Reason=bad \xff\xc3( utf \xc3\xa9 [root@1]", "bad ?\?( utf \xc3\xa9" },
		{ " Reason=Reason=State=UP NodeName=n9 [root@1]", "Reason=State=UP NodeName=n9" },
		{ "", "" },
	};
	char line[300];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		snprintf(line, sizeof line, "NodeName=n1 State=DOWN Weight=1%s", rows[i].tail);
		struct slurm_node *v = parse(line, 1);
		assert_string_equal(v->name, "n1");
		assert_string_equal(v->reason, rows[i].reason);
		assert_false(v->up);
		free(v);
	}
}

static void lines_that_are_no_nodes_are_skipped(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"Node zz7 not found\n",
		"NodeName=\n",
		"NodeName= State=IDLE\n",
		"NodeName=a/b State=IDLE\n",
		"NodeName=n1;rm State=IDLE\n",
		" NodeName=n1 State=IDLE\n",
		"slurm_load_node error: Unable to contact slurm controller (connect failure)\n",
		"=========",
		"NodeName",
		"\xff\xfe\x80",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		free(parse(texts[i], 0));
}

static void long_fields_are_bounded_and_judged_whole(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "NodeName=n1 NodeAddr=");
	buf_pad(&b, 'a', 300);
	buf_puts(&b, " State=IDLE");
	for (int i = 0; i < 40; i++)
		buf_puts(&b, "+CLOUD");
	buf_puts(&b, "+DRAIN Reason=");
	buf_pad(&b, 'r', 5000);
	buf_puts(&b, "\nNodeName=");
	buf_pad(&b, 'n', NODESET_NAME_MAX + 1);
	buf_puts(&b, " State=IDLE\nNodeName=");
	buf_pad(&b, 'm', NODESET_NAME_MAX);
	buf_puts(&b, " State=IDLE\n");
	struct slurm_node *v = parse(buf_text(&b), 2);
	assert_string_equal(v[0].address, ""); /* half an address leads nowhere */
	assert_int_equal(strlen(v[0].state), SLURM_WORD_MAX - 1);
	assert_int_equal(strlen(v[0].reason), SLURM_TEXT_MAX - 1);
	assert_true(v[0].up && !v[0].takes);
	assert_int_equal(strlen(v[1].name), NODESET_NAME_MAX);
	assert_true(v[1].takes);
	free(v);
	buf_free(&b);
}

static void a_mebibyte_of_anything_does_no_harm(void **state)
{
	enum { MIB = 1 << 20 };
	static const char *const seeds[] = {
		"=", "NodeName=n1 State=", "NodeName=n1 State=A\n", " Reason= [a@b", "\xf0\x9f",
		"+*"
	};

	(void)state;
	for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
		struct slurm_node *v = NULL;
		struct buf b = BUF_INIT;
		struct hb_err err;
		size_t n;
		buf_puts(&b, "NodeName=x Reason= State=");
		while (b.len < MIB)
			buf_puts(&b, seeds[i]);
		assert_int_equal(slurm_nodes_parse(buf_text(&b), &v, &n, &err), HB_OK);
		assert_true(n >= 1 && n <= NODESET_MAX);
		free(v);
		buf_free(&b);
	}
}

static void more_nodes_than_a_set_holds_are_refused(void **state)
{
	struct slurm_node *v = NULL;
	struct buf b = BUF_INIT;
	struct hb_err err;
	size_t n;

	(void)state;
	for (int i = 0; i <= NODESET_MAX; i++)
		buf_puts(&b, "NodeName=x\n");
	assert_int_equal(slurm_nodes_parse(buf_text(&b), &v, &n, &err), HB_E_FORMAT);
	assert_null(v);
	assert_int_equal(n, 0);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_read_with_address_state_and_reason),
		cmocka_unit_test(the_view_of_the_hardware_becomes_facts),
		cmocka_unit_test(gpus_are_counted_whatever_they_are_called),
		cmocka_unit_test(states_say_what_a_node_can_do),
		cmocka_unit_test(a_reason_ends_where_slurm_says_who_and_when),
		cmocka_unit_test(lines_that_are_no_nodes_are_skipped),
		cmocka_unit_test(long_fields_are_bounded_and_judged_whole),
		cmocka_unit_test(a_mebibyte_of_anything_does_no_harm),
		cmocka_unit_test(more_nodes_than_a_set_holds_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
