#include "bench/core/agree.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

/* The first two reasons name the trouble; more of the same would only fill the line. */
enum { REASONS_SHOWN = 2 };

static void join_reasons(const struct buf *texts, const size_t *lens, int n, int worst,
                         struct hb_err *err)
{
	struct buf line = BUF_INIT;
	size_t at = 0;
	int failed = 0;

	for (int i = 0; i < n; at += lens[i], i++) {
		if (lens[i] == 0 || ++failed > REASONS_SHOWN)
			continue;
		buf_puts(&line, line.len ? "; " : "");
		if (n > 1)
			buf_printf(&line, "rank %d: ", i);
		buf_add(&line, texts->data + at, lens[i]);
	}
	if (failed > REASONS_SHOWN)
		buf_printf(&line, "; and %d more", failed - REASONS_SHOWN);
	hb_fail(err, (enum hb_status)worst, "%s", buf_text(&line));
	buf_free(&line);
}

int agree_status(struct comm *c, int rc, struct hb_err *err)
{
	struct hb_err mine = { HB_OK, "" };
	struct buf texts = BUF_INIT;
	size_t *lens;
	int worst = 0, n = c->ops->size(c), got;

	if (rc < 0 && err)
		mine = *err;
	if (rc < 0 && mine.text[0] == '\0')
		hb_fail(&mine, (enum hb_status)rc, "failed");
	if (rc == HB_E_TIMEOUT || c->broken) {
		c->broken = 1;
		if (rc < 0)
			return rc;
		return hb_fail(err, HB_E_TIMEOUT, "another rank did not answer in time");
	}
	/* agree gives the largest value, statuses are negative. */
	got = c->ops->agree(c, -rc, &worst, err);
	if (got < 0 || worst == 0)
		return got < 0 ? got : HB_OK;
	lens = hb_alloc((size_t)n * sizeof(*lens));
	got = c->ops->gatherv(c, mine.text, rc < 0 ? strlen(mine.text) : 0, &texts, lens, 0, err);
	if (got < 0)
		worst = -got;
	else if (c->ops->rank(c) == 0)
		join_reasons(&texts, lens, n, -worst, err);
	else if (rc == HB_OK)
		hb_fail(err, (enum hb_status) - worst, "another rank failed");
	free(lens);
	buf_free(&texts);
	return -worst;
}
