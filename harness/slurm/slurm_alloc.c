/* Allocations: what salloc is asked, what it answers, and the wait between. */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "bench/base/units.h"
#include "harness/launch/wait.h"
#include "harness/slurm/slurm_parts.h"

enum {
	ALLOC_GRACE_MS = 15000,
	TICK_MS = 500,       /* looks at the clock while the job is pending */
	SETTLE_MS = 800,     /* from the job's id until Slurm is asked for the first time */
	QUEUE_MS = 30000,    /* between two questions: thousands of users ask the same daemon */
	QUEUE_ASK_MS = 5000, /* for one answer */
	EARLY_MS = 3000,     /* until asked again where Slurm has not made up its mind yet */
	EARLY_MAX = 3
};

/* ---- options ---- */

/* How long the name is; 0: it is none. */
static size_t name_len(const char *opt)
{
	size_t n = strcspn(opt, "=");

	if (n == 0 || opt[0] < 'a' || opt[0] > 'z')
		return 0;
	for (size_t i = 0; i < n; i++) {
		char c = opt[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return 0;
	}
	return n;
}

static bool is_option(const char *opt, const char *name)
{
	size_t n = strlen(name);
	return strncmp(opt, name, n) == 0 && (opt[n] == '=' || !opt[n]);
}

static int check_one(const char *option, const char *opt, const char *const *refused,
                     struct hb_err *err)
{
	char shown[80];
	size_t n = name_len(opt), len = strlen(opt);

	slurm_clean(opt, len, shown, sizeof shown);
	if (n == 0)
		return hb_fail(err, HB_E_USAGE,
		               "%s '%s': want OPT=VAL or OPT, OPT as Slurm spells it behind '--' "
		               "(partition=debug)",
		               option, shown);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)opt[i] < 0x20 || opt[i] == 0x7f)
			return hb_fail(err, HB_E_USAGE, "%s '%s': a control character in it",
			               option, shown);
	if (opt[n] == '=' && !opt[n + 1])
		return hb_fail(err, HB_E_USAGE, "%s '%s': nothing stands behind '='", option,
		               shown);
	for (size_t i = 0; refused && refused[i]; i++) {
		if (strncmp(refused[i], opt, n) != 0)
			continue;
		if (!refused[i][n])
			return hb_fail(err, HB_E_USAGE,
			               "%s '%s': hpcbench sets --%s itself; take it away", option,
			               shown, refused[i]);
		/* Slurm's commands would take it as an abbreviation. */
		return hb_fail(err, HB_E_USAGE,
		               "%s '%s': could stand for --%s, which hpcbench sets itself", option,
		               shown, refused[i]);
	}
	return HB_OK;
}

int slurm_opts_check(const char *option, const char *const *opts, size_t n,
                     const char *const *refused, struct hb_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int rc = check_one(option, opts[i], refused, err);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

static bool user_sets(const struct slurm_alloc_params *p, const char *name)
{
	for (size_t i = 0; i < p->n_opts; i++)
		if (is_option(p->opts[i], name))
			return true;
	return false;
}

char **slurm_alloc_argv(const struct slurm_alloc_params *p)
{
	enum { DEFAULTS = 8 };
	char **argv = hb_alloc((p->n_opts + DEFAULTS + 1) * sizeof *argv);
	double minutes = fmax(1, ceil(p->seconds / 60));
	struct buf list = BUF_INIT;
	size_t n = 0;

	nodeset_format(p->nodes, &list);
	argv[n++] = hb_strdup("salloc");
	argv[n++] = hb_strdup("--no-shell");
	argv[n++] = hb_strdup("--no-kill");
	if (!user_sets(p, "job-name"))
		argv[n++] = hb_format("--job-name=%s", p->job_name);
	argv[n++] = hb_format("--nodes=%zu", p->nodes->n);
	argv[n++] = hb_format("--nodelist=%s", buf_text(&list));
	if (!user_sets(p, "time"))
		argv[n++] = hb_format("--time=%.0f", minutes);
	if (!user_sets(p, "exclusive"))
		argv[n++] = hb_strdup("--exclusive");
	for (size_t i = 0; i < p->n_opts; i++)
		if (strcmp(p->opts[i], "exclusive=no") != 0)
			argv[n++] = hb_format("--%s", p->opts[i]);
	buf_free(&list);
	return argv;
}

/* ---- answers ---- */

/* The number behind prefix at the start of a line; 0: the line is another one. */
static uint64_t id_behind(const char *line, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);
	uint64_t id = 0;

	if (len <= n || memcmp(line, prefix, n) != 0)
		return 0;
	for (; n < len && line[n] >= '0' && line[n] <= '9'; n++) {
		if (id > (UINT64_MAX - 9) / 10)
			return 0;
		id = id * 10 + (uint64_t)(line[n] - '0');
	}
	return id;
}

