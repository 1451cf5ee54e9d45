#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"

static const char *const names[LOG_FILES] = { "records.jsonl", "samples.jsonl", "journal.jsonl" };

int launch_log_open(struct launch_log *l, const char *dir, struct hb_err *err)
{
	int rc = HB_OK;

	*l = (struct launch_log){ .err = { HB_OK, "" } };
	for (int i = 0; i < LOG_FILES && rc == HB_OK; i++) {
		char *path = hb_format("%s/%s", dir, names[i]);
		rc = store_log_open(path, &l->file[i], err);
		free(path);
	}
	if (rc != HB_OK)
		launch_log_close(l, NULL);
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

/* The journal last: what it says has ended is then on disk. */
static void write_all(struct launch_log *l)
{
	bool used[LOG_FILES] = { false };
	struct hb_err e;

	for (size_t i = 0; i < l->n; i++) {
		if (l->err.code == HB_OK &&
		    store_log_line(l->file[l->queue[i].file], l->queue[i].o, &e) != HB_OK)
			l->err = e;
		used[l->queue[i].file] = true;
		js_put(l->queue[i].o);
	}
	for (int i = 0; i < LOG_FILES; i++)
		if (used[i] && l->err.code == HB_OK && store_log_sync(l->file[i], &e) != HB_OK)
			l->err = e;
	l->n = l->bytes = 0;
}

int launch_log_flush(struct launch_log *l, struct hb_err *err)
{
	if (l->n > 0)
		write_all(l);
	if (l->err.code != HB_OK && err)
		*err = l->err;
	return l->err.code;
}

int launch_log_close(struct launch_log *l, struct hb_err *err)
{
	int rc = l->file[0] ? launch_log_flush(l, err) : HB_OK;

	for (int i = 0; i < LOG_FILES; i++) {
		int rc_close = store_log_close(l->file[i], rc == HB_OK ? err : NULL);
		if (rc == HB_OK)
			rc = rc_close;
		l->file[i] = NULL;
	}
	free(l->queue);
	l->queue = NULL;
	l->n = l->cap = 0;
	return rc;
}
