/* A machine of tests/machines, unpacked below the root of a machine.h. */
#ifndef HPCBENCH_TESTS_MACHINE_TEXT_H
#define HPCBENCH_TESTS_MACHINE_TEXT_H

#include "machine.h"

/* file: "nps4.txt". tests/machines/README.md has the form. Fails the test if it is not that. */
void machine_unpack(const struct machine *m, const char *file);

#endif
