/*
 * Why mpirun ended, from what it, the remote shell and Slurm wrote. A line replaces one that said
 * less; among equals the first counts, since what ends after it ends of it.
 */
#include <string.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_mpirun.h"
#include "harness/slurm/slurm.h"

enum weight {
	SAYS_NOTHING,
	SAYS_END,   /* something ended, not which */
	SAYS_START, /* ranks were never started */
	SAYS_CAUSE, /* which rank, with its node */
	SAYS_NODE   /* a node cannot be reached or is gone */
};

/* Where the name of the node stands. */
enum where { NOWHERE, BEHIND, BEFORE, NEXT_LINES };

struct sign {
	const char *text;
	enum where where;
	const char *mark; /* the name stands behind it; BEFORE: it stands before text */
	enum slurm_cause cause;
	enum weight weight;
	bool again; /* without that node, or just once more, it may go well */
};

/*
 * In this order, the first that fits is the line's meaning. Seen with Open MPI 4.1, MPICH 4.0 and
 * OpenSSH 9.2, but for those marked "not seen", which are their own words too. Open MPI 5 writes
 * PRTE for ORTE.
 */
/* clang-format off */
static const struct sign signs[] = {
	/* ssh */
	{ "ssh: connect to host ", BEHIND, "host ", SLURM_NODE_FAILED, SAYS_NODE, true },
	{ "ssh: Could not resolve hostname ", BEHIND, "hostname ",
	  SLURM_NODE_FAILED, SAYS_NODE, true },
	{ ": Permission denied (publickey", BEFORE, NULL, SLURM_NODE_FAILED, SAYS_NODE, true }, /* not seen */
	{ " closed by remote host", BEHIND, "Connection to ", /* not seen */
	  SLURM_NODE_FAILED, SAYS_NODE, true },
	{ "Host key verification failed", NOWHERE, NULL, /* not seen */
	  SLURM_NO_LAUNCH, SAYS_START, false },

	/* Open MPI */
	{ "Remote daemon: ", BEHIND, " on node ", SLURM_NODE_FAILED, SAYS_NODE, true },
	{ " has lost communication with a remote daemon", NEXT_LINES, " on node ",
	  SLURM_NODE_FAILED, SAYS_CAUSE, true },
	{ " noticed that process rank ", BEHIND, " on node ",
	  SLURM_PROGRAM, SAYS_CAUSE, true },
	{ " was unable to launch the specified application", NEXT_LINES, "Node: ",
	  SLURM_NO_LAUNCH, SAYS_START, false },
	{ " was unable to reliably start one or more daemons", NOWHERE, NULL,
	  SLURM_NO_LAUNCH, SAYS_START, false },
	{ "There are not enough slots available in the system", NOWHERE, NULL,
	  SLURM_NO_LAUNCH, SAYS_START, false },
	{ "All nodes which are allocated for this job are already filled", NOWHERE, NULL, /* not seen */
	  SLURM_NO_LAUNCH, SAYS_START, false },
	{ "A request was made to bind to that would result in binding more", NOWHERE, NULL,
	  SLURM_NO_LAUNCH, SAYS_START, false },
	{ "MPI_ABORT was invoked on rank ", NOWHERE, NULL, SLURM_PROGRAM, SAYS_END, true },
	{ " detected that one or more processes exited with non-zero status", NOWHERE, NULL,
	  SLURM_PROGRAM, SAYS_END, true },
	{ " job  terminated normally, but ", NOWHERE, NULL, SLURM_PROGRAM, SAYS_END, true },

	/* hydra */
	{ "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", NEXT_LINES, " RUNNING AT ",
	  SLURM_PROGRAM, SAYS_CAUSE, true },
	{ "execvp error on file ", BEHIND, "@", SLURM_NO_LAUNCH, SAYS_START, false },
	{ "control_cb (", NOWHERE, NULL, SLURM_PROGRAM, SAYS_END, true },
};
/* clang-format on */

enum { LINE_LOOK = 2000, LINES_LOOK = 8 };

struct view {
	const char *p;
	size_t len;
};

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

