/*
 * Between the files of facts: reading small files of /proc, /sys and /etc, and telling what stands
 * in them. Every path here is one of the machine; HPCBENCH_SYSFS_ROOT is put before it when the
 * file is opened. What a file says is told with its path as the source, so a source that begins
 * with '/' can be read again from a captured tree; any other cannot, and a captured tree holds such
 * facts as they were told (facts_told.c).
 */
#ifndef HPCBENCH_FACTS_PARTS_H
#define HPCBENCH_FACTS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "bench/base/buf.h"
#include "bench/core/fact_sink.h"

enum {
	FACTS_PATH = 400,
	FACTS_LINE = 256,
	FACTS_NAME = 64,
	FACTS_SMALL = 64 * 1024,
	FACTS_LARGE = 8 * 1024 * 1024,
	FACTS_NODES_MAX = 1024
};

/* ---- facts_read.c: files ---- */

/*
 * Reads at most max bytes of a file; never waits for a FIFO or a terminal. Returns 0 or an errno
 * value; *out then holds what was read before. A file that is longer is cut.
 */
int facts_file(const char *path, size_t max, struct buf *out);
/* The first line without blanks around it; returns 0 or an errno value, then out is "". */
int facts_line(const char *path, char *out, size_t n);
/* A whole number that the file begins with (decimal, or hexadecimal with 0x); EINVAL: none. */
int facts_u64(const char *path, uint64_t *out);
bool facts_exists(const char *path);
/* The last part of a symbolic link's target; returns 0 or an errno value. */
int facts_link(const char *path, char *out, size_t n);

/* Names in a folder, in the order of strverscmp, without those that begin with a dot. */
struct facts_names {
	char (*v)[FACTS_NAME];
	size_t n;
};
/* At most max of them, those that fit only. An empty list where the folder cannot be read. */
void facts_names(const char *path, size_t max, struct facts_names *out);
void facts_names_free(struct facts_names *names);

/* The number behind the prefix: "cpu12" is 12; -1: no such name. */
long facts_numbered(const char *name, const char *prefix);
/* How many numbers a list holds: "0-3,8" has 5; 0 for what is no list. */
uint64_t facts_list_count(const char *list);
/* Copies the value of "key : value" in a text of lines; false if no line has it. */
bool facts_keyed(const char *text, const char *key, char *out, size_t n);
/* The next line of a text, from *at on, *len bytes without the newline; NULL behind the last. */
const char *facts_next_line(const char **at, size_t *len);
/* The next word of a line that is separated by blanks; false: there is none. */
bool facts_next_word(const char **at, const char *end, char *out, size_t n);

/* ---- facts_say.c: telling ---- */

/* path is formatted; how a value is taken from the first line of that file. */
enum facts_how {
	SAY_TEXT,    /* as it stands */
	SAY_NUMBER,  /* a whole number */
	SAY_KILO,    /* a whole number, times 1000 */
	SAY_MEGA,    /* times 1000000 */
	SAY_CHOICE,  /* "always [madvise] never" */
	SAY_LAST,    /* the last of several numbers */
	SAY_COUNT,   /* how many numbers the list has */
	SAY_LIMITED, /* a number, or "max": unlimited */
	SAY_GTS      /* "16.0 GT/s PCIe" */
};
enum facts_absent { ABSENT_SILENT, ABSENT_TOLD }; /* what becomes of a file that is not there */

struct facts_row {
	const char *key, *path;
	enum facts_how how;
	enum facts_absent absent;
};
/*
 * Tells what a file says. Values that a kernel gives for "not known" (-1, "Unknown") are left out.
 */
void facts_say(const struct fact_sink *s, const char *device, const struct facts_row *row);
/* Rows up to one whose key is NULL; their paths are below folder. */
void facts_say_all(const struct fact_sink *s, const char *device, const char *folder,
                   const struct facts_row *rows);
/* PREFIX.pci, .numa, .pcie_gts, .pcie_gts_max, .pcie_width, .pcie_width_max of the PCI device that
 * a folder or link below /sys stands for. */
void facts_say_pcie(const struct fact_sink *s, const char *device, const char *prefix,
                    const char *folder);
/* "0000:3b:00.0" */
bool facts_is_pci(const char *name);
void facts_yesno(const struct fact_sink *s, const char *device, const char *key, bool yes,
                 const char *source);

/* Words to be joined by commas; sorted and each once when put. */
struct facts_set {
	char (*v)[FACTS_LINE];
	size_t n, cap;
};
void facts_set_add(struct facts_set *set, const char *word);
void facts_set_put(struct facts_set *set, struct buf *out); /* and frees it */

/* ---- facts_task.c: what may hang ---- */

/*
 * Work in a thread of its own, which is left behind where it does not end: it owns its data until
 * task_wait says that it is done. release frees the data, in whichever thread is the last.
 */
struct facts_task;
/* NULL: no thread could be had; the data are released. */
struct facts_task *facts_task_start(void (*work)(void *data), void (*release)(void *data),
                                    void *data);
/* The data where the work is done by the deadline (CLOCK_MONOTONIC); else NULL. */
void *facts_task_wait(struct facts_task *task, const struct timespec *deadline);
void facts_task_drop(struct facts_task *task);
struct timespec facts_deadline(int ms);

/* ---- one a subject ---- */

/* Patience with what may hang, ms: name services and file systems; the GPU's library. */
enum { FACTS_PATIENCE_MS = 2000, FACTS_PATIENCE_GPU_MS = 4000 };

void facts_cpu(const struct fact_sink *s);
void facts_memory(const struct fact_sink *s);
void facts_limits(const struct fact_sink *s);
void facts_cgroup(const struct fact_sink *s);
void facts_kernel(const struct fact_sink *s);
void facts_software(const struct fact_sink *s);
void facts_time(const struct fact_sink *s);
void facts_user(const struct fact_sink *s);
void facts_net(const struct fact_sink *s);
void facts_rdma(const struct fact_sink *s);
void facts_gpu(const struct fact_sink *s);
/* What a captured tree holds of what no file says. */
void facts_told(const struct fact_sink *s);

/* Those that wait for others: begun early, told late. Not in a captured tree. */
struct facts_resolving;
struct facts_resolving *facts_resolve_begin(void);
void facts_resolve_end(const struct fact_sink *s, struct facts_resolving *w);
struct facts_looking;
struct facts_looking *facts_folders_begin(void);
void facts_folders_end(const struct fact_sink *s, struct facts_looking *w);

/* Does the text begin with one of them? The list ends with NULL. */
bool facts_begins(const char *text, const char *const *prefixes);
/* Looks like the name of something that must not be told. */
bool facts_is_secret(const char *name);

#endif