uint64_t slurm_alloc_parse(const char *text)
{
	const char *line;
	size_t len;
	uint64_t id = 0;

	while (id == 0 && slurm_line(&text, &line, &len))
		id = id_behind(line, len, "salloc: Granted job allocation ");
	return id;
}

/* A job that waits: what salloc says of it, then what squeue does. */
struct pending {
	const struct slurm_alloc_params *p;
	uint64_t job;
	bool told; /* that it waits, with salloc's own words */
	char why[SLURM_TEXT_MAX];
	int64_t start_ms, ask_ms; /* ask_ms: when squeue may be asked next */
	struct slurm_pending now; /* what it said last */
	int early;                /* how often it was asked again soon */
};

/* What a new job has until the scheduler has looked at it: the limit is named seconds later. */
static bool undecided(const char *reason)
{
	return !reason[0] || strcmp(reason, "PartitionConfig") == 0;
}

static void watch_line(void *ctx, enum spawn_stream stream, const char *line)
{
	static const char prefix[] = "salloc: ";
	struct pending *w = ctx;
	size_t len = strlen(line);
	char text[SLURM_TEXT_MAX + 64];

	if (stream != SPAWN_ERR || w->told || strncmp(line, prefix, sizeof prefix - 1) != 0)
		return;
	uint64_t id = id_behind(line, len, "salloc: Pending job allocation ");
	if (id > 0) {
		w->job = id;
		w->ask_ms = wait_now_ms() + SETTLE_MS;
	} else if (w->job == 0 || !w->why[0]) {
		slurm_clean(line, len, w->why, sizeof w->why);
	}
	/* The reason stands before the id, or on the line behind it. */
	if (w->job == 0 || !w->why[0])
		return;
	w->told = true;
	snprintf(text, sizeof text, "job %llu waits for its nodes (%s)", (unsigned long long)w->job,
	         w->why);
	if (w->p->note)
		w->p->note(w->p->ctx, "info", text);
}

static void start_text(const struct slurm_pending *now, char *out, size_t n)
{
	if (now->start[0])
		snprintf(out, n, "Slurm expects it to start at %s", now->start);
	else
		snprintf(out, n, "Slurm tells no expected start");
}

/* Asks why it is pending; a line for each new reason. */
static void ask_queue(struct pending *w)
{
	char id[24], start[SLURM_WORD_MAX + 40], text[SLURM_TEXT_MAX];
	const char *const argv[] = {
		"squeue", "-h", "-t", "pending", "-j", id, "-o", "%r|%S", NULL
	};
	struct slurm_pending now;
	struct slurm_answer a;
	struct hb_err none;

	w->ask_ms = wait_now_ms() + QUEUE_MS;
	snprintf(id, sizeof id, "%llu", (unsigned long long)w->job);
	/* Whoever does not answer just now is asked again later. */
	if (slurm_ask(argv, QUEUE_ASK_MS, w->p->signal_fd, &a, &none) != HB_OK)
		return;
	bool pending = slurm_pending_parse(a.out, &now);
	slurm_answer_free(&a);
	if (!pending)
		return;
	bool news = now.reason[0] && strcmp(now.reason, w->now.reason) != 0;
	w->now = now;
	if (undecided(now.reason) && w->early++ < EARLY_MAX)
		w->ask_ms = wait_now_ms() + EARLY_MS;
	start_text(&now, start, sizeof start);
	snprintf(text, sizeof text, "job %s is pending: %s; %s", id, now.reason, start);
	if (news && w->p->note)
		w->p->note(w->p->ctx, "info", text);
}

