/*
 * Why a step ended, from what srun and the nodes' slurmstepd wrote to standard error. The order of
 * these lines varies from run to run, and between them stands whatever the program itself wrote.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/slurm/slurm_parts.h"

enum { LINE_LOOK = 4096 };

/*
 * How much a line says. A line replaces one that said less; among equals the first counts, since
 * what dies after it dies of it.
 */
enum weight {
	SAYS_NOTHING,
	SAYS_END,     /* only that the step, or a task by SIGTERM, was ended */
	SAYS_CAUSE,   /* why; a task's own death */
	SAYS_START,   /* it never ran: tasks that "exit" are part of that */
	SAYS_HARDWARE /* a node is gone: what its loss made others do may have come first */
};

enum source { FROM_ANY, FROM_SRUN, FROM_STEPD };

struct sign {
	const char *text;  /* in the line, behind its "srun: " or "slurmstepd-n1: " */
	const char *text2; /* behind text; may be NULL */
	const char *node;  /* what stands before the node's name; "": slurmstepd's own; or NULL */
	const char *task;  /* the same for the number of a task */
	enum source source;
	enum slurm_cause cause;
	enum weight weight;
	bool over_cancel; /* replaces a plain "cancelled" that stood before it */
};

#define ENDED(words)                                                                               \
	{                                                                                          \
		words, NULL, NULL, NULL, FROM_SRUN, SLURM_CANCELLED, SAYS_CAUSE, false             \
	}
#define NEVER_RAN(words)                                                                           \
	{                                                                                          \
		words, NULL, NULL, NULL, FROM_SRUN, SLURM_NO_LAUNCH, SAYS_START, false             \
	}

/*
 * In this order, the first that fits is the line's meaning. Seen with Slurm 22.05, but for the
 * texts marked "not seen": its programs have them, and they could not be provoked.
 */
/* clang-format off */
static const struct sign signs[] = {
	/* A node is gone. With --no-kill jobs survive that, so the second was not seen. */
	{ "Node failure on ", NULL, "Node failure on ", NULL,
	  FROM_SRUN, SLURM_NODE_FAILED, SAYS_HARDWARE, true },
	{ "CANCELLED AT ", "DUE TO NODE FAILURE", NULL, NULL,
	  FROM_STEPD, SLURM_NODE_FAILED, SAYS_HARDWARE, true },
	{ " ON ", "UNCORRECTABLE MEMORY ERROR AT ", " ON ", NULL, /* not seen */
	  FROM_STEPD, SLURM_NODE_FAILED, SAYS_HARDWARE, true },

	/* Somebody ended it; a job requeued (not seen) was so by somebody's wish. */
	{ "CANCELLED AT ", "DUE TO TIME LIMIT", NULL, NULL,
	  FROM_STEPD, SLURM_TIME_LIMIT, SAYS_CAUSE, true },
	/* With a grace time it is a plain "CANCELLED AT", and only the job's own line tells why. */
	{ "CANCELLED AT ", "DUE TO PREEMPTION", NULL, NULL,
	  FROM_STEPD, SLURM_PREEMPTED, SAYS_CAUSE, true },
	{ "CANCELLED AT ", NULL, NULL, NULL,
	  FROM_STEPD, SLURM_CANCELLED, SAYS_CAUSE, true },
	ENDED("Job step aborted"),
	ENDED("forcing job termination"),
	ENDED("has been revoked"), /* not seen */
	ENDED("Cancelled pending "), /* not seen */
	{ "Force Terminated ", NULL, NULL, NULL,
	  FROM_SRUN, SLURM_CANCELLED, SAYS_END, false },

	/* It never ran. */
	{ "error: execve(): ", NULL, "", NULL,
	  FROM_STEPD, SLURM_NO_LAUNCH, SAYS_START, false },
	{ "Task launch for ", "failed on node ", "failed on node ", NULL,
	  FROM_SRUN, SLURM_NO_LAUNCH, SAYS_START, false },
	{ "error: task ", "launch failed: ", NULL, "error: task ", /* not seen */
	  FROM_SRUN, SLURM_NO_LAUNCH, SAYS_START, false },
	NEVER_RAN("Application launch failed: "),
	NEVER_RAN("timeout waiting for task launch"), /* not seen */
	NEVER_RAN("aborted before step completely launched"), /* not seen */
	NEVER_RAN("unable to claim reserved port"), /* not seen */
	NEVER_RAN("MPI plugin's pre-launch setup failed"), /* not seen */
	NEVER_RAN("Unable to create step for job "),
	NEVER_RAN("Unable to confirm allocation for job "),
	NEVER_RAN("Only allocated "),
	NEVER_RAN(" has expired"),
	NEVER_RAN("cannot find mpi plugin for "),
	NEVER_RAN("Invalid MPI type "),
	NEVER_RAN("Unable to allocate resources: "), /* not seen */
	NEVER_RAN("Job submit/allocate failed: "), /* not seen */
	NEVER_RAN("unrecognized option "),
	NEVER_RAN("error: invalid "),
	NEVER_RAN("error: Invalid "),
	NEVER_RAN("fatal: "), /* not seen */

	/* It has not run yet; what comes later says more. */
	{ "tep creation temporarily disabled", NULL, NULL, NULL,
	  FROM_SRUN, SLURM_NO_LAUNCH, SAYS_END, false },
	{ "tep creation still disabled", NULL, NULL, NULL,
	  FROM_SRUN, SLURM_NO_LAUNCH, SAYS_END, false },

	/* The program ended itself; Slurm then cancels the step, and may say so first. */
	{ "MPI_ABORT was invoked on rank ", NULL, NULL, "on rank ",
	  FROM_ANY, SLURM_PROGRAM, SAYS_CAUSE, true },
};
/* clang-format on */

