/*
 * Calls that have cost others dearly; using one does not compile. Forced into every translation
 * unit by the build (-include), so that nobody has to remember it.
 */
#ifndef HPCBENCH_BASE_BANNED_H
#define HPCBENCH_BASE_BANNED_H

/* The system's own declarations first, so that only uses are caught. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Some C libraries make macros of these where optimising. */
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef strtok

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets atoi atol gmtime     \
        localtime system popen

#endif
