#include "harness/launch/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "harness/launch/wait.h"

extern char **environ;

enum { TICK_MS = 50, KILL_WAIT_MS = 10000, READ_CHUNK = 16384, READ_ROUNDS = 16 };

struct stream {
	int fd; /* -1: closed */
	struct buf keep;
	char line[SPAWN_LINE_MAX + 1];
	size_t line_len;
};

struct spawn {
	pid_t pid;
	int pidfd; /* -1 where the kernel has none: then a tick looks */
	struct stream stream[2];
	spawn_line_fn *line;
	void *ctx;
	bool ended;
	int status;
};

/* ---- the child, between fork and exec ---- */

static void child_fail(int report_fd)
{
	int e = errno;
	ssize_t n = write(report_fd, &e, sizeof e);
	(void)n;
	_exit(127);
}

static void child_run(const struct spawn_params *p, char **env, pid_t parent, const int fds[3],
                      int report_fd)
{
	sigset_t none;

	if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
		child_fail(report_fd);
	if (getppid() != parent) /* it died before the line above took effect */
		_exit(127);
	for (int i = 0; i < 3; i++)
		if (dup2(fds[i], i) < 0)
			child_fail(report_fd);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* exec takes pointers to non-const by history only; it changes nothing. */
	union {
		const char *const *in;
		char *const *out;
	} argv = { p->argv };
	execvpe(p->argv[0], argv.out, env);
	child_fail(report_fd);
}

/* This process's environment with the additions over it; the array alone is the caller's. */
static char **merge_env(const char *const *extra)
{
	size_t n = 0, m = 0, k = 0;
	union {
		const char *in;
		char *out;
	} word;

	while (environ[n])
		n++;
	while (extra && extra[m])
		m++;
	char **env = hb_alloc((n + m + 1) * sizeof *env);
	for (size_t i = 0; i < n; i++) {
		bool replaced = false;
		for (size_t j = 0; j < m && !replaced; j++) {
			size_t len = (size_t)(strchr(extra[j], '=') - extra[j]) + 1;
			replaced = strncmp(environ[i], extra[j], len) == 0;
		}
		if (!replaced)
			env[k++] = environ[i];
	}
	for (size_t j = 0; j < m; j++) {
		word.in = extra[j];
		env[k++] = word.out;
	}
	return env;
}

/* ---- start ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * A pipe or /dev/null may come back as 0, 1 or 2 if this process was started with those closed;
 * dup2 in the child would then step on itself.
 */
static int lift_fd(int fd)
{
	if (fd < 0 || fd > 2)
		return fd;
	int up = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return up;
}

static int make_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC) != 0) {
		fds[0] = fds[1] = -1;
		return -1;
	}
	fds[0] = lift_fd(fds[0]);
	fds[1] = lift_fd(fds[1]);
	return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

/* pipes: 0 standard output, 1 standard error, 2 the report of exec. */
static int fork_child(const struct spawn_params *p, int pipes[3][2], int null_fd, pid_t *pid)
{
	pid_t parent = getpid();
	char **env = merge_env(p->env);
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old); /* no handler of ours may run in the child */
	*pid = fork();
	if (*pid == 0) {
		int fds[3] = { null_fd, pipes[0][1], pipes[1][1] };
		child_run(p, env, parent, fds, pipes[2][1]);
	}
	int e = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	free(env);
	errno = e;
	return *pid < 0 ? -1 : 0;
}

static int exec_failed(const struct spawn_params *p, int e, struct hb_err *err)
{
	const char *name = p->argv[0];
	const char *where = strchr(name, '/') ? "" : " in PATH";

	if (e == ENOENT)
		return hb_fail(err, HB_E_UNSUPPORTED, "%s: not found%s%s%s", name, where,
		               p->missing_hint ? "; " : "", p->missing_hint ? p->missing_hint : "");
	if (e == EACCES || e == ENOEXEC)
		return hb_fail(err, HB_E_UNSUPPORTED, "%s: cannot be executed: %s", name,
		               strerror(e));
	return hb_fail(err, HB_E_IO, "%s: %s", name, strerror(e));
}

static struct spawn *spawn_new(const struct spawn_params *p, pid_t pid, int pipes[3][2])
{
	struct spawn *s = hb_alloc(sizeof *s);

	s->pid = pid;
	s->pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by definition */
	s->line = p->line;
	s->ctx = p->ctx;
	for (int i = 0; i < 2; i++) {
		s->stream[i].fd = pipes[i][0];
		pipes[i][0] = -1;
		fcntl(s->stream[i].fd, F_SETFL, O_NONBLOCK);
	}
	return s;
}

int spawn_start(const struct spawn_params *p, struct spawn **out, struct hb_err *err)
{
	int pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	int null_fd = lift_fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
	int rc = HB_OK, e = 0;
	pid_t pid = -1;

	if (null_fd < 0 || make_pipe(pipes[0]) != 0 || make_pipe(pipes[1]) != 0 ||
	    make_pipe(pipes[2]) != 0)
		rc = hb_fail(err, HB_E_IO, "starting %s: %s", p->argv[0], strerror(errno));
	else if (fork_child(p, pipes, null_fd, &pid) != 0)
		rc = hb_fail(err, HB_E_IO, "starting %s: fork: %s", p->argv[0], strerror(errno));
	if (rc == HB_OK) {
		ssize_t n;
		setpgid(pid, pid); /* on both sides: whoever signals the group first finds it */
		close_fd(&pipes[2][1]);
		do
			n = read(pipes[2][0], &e, sizeof e);
		while (n < 0 && errno == EINTR);
		if (n == (ssize_t)sizeof e) {
			waitpid(pid, NULL, 0);
			rc = exec_failed(p, e, err);
		} else {
			*out = spawn_new(p, pid, pipes);
		}
	}
	close_fd(&null_fd);
	for (int i = 0; i < 3; i++) {
		close_fd(&pipes[i][0]);
		close_fd(&pipes[i][1]);
	}
	return rc;
}

