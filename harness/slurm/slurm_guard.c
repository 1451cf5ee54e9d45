/*
 * The process that cancels the job when hpcbench is gone. It is forked and execs only at its end,
 * so it needs nothing but what it took along; between two words from hpcbench it sleeps in read.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/wait.h"
#include "harness/slurm/slurm_parts.h"

enum { CLOSE_WAIT_MS = 10000, CLOSE_POLL_MS = 20, GUARD_FD = 3, FDS_MAX = 65536, ID_MAX = 24 };

extern char **environ;

struct slurm_guard {
	pid_t pid;
	int fd;
};

/* ---- the child ---- */

static void close_from(unsigned int first)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
#endif
	long max = sysconf(_SC_OPEN_MAX);
	if (max < 0 || max > FDS_MAX)
		max = FDS_MAX;
	for (int fd = (int)first; fd < max; fd++)
		close(fd);
}

/* Keeps fd alone, as GUARD_FD, until the exec, with nothing behind the standard three. */
static bool keep_only(int fd)
{
	int null_fd;

	if ((fd != GUARD_FD && dup2(fd, GUARD_FD) < 0) || fcntl(GUARD_FD, F_SETFD, FD_CLOEXEC) != 0)
		return false;
	close_from(GUARD_FD + 1);
	for (int i = 0; i < GUARD_FD; i++)
		close(i);
	null_fd = open("/dev/null", O_RDWR); /* becomes 0, the lowest that is free */
	if (null_fd < 0)
		return false;
	return dup2(null_fd, 1) == 1 && dup2(null_fd, 2) == 2;
}

static void leave_group(void)
{
	static const int deaf[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };
	sigset_t none;

	setsid();
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	for (size_t i = 0; i < sizeof deaf / sizeof deaf[0]; i++)
		signal(deaf[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, "hpcbench-guard");
	if (chdir("/") != 0)
		return; /* it only keeps a folder busy */
}

/* What filters or asks back would keep the job alive. */
static void drop_scancel_env(void)
{
	char **to = environ;

	for (char **from = environ; from && *from; from++)
		if (strncmp(*from, "SCANCEL_", 8) != 0)
			*to++ = *from;
	if (to)
		*to = NULL;
}

/* Reads ids, one a line, until the other end is gone; id is "" or the last one. */
static void read_id(char id[ID_MAX])
{
	char c, now[ID_MAX];
	size_t n = 0;

	for (;;) {
		ssize_t got = read(GUARD_FD, &c, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		if (c >= '0' && c <= '9' && n < ID_MAX - 1) {
			now[n++] = c;
		} else {
			now[n] = '\0';
			if (n > 0)
				memcpy(id, now, n + 1);
			n = 0;
		}
	}
}

static void guard_run(int fd, char *by_name, char *by_user)
{
	char id[ID_MAX] = "", scancel[] = "scancel";

	leave_group();
	if (!keep_only(fd) || write(GUARD_FD, "", 1) != 1)
		_exit(1);
	read_id(id);
	drop_scancel_env();
	char *one[] = { scancel, id, NULL }, *all[] = { scancel, by_name, by_user, NULL };
	execvp(scancel, id[0] ? one : all);
	_exit(127);
}

/* ---- hpcbench's side ---- */

/* From then on nothing that is sent to hpcbench's group reaches the guard. */
static bool is_ready(int fd)
{
	ssize_t got;
	char c;

	do
		got = read(fd, &c, 1);
	while (got < 0 && errno == EINTR);
	return got == 1;
}

int slurm_guard_open(const char *job_name, struct slurm_guard **out, struct hb_err *err)
{
	int ends[2];
	pid_t pid;

	*out = NULL;
	/* A comma separates names, and no name at all means every job of the user. */
	if (!job_name[0] || strchr(job_name, ','))
		return hb_fail(err, HB_E_USAGE, "job name '%.60s': empty or with a comma",
		               job_name);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return hb_fail(err, HB_E_IO, "guard of the allocation: %s", strerror(errno));
	char *by_name = hb_format("--name=%s", job_name);
	char *by_user = hb_format("--user=%lu", (unsigned long)getuid());
	pid = fork();
	if (pid == 0)
		guard_run(ends[1], by_name, by_user);
	int e = errno;
	free(by_name);
	free(by_user);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return hb_fail(err, HB_E_IO, "guard of the allocation: fork: %s", strerror(e));
	}
	if (!is_ready(ends[0])) {
		close(ends[0]);
		waitpid(pid, NULL, 0);
		return hb_fail(err, HB_E_IO, "guard of the allocation: it ended at its start");
	}
	struct slurm_guard *g = hb_alloc(sizeof *g);
	g->pid = pid;
	g->fd = ends[0];
	*out = g;
	return HB_OK;
}

void slurm_guard_job(struct slurm_guard *g, uint64_t job)
{
	char line[ID_MAX + 2];
	int n = snprintf(line, sizeof line, "%" PRIu64 "\n", job);

	/* A guard that is gone cannot be told; this process must not die of it. */
	ssize_t sent = send(g->fd, line, (size_t)n, MSG_NOSIGNAL);
	(void)sent;
}

void slurm_guard_close(struct slurm_guard *g)
{
	const struct timespec nap = { 0, CLOSE_POLL_MS * 1000000L };
	int64_t until = wait_now_ms() + CLOSE_WAIT_MS;
	pid_t got;

	if (!g)
		return;
	close(g->fd);
	while (((got = waitpid(g->pid, NULL, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) &&
	       wait_now_ms() < until)
		nanosleep(&nap, NULL);
	free(g);
}
