#include "child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 32 };

_Noreturn static void give_up(const char *what)
{
	perror(what);
	_exit(99);
}

static void run_child(const char *const *argv, const char *const *env, int out)
{
	char **args = calloc(ARGS_MAX + 1, sizeof(*args));

	/* A test that fails must not leave ranks behind. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM))
		give_up("prctl");
	for (; *env; env++)
		if (putenv(strdup(*env)))
			give_up("putenv");
	if (!args || !argv[0] || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		give_up("starting a program");
	for (int i = 0; argv[i] && i < ARGS_MAX; i++)
		args[i] = strdup(argv[i]);
	execvp(argv[0], args);
	give_up(argv[0]);
}

void child_start(struct child *c, const char *const *argv, const char *const *env)
{
	int pipes[2];

	if (pipe(pipes))
		give_up("pipe");
	*c = (struct child){ .out = pipes[0], .text = BUF_INIT };
	c->pid = fork();
	if (c->pid < 0)
		give_up("fork");
	if (c->pid == 0) {
		close(pipes[0]);
		run_child(argv, env, pipes[1]);
	}
	close(pipes[1]);
}

/* 1 while there is output, 0 at its end or when the limit is over. */
static int read_some(struct child *c)
{
	struct pollfd p = { .fd = c->out, .events = POLLIN };
	char part[4096];
	ssize_t n;

	if (poll(&p, 1, CHILD_LIMIT_MS) <= 0)
		return 0;
	n = read(c->out, part, sizeof(part));
	if (n > 0)
		buf_add(&c->text, part, (size_t)n);
	return n > 0;
}

int process_fd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int process_gone(pid_t pid)
{
	struct pollfd p = { .fd = process_fd(pid), .events = POLLIN };
	int rc;

	if (p.fd < 0)
		return errno == ESRCH;
	rc = poll(&p, 1, CHILD_LIMIT_MS);
	close(p.fd);
	return rc > 0;
}

static int reap(struct child *c)
{
	int status = 0;

	if (c->pid <= 0)
		return -1;
	if (!process_gone(c->pid))
		kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	c->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_finish(struct child *c)
{
	while (read_some(c))
		continue;
	return reap(c);
}

int child_end(struct child *c)
{
	kill(c->pid, SIGTERM);
	return reap(c);
}

void child_free(struct child *c)
{
	if (c->pid > 0)
		child_end(c);
	close(c->out);
	buf_free(&c->text);
}

void mpirun_environment(void)
{
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
}
