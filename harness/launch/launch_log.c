#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"

static const enum writer_log logs[LOG_FILES] = { [LOG_RECORDS] = WRITER_RECORDS,
	                                         [LOG_SAMPLES] = WRITER_SAMPLES,
	                                         [LOG_JOURNAL] = WRITER_JOURNAL };

void launch_log_use(struct launch_log *l, struct store_writer *w)
{
	*l = (struct launch_log){ .w = w, .err = { HB_OK, "" } };
}

int launch_log_open(struct launch_log *l, const char *dir, struct hb_err *err)
{
	struct store_writer_params p = { .dir = dir, .signal_fd = -1 };
	struct store_writer *w = NULL;
	int rc = store_writer_open(&p, &w, err);

	launch_log_use(l, w);
	l->own = true;
	return rc;
}

void launch_log_add(struct launch_log *l, enum log_file file, json_object *o, size_t size)
{
	hb_grow(&l->queue, &l->cap, l->n + 1, sizeof *l->queue);
	l->queue[l->n++] = (struct log_entry){ o, file };
	l->bytes += size;
	if (l->bytes > LOG_QUEUE_MAX)
		launch_log_flush(l, NULL);
}

int launch_log_flush(struct launch_log *l, struct hb_err *err)
{
	struct hb_err e;

	for (size_t i = 0; i < l->n; i++) {
		store_writer_line(l->w, logs[l->queue[i].file], l->queue[i].o);
		js_put(l->queue[i].o);
	}
	if (store_writer_flush(l->w, &e) != HB_OK && l->err.code == HB_OK)
		l->err = e;
	l->n = l->bytes = 0;
	if (l->err.code != HB_OK && err)
		*err = l->err;
	return l->err.code;
}

int launch_log_close(struct launch_log *l, struct hb_err *err)
{
	int rc = l->w ? launch_log_flush(l, err) : HB_OK;

	if (l->own) {
		int rc_close = store_writer_close(l->w, false, rc == HB_OK ? err : NULL);
		rc = rc == HB_OK ? rc_close : rc;
	}
	free(l->queue);
	*l = (struct launch_log){ .err = { HB_OK, "" } };
	return rc;
}
