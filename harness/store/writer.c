/* This side of the writer: what waits for the disk, how long it is waited for, what is dropped. */
#include "harness/store/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/wait.h"
#include "harness/store/writer_parts.h"

enum { MB = 1 << 20, QUEUE_MAX = 1024 * MB, KEEP_MAX = 256 * MB };

void writer_note(struct store_writer *w, const char *level, const char *fmt, ...)
{
	char text[480];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (w->p.note)
		w->p.note(w->p.ctx, level, text);
}

int64_t writer_ms(const struct store_writer *w, int ms)
{
	return (int64_t)((double)ms * (w->p.patience > 0 ? w->p.patience : 1));
}

/* ---- memory ---- */

static size_t lines_bytes(const struct item *it)
{
	return it->text[WRITER_RECORDS].len + it->text[WRITER_SAMPLES].len +
	       it->text[WRITER_JOURNAL].len;
}

static size_t item_bytes(const struct item *it)
{
	return lines_bytes(it) + it->data.len;
}

static void item_free(struct item *it)
{
	for (int i = 0; i < WRITER_LOGS; i++)
		buf_free(&it->text[i]);
	buf_free(&it->data);
	free(it->name);
	*it = (struct item){ .data = BUF_INIT };
}

/* Lines of it that are on disk are no longer kept here. */
static void forget(struct store_writer *w, struct item *it, int log)
{
	w->before[log] += it->text[log].len;
	w->kept -= it->text[log].len;
	buf_free(&it->text[log]);
}

/* Samples go first: without them a run can still be judged. */
static void keep_less(struct store_writer *w)
{
	size_t max = w->p.keep_max ? w->p.keep_max : KEEP_MAX;

	for (; w->kept > max && w->freed_samples < w->done; w->freed_samples++)
		forget(w, &w->items[w->freed_samples], WRITER_SAMPLES);
	for (; w->kept > max && w->freed < w->done; w->freed++) {
		forget(w, &w->items[w->freed], WRITER_RECORDS);
		forget(w, &w->items[w->freed], WRITER_JOURNAL);
	}
}

/* Nothing can be taken for ever from a store that does not answer. */
static void queue_less(struct store_writer *w)
{
	size_t max = w->p.queue_max ? w->p.queue_max : QUEUE_MAX;

	for (size_t i = w->sent; i < w->n && w->queued > max; i++) {
		struct buf *samples = &w->items[i].text[WRITER_SAMPLES];
		if (samples->len > 0 && !w->dropped)
			writer_note(w, "warn",
			            "the store %s has not answered for so long that samples are "
			            "dropped; medians and their intervals are kept",
			            w->dir);
		w->dropped = w->dropped || samples->len > 0;
		w->queued -= samples->len;
		buf_free(samples);
	}
	if (w->queued > max && w->err.code == HB_OK)
		hb_fail(&w->err, HB_E_IO,
		        "the store %s has not answered for so long that memory is full", w->dir);
}

/* An older version of a file that is on disk is not needed any more. */
static void forget_older(struct store_writer *w, size_t newest)
{
	for (size_t i = 0; i < newest; i++) {
		struct item *it = &w->items[i];
		if (!it->name || strcmp(it->name, w->items[newest].name) != 0)
			continue;
		w->kept -= it->data.len;
		buf_free(&it->data);
		free(it->name);
		it->name = NULL;
	}
}

static struct item *new_item(struct store_writer *w)
{
	hb_grow(&w->items, &w->cap, w->n + 1, sizeof *w->items);
	w->items[w->n] = (struct item){ .data = BUF_INIT };
	return &w->items[w->n++];
}

/* ---- the other process ---- */

static void add_frame(struct buf *wire, uint32_t type, uint32_t log, size_t len)
{
	struct frame f = { type, log, len };

	buf_add(wire, &f, sizeof f);
}

/* Puts the next item on the wire. */
static void load(struct store_writer *w)
{
	struct item *it = &w->items[w->sent++];

	if (it->name) {
		size_t name = strlen(it->name) + 1;
		add_frame(&w->wire, FRAME_FILE, 0, name + it->data.len);
		buf_add(&w->wire, it->name, name);
		buf_add(&w->wire, it->data.data, it->data.len);
		return;
	}
	for (uint32_t i = 0; i < WRITER_LOGS; i++) {
		if (it->text[i].len == 0)
			continue;
		add_frame(&w->wire, FRAME_LINES, i, it->text[i].len);
		buf_add(&w->wire, it->text[i].data, it->text[i].len);
	}
	add_frame(&w->wire, FRAME_SYNC, 0, 0);
}

