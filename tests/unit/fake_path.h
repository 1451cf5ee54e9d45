/* Programs of a test's own, found before those of the machine: a folder at the head of PATH. */
#ifndef HPCBENCH_TESTS_FAKE_PATH_H
#define HPCBENCH_TESTS_FAKE_PATH_H

struct fake {
	char dir[64]; /* $FAKE for the programs; files in it go when it is closed */
	char *path;   /* PATH as it was */
};

void fake_open(struct fake *f);
/* A program of this name; script is for /bin/sh. Replaces the one before. */
void fake_put(const struct fake *f, const char *name, const char *script);
void fake_close(struct fake *f);

/* cmocka's setup and teardown: *state is a struct fake. */
int fake_setup(void **state);
int fake_teardown(void **state);

#endif
