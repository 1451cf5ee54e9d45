/* The store while something is measured: room, lock, writer, and what to do where it fails. */
#include "bench/base/mem.h"
#include "harness/measure/measure_parts.h"

enum { UNLOCK_S = 2 };

int measure_store_open(struct measure *m, struct hb_err *err)
{
	struct store_writer_params p = {
		.dir = m->dir, .signal_fd = m->req.signal_fd, .note = m->req.note, .ctx = m->req.ctx
	};
	/* Whoever resumes has the lock already. */
	int rc = m->lock ? HB_OK : store_run_lock(m->dir, &m->lock, err);

	return rc == HB_OK ? store_writer_open(&p, &m->writer, err) : rc;
}

void measure_store_settle(struct measure *m)
{
	const char *dir;

	if (store_writer_settle(m->writer, m->signal != 0, NULL) == HB_OK)
		return;
	m->broken = true;
	dir = store_writer_dir(m->writer);
	free(m->dir);
	m->dir = hb_strdup(dir);
}

static int unlock(void *ctx, struct buf *out, struct hb_err *err)
{
	(void)out;
	(void)err;
	store_unlock(ctx);
	return HB_OK;
}

int measure_store_close(struct measure *m, struct hb_err *err)
{
	int rc = HB_OK;

	if (m->writer) {
		measure_store_settle(m);
		rc = store_writer_close(m->writer, m->signal != 0, err);
		m->writer = NULL;
	}
	/* A store that hangs keeps the lock; whoever comes next sees that we are gone. */
	if (m->lock)
		store_apart(unlock, m->lock, UNLOCK_S, NULL, NULL);
	free(m->lock);
	m->lock = NULL;
	return rc;
}
