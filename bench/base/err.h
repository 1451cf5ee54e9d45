/*
 * Status codes and the caller-owned error text. Libraries never print, never exit and keep no
 * global state: a function that can fail returns a negative hb_status and fills *err with one
 * line that says what is wrong, where, and what to do. The bottom layer: includes nothing of ours.
 */
#ifndef HPCBENCH_BASE_ERR_H
#define HPCBENCH_BASE_ERR_H

#define HB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum hb_status {
	HB_OK = 0,
	HB_E_NOMEM = -1,
	HB_E_USAGE = -2,       /* the caller's words are wrong: exit 64 */
	HB_E_IO = -3,          /* the system said no; the text has strerror */
	HB_E_FORMAT = -4,      /* input that does not parse */
	HB_E_UNSUPPORTED = -5, /* cannot run here: a skip, the text is its reason */
	HB_E_TIMEOUT = -6,     /* a deadline passed */
	HB_E_LIB = -7,         /* MPI, hwloc, CUDA ... failed */
	HB_E_DATA = -8,        /* measured data are wrong (verification) */
	HB_E_CANCELLED = -9    /* a signal or the other side asked to stop */
};

/* Exit statuses of the helper programs, their whole contract with whoever starts them. */
enum hb_exit { HB_EXIT_OK = 0, HB_EXIT_USAGE = 64, HB_EXIT_BROKEN = 70, HB_EXIT_SKIPPED = 77 };

struct hb_err {
	enum hb_status code;
	char text[480];
};

/* Fills err (may be NULL) and returns code, so that a failure is one line: return hb_fail(...). */
int hb_fail(struct hb_err *err, enum hb_status code, const char *fmt, ...) HB_PRINTF(3, 4);

/* Puts "prefix: " before the text already in err (may be NULL); returns err's code. */
int hb_fail_in(struct hb_err *err, const char *fmt, ...) HB_PRINTF(2, 3);

/* The helper exit status that stands for a status: UNSUPPORTED 77, USAGE 64, OK 0, others 70. */
int hb_exit_of(int status);

#endif
