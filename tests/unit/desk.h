/* Where the words of ranks arrive: a step without any process. */
#ifndef HPCBENCH_TESTS_DESK_H
#define HPCBENCH_TESTS_DESK_H

#include "harness/launch/launch_parts.h"

struct desk {
	char dir[64];
	struct suite suite;
	struct plan plan;
	struct launch l;
	struct launch_site site;
	struct step_run r;
	struct hb_err err;
};

void must(int rc, const struct hb_err *err);
/* The first step of a suite, before its first attempt. */
struct desk *desk_open(const char *suite, const char *nodes);
/* A step in its second attempt, all of whose ranks are here and idle. */
struct desk *desk_new(const char *nodes);
/* The rank on a seat says a message or record. */
int say(struct desk *d, int rank, const char *text);
/* What was stored, the caller's; ends the desk. */
char *desk_end(struct desk *d);

#endif
