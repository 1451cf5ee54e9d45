/* What the processes of a run on this node are doing: for a step that does not end when told. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "bench/core/env.h"
#include "bench/node/node.h"

enum { ENVIRON_MAX = 256 * 1024, FILE_MAX = 4096, FOUND_MAX = 256 };

/* A file of /proc/PID; false where the process is gone or another user's. */
static bool read_proc(long pid, const char *name, size_t max, struct buf *out)
{
	char path[64];

	buf_clear(out);
	snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
	return buf_read_file(out, path, max, NULL) == HB_OK;
}

/* Does the process carry NAME=VALUE in its environment? */
static bool carries(long pid, const char *word)
{
	struct buf env = BUF_INIT;
	bool found = false;

	if (read_proc(pid, "environ", ENVIRON_MAX, &env))
		for (size_t at = 0; at < env.len && !found; at += strlen(buf_text(&env) + at) + 1)
			found = strcmp(buf_text(&env) + at, word) == 0;
	buf_free(&env);
	return found;
}

/* A field of a line: no tab, no control character. */
static void put_field(const char *text)
{
	for (; *text && *text != '\n'; text++)
		putchar(isprint((unsigned char)*text) ? *text : '?');
}

/* False where it is no helper: launchers carry the same environment. */
static bool print_process(const char *host, long pid)
{
	static const char helper[] = "hpcbench-";
	struct buf stat = BUF_INIT, wchan = BUF_INIT;
	const char *open, *close;
	bool printed = false;

	if (!read_proc(pid, "stat", FILE_MAX, &stat))
		goto out;
	/* "PID (NAME) STATE ...": the name may hold anything, parentheses too. */
	open = strchr(buf_text(&stat), '(');
	close = strrchr(buf_text(&stat), ')');
	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		goto out;
	if (strncmp(open + 1, helper, sizeof helper - 1) != 0)
		goto out;
	if (!read_proc(pid, "wchan", FILE_MAX, &wchan))
		buf_puts(&wchan, "0");
	char *name = hb_strndup(open + 1, (size_t)(close - open - 1));
	printf("%s\t%ld\t%c\t", host, pid, close[2]);
	put_field(buf_text(&wchan));
	putchar('\t');
	put_field(name);
	putchar('\n');
	free(name);
	printed = true;
out:
	buf_free(&stat);
	buf_free(&wchan);
	return printed;
}

int node_processes(const char *run)
{
	DIR *proc = opendir("/proc");
	char *word = hb_format("HPCBENCH_RUN=%s", run), host[256];
	int found = 0;

	env_host(host, sizeof host);
	for (struct dirent *e; proc && found < FOUND_MAX && (e = readdir(proc)) != NULL;) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);
		if (*end || pid <= 0 || pid == (long)getpid() || !carries(pid, word))
			continue;
		found += print_process(host, pid);
	}
	if (proc)
		closedir(proc);
	/* That nothing is left is an answer too. */
	if (found == 0)
		printf("%s\t0\t-\t0\t-\n", host);
	free(word);
	return fflush(stdout) == 0 ? 0 : HB_EXIT_BROKEN;
}