static bool has_more(const struct store_writer *w)
{
	return w->sent < w->n - (w->filling ? 1 : 0);
}

static void child_died(struct store_writer *w)
{
	if (w->err.code == HB_OK)
		hb_fail(&w->err, HB_E_IO, "the process that writes %s has died", w->dir);
}

static void take_reply(struct store_writer *w, const struct reply *r)
{
	w->heard_ms = wait_now_ms();
	if (r->err.code != HB_OK) {
		if (w->err.code == HB_OK)
			w->err = r->err;
		return;
	}
	if (!w->opened) {
		w->opened = true;
		for (int i = 0; i < WRITER_LOGS && !w->moved; i++)
			w->before[i] = r->size[i];
		return;
	}
	if (w->done >= w->sent) {
		child_died(w); /* an answer that nobody asked for */
		return;
	}
	struct item *it = &w->items[w->done++];
	w->queued -= item_bytes(it);
	w->kept += item_bytes(it);
	if (it->name)
		forget_older(w, w->done - 1);
	keep_less(w);
}

static void take_replies(struct store_writer *w)
{
	char chunk[4 * sizeof(struct reply)];
	struct reply r;
	ssize_t n;

	while ((n = recv(w->fd, chunk, sizeof chunk, MSG_DONTWAIT)) > 0) {
		buf_add(&w->in, chunk, (size_t)n);
		for (; w->in.len >= sizeof r; buf_drop(&w->in, sizeof r)) {
			memcpy(&r, w->in.data, sizeof r);
			r.err.text[sizeof r.err.text - 1] = '\0';
			take_reply(w, &r);
		}
	}
	if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		child_died(w);
}

static void send_some(struct store_writer *w)
{
	if (w->wire.len == 0 && has_more(w))
		load(w);
	while (w->wire_at < w->wire.len) {
		ssize_t n = send(w->fd, w->wire.data + w->wire_at, w->wire.len - w->wire_at,
		                 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EINTR)
			return;
		w->wire_at += n > 0 ? (size_t)n : 0;
	}
	buf_clear(&w->wire);
	w->wire_at = 0;
}

static bool tired(const struct store_writer *w, const struct pollfd *v, int64_t silent_ms)
{
	/* Only at the end, and not once the run is being saved: that is short. */
	return silent_ms > 0 && !w->moved && w->p.signal_fd >= 0 && (v->revents & POLLIN);
}

/* The moment at which it is enough. */
static int64_t pump_until(const struct store_writer *w, int64_t start, int64_t total_ms,
                          int64_t silent_ms)
{
	int64_t heard = w->heard_ms > start ? w->heard_ms : start;

	return silent_ms > 0 ? heard + silent_ms : start + total_ms;
}

bool writer_pump(struct store_writer *w, int64_t total_ms, int64_t silent_ms)
{
	int64_t start = wait_now_ms();
	size_t last = w->n - (w->filling ? 1 : 0);

	for (;;) {
		if (w->err.code != HB_OK)
			return false;
		send_some(w);
		take_replies(w);
		if (w->err.code == HB_OK && w->opened && w->done >= last)
			return true;
		int64_t now = wait_now_ms();
		int64_t until = pump_until(w, start, total_ms, silent_ms);
		struct pollfd v[2] = { { w->fd, POLLIN, 0 }, { w->p.signal_fd, POLLIN, 0 } };
		if (w->err.code != HB_OK || now >= until)
			return false;
		if (w->wire.len > 0 || has_more(w))
			v[0].events |= POLLOUT;
		poll(v, silent_ms > 0 && !w->moved ? 2 : 1, wait_until(now, until));
		if (tired(w, &v[1], silent_ms))
			return false;
	}
}

int writer_start(struct store_writer *w, int64_t wait_ms, struct hb_err *err)
{
	int rc = writer_child_start(w->dir, &w->pid, &w->fd, err);

	w->opened = false;
	w->heard_ms = wait_now_ms();
	if (rc != HB_OK)
		return rc;
	if (!writer_pump(w, wait_ms, 0) && !w->opened) {
		if (w->err.code == HB_OK)
			hb_fail(&w->err, HB_E_IO,
			        "the store %s does not answer (a hung file system?)", w->dir);
	}
	if (w->err.code != HB_OK && err)
		*err = w->err;
	return w->err.code;
}

void writer_stop(struct store_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->pid > 0)
		store_child_end(w->pid);
	w->fd = -1;
	w->pid = 0;
	buf_clear(&w->wire);
	buf_clear(&w->in);
	w->wire_at = 0;
}

