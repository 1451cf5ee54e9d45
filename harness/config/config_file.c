/* Reading one file of the configuration, whatever it turns out to be. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/config/config_parts.h"
#include "harness/launch/wait.h"

enum { FDS_MAX = 1024, REAP_TRIES = 100, REAP_NAP_NS = 200000 };

/* What the child tells first; behind it the text of the file, or of the error. */
static const char says_none = 'n', says_text = 't', says_wrong = 'w', says_closed = 'c';

/* May this owner tell us what to run? Whoever owns the program could change that as well. */
static bool is_trusted(uid_t owner, bool user)
{
	struct stat program;

	if (owner == 0 || owner == geteuid())
		return true;
	return !user && stat("/proc/self/exe", &program) == 0 && program.st_uid == owner;
}

static int check(int fd, const char *path, bool user, struct hb_err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return hb_fail(err, HB_E_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return hb_fail(err, HB_E_FORMAT, "%s: not a regular file", path);
	if (!is_trusted(st.st_uid, user))
		return hb_fail(err, HB_E_FORMAT,
		               "%s: belongs to user %lu, neither to you nor to root; a "
		               "configuration can start programs, so it is not read",
		               path, (unsigned long)st.st_uid);
	if (st.st_mode & S_IWOTH)
		return hb_fail(err, HB_E_FORMAT,
		               "%s: everybody may write to it; a configuration can start "
		               "programs, so it is not read (chmod o-w)",
		               path);
	if (st.st_size > CONFIG_FILE_MAX)
		return hb_fail(err, HB_E_FORMAT, "%s: larger than %d KiB", path,
		               CONFIG_FILE_MAX / 1024);
	return HB_OK;
}

/* Takes at most one byte too many: config_parse says that it is too large. */
static int take(int fd, const char *path, struct buf *out, struct hb_err *err)
{
	char some[4096];

	while (out->len <= CONFIG_FILE_MAX) {
		ssize_t n = read(fd, some, sizeof some);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return hb_fail(err, HB_E_IO, "%s: %s", path, strerror(errno));
		if (n == 0)
			break;
		buf_add(out, some, (size_t)n);
	}
	return HB_OK;
}

/* A folder that nobody lets us look into is told apart: HB_E_UNSUPPORTED. */
static int read_here(const char *path, bool user, bool *found, struct buf *out, struct hb_err *err)
{
	/* Nothing to wait for: a pipe without a writer opens at once and is refused. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	/* Only a file that somebody holds a lease on: where there is a deadline it is waited for.
	 */
	if (fd < 0 && errno == EAGAIN && user)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	*found = fd >= 0;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return HB_OK;
	if (fd < 0)
		return hb_fail(err, errno == EACCES && user ? HB_E_UNSUPPORTED : HB_E_IO, "%s: %s",
		               path, strerror(errno));
	int rc = check(fd, path, user, err);
	if (rc == HB_OK)
		rc = take(fd, path, out, err);
	close(fd);
	return rc;
}

/* ---- with a deadline ---- */

static void write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

/* The child: reads, tells, and ends. It keeps nothing open that somebody could wait for. */
static void child_main(int to, const char *path) __attribute__((noreturn));
static void child_main(int to, const char *path)
{
	struct hb_err err = { .code = HB_OK };
	struct buf text = BUF_INIT;
	bool found = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd < FDS_MAX; fd++)
		if (fd != to)
			close(fd);
	int rc = read_here(path, true, &found, &text, &err);
	if (rc != HB_OK) {
		write_all(to, rc == HB_E_UNSUPPORTED ? &says_closed : &says_wrong, 1);
		write_all(to, err.text, strlen(err.text));
	} else {
		write_all(to, found ? &says_text : &says_none, 1);
		write_all(to, buf_text(&text), text.len);
	}
	_exit(0);
}

/* Everything up to the end, or false when the time is over. */
static bool listen_until(int from, int64_t until, struct buf *out)
{
	char some[4096];

	while (out->len <= CONFIG_FILE_MAX + sizeof some) {
		int64_t left = until - wait_now_ms();
		struct pollfd p = { from, POLLIN, 0 };
		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		ssize_t n = read(from, some, sizeof some);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		buf_add(out, some, (size_t)n);
	}
	return true;
}

/* A child that hangs in the kernel is left behind; it dies when its file system answers. */
static void end_child(pid_t pid)
{
	const struct timespec nap = { 0, REAP_NAP_NS };

	kill(pid, SIGKILL);
	for (int i = 0; i < REAP_TRIES && waitpid(pid, NULL, WNOHANG) == 0; i++)
		nanosleep(&nap, NULL);
}

static int answer(const char *path, const struct buf *said, bool *found, struct buf *out,
                  struct hb_err *err)
{
	char what = 0;

	if (said->len)
		what = said->data[0];

	*found = what != says_none;
	if (what == says_none)
		return HB_OK;
	if (what == says_wrong || what == says_closed)
		return hb_fail(err, what == says_wrong ? HB_E_FORMAT : HB_E_UNSUPPORTED, "%s",
		               said->data + 1);
	if (what != says_text)
		return hb_fail(err, HB_E_IO, "%s: reading it failed", path);
	buf_add(out, said->data + 1, said->len - 1);
	return HB_OK;
}

static int read_apart(const char *path, bool *found, struct buf *out, struct hb_err *err)
{
	int64_t until = wait_now_ms() + CONFIG_USER_MS;
	struct buf said = BUF_INIT;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return hb_fail(err, HB_E_IO, "%s: %s", path, strerror(errno));
	pid_t pid = fork();
	if (pid == 0)
		child_main(ends[1], path);
	close(ends[1]);
	if (pid < 0)
		rc = hb_fail(err, HB_E_IO, "%s: %s", path, strerror(errno));
	else if (!listen_until(ends[0], until, &said))
		rc = hb_fail(err, HB_E_TIMEOUT, "%s: no answer within %d s", path,
		             CONFIG_USER_MS / 1000);
	else
		rc = answer(path, &said, found, out, err);
	if (pid > 0)
		end_child(pid);
	close(ends[0]);
	buf_free(&said);
	return rc;
}

int config_file_read(const char *path, bool user, bool *found, struct buf *out, struct hb_err *err)
{
	*found = false;
	return user ? read_apart(path, found, out, err) : read_here(path, false, found, out, err);
}
