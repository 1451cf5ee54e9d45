/* How much memory an input holds at most: counted where a sanitizer owns malloc, limited by the
 * system elsewhere. */
#ifndef HPCBENCH_TESTS_FUZZ_MEMORY_H
#define HPCBENCH_TESTS_FUZZ_MEMORY_H

void memory_watch(void); /* once, before the first input */
void memory_begin(void);
void memory_end(void); /* aborts where it was more than FUZZ_MEMORY_MAX */

#endif