/* Nodes go by their first label, as helpers say it; an address has none. */
static void take_name(const char *p, size_t len, char out[NODESET_NAME_MAX + 1])
{
	size_t n = 0;

	while (n < len && n < NODESET_NAME_MAX && name_char(p[n])) {
		out[n] = p[n];
		n++;
	}
	while (n > 0 && out[n - 1] == '.')
		n--;
	out[n] = '\0';
	if (strspn(out, "0123456789.") != n)
		out[strcspn(out, ".")] = '\0';
}

/* The name behind mark on this line. */
static bool behind(struct view line, const char *mark, char out[NODESET_NAME_MAX + 1])
{
	const char *at = memmem(line.p, line.len, mark, strlen(mark));

	if (!at)
		return false;
	at += strlen(mark);
	take_name(at, line.len - (size_t)(at - line.p), out);
	return out[0] != '\0';
}

/* "root@n3" that ends at the line's part len. */
static void before(struct view line, char out[NODESET_NAME_MAX + 1])
{
	size_t start = line.len;

	while (start > 0 && name_char(line.p[start - 1]))
		start--;
	take_name(line.p + start, line.len - start, out);
}

static bool next_line(const char **text, struct view *line)
{
	if (!**text)
		return false;
	*line = (struct view){ *text, strcspn(*text, "\n") };
	*text += line->len + ((*text)[line->len] == '\n');
	if (line->len > LINE_LOOK)
		line->len = LINE_LOOK;
	return true;
}

static void find_node(const struct sign *s, struct view line, const char *rest,
                      char out[NODESET_NAME_MAX + 1])
{
	const char *at = memmem(line.p, line.len, s->text, strlen(s->text));

	out[0] = '\0';
	switch (s->where) {
	case NOWHERE: break;
	case BEHIND: behind(line, s->mark, out); break;
	case BEFORE: before((struct view){ line.p, (size_t)(at - line.p) }, out); break;
	case NEXT_LINES:
		for (int i = 0; i < LINES_LOOK && next_line(&rest, &line); i++)
			if (behind(line, s->mark, out))
				break;
		break;
	}
}

/* One clean line, without rulers and blanks around it. */
static void keep_text(struct view line, char *out, size_t n)
{
	size_t k = 0;

	while (line.len > 0 && strchr(" =\t", *line.p)) {
		line.p++;
		line.len--;
	}
	for (size_t i = 0; i < line.len && k + 1 < n; i++)
		out[k++] = (char)(line.p[i] < ' ' || line.p[i] > '~' ? ' ' : line.p[i]);
	while (k > 0 && out[k - 1] == ' ')
		k--;
	out[k] = '\0';
}

static const struct sign *sign_of(struct view line)
{
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (memmem(line.p, line.len, signs[i].text, strlen(signs[i].text)))
			return &signs[i];
	return NULL;
}

static enum weight take_lines(const char *text, struct launch_cause *out)
{
	enum weight weight = SAYS_NOTHING;
	struct view line;

	while (next_line(&text, &line)) {
		const struct sign *s = sign_of(line);
		char node[NODESET_NAME_MAX + 1];
		if (!s || s->weight <= weight)
			continue;
		find_node(s, line, text, node);
		weight = s->weight;
		*out = (struct launch_cause){ .name = slurm_cause_name(s->cause),
			                      .again = s->again };
		snprintf(out->node, sizeof out->node, "%s", node);
		keep_text(line, out->text, sizeof out->text);
		size_t len = strlen(out->text);
		if (s->where == NEXT_LINES && node[0] && len + 8 < sizeof out->text)
			snprintf(out->text + len, sizeof out->text - len, " (on %.100s)", node);
	}
	return weight;
}

void mpirun_explain(const char *text, struct launch_cause *out)
{
	struct slurm_failure f;

	*out = (struct launch_cause){ 0 };
	enum weight weight = take_lines(text, out);
	/* Within a Slurm job mpirun's daemons are a step: Slurm knows better why that ended. */
	slurm_failure_parse(text, &f);
	if (f.cause == SLURM_UNKNOWN || f.cause == SLURM_PROGRAM ||
	    (weight > SAYS_START && f.cause == SLURM_CANCELLED) || weight == SAYS_NODE)
		return;
	*out = (struct launch_cause){ .name = slurm_cause_name(f.cause),
		                      .again = f.cause == SLURM_NODE_FAILED };
	snprintf(out->node, sizeof out->node, "%s", f.node);
	snprintf(out->text, sizeof out->text, "%s", f.text);
}
