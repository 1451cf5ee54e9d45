/* What Slurm says of its switches: longer than other answers, so it is taken line by line. */
#include <string.h>
#include <sys/wait.h>

#include "harness/slurm/slurm_parts.h"

struct lines {
	struct buf *out;
	size_t max;
};

static void add_line(void *ctx, enum spawn_stream stream, const char *line)
{
	struct lines *l = ctx;
	size_t len = strlen(line);

	if (stream != SPAWN_OUT || l->out->len > l->max)
		return;
	buf_add(l->out, line, len);
	if (len < SPAWN_LINE_MAX) /* else it goes on in the next piece */
		buf_putc(l->out, '\n');
}

int slurm_topology(int signal_fd, size_t max, struct buf *out, struct hb_err *err)
{
	static const char *const argv[] = { "scontrol", "show", "topology", NULL };
	struct lines lines = { out, max };
	struct slurm_run r = {
		.argv = argv,
		.timeout_ms = SLURM_ASK_MS,
		.signal_fd = signal_fd,
		.line = add_line,
		.ctx = &lines,
	};
	struct slurm_answer a = { 0 };
	int rc = slurm_run(&r, &a, err);
	/* Without the plugin newer ones fail, older ones say nothing. */
	bool fine = rc == HB_OK && WIFEXITED(a.status) && WEXITSTATUS(a.status) == 0;

	slurm_answer_free(&a);
	if (!fine)
		buf_clear(out);
	if (out->len > max)
		return hb_fail(err, HB_E_FORMAT, "scontrol show topology: more than %zu bytes",
		               max);
	return rc;
}
