/* Removing files by descriptors of their folders. Nobody but store_prune includes this. */
#ifndef HPCBENCH_HARNESS_STORE_REMOVE_H
#define HPCBENCH_HARNESS_STORE_REMOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * Removes the folder name of parent, which dir is open for, and all that is in it; with count only
 * adds up the sizes of its files. Symbolic links are removed, never followed; neither another file
 * system nor more than a few levels are entered. 0, or -1 with errno.
 */
int remove_tree(int parent, const char *name, int dir, uint64_t *count);

enum { LEFT_TEMP = 1, LEFT_LOCK = 2 };
/*
 * What writers left in the folder dir that died: files and folders *.tmp and with LEFT_LOCK *.lock,
 * not changed since before. Adds how many there are, or were, and their bytes.
 */
void remove_left(int dir, int kinds, time_t before, bool dry_run, size_t *n, uint64_t *bytes);

#endif
