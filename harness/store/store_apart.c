/* Work that may hang, in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/launch/wait.h"
#include "harness/store/store_parts.h"

enum { END_NAPS = 1000, NAP_NS = 1000000, FDS_MAX = 65536 };

static void close_from(int from, int to)
{
#ifdef SYS_close_range
	if (from > to || syscall(SYS_close_range, (unsigned)from, (unsigned)to, 0) == 0)
		return;
#endif
	for (int fd = from; fd <= to && fd < FDS_MAX; fd++)
		close(fd);
}

void store_child_begin(pid_t parent, int how, int keep)
{
	sigset_t all;
	int null_fd;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, how);
	if (getppid() != parent) /* it died before the line above took effect */
		_exit(1);
	if (keep < 3)
		keep = fcntl(keep, F_DUPFD_CLOEXEC, 3);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null_fd >= 0 && fd < 3; fd++)
		dup2(null_fd, fd);
	close_from(3, keep - 1);
	close_from(keep + 1, INT32_MAX);
}

void store_child_end(pid_t pid)
{
	const struct timespec nap = { 0, NAP_NS };
	pid_t got;

	kill(pid, SIGKILL);
	for (int i = 0; i < END_NAPS; i++) {
		got = waitpid(pid, NULL, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return;
		nanosleep(&nap, NULL);
	}
}

/* What comes back, before the bytes of out. */
struct answer {
	int rc;
	struct hb_err err;
};

static void send_answer(int fd, const struct answer *a, const struct buf *out)
{
	size_t done;

	if (store_write_all(fd, (const char *)a, sizeof *a, &done) == 0 && out->len > 0)
		(void)store_write_all(fd, out->data, out->len, &done);
}

/* Everything until the other end closes; false: not in time. */
static bool read_answer(int fd, int64_t until_ms, struct buf *in)
{
	char chunk[4096];

	for (;;) {
		struct pollfd v = { fd, POLLIN, 0 };
		int left = wait_until(wait_now_ms(), until_ms);
		if (poll(&v, 1, left) == 0 && left == 0)
			return false;
		if (!v.revents)
			continue;
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n > 0)
			buf_add(in, chunk, (size_t)n);
		else if (n == 0 || errno != EINTR)
			return true;
	}
}

int store_apart(store_work_fn *work, void *ctx, double wait_s, struct buf *out, struct hb_err *err)
{
	struct answer a = { .rc = HB_E_IO };
	struct buf in = BUF_INIT;
	pid_t parent = getpid(), pid;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return hb_fail(err, HB_E_IO, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		int fd = fds[1] < 3 ? fcntl(fds[1], F_DUPFD_CLOEXEC, 3) : fds[1];
		store_child_begin(parent, SIGKILL, fd);
		a.rc = work(ctx, &in, &a.err);
		send_answer(fd, &a, &in);
		_exit(0);
	}
	int e = errno;
	close(fds[1]);
	bool came = pid > 0 && read_answer(fds[0], wait_now_ms() + (int64_t)(wait_s * 1000), &in);
	close(fds[0]);
	if (pid > 0)
		store_child_end(pid);
	if (pid < 0)
		hb_fail(err, HB_E_IO, "cannot start a process: %s", strerror(e));
	else if (!came)
		a.rc = hb_fail(err, HB_E_TIMEOUT, "%s", "");
	else if (in.len < sizeof a)
		hb_fail(err, HB_E_IO, "the process that was to look at the store has died");
	if (came && in.len >= sizeof a) {
		memcpy(&a, in.data, sizeof a);
		if (err)
			*err = a.err;
		if (out)
			buf_add(out, in.data + sizeof a, in.len - sizeof a);
	}
	buf_free(&in);
	return a.rc;
}

struct wanted {
	const char *path;
	size_t max;
};

static int read_it(void *ctx, struct buf *out, struct hb_err *err)
{
	const struct wanted *w = ctx;

	return buf_read_file(out, w->path, w->max, err);
}

int store_read_apart(const char *path, size_t max, double wait_s, struct buf *out,
                     struct hb_err *err)
{
	struct wanted w = { path, max };
	int rc = store_apart(read_it, &w, wait_s, out, err);

	if (rc == HB_E_TIMEOUT)
		hb_fail(err, HB_E_TIMEOUT, "%s does not answer (a hung file system?)", path);
	return rc;
}
