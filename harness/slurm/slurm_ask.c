/* Runs one of Slurm's commands to its end, and the reading that all answers have in common. */
#include <poll.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/utf8.h"
#include "harness/launch/wait.h"
#include "harness/slurm/slurm_parts.h"

enum { ASK_GRACE_MS = 2000 };

/* Answers are read by their English words and by the usual form of times, whatever the user set. */
static const char *const plain_env[] = { "LC_ALL=C", "SLURM_TIME_FORMAT=standard", NULL };

/* ---- running ---- */

/*
 * Waits for the end, for the signal or until a moment; tells which by its status. A tick that wants
 * no more of it has filled err.
 */
static int wait_answer(struct spawn *child, const struct slurm_run *r, struct hb_err *err)
{
	int64_t start = wait_now_ms(), until = r->timeout_ms < 0 ? -1 : start + r->timeout_ms;
	int64_t tick = r->tick_ms > 0 ? start + r->tick_ms : -1;
	struct pollfd v[SPAWN_FDS + 1];

	while (!spawn_ended(child, NULL)) {
		int64_t now = wait_now_ms();
		size_t n = spawn_fds(child, v);
		bool watch = r->signal_fd >= 0;
		int ms = wait_shorter(wait_until(now, until), wait_until(now, tick));

		if (until >= 0 && now >= until)
			return HB_E_TIMEOUT;
		if (watch)
			v[n] = (struct pollfd){ r->signal_fd, POLLIN, 0 };
		int ready = poll(v, n + watch, wait_shorter(ms, spawn_tick_ms(child)));
		spawn_service(child);
		/* An end that came together with the signal counts: the answer is there. */
		if (ready > 0 && watch && v[n].revents && !spawn_ended(child, NULL))
			return HB_E_CANCELLED;
		if (tick < 0 || wait_now_ms() < tick || spawn_ended(child, NULL))
			continue;
		int rc = r->tick(r->ctx, err);
		tick = wait_now_ms() + r->tick_ms;
		spawn_service(child);
		if (rc != HB_OK && !spawn_ended(child, NULL))
			return rc;
	}
	return HB_OK;
}

static int tell(const struct slurm_run *r, int rc, const struct slurm_answer *a, struct hb_err *err)
{
	char words[SLURM_TEXT_MAX];

	if (rc == HB_E_CANCELLED)
		return hb_fail(err, rc, "%s: ended by a signal to hpcbench", r->argv[0]);
	slurm_clean(a->err, strlen(a->err), words, sizeof words);
	return hb_fail(err, rc, "%s: no answer within %d s; does Slurm's controller run?%s%s",
	               r->argv[0], r->timeout_ms / 1000, words[0] ? " It said: " : "", words);
}

int slurm_run(const struct slurm_run *r, struct slurm_answer *out, struct hb_err *err)
{
	struct spawn_params p = {
		.argv = r->argv,
		.env = plain_env,
		.missing_hint = "Slurm's client commands must be installed and in PATH",
		.line = r->line,
		.ctx = r->ctx,
	};
	struct spawn *child = NULL;
	struct hb_err ticked = { HB_OK, "" };

	*out = (struct slurm_answer){ NULL, NULL, -1 };
	int rc = spawn_start(&p, &child, err);
	if (rc != HB_OK)
		return rc;
	rc = wait_answer(child, r, &ticked);
	if (rc != HB_OK)
		spawn_stop(child, r->grace_ms);
	spawn_ended(child, &out->status);
	out->out = hb_strdup(spawn_text(child, SPAWN_OUT));
	out->err = hb_strdup(spawn_text(child, SPAWN_ERR));
	spawn_free(child);
	if (rc != HB_OK && ticked.code == rc)
		return hb_fail(err, rc, "%s", ticked.text);
	return rc == HB_OK ? HB_OK : tell(r, rc, out, err);
}

int slurm_ask(const char *const *argv, int timeout_ms, int signal_fd, struct slurm_answer *out,
              struct hb_err *err)
{
	struct slurm_run r = {
		.argv = argv,
		.timeout_ms = timeout_ms,
		.grace_ms = ASK_GRACE_MS,
		.signal_fd = signal_fd,
	};
	int rc = slurm_run(&r, out, err);

	if (rc != HB_OK)
		slurm_answer_free(out);
	return rc;
}

void slurm_answer_free(struct slurm_answer *a)
{
	free(a->out);
	free(a->err);
	*a = (struct slurm_answer){ NULL, NULL, -1 };
}

/* ---- reading ---- */

void slurm_gather(void *ctx, enum spawn_stream stream, const char *line)
{
	struct slurm_text *g = ctx;
	size_t len = strlen(line);

	if (stream != SPAWN_OUT)
		return;
	g->cut = g->cut || g->text.len + len > g->most;
	if (g->cut)
		return;
	buf_add(&g->text, line, len);
	/* A piece of full length goes on with the next one. */
	if (len < SPAWN_LINE_MAX)
		buf_putc(&g->text, '\n');
}

bool slurm_clean(const char *text, size_t len, char *out, size_t n)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len;
	size_t k = 0;

	while (p < end) {
		size_t size = utf8_len(p, end), take = size ? size : 1;
		/* The control characters above 0x7f are C2 80 to C2 9F. */
		bool control = *p < 0x20 || *p == 0x7f || (size == 2 && *p == 0xc2 && p[1] < 0xa0);
		size_t add = control ? 1 : take;

		if (k + add >= n)
			break;
		if (control)
			out[k] = ' ';
		else if (size == 0)
			out[k] = '?';
		else
			memcpy(out + k, p, size);
		k += add;
		p += take;
	}
	while (k > 0 && out[k - 1] == ' ')
		k--;
	out[k] = '\0';
	return p == end;
}

bool slurm_line(const char **text, const char **line, size_t *len)
{
	if (!**text)
		return false;
	*line = *text;
	*len = strcspn(*text, "\n");
	*text += *len + ((*text)[*len] == '\n');
	return true;
}

const char *slurm_find(const char *text, size_t len, const char *word)
{
	return memmem(text, len, word, strlen(word));
}
