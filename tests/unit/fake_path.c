#include "fake_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"

void fake_open(struct fake *f)
{
	snprintf(f->dir, sizeof f->dir, "/tmp/test-fake-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->path = hb_strdup(getenv("PATH"));
	char *path = hb_format("%s:%s", f->dir, f->path);
	setenv("PATH", path, 1);
	setenv("FAKE", f->dir, 1);
	free(path);
}

void fake_put(const struct fake *f, const char *name, const char *script)
{
	char *file = hb_format("%s/%s", f->dir, name);
	FILE *out = fopen(file, "we");

	assert_non_null(out);
	fprintf(out, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(file, 0755), 0);
	free(file);
}

void fake_close(struct fake *f)
{
	DIR *d = opendir(f->dir);
	struct dirent *e;

	setenv("PATH", f->path, 1);
	unsetenv("FAKE");
	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	assert_int_equal(rmdir(f->dir), 0);
	free(f->path);
}

int fake_setup(void **state)
{
	struct fake *f = hb_alloc(sizeof *f);

	fake_open(f);
	*state = f;
	return 0;
}

int fake_teardown(void **state)
{
	fake_close(*state);
	free(*state);
	return 0;
}
