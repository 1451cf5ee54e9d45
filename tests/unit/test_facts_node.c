#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/facts/facts.h"
#include "bench/facts/facts_gpu.h"
#include "facts_heard.h"

static void this_machine_tells_of_itself(void **state)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);
	char uid[32];

	(void)state;
	facts_node(&s);
	heard_check(&h);
	snprintf(uid, sizeof(uid), "%lu", (unsigned long)geteuid());
	heard_is(&h, "", "user.uid", uid);
	heard_is(&h, "fs:/tmp", "fs.answers", "yes");
	assert_non_null(heard_find(&h, "fs:/tmp", "fs.type"));
	assert_non_null(heard_find(&h, "", "name.own"));
	assert_non_null(heard_find(&h, "", "time.synchronized"));
	assert_non_null(heard_find(&h, "", "cpu.model"));
	assert_non_null(heard_find(&h, "", "mem.installed_bytes"));
	assert_non_null(heard_find(&h, "", "limit.memlock_bytes"));
	heard_free(&h);
}

static void a_limit_is_that_of_this_process(void **state)
{
	struct rlimit before, lower;
	struct heard h;
	struct fact_sink s = heard_sink(&h);

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	lower = before;
	lower.rlim_cur = 123;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
	facts_node(&s);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	heard_is(&h, "", "limit.nofile", "123");
	heard_free(&h);
}

static void folders_that_are_named_are_looked_at(void **state)
{
	char folder[] = "/tmp/hpcbench-facts-XXXXXX", list[128], device[64];
	struct heard h;
	struct fact_sink s = heard_sink(&h);

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 02750), 0);
	snprintf(list, sizeof(list), "%s/:/nowhere/at/all::relative", folder);
	setenv("HPCBENCH_FOLDERS", list, 1);
	facts_node(&s);
	unsetenv("HPCBENCH_FOLDERS");
	rmdir(folder);
	snprintf(device, sizeof(device), "fs:%s", folder);
	heard_is(&h, device, "fs.mode", "2750");
	heard_is(&h, device, "fs.answers", "yes");
	assert_non_null(heard_find(&h, device, "fs.size_bytes"));
	heard_unknown(&h, "fs:/nowhere/at/all", "fs.type", "No such file");
	heard_nothing(&h, "fs:relative", "fs.type");
	heard_free(&h);
}

/* Waits for a byte from outside, as a file system waits for its server. */
struct stuck {
	int wait, ended;
};

static void wait_for_ever(void *data)
{
	struct stuck *w = data;
	char byte;

	while (read(w->wait, &byte, 1) < 0)
		;
}

static void tell_end(void *data)
{
	struct stuck *w = data;
	int fd = w->ended;

	free(w);
	close(fd);
}

static void what_hangs_is_left_behind_and_cleans_up_after_itself(void **state)
{
	struct stuck *w = malloc(sizeof(*w));
	int wait[2], ended[2];
	struct timespec soon = facts_deadline(20);
	struct facts_task *task;
	char byte = 'x';

	(void)state;
	assert_non_null(w);
	assert_int_equal(pipe(wait), 0);
	assert_int_equal(pipe(ended), 0);
	*w = (struct stuck){ wait[0], ended[1] };
	task = facts_task_start(wait_for_ever, tell_end, w);
	assert_non_null(task);
	assert_null(facts_task_wait(task, &soon));
	facts_task_drop(task);
	assert_int_equal(write(wait[1], &byte, 1), 1);
	/* The end of file comes when the thread has closed its end. */
	assert_int_equal(read(ended[0], &byte, 1), 0);
	close(wait[0]);
	close(wait[1]);
	close(ended[0]);
}

static void settings_are_told_and_secrets_are_not(void **state)
{
	static const char *const not_told[] = { "UCX_AUTH_TOKEN",  "NCCL_API_KEY",
		                                "FI_SECRET",       "MPICH_PASSWORD",
		                                "OMPI_MCA_orte_x", "HOMEGROWN_UCX_X" };
	struct heard h;
	struct fact_sink s = heard_sink(&h);
	char key[64];

	(void)state;
	setenv("UCX_TLS", "rc,sm", 1);
	setenv("FI_PROVIDER", "tcp", 1);
	setenv("LD_LIBRARY_PATH", "/opt/lib", 1);
	for (size_t i = 0; i < sizeof(not_told) / sizeof(*not_told); i++)
		setenv(not_told[i], "hidden", 1);
	facts_environment(&s);
	heard_is(&h, "", "env.UCX_TLS", "rc,sm");
	heard_is(&h, "", "env.FI_PROVIDER", "tcp");
	heard_is(&h, "", "env.LD_LIBRARY_PATH", "/opt/lib");
	for (size_t i = 0; i < sizeof(not_told) / sizeof(*not_told); i++) {
		snprintf(key, sizeof(key), "env.%s", not_told[i]);
		heard_nothing(&h, "", key);
		unsetenv(not_told[i]);
	}
	heard_free(&h);
}

