/* Whatever stands in the files of a machine: facts are sound or missing, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/facts/facts.h"
#include "facts_heard.h"
#include "machine_text.h"

enum { HUGE_BYTES = 200 * 1024, VALUE_MAX = 1600 };

/* What becomes of every file; nftw hands nothing on. */
static _Thread_local const char *content;
static _Thread_local size_t content_len;

static int overwrite(const char *path, const struct stat *st, int type, struct FTW *at)
{
	FILE *f;

	(void)st;
	(void)at;
	if (type != FTW_F)
		return 0;
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, content_len, f), content_len);
	return fclose(f);
}

static int make_folder(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_F && !strstr(path, ".keep") ? unlink(path) || mkdir(path, 0700) : 0;
}

static int make_loop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_F ? unlink(path) || symlink(strrchr(path, '/') + 1, path) : 0;
}

static int make_fifo(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_F ? unlink(path) || mkfifo(path, 0600) : 0;
}

static void spoil(const struct machine *m,
                  int (*how)(const char *path, const struct stat *st, int type, struct FTW *at))
{
	machine_unpack(m, "roce-bond.txt");
	machine_unpack(m, "hdr-1x.txt");
	machine_unpack(m, "half-width.txt");
	/* What those have not: groups, interrupts, a GPU, answers of calls. */
	machine_put(m, "/proc/self/cgroup", "0::/job\n3:cpu,memory:/job\n");
	machine_put(m, "/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n");
	machine_put(m, "/sys/fs/cgroup/job/cpu.max", "100 100");
	machine_put(m, "/sys/fs/cgroup/job/cpu.stat", "throttled_usec 1");
	machine_put(m, "/proc/self/limits", "Max open files 1 1 files\n");
	machine_put(m, "/proc/self/status", "Groups: 1\n");
	machine_put(m, "/proc/interrupts", "CPU0\n 1: 1 eth2\n");
	machine_put(m, "/proc/net/route", "eth2 0 0 3 0 0 0 0 0 0 0\n");
	machine_put(m, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030200");
	machine_put(m, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de");
	machine_put(m, "/hpcbench/facts.json", "[]");
	machine_put(m, "/etc/os-release", "PRETTY_NAME=x\n");
	assert_int_equal(nftw(m->root, how, 16, FTW_PHYS), 0);
}

static void listen_to(void)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);

	facts_node(&s);
	heard_check(&h);
	for (size_t i = 0; i < h.n; i++) {
		assert_true(!h.v[i].value || strlen(h.v[i].value) < VALUE_MAX);
		assert_true(!h.v[i].value || !strpbrk(h.v[i].value, "\n\t\r\x1b"));
	}
	heard_free(&h);
}

static void spoil_with(const struct machine *m, const char *text, size_t len)
{
	content = text;
	content_len = len;
	spoil(m, overwrite);
	listen_to();
}

static void empty_files_say_nothing(void **state)
{
	spoil_with(*state, "", 0);
}

static void lines_without_a_word_say_nothing(void **state)
{
	spoil_with(*state, "\n\n:\n: :\n- - -\n", 14);
}

static void numbers_beyond_all_bounds_are_refused(void **state)
{
	static const char text[] = "99999999999999999999999999999999\n";

	spoil_with(*state, text, strlen(text));
}

static void numbers_below_nothing_are_refused(void **state)
{
	spoil_with(*state, "-7 -7 -7\n", 9);
}

static void bytes_of_all_kinds_do_no_harm(void **state)
{
	char text[512];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	spoil_with(*state, text, sizeof(text));
}

static void files_without_an_end_are_cut(void **state)
{
	char *text = malloc(HUGE_BYTES);

	assert_non_null(text);
	memset(text, '8', HUGE_BYTES);
	spoil_with(*state, text, HUGE_BYTES);
	free(text);
}

static void folders_in_place_of_files_do_no_harm(void **state)
{
	spoil(*state, make_folder);
	listen_to();
}

static void links_to_themselves_do_no_harm(void **state)
{
	spoil(*state, make_loop);
	listen_to();
}

static void nobody_waits_for_a_writer(void **state)
{
	spoil(*state, make_fifo);
	listen_to();
}

static void what_a_tree_says_was_told_is_bounded_too(void **state)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);

	machine_put(*state, "/hpcbench/facts.json",
	            "[{\"endpoint\":\"n/eth0\",\"key\":\"net.ring_rx\",\"value\":\"7\",\"source\":"
	            "\"ethtool: rings\"},\n{\"endpoint\":\"n/eth0\",\"key\":\"net.speed_bps\","
	            "\"value\":null,\"source\":\"/sys/class/net/eth0/speed: Invalid argument\"},"
	            "{\"endpoint\":\"n\",\"key\":7,\"value\":\"x\",\"source\":\"y\"}]");
	facts_node(&s);
	heard_is(&h, "eth0", "net.ring_rx", "7");
	heard_unknown(&h, "eth0", "net.speed_bps", "Invalid argument");
	heard_unknown(&h, "", "capture.error", "[2].key");
	heard_free(&h);
}

#define on_a_machine(test) cmocka_unit_test_setup_teardown(test, machine_new, machine_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_a_machine(empty_files_say_nothing),
		on_a_machine(lines_without_a_word_say_nothing),
		on_a_machine(numbers_beyond_all_bounds_are_refused),
		on_a_machine(numbers_below_nothing_are_refused),
		on_a_machine(bytes_of_all_kinds_do_no_harm),
		on_a_machine(files_without_an_end_are_cut),
		on_a_machine(folders_in_place_of_files_do_no_harm),
		on_a_machine(links_to_themselves_do_no_harm),
		on_a_machine(nobody_waits_for_a_writer),
		on_a_machine(what_a_tree_says_was_told_is_bounded_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
