/* A machine made of files, below a folder that HPCBENCH_SYSFS_ROOT names. */
#ifndef HPCBENCH_TESTS_MACHINE_H
#define HPCBENCH_TESTS_MACHINE_H

struct machine {
	char root[64];
};

/* For cmocka: *state is a struct machine of its own for every test. */
int machine_new(void **state);
int machine_free(void **state);
/* Writes a file; folders are made where they lack. Fails the test if that is not possible. */
void machine_put(const struct machine *m, const char *path, const char *text);

#endif
