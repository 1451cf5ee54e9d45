/*
 * What the targets share. A target is one file with fuzz_one; it is linked with libFuzzer (preset
 * fuzz) or with replay.c, which runs the stored inputs in the ordinary tests. A property that does
 * not hold, memory beyond FUZZ_MEMORY_MAX and whatever a sanitizer sees end the process.
 */
#ifndef HPCBENCH_TESTS_FUZZ_H
#define HPCBENCH_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/buf.h"
#include "bench/base/json.h"

/* What an input of at most FUZZ_INPUT_MAX bytes may hold at any moment. */
enum { FUZZ_INPUT_MAX = 64 * 1024, FUZZ_MEMORY_MAX = 256 * 1024 * 1024 };

/* The target: one input, at most FUZZ_INPUT_MAX bytes, all memory given back at the end. */
void fuzz_one(const char *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what does not hold and aborts. */
void fuzz_broken(const char *file, int line, const char *what) __attribute__((noreturn));
#define FUZZ_CHECK(what)                                                                           \
	do {                                                                                       \
		if (!(what))                                                                       \
			fuzz_broken(__FILE__, __LINE__, #what);                                    \
	} while (0)

/* rc is HB_OK, or a failure whose reason stands in err; true where it is HB_OK. */
bool fuzz_ok(int rc, const struct hb_err *err);

/* The input as a text: a copy up to its first NUL, the caller's. */
char *fuzz_text(const char *data, size_t size);
/* The input as a JSON object, the caller's; NULL where it is none. */
json_object *fuzz_object(const char *data, size_t size);

/*
 * The parts of an input, which stand apart by a line "%%". Takes the next one off *data and *size;
 * after the last one all that comes is empty.
 */
struct fuzz_part {
	const char *text;
	size_t len;
};
struct fuzz_part fuzz_next_part(const char **data, size_t *size);
/* The next line of a part, without its newline; false after the last. */
bool fuzz_next_line(struct fuzz_part *part, struct fuzz_part *line);

/* Well-formed UTF-8 without control characters; lines: but for newlines. */
void fuzz_check_clean(const char *text, size_t len, bool lines);
/* Both write the same text. Takes both. */
void fuzz_check_same(json_object *a, json_object *b);

/* A folder of this process in memory where there is such a place, made at the first call and
 * removed at the end of the process. */
const char *fuzz_folder(void);
/* Writes a file of that folder. */
void fuzz_put_file(const char *name, const char *text, size_t len);

#endif
