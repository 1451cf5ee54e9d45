/* A folder for files mode (harness/README.md): a schedule written by hand, and what ranks wrote. */
#ifndef HPCBENCH_TESTS_FILES_FIXTURE_H
#define HPCBENCH_TESTS_FILES_FIXTURE_H

#include <stdbool.h>

#include "bench/base/buf.h"
#include "bench/base/json.h"

enum { FILES_ENV = 8 };

struct files_folder {
	char path[64];
	struct buf schedule; /* so far */
	char text[FILES_ENV][128];
	const char *env[FILES_ENV + 1]; /* for child_start */
};

/* hosts: the elements of the array of seats. n_started: HPCBENCH_RANKS. */
void files_open(struct files_folder *d, const char *hosts, int n_started);
void files_env(struct files_folder *d, const char *name, const char *value);
/* A job of one case of 64 KiB, its unit 10 times the job; b NULL: no pair. more: further fields. */
struct files_job {
	int job, slot;
	const char *bench, *ranks, *a, *b, *more;
};
void files_job(struct files_folder *d, const struct files_job *j);
/* Writes the schedule. */
void files_ready(struct files_folder *d);
void files_close(struct files_folder *d); /* removes the folder */

/* The lines of a seat's file as an array, the caller's; NULL: there is none. */
json_object *files_lines(const struct files_folder *d, int seat);
/* A member of a line as text; "" where it lacks. */
const char *files_text(json_object *line, const char *key);
/* The first line whose member has this text (numbers as text), NULL: none. Borrowed. */
json_object *files_find(json_object *lines, const char *key, const char *value);
/* How a unit ended and how a job was answered; "" where nothing was said. */
const char *files_end(json_object *lines, const char *unit);
const char *files_done(json_object *lines, const char *job);
/* A hello first and a bye last. */
bool files_whole(json_object *lines);

#endif
