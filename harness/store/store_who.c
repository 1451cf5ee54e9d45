/* Who wrote a lock or a temporary file, and whether that process is still there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store_parts.h"

enum { STAT_STATE_TO_START = 19 /* fields of /proc/PID/stat */, DAY_S = 86400, TEMP_FRESH_S = 60 };

/* A small file of /proc; "" where there is none. */
static void read_text_file(const char *path, char *out, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, out, n - 1) : 0;

	out[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* State and start of a process; false where /proc does not show it. */
static bool read_stat(int64_t pid, char *state, uint64_t *start)
{
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	read_text_file(path, text, sizeof text);
	/* The name, in parentheses, may hold anything. */
	const char *at = strrchr(text, ')');
	if (!at || at[1] != ' ' || !at[2])
		return false;
	at += 2;
	*state = *at;
	for (int i = 0; i < STAT_STATE_TO_START && at; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	*start = at ? strtoull(at, NULL, 10) : 0;
	return true;
}

void store_host(char out[65])
{
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	host[strcspn(host, ".")] = '\0';
	snprintf(out, 65, "%.64s", host[0] ? host : "unknown");
	/* It becomes a part of file names. */
	for (char *c = out; *c; c++)
		if (*c == '/' || *c <= ' ' || *c > '~')
			*c = '_';
}

static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);

	return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

void store_who_self(struct store_who *out)
{
	char state;
	ssize_t n;

	*out = (struct store_who){ .pid = getpid() };
	store_host(out->host);
	read_text_file("/proc/sys/kernel/random/boot_id", out->boot, sizeof out->boot);
	out->boot[strcspn(out->boot, "\n")] = '\0';
	n = readlink("/proc/self/ns/pid", out->pid_ns, sizeof out->pid_ns - 1);
	out->pid_ns[n > 0 ? n : 0] = '\0';
	if (!read_stat(out->pid, &state, &out->start))
		out->start = 0;
	out->job = number_of("SLURM_JOB_ID");
	out->restart = number_of("SLURM_RESTART_COUNT");
}

static socklen_t writer_name(int64_t pid, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* A NUL in front: it is no file. */
	int n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "hpcbench-writer-%lld",
	                 (long long)pid);

	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

bool store_writer_hold(int64_t pid)
{
	struct sockaddr_un a;
	socklen_t len = writer_name(pid, &a);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && bind(fd, (const struct sockaddr *)&a, len) == 0;
}

bool store_writer_alive(int64_t pid)
{
	struct sockaddr_un a;
	socklen_t len = writer_name(pid, &a);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool alive = fd >= 0 && connect(fd, (const struct sockaddr *)&a, len) == 0;

	if (fd >= 0)
		close(fd);
	return alive;
}

/* Of a process that could be seen from here. */
static bool process_gone(const struct store_who *who)
{
	char state = ' ';
	uint64_t start = 0;

	if (who->pid <= 0 || who->pid > INT32_MAX)
		return false;
	if (kill((pid_t)who->pid, 0) != 0 && errno == ESRCH)
		return true;
	if (!read_stat(who->pid, &state, &start))
		return false; /* it is there, and /proc shows others' processes to nobody */
	return state == 'Z' || state == 'X' || (who->start && start && who->start != start);
}

bool store_who_gone(const struct store_who *who)
{
	struct store_who self;

	store_who_self(&self);
	/* A job that was requeued: what it was before has been ended. */
	if (who->job && who->job == self.job && who->restart < self.restart)
		return true;
	/* Many hosts are called localhost. */
	if (strcmp(who->host, self.host) != 0 || strcmp(who->host, "localhost") == 0 ||
	    !who->boot[0] || !self.boot[0])
		return false;
	if (strcmp(who->boot, self.boot) != 0)
		return true;
	/* In another container the same number is another process. */
	return strcmp(who->pid_ns, self.pid_ns) == 0 && process_gone(who) &&
	       !store_writer_alive(who->pid);
}

/* NAME.HOST.PID.XXXXXXXX.tmp -> host and pid, which follow the last dots. */
static bool parse_temp(const char *path, char host[65], int64_t *pid)
{
	const char *slash = strrchr(path, '/');
	char *name = hb_strdup(slash ? slash + 1 : path);
	char *part[4] = { NULL };
	bool good = true;

	for (int i = 0; i < 4 && good; i++) {
		char *dot = strrchr(name, '.');
		good = dot != NULL && dot != name;
		if (!good)
			break;
		part[i] = dot + 1;
		*dot = '\0';
	}
	good = good && strcmp(part[0], "tmp") == 0 && strlen(part[1]) == 8 &&
	       strspn(part[1], "0123456789abcdef") == 8 && part[2][0] &&
	       strspn(part[2], "0123456789") == strlen(part[2]) && strlen(part[2]) < 12;
	if (good) {
		snprintf(host, 65, "%s", part[3]);
		*pid = strtoll(part[2], NULL, 10);
	}
	free(name);
	return good;
}

bool store_temp_dead(const char *path)
{
	struct store_who who = { .pid = 0 };
	char host[65], self[65];
	struct stat st;
	time_t age;

	if (!parse_temp(path, host, &who.pid) || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	age = time(NULL) - st.st_mtime;
	store_host(self);
	if (age > DAY_S)
		return true;
	return age > TEMP_FRESH_S && strcmp(host, self) == 0 && process_gone(&who);
}