/* ---- what others call ---- */

int store_writer_open(const struct store_writer_params *p, struct store_writer **out,
                      struct hb_err *err)
{
	struct store_writer *w = hb_alloc(sizeof *w);
	const char *slash = strrchr(p->dir, '/');

	w->p = *p;
	w->fd = -1;
	w->dir = hb_strdup(p->dir);
	w->first_dir = hb_strdup(p->dir);
	w->id = hb_strdup(slash && slash[1] ? slash + 1 : p->dir);
	int rc = writer_start(w, (int64_t)STORE_PROBE_S * 1000, err);
	if (rc != HB_OK) {
		writer_stop(w); /* there is nothing to be saved */
		store_writer_close(w, false, NULL);
		return rc;
	}
	*out = w;
	return HB_OK;
}

void store_writer_line(struct store_writer *w, enum writer_log log, json_object *o)
{
	struct item *it = w->filling ? &w->items[w->n - 1] : new_item(w);
	size_t before = it->text[log].len;

	js_write(o, JS_PLAIN, &it->text[log]);
	buf_putc(&it->text[log], '\n');
	w->queued += it->text[log].len - before;
	w->filling = lines_bytes(it) < ITEM_BYTES_MAX;
}

/* Told once when it stops answering, and once when everything is on disk again. */
static void tell_late(struct store_writer *w, bool all)
{
	if (!all && !w->late)
		writer_note(w, "warn",
		            "the store %s has not answered for %d s; measuring goes on, figures "
		            "are kept in memory",
		            w->dir, WRITER_PATIENCE_MS / 1000);
	if (all && w->late)
		writer_note(w, "info", "the store %s answers again", w->dir);
	w->late = !all;
}

int store_writer_flush(struct store_writer *w, struct hb_err *err)
{
	w->filling = false;
	if (w->err.code == HB_OK && w->done < w->n) {
		int64_t heard = w->heard_ms;
		bool all = false;
		if (w->late) /* a look costs nothing */
			all = writer_pump(w, 0, 0);
		if (!w->late || (!all && w->heard_ms != heard))
			all = writer_pump(w, writer_ms(w, WRITER_PATIENCE_MS), 0);
		if (w->err.code == HB_OK)
			tell_late(w, all);
	}
	queue_less(w);
	if (w->err.code != HB_OK && err)
		*err = w->err;
	return w->err.code;
}

int store_writer_file(struct store_writer *w, const char *name, const void *data, size_t len,
                      struct hb_err *err)
{
	struct item *it;

	w->filling = false;
	it = new_item(w);
	it->name = hb_strdup(name);
	buf_add(&it->data, data, len);
	w->queued += len;
	return store_writer_flush(w, err);
}

int store_writer_settle(struct store_writer *w, bool hasty, struct hb_err *err)
{
	int ms = hasty ? WRITER_SETTLE_STOP_MS : WRITER_SETTLE_MS;

	store_writer_flush(w, NULL);
	if (w->err.code == HB_OK && w->late) {
		writer_note(w, "warn", "waiting for the store %s, at most %d s more", w->dir,
		            ms / 1000);
		if (writer_pump(w, 0, writer_ms(w, ms)))
			tell_late(w, true);
		else if (w->err.code == HB_OK)
			hb_fail(&w->err, HB_E_IO,
			        "the store %s does not answer (a hung file system?)", w->dir);
	}
	while (w->err.code != HB_OK && w->folder < WRITER_FOLDERS_MAX)
		writer_rescue(w);
	if (w->moved && err)
		*err = w->story;
	return w->moved ? w->story.code : HB_OK;
}

const char *store_writer_dir(const struct store_writer *w)
{
	return w->moved && w->err.code != HB_OK ? NULL : w->dir;
}

bool store_writer_moved(const struct store_writer *w)
{
	return w->moved;
}

int store_writer_close(struct store_writer *w, bool hasty, struct hb_err *err)
{
	if (!w)
		return HB_OK;
	int rc = w->story.code;
	if (w->pid > 0)
		rc = store_writer_settle(w, hasty, err);
	else if (err)
		*err = w->story;
	writer_stop(w);
	for (size_t i = 0; i < w->n; i++)
		item_free(&w->items[i]);
	free(w->items);
	buf_free(&w->wire);
	buf_free(&w->in);
	free(w->dir);
	free(w->first_dir);
	free(w->id);
	free(w);
	return rc;
}
