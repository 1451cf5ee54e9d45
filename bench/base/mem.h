/*
 * Allocation that cannot fail: when memory is gone a command-line tool has nothing better to do
 * than to say so, so these write one line to standard error and end the process with 70. Sizes
 * that come from outside are bounded by their parsers before they reach these functions.
 */
#ifndef HPCBENCH_BASE_MEM_H
#define HPCBENCH_BASE_MEM_H

#include <stddef.h>

#include "bench/base/err.h"

void hb_out_of_memory(void) __attribute__((noreturn));  /* says so and ends with 70 */
void *hb_alloc(size_t size);                            /* zeroed; free() it */
void *hb_realloc_array(void *p, size_t n, size_t size); /* overflow-checked */
char *hb_strdup(const char *s);                         /* NULL gives NULL */
char *hb_strndup(const char *s, size_t n);
char *hb_format(const char *fmt, ...) HB_PRINTF(1, 2); /* a new string */

/*
 * Grows *items (an array of item_size bytes, *cap of them allocated) so that it holds at least
 * need items; doubling, so that appending is linear in all. New items are not initialised.
 */
void hb_grow(void *items_p, size_t *cap, size_t need, size_t item_size);

#endif
