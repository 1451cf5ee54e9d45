#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"

void machine_put(const struct machine *m, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", m->root, path);
	f = fopen(full, "w");
	for (char *p = full + strlen(m->root) + 1; !f && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(full, 0700) < 0)
			assert_int_equal(errno, EEXIST);
		*p = '/';
	}
	if (!f)
		f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int machine_new(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		return -1;
	/* In memory where that is possible: some machines have thousands of files. */
	snprintf(m->root, sizeof(m->root), "%s/hpcbench-env-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(m->root))
		return -1;
	*state = m;
	setenv("HPCBENCH_SYSFS_ROOT", m->root, 1);
	unsetenv("SLURMD_NODENAME");
	return 0;
}

int machine_free(void **state)
{
	struct machine *m = *state;

	unsetenv("HPCBENCH_SYSFS_ROOT");
	unsetenv("HPCBENCH_NODE");
	nftw(m->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(m);
	return 0;
}