pid_t spawn_pid(const struct spawn *s)
{
	return s->pid;
}

/* ---- output ---- */

static void flush_line(struct spawn *s, enum spawn_stream which)
{
	struct stream *st = &s->stream[which];

	st->line[st->line_len] = '\0';
	if (s->line && st->line_len > 0)
		s->line(s->ctx, which, st->line);
	st->line_len = 0;
}

static void take_bytes(struct spawn *s, enum spawn_stream which, const char *data, size_t len)
{
	struct stream *st = &s->stream[which];

	buf_add(&st->keep, data, len);
	if (st->keep.len > (size_t)2 * SPAWN_KEEP)
		buf_drop(&st->keep, st->keep.len - SPAWN_KEEP);
	for (size_t i = 0; s->line && i < len; i++) {
		if (data[i] == '\n' || st->line_len == SPAWN_LINE_MAX)
			flush_line(s, which);
		if (data[i] != '\n')
			st->line[st->line_len++] = data[i];
	}
}

/* At most READ_ROUNDS chunks at once, so that a child that floods cannot starve the loop. */
static void read_stream(struct spawn *s, enum spawn_stream which)
{
	struct stream *st = &s->stream[which];
	char chunk[READ_CHUNK];

	for (int i = 0; i < READ_ROUNDS && st->fd >= 0; i++) {
		ssize_t n = read(st->fd, chunk, sizeof chunk);
		if (n > 0) {
			take_bytes(s, which, chunk, (size_t)n);
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			flush_line(s, which);
			close_fd(&st->fd);
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

const char *spawn_text(const struct spawn *s, enum spawn_stream stream)
{
	const struct buf *b = &s->stream[stream].keep;

	return b->len > SPAWN_KEEP ? b->data + (b->len - SPAWN_KEEP) : buf_text(b);
}

/* ---- end ---- */

size_t spawn_fds(const struct spawn *s, struct pollfd *v)
{
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		if (s->stream[i].fd >= 0)
			v[n++] = (struct pollfd){ s->stream[i].fd, POLLIN, 0 };
	if (s->pidfd >= 0 && !s->ended)
		v[n++] = (struct pollfd){ s->pidfd, POLLIN, 0 };
	return n;
}

int spawn_tick_ms(const struct spawn *s)
{
	return s->ended || s->pidfd >= 0 ? -1 : TICK_MS;
}

/*
 * Looks without reaping first: as long as the child is a zombie its group's number cannot be used
 * again, so the rest of the group can be killed safely.
 */
static void look_for_end(struct spawn *s)
{
	siginfo_t info = { 0 };

	if (s->ended || waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	    info.si_pid != s->pid)
		return;
	kill(-s->pid, SIGKILL);
	while (waitpid(s->pid, &s->status, 0) < 0 && errno == EINTR)
		;
	s->ended = true;
	for (int i = 0; i < 2; i++) {
		read_stream(s, (enum spawn_stream)i);
		flush_line(s, (enum spawn_stream)i);
		/* Somebody who left the group may hold the pipe open for ever. */
		close_fd(&s->stream[i].fd);
	}
	close_fd(&s->pidfd);
}

void spawn_service(struct spawn *s)
{
	read_stream(s, SPAWN_OUT);
	read_stream(s, SPAWN_ERR);
	look_for_end(s);
}

bool spawn_ended(const struct spawn *s, int *status)
{
	if (s->ended && status)
		*status = s->status;
	return s->ended;
}

void spawn_signal(const struct spawn *s, int sig)
{
	if (!s->ended)
		kill(-s->pid, sig);
}

static void wait_for_end(struct spawn *s, int64_t until_ms)
{
	while (!s->ended) {
		struct pollfd v[SPAWN_FDS];
		int64_t now = wait_now_ms();
		if (until_ms >= 0 && now >= until_ms)
			return;
		poll(v, spawn_fds(s, v), wait_shorter(wait_until(now, until_ms), spawn_tick_ms(s)));
		spawn_service(s);
	}
}

void spawn_stop(struct spawn *s, int grace_ms)
{
	if (s->ended)
		return;
	if (grace_ms > 0) {
		spawn_signal(s, SIGTERM);
		spawn_signal(s, SIGCONT); /* a stopped child could not hear the first */
		wait_for_end(s, wait_now_ms() + grace_ms);
	}
	spawn_signal(s, SIGKILL);
	/* A process in uninterruptible sleep hears nothing; it is left, not waited for. */
	wait_for_end(s, wait_now_ms() + KILL_WAIT_MS);
}

void spawn_free(struct spawn *s)
{
	if (!s)
		return;
	spawn_stop(s, 0);
	for (int i = 0; i < 2; i++) {
		close_fd(&s->stream[i].fd);
		buf_free(&s->stream[i].keep);
	}
	close_fd(&s->pidfd);
	free(s);
}

void spawn_status_text(int status, char *out, size_t n)
{
	if (WIFSIGNALED(status))
		snprintf(out, n, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(out, n, "exit %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
