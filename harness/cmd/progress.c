#include "harness/cmd/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/launch/wait.h"
#include "reports/doc.h"

enum { REDRAW_MS = 100, WIDTH_DEFAULT = 80, LEFT_MAX = 32 };

void progress_init(struct progress *p, bool quiet, bool verbose)
{
	*p = (struct progress){ .tty = isatty(STDERR_FILENO) != 0,
		                .quiet = quiet,
		                .verbose = verbose };
}

void progress_end(struct progress *p)
{
	if (p->line_shown)
		(void)fputs("\r\033[K", stderr);
	p->line_shown = false;
}

static void put_line(struct progress *p, const char *lead, const char *text)
{
	struct buf line = BUF_INIT;

	progress_end(p);
	buf_puts(&line, lead);
	doc_clean(text, &line);
	buf_putc(&line, '\n');
	(void)fwrite(line.data, 1, line.len, stderr);
	buf_free(&line);
}

static size_t width(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 20)
		return WIDTH_DEFAULT;
	return w.ws_col;
}

static void left_text(double left_s, char out[LEFT_MAX])
{
	if (left_s >= 0)
		units_format_duration(left_s, out, LEFT_MAX);
	else
		snprintf(out, LEFT_MAX, "?");
}

/* "[1/2] mpi.latency n1-n2, n3-n4 (3 of 20), 12 s left", cut to the terminal's width. */
static void draw(struct progress *p, const struct launch_progress *u)
{
	struct buf line = BUF_INIT;
	char left[LEFT_MAX];
	size_t max = width() - 1;

	left_text(u->left_s, left);
	buf_printf(&line, "[%zu/%zu] %zu of %zu, %s left: %s", u->step, u->steps, u->jobs_done,
	           u->jobs, left, *u->what ? u->what : u->helper);
	(void)fputs("\r\033[K", stderr);
	(void)fwrite(buf_text(&line), 1, line.len < max ? line.len : max, stderr);
	(void)fflush(stderr);
	p->line_shown = true;
	p->drawn_ms = wait_now_ms();
	buf_free(&line);
}

static void log_change(struct progress *p, const struct launch_progress *u)
{
	size_t len = strcspn(u->what, " ");
	struct buf line = BUF_INIT;
	char left[LEFT_MAX];

	if (len >= sizeof p->bench)
		len = sizeof p->bench - 1;
	if (p->step == u->step &&
	    (len == 0 || (strncmp(p->bench, u->what, len) == 0 && !p->bench[len])))
		return;
	memcpy(p->bench, u->what, len);
	p->bench[len] = '\0';
	p->step = u->step;
	left_text(u->left_s, left);
	buf_printf(&line, "step %zu of %zu, job %zu of %zu: %s; about %s left", u->step, u->steps,
	           u->jobs_done + (u->jobs_done < u->jobs), u->jobs, len ? u->what : u->helper,
	           left);
	put_line(p, "hpcbench: ", buf_text(&line));
	buf_free(&line);
}

void progress_update(void *ctx, const struct launch_progress *u)
{
	struct progress *p = ctx;

	if (p->quiet)
		return;
	if (!p->tty)
		log_change(p, u);
	else if (!p->line_shown || wait_now_ms() - p->drawn_ms >= REDRAW_MS)
		draw(p, u);
}

void progress_note(void *ctx, const char *level, const char *text)
{
	struct progress *p = ctx;
	bool info = strcmp(level, "info") == 0;

	if (info && p->quiet)
		return;
	put_line(p,
	         info                          ? "hpcbench: "
	         : strcmp(level, "error") == 0 ? "hpcbench: error: "
	                                       : "hpcbench: warning: ",
	         text);
}

void progress_output(void *ctx, enum spawn_stream stream, const char *line)
{
	struct progress *p = ctx;

	if (p->verbose)
		put_line(p, stream == SPAWN_ERR ? "  ! " : "  | ", line);
}