static void the_c_library_is_told_with_its_file_and_build(void **state)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);
	const struct heard_fact *id;

	(void)state;
	facts_libraries(&s);
	heard_check(&h);
	id = heard_find(&h, "lib:libc.so.6", "lib.build_id");
	assert_non_null(id);
	if (id->value)
		assert_int_equal(strspn(id->value, "0123456789abcdef"), strlen(id->value));
	assert_non_null(strstr(heard_find(&h, "lib:libc.so.6", "lib.path")->value, "libc"));
	heard_nothing(&h, "lib:libcmocka.so.0", "lib.path");
	heard_free(&h);
}

static const struct gpu gpus[] = {
	{ "gpu0", "0000:0b:00.0" },
	{ "gpu1", "0000:1b:00.0" },
	{ "gpu2", "0000:2b:00.0" },
	{ "gpu3", "0000:3b:00.0" },
};

static void a_gpu_library_that_cannot_be_asked_is_a_fact(void **state)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);

	(void)state;
	facts_nvml(&s, gpus, 1);
	assert_non_null(heard_find(&h, "gpu0", "gpu.nvlinks"));
	assert_null(heard_find(&h, "gpu0", "gpu.nvlinks")->value);
	assert_true(*heard_find(&h, "gpu0", "gpu.nvlinks")->source);
	heard_free(&h);
}

static void gpus_tell_links_errors_and_what_holds_them_back(void **state)
{
	struct heard h;
	struct fact_sink s = heard_sink(&h);
	/* Loaded before, it is found by its name. */
	void *fake = dlopen(FAKE_NVML, RTLD_NOW | RTLD_LOCAL);

	(void)state;
	assert_non_null(fake);
	facts_nvml(&s, gpus, 4);
	dlclose(fake);
	heard_check(&h);
	heard_is(&h, "gpu0", "gpu.nvlinks", "18");
	heard_is(&h, "gpu0", "gpu.nvlinks_inactive", "0");
	heard_is(&h, "gpu0", "gpu.throttle", "none");
	heard_is(&h, "gpu0", "gpu.ecc", "yes");
	heard_is(&h, "gpu0", "gpu.ecc_uncorrected", "0");
	heard_is(&h, "gpu0", "gpu.mig", "no");
	heard_is(&h, "gpu0", "gpu.fabric", "completed");
	heard_is(&h, "gpu1", "gpu.nvlinks", "17");
	heard_is(&h, "gpu1", "gpu.nvlinks_inactive", "1");
	heard_is(&h, "gpu1", "gpu.throttle", "hw-slowdown,hw-thermal");
	heard_is(&h, "gpu1", "gpu.ecc", "no");
	heard_is(&h, "gpu1", "gpu.ecc_uncorrected", "2");
	heard_is(&h, "gpu1", "gpu.mig", "yes");
	heard_is(&h, "gpu1", "gpu.fabric", "GPU is lost");
	heard_unknown(&h, "gpu2", "gpu.nvlinks", "Not Found");
	heard_nothing(&h, "gpu2", "gpu.ecc");
	heard_is(&h, "gpu3", "gpu.nvlinks", "0");
	heard_nothing(&h, "gpu3", "gpu.throttle");
	heard_unknown(&h, "gpu3", "gpu.ecc_uncorrected", "GPU is lost");
	heard_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_tells_of_itself),
		cmocka_unit_test(a_limit_is_that_of_this_process),
		cmocka_unit_test(folders_that_are_named_are_looked_at),
		cmocka_unit_test(what_hangs_is_left_behind_and_cleans_up_after_itself),
		cmocka_unit_test(settings_are_told_and_secrets_are_not),
		cmocka_unit_test(the_c_library_is_told_with_its_file_and_build),
		cmocka_unit_test(a_gpu_library_that_cannot_be_asked_is_a_fact),
		cmocka_unit_test(gpus_tell_links_errors_and_what_holds_them_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