static const char *const cause_names[] = {
	[SLURM_UNKNOWN] = "unknown",          [SLURM_CANCELLED] = "cancelled",
	[SLURM_TIME_LIMIT] = "time-limit",    [SLURM_PREEMPTED] = "preempted",
	[SLURM_NODE_FAILED] = "node-failure", [SLURM_NO_LAUNCH] = "launch-failure",
	[SLURM_PROGRAM] = "program-failure",
};

const char *slurm_cause_name(enum slurm_cause c)
{
	return cause_names[c];
}

/* ---- pieces of a line ---- */

struct view {
	const char *p, *end;
};

static size_t view_len(struct view v)
{
	return (size_t)(v.end - v.p);
}

/* Moves v behind word; false and unmoved where it does not have it. */
static bool skip_to(struct view *v, const char *word)
{
	const char *at = slurm_find(v->p, view_len(*v), word);

	if (at)
		v->p = at + strlen(word);
	return at != NULL;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

/* The first node of a hostlist: "n1" of "n[1-2]". Empty when there is none. */
static void first_node(struct view v, char out[NODESET_NAME_MAX + 1])
{
	size_t n = 0;
	bool inside = false;

	for (; v.p < v.end && n < NODESET_NAME_MAX; v.p++) {
		if (!inside && *v.p == '[') {
			inside = true;
			continue;
		}
		if (inside && (*v.p == '-' || *v.p == ',' || *v.p == ']')) {
			while (v.p < v.end && *v.p != ']')
				v.p++;
			inside = false;
			if (v.p == v.end)
				break;
			continue;
		}
		if (!name_char(*v.p))
			break;
		out[n++] = *v.p;
	}
	/* An address or a sentence ends with a point. */
	while (n > 0 && out[n - 1] == '.')
		n--;
	out[n] = '\0';
}

/* -1: there is no number. */
static int number(struct view v)
{
	long n = 0;
	const char *start = v.p;

	for (; v.p < v.end && *v.p >= '0' && *v.p <= '9'; v.p++) {
		n = n * 10 + (*v.p - '0');
		if (n > INT32_MAX)
			return -1;
	}
	return v.p == start ? -1 : (int)n;
}

/*
 * Where the line's words begin, and whose they are. A program that ends without a newline has its
 * last words before srun's on the same line.
 */
static enum source whose(struct view *v)
{
	struct view srun = *v, stepd = *v;
	bool by_srun = skip_to(&srun, "srun: "), by_stepd = skip_to(&stepd, "slurmstepd");

	if (by_stepd && (!by_srun || stepd.p < srun.p)) {
		/* "slurmstepd: error: " or "slurmstepd-n1: error: " */
		if (stepd.p < stepd.end && (*stepd.p == ':' || *stepd.p == '-')) {
			*v = stepd;
			return FROM_STEPD;
		}
	}
	if (!by_srun)
		return FROM_ANY;
	*v = srun;
	return FROM_SRUN;
}

/* ---- tasks: "error: n[1-2]: tasks 0-1: Killed" ---- */

struct task_line {
	struct view nodes, tasks, what;
};

static bool task_line(struct view v, struct task_line *out)
{
	static const char error[] = "error: ";
	struct view rest = v, one = v;
	bool has;

	if (view_len(v) < sizeof error || memcmp(v.p, error, sizeof error - 1) != 0)
		return false;
	rest.p = v.p + sizeof error - 1;
	out->nodes.p = rest.p;
	one = rest;
	has = skip_to(&one, ": task ");
	if (has)
		out->nodes.end = one.p - strlen(": task ");
	else if ((has = skip_to(&one, ": tasks ")))
		out->nodes.end = one.p - strlen(": tasks ");
	if (!has || out->nodes.end == out->nodes.p)
		return false;
	for (const char *p = out->nodes.p; p < out->nodes.end; p++)
		if (!name_char(*p) && !strchr("[],", *p))
			return false;
	out->tasks = one;
	if (!skip_to(&one, ": ") || number(out->tasks) < 0)
		return false;
	out->tasks.end = one.p - strlen(": ");
	out->what = one;
	return view_len(one) > 0;
}

static bool has_task(struct view list, int task)
{
	while (list.p < list.end) {
		int lo = number(list), hi = lo;
		while (list.p < list.end && *list.p >= '0' && *list.p <= '9')
			list.p++;
		if (list.p < list.end && *list.p == '-') {
			list.p++;
			hi = number(list);
		}
		if (lo >= 0 && task >= lo && task <= hi)
			return true;
		while (list.p < list.end && *list.p != ',')
			list.p++;
		list.p += list.p < list.end;
	}
	return false;
}

/* ---- the verdict ---- */

struct verdict {
	struct slurm_failure *out;
	enum weight weight;
};

static void keep_text(struct slurm_failure *out, struct view line)
{
	size_t len = view_len(line);

	slurm_clean(line.p, len < LINE_LOOK ? len : LINE_LOOK, out->text, sizeof out->text);
}

static bool counts(const struct verdict *v, const struct sign *s)
{
	if (s->weight != v->weight)
		return s->weight > v->weight;
	return s->over_cancel && v->out->cause == SLURM_CANCELLED &&
	       !(s->cause == SLURM_CANCELLED && strstr(v->out->text, "CANCELLED AT "));
}

/* "n2" of "slurmstepd-n2: ...", at standing behind its first word. */
static void own_node(struct view at, char out[NODESET_NAME_MAX + 1])
{
	out[0] = '\0';
	if (view_len(at) > 1 && *at.p == '-') {
		at.p++;
		first_node(at, out);
	}
}

static void take_sign(struct verdict *v, const struct sign *s, struct view line, struct view at)
{
	struct view node = at, task = at;

	v->weight = s->weight;
	v->out->cause = s->cause;
	v->out->task = -1;
	v->out->node[0] = '\0';
	if (s->node && s->node[0] && skip_to(&node, s->node))
		first_node(node, v->out->node);
	else if (s->node && !s->node[0])
		own_node(at, v->out->node);
	if (s->task && skip_to(&task, s->task))
		v->out->task = number(task);
	keep_text(v->out, line);
}

/* What a later line of the same kind adds: a node not told before, or that it is not one alone. */
static void more_of_the_same(struct verdict *v, const struct sign *s, struct view line,
                             struct view at)
{
	char node[NODESET_NAME_MAX + 1];

	if (s->cause != v->out->cause || !s->node)
		return;
	if (!s->node[0]) {
		own_node(at, node);
		if (strcmp(node, v->out->node) != 0)
			v->out->node[0] = '\0';
	} else if (!v->out->node[0] && s->cause == SLURM_NODE_FAILED) {
		take_sign(v, s, line, at);
	}
}

static void take_task(struct verdict *v, const struct task_line *t, struct view line)
{
	/* Slurm says who died; where the program said first which rank, this gives its node. */
	if (v->out->cause == SLURM_PROGRAM && !v->out->node[0] &&
	    has_task(t->tasks, v->out->task)) {
		/* Of several nodes the task's own is not told. */
		if (!memchr(t->nodes.p, '[', view_len(t->nodes)) &&
		    !memchr(t->nodes.p, ',', view_len(t->nodes)))
			first_node(t->nodes, v->out->node);
	}
	/* SIGTERM is how Slurm itself ends tasks, and its word about that may come later. */
	enum weight weight = slurm_find(t->what.p, view_len(t->what), "Terminated") ? SAYS_END
	                                                                            : SAYS_CAUSE;
	if (v->weight >= weight)
		return;
	v->weight = weight;
	v->out->cause = SLURM_PROGRAM;
	v->out->task = number(t->tasks);
	first_node(t->nodes, v->out->node);
	keep_text(v->out, line);
}

static const struct sign *sign_of(enum source source, struct view words)
{
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		const struct sign *s = &signs[i];
		struct view at = words;
		if ((s->source == FROM_ANY || s->source == source) && skip_to(&at, s->text) &&
		    (!s->text2 || skip_to(&at, s->text2)))
			return s;
	}
	return NULL;
}