/* Is there still something to wait for? */
static int tick(void *ctx, struct hb_err *err)
{
	struct pending *w = ctx;
	const struct slurm_alloc_params *p = w->p;
	int64_t now = wait_now_ms();
	bool over = p->max_wait_s > 0 && (double)(now - w->start_ms) >= p->max_wait_s * 1000;
	char start[SLURM_WORD_MAX + 40], max[32];

	if (w->job > 0 && (now >= w->ask_ms || (over && !w->now.reason[0])))
		ask_queue(w);
	const char *what = slurm_pending_hopeless(w->now.reason);
	if (what)
		return hb_fail(err, HB_E_LIB, "job %llu would wait for ever (%s): %s",
		               (unsigned long long)w->job, w->now.reason, what);
	if (!over)
		return HB_OK;
	units_format_duration(p->max_wait_s, max, sizeof max);
	start_text(&w->now, start, sizeof start);
	return hb_fail(err, HB_E_TIMEOUT, "job %llu still waits after %s (--max-wait): %s; %s",
	               (unsigned long long)w->job, max,
	               w->now.reason[0] ? w->now.reason
	               : w->why[0]      ? w->why
	                                : "no reason told",
	               start);
}

/* salloc's own words: its errors, or where it marks none everything but the state of the queue. */
static void own_words(const char *text, bool errors_only, struct buf *out)
{
	static const char prefix[] = "salloc: ", error[] = "error: ";
	const char *line;
	size_t len;

	while (slurm_line(&text, &line, &len)) {
		bool is_error;
		if (len >= sizeof prefix - 1 && memcmp(line, prefix, sizeof prefix - 1) == 0) {
			line += sizeof prefix - 1;
			len -= sizeof prefix - 1;
		}
		is_error = len >= sizeof error - 1 && memcmp(line, error, sizeof error - 1) == 0;
		if (is_error) {
			line += sizeof error - 1;
			len -= sizeof error - 1;
		}
		if (len == 0 || (errors_only && !is_error) ||
		    slurm_find(line, len, "Pending job allocation") ||
		    slurm_find(line, len, "queued and waiting"))
			continue;
		if (out->len > 0)
			buf_puts(out, "; ");
		buf_add(out, line, len);
	}
}

static int refused(const struct slurm_answer *a, struct hb_err *err)
{
	struct buf words = BUF_INIT;
	char shown[SLURM_TEXT_MAX], status[64];

	own_words(a->err, true, &words);
	if (words.len == 0)
		own_words(a->err, false, &words);
	slurm_clean(buf_text(&words), words.len, shown, sizeof shown);
	buf_free(&words);
	spawn_status_text(a->status, status, sizeof status);
	return hb_fail(err, HB_E_LIB, "Slurm gave no allocation: %s (salloc: %s)",
	               shown[0] ? shown : "no reason told", status);
}

int slurm_allocate(const struct slurm_alloc_params *p, uint64_t *job, struct hb_err *err)
{
	struct pending w = { .p = p, .start_ms = wait_now_ms() };
	char **argv = slurm_alloc_argv(p);
	union { /* nothing changes the words */
		char **in;
		const char *const *out;
	} words = { argv };
	struct slurm_run r = { .argv = words.out,
		               .timeout_ms = -1,
		               .grace_ms = ALLOC_GRACE_MS,
		               .signal_fd = p->signal_fd,
		               .line = watch_line,
		               .ctx = &w,
		               .tick = tick,
		               .tick_ms = TICK_MS };
	struct slurm_answer a;
	int rc = slurm_run(&r, &a, err);

	/* Told even with HB_E_CANCELLED: a grant may have crossed the signal. */
	*job = a.err ? slurm_alloc_parse(a.err) : 0;
	if (rc == HB_OK && (*job == 0 || !WIFEXITED(a.status) || WEXITSTATUS(a.status) != 0))
		rc = refused(&a, err);
	slurm_answer_free(&a);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
	return rc;
}
