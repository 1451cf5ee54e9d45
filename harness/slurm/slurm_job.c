/* A job's own time: how long it may still run, and why it does not run yet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "bench/base/mem.h"
#include "harness/slurm/slurm_parts.h"

enum { LEFT_ASK_MS = 5000, PARTS_MAX = 3 };
static const double number_max = 1e7; /* of one part of a time; a year has 3e7 seconds */

const char *slurm_job_here(void)
{
	static const char *const names[] = { "SLURM_JOB_ID", "SLURM_JOBID", NULL };

	for (const char *const *name = names; *name; name++) {
		const char *v = getenv(*name);
		if (v && *v && strspn(v, "0123456789") == strlen(v))
			return v;
	}
	return NULL;
}

/* ---- the time that is left ---- */

/* Digits up to something else; false: there are none, or too many. */
static bool take_number(const char **p, const char *end, double *v)
{
	const char *start = *p;

	*v = 0;
	for (; *p < end && **p >= '0' && **p <= '9' && *v < number_max; (*p)++)
		*v = *v * 10 + (**p - '0');
	return *p > start && *v < number_max;
}

/* "1-02:03:04" in seconds; "3:04" are minutes and seconds. Negative: it is no such time. */
static double duration(const char *p, const char *end)
{
	double days = 0, seconds = 0, v;
	const char *dash = memchr(p, '-', (size_t)(end - p));

	if (dash && (!take_number(&p, dash, &days) || p++ != dash))
		return -1;
	for (int n = 1; n <= PARTS_MAX; n++) {
		if (!take_number(&p, end, &v))
			return -1;
		seconds = seconds * 60 + v;
		if (p == end)
			return n < 2 ? -1 : days * 86400 + seconds;
		if (*p++ != ':')
			return -1;
	}
	return -1;
}

double slurm_left_parse(const char *text)
{
	const char *line;
	size_t len;

	while (slurm_line(&text, &line, &len)) {
		while (len > 0 && strchr(" \t\r", line[len - 1]))
			len--;
		while (len > 0 && strchr(" \t", *line)) {
			line++;
			len--;
		}
		if (len > 0)
			return duration(line, line + len);
	}
	return -1;
}

/* What newer versions tell a job at its start, in seconds since 1970. */
static double left_of_env(void)
{
	const char *text = getenv("SLURM_JOB_END_TIME");
	char *end;

	if (!text || *text < '1' || *text > '9')
		return -1;
	double when = strtod(text, &end), left = when - (double)time(NULL);
	if (*end || !isfinite(when))
		return -1;
	return left > 0 ? left : 0;
}

double slurm_left_s(uint64_t job, int signal_fd)
{
	const char *here = slurm_job_here();
	char *id = hb_format("%llu", (unsigned long long)job);
	const char *const argv[] = { "squeue", "-h", "-j", id, "-o", "%L", NULL };
	bool mine = here && strcmp(here, id) == 0;
	struct slurm_answer a;
	struct hb_err none;
	double left = -1;
	bool told = false;

	if (slurm_ask(argv, LEFT_ASK_MS, signal_fd, &a, &none) == HB_OK) {
		told = WIFEXITED(a.status) && WEXITSTATUS(a.status) == 0 && a.out[0];
		left = told ? slurm_left_parse(a.out) : -1;
		slurm_answer_free(&a);
	}
	if (!told && mine)
		left = left_of_env();
	free(id);
	return left;
}

/* ---- why it waits ---- */

static void take_word(const char *p, size_t n, char out[SLURM_WORD_MAX])
{
	while (n > 0 && *p == ' ') {
		p++;
		n--;
	}
	slurm_clean(p, n, out, SLURM_WORD_MAX);
	if (strcmp(out, "None") == 0 || strcmp(out, "N/A") == 0 || strcmp(out, "(null)") == 0)
		out[0] = '\0';
}

bool slurm_pending_parse(const char *text, struct slurm_pending *out)
{
	const char *line;
	size_t len;

	*out = (struct slurm_pending){ .reason = "" };
	while (slurm_line(&text, &line, &len)) {
		const char *bar = memrchr(line, '|', len);
		if (!bar)
			continue;
		take_word(line, (size_t)(bar - line), out->reason);
		take_word(bar + 1, len - (size_t)(bar + 1 - line), out->start);
		return true;
	}
	return false;
}

/*
 * Limits that stay as long as the job stays as it is. From squeue(1); those that other jobs use up
 * and give back (MaxJobs, QOSGrp...) are not among them.
 */
static const struct {
	const char *reason, *what;
} hopeless[] = {
	{ "PartitionTimeLimit", "ask for less time with --alloc time=MINUTES, or measure less" },
	{ "PartitionNodeLimit", "the partition gives one job fewer nodes; name fewer with --nodes, "
	                        "or another partition with --alloc partition=NAME" },
	{ "AssociationTimeLimit", "the account allows less; --alloc time=MINUTES" },
	{ "QOSTimeLimit", "the QOS allows less; --alloc time=MINUTES" },
	{ "QOSMaxWallDurationPerJobLimit", "the QOS allows less; --alloc time=MINUTES" },
	{ "AssocMaxWallDurationPerJobLimit", "the account allows less; --alloc time=MINUTES" },
	{ "QOSMaxNodePerJobLimit", "the QOS allows fewer nodes; name fewer with --nodes" },
	{ "AssocMaxNodePerJobLimit", "the account allows fewer nodes; name fewer with --nodes" },
	{ "BadConstraints", "no node has what --alloc constraint= asks for" },
	{ "InvalidAccount", "name another account with --alloc account=NAME" },
	{ "InvalidQOS", "name another QOS with --alloc qos=NAME" },
};

const char *slurm_pending_hopeless(const char *reason)
{
	for (size_t i = 0; i < sizeof hopeless / sizeof hopeless[0]; i++)
		if (strcmp(hopeless[i].reason, reason) == 0)
			return hopeless[i].what;
	return NULL;
}