static void take_line(struct verdict *v, const char *text, size_t len)
{
	struct view line = { text, text + len }, words;
	struct task_line t;

	words = line;
	enum source source = whose(&words);
	if (source != FROM_ANY)
		line.p = words.p - (source == FROM_SRUN ? strlen("srun: ") : strlen("slurmstepd"));
	if (source == FROM_SRUN && task_line(words, &t)) {
		take_task(v, &t, line);
		return;
	}
	const struct sign *s = sign_of(source, words);
	if (!s) {
		/* Not known, but better than nothing. */
		if (source != FROM_ANY && v->weight == SAYS_NOTHING && !v->out->text[0] &&
		    slurm_find(words.p, view_len(words), "error: "))
			keep_text(v->out, line);
	} else if (counts(v, s)) {
		take_sign(v, s, line, words);
	} else if (s->weight == v->weight) {
		more_of_the_same(v, s, line, words);
	}
}

void slurm_failure_parse(const char *text, struct slurm_failure *out)
{
	struct verdict v = { out, SAYS_NOTHING };
	const char *line;
	size_t len;

	*out = (struct slurm_failure){ .cause = SLURM_UNKNOWN, .task = -1 };
	while (slurm_line(&text, &line, &len)) {
		size_t skip = len > LINE_LOOK ? len - LINE_LOOK : 0;
		/* Slurm's own lines are short: of a long one the end is theirs. */
		take_line(&v, line + skip, len - skip);
	}
}
