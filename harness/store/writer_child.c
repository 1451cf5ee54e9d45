/* The process that writes a run: frames come in, whole lines and files go to disk, answers out. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/writer_parts.h"

enum { FRAME_MAX = 1 << 30, NAME_LEN_MAX = 128, ORPHAN_S = 2 };
/* Nobody else sends it. */
#define SIGNAL_ORPHAN (SIGRTMAX - 3)

const char *const writer_log_names[WRITER_LOGS] = { "records.jsonl", "samples.jsonl",
	                                            "journal.jsonl" };

struct child {
	const char *dir;
	int fd;
	struct store_log *log[WRITER_LOGS];
	bool dirty[WRITER_LOGS];
	struct hb_err err; /* the first failure; nothing is written after it */
};

/* False: the other side is gone. */
static bool read_all(int fd, void *data, size_t len)
{
	char *at = data;

	while (len > 0) {
		ssize_t n = read(fd, at, len);
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static void fail_if(struct child *c, int rc, const struct hb_err *err)
{
	if (rc != HB_OK && c->err.code == HB_OK)
		c->err = *err;
}

static void sync_log(struct child *c, int i)
{
	struct hb_err err;

	if (c->dirty[i] && c->err.code == HB_OK)
		fail_if(c, store_log_sync(c->log[i], &err), &err);
	c->dirty[i] = false;
}

static void take_lines(struct child *c, uint32_t log, const struct buf *in)
{
	struct hb_err err;

	if (log >= WRITER_LOGS || c->err.code != HB_OK)
		return;
	/* What the journal says has ended is on disk before the journal says so. */
	if (log == WRITER_JOURNAL) {
		sync_log(c, WRITER_RECORDS);
		sync_log(c, WRITER_SAMPLES);
	}
	c->dirty[log] = true;
	if (c->err.code == HB_OK)
		fail_if(c, store_log_text(c->log[log], in->data, in->len, &err), &err);
}

static void take_file(struct child *c, const struct buf *in)
{
	size_t name = strnlen(in->data, in->len);
	struct hb_err err;

	if (c->err.code != HB_OK || name == 0 || name >= in->len || name > NAME_LEN_MAX)
		return;
	for (int i = 0; i < WRITER_LOGS; i++)
		sync_log(c, i);
	char *path = hb_format("%s/%s", c->dir, in->data);
	if (c->err.code == HB_OK)
		fail_if(c, store_write(path, in->data + name + 1, in->len - name - 1, &err), &err);
	free(path);
}

static bool answer(struct child *c)
{
	struct reply r = { .err = c->err };
	size_t done;

	for (int i = 0; i < WRITER_LOGS; i++)
		r.size[i] = c->log[i] ? store_log_size(c->log[i]) : 0;
	return store_write_all(c->fd, (const char *)&r, sizeof r, &done) == 0;
}

static void serve(struct child *c)
{
	struct buf in = BUF_INIT;
	struct frame f;

	while (read_all(c->fd, &f, sizeof f) && f.len <= FRAME_MAX) {
		buf_clear(&in);
		buf_pad(&in, ' ', (size_t)f.len);
		if (f.len > 0 && !read_all(c->fd, in.data, (size_t)f.len))
			break;
		if (f.type == FRAME_LINES) {
			take_lines(c, f.log, &in);
			continue;
		}
		if (f.type == FRAME_FILE)
			take_file(c, &in);
		else
			for (int i = 0; i < WRITER_LOGS; i++)
				sync_log(c, i);
		if (!answer(c))
			break;
	}
	buf_free(&in);
}

static void child_main(const char *dir, int fd)
{
	struct child c = { .dir = dir, .fd = fd };
	struct hb_err err;

	for (int i = 0; i < WRITER_LOGS && c.err.code == HB_OK; i++) {
		char *path = hb_format("%s/%s", dir, writer_log_names[i]);
		fail_if(&c, store_log_open(path, &c.log[i], &err), &err);
		free(path);
	}
	if (answer(&c))
		serve(&c);
}

/*
 * Whoever it writes for has died. What it was handed is whole and is written, so that the journal
 * tells what the records hold; but not later than that: the run may be gone on with.
 */
static void orphaned(int signal)
{
	(void)signal;
	alarm(ORPHAN_S);
}

static void outlive_briefly(void)
{
	struct sigaction a = { .sa_handler = orphaned, .sa_flags = SA_RESTART };

	sigaction(SIGNAL_ORPHAN, &a, NULL);
	signal(SIGALRM, SIG_DFL);
}

int writer_child_start(const char *dir, pid_t *pid, int *fd, struct hb_err *err)
{
	pid_t parent = getpid();
	sigset_t wanted;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return hb_fail(err, HB_E_IO, "cannot make a socket: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0) {
		int mine = fds[1] < 3 ? fcntl(fds[1], F_DUPFD_CLOEXEC, 3) : fds[1];
		outlive_briefly();
		store_child_begin(parent, SIGNAL_ORPHAN, mine);
		sigemptyset(&wanted);
		sigaddset(&wanted, SIGNAL_ORPHAN);
		sigaddset(&wanted, SIGALRM);
		sigprocmask(SIG_UNBLOCK, &wanted, NULL);
		(void)store_writer_hold(parent);
		child_main(dir, mine);
		_exit(0);
	}
	int e = errno;
	close(fds[1]);
	if (*pid < 0) {
		close(fds[0]);
		return hb_fail(err, HB_E_IO, "cannot start a process: %s", strerror(e));
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*fd = fds[0];
	return HB_OK;
}
