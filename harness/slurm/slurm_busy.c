/*
 * Who else is on the cluster: "sinfo -h -N -o %N|%T", a line for each node and partition. sinfo
 * tells it also where the jobs of others are hidden.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/base/mem.h"
#include "harness/slurm/slurm_parts.h"

enum { BUSY_ASK_MS = 5000, BUSY_TEXT = 16 << 20 };

/* Words that a state with running jobs begins with, from sinfo(1); signs may follow. A node that is
 * draining still runs some. */
static const char *const busy_words[] = { "allocated", "mixed", "draining" };

static bool is_busy(const char *state, size_t len)
{
	for (size_t i = 0; i < sizeof busy_words / sizeof busy_words[0]; i++) {
		size_t n = strlen(busy_words[i]);
		if (len >= n && memcmp(state, busy_words[i], n) == 0 &&
		    (len == n || !(state[n] >= 'a' && state[n] <= 'z')))
			return true;
	}
	return false;
}

/* What one line says; the name is not terminated. */
struct told {
	const char *name;
	size_t len;
	bool busy;
};

static int by_name(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	int c = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return c ? c : x->len < y->len ? -1 : x->len > y->len;
}

static bool same(const struct told *a, const struct told *b)
{
	return a->len == b->len && memcmp(a->name, b->name, a->len) == 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of mine, sorted; borrowed. */
static char **sorted(const struct nodeset *mine)
{
	char **v = hb_alloc((mine->n + 1) * sizeof *v);

	for (size_t i = 0; i < mine->n; i++)
		v[i] = mine->v[i];
	if (mine->n)
		qsort(v, mine->n, sizeof *v, by_text);
	return v;
}

static bool is_mine(char *const *mine, size_t n, const struct told *t)
{
	char *name = hb_strndup(t->name, t->len);
	bool found = n && bsearch(&name, mine, n, sizeof *mine, by_text) != NULL;

	free(name);
	return found;
}

bool slurm_busy_parse(const char *text, const struct nodeset *mine, struct slurm_busy *out)
{
	struct told *v = NULL;
	size_t n = 0, cap = 0, len;
	char **own = sorted(mine);
	const char *line;

	*out = (struct slurm_busy){ 0, 0 };
	while (slurm_line(&text, &line, &len)) {
		const char *bar = memchr(line, '|', len);
		if (!bar || bar == line || bar - line > NODESET_NAME_MAX || n == BUSY_LINES_MAX)
			continue;
		hb_grow(&v, &cap, n + 1, sizeof *v);
		v[n++] = (struct told){ line, (size_t)(bar - line),
			                is_busy(bar + 1, len - (size_t)(bar + 1 - line)) };
	}
	if (n)
		qsort(v, n, sizeof *v, by_name);
	for (size_t i = 0, end = 0; i < n; i = end) {
		bool busy = false;
		for (end = i; end < n && same(&v[i], &v[end]); end++)
			busy = busy || v[end].busy;
		if (is_mine(own, mine->n, &v[i]))
			continue;
		out->nodes++;
		out->busy += busy;
	}
	free(own);
	free(v);
	return n > 0;
}

int slurm_busy_ask(const struct nodeset *mine, int signal_fd, struct slurm_busy *out,
                   struct hb_err *err)
{
	static const char *const argv[] = { "sinfo", "-h", "-N", "-o", "%N|%T", NULL };
	struct slurm_text text = { .text = BUF_INIT, .most = BUSY_TEXT };
	struct slurm_run r = { .argv = argv,
		               .timeout_ms = BUSY_ASK_MS,
		               .grace_ms = 1000,
		               .signal_fd = signal_fd,
		               .line = slurm_gather,
		               .ctx = &text };
	struct slurm_answer a;
	int rc = slurm_run(&r, &a, err);

	if (rc == HB_OK && (!WIFEXITED(a.status) || WEXITSTATUS(a.status) != 0 || text.cut ||
	                    !slurm_busy_parse(buf_text(&text.text), mine, out)))
		rc = hb_fail(err, HB_E_LIB, "sinfo: no answer that tells of nodes");
	slurm_answer_free(&a);
	buf_free(&text.text);
	return rc;
}
