/* A run whose store failed is written once more, somewhere else. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/writer_parts.h"

enum { FOLDER_S = 30, COPY_S = 60, CHUNK = 1 << 16 };

static const char *const whole_files[] = { "plan.json", "run.json", "summary.json",
	                                   "verdicts.json" };
enum { WHOLE_FILES = sizeof whole_files / sizeof *whole_files };

/* Where it is tried, in this order; NULL: leave it out. */
static const char *folder(int i)
{
	static const char *const folders[WRITER_FOLDERS_MAX] = { NULL, "/tmp", "/var/tmp",
		                                                 "/dev/shm" };
	const char *chosen = getenv("TMPDIR");

	if (i > 0)
		return chosen && strcmp(chosen, folders[i]) == 0 ? NULL : folders[i];
	return chosen && chosen[0] == '/' ? chosen : NULL;
}

struct place {
	const char *under, *id; /* a new folder under it */
	const char *from, *to;  /* what is on disk only, from there */
	const uint64_t *before;
};

static int make_folder(void *ctx, struct buf *out, struct hb_err *err)
{
	const struct place *p = ctx;
	char *path = hb_format("%s/hpcbench-%s-XXXXXX", p->under, p->id);

	if (!mkdtemp(path))
		return store_fail_io(err, "make a folder in", p->under, errno);
	buf_puts(out, path);
	return HB_OK;
}

/* The first max bytes of a file: 0 or errno. ENODATA: it has less. */
static int copy_file(const char *from, const char *to, uint64_t max, bool all)
{
	char chunk[CHUNK];
	int in = open(from, O_RDONLY | O_CLOEXEC), e = in < 0 ? errno : 0;
	int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (in >= 0 && out < 0)
		e = errno;
	while (!e && max > 0) {
		size_t done, want = max < CHUNK ? (size_t)max : CHUNK;
		ssize_t n = read(in, chunk, want);
		if (n <= 0) {
			e = n < 0 ? errno : all ? 0 : ENODATA;
			break;
		}
		e = store_write_all(out, chunk, (size_t)n, &done);
		max -= (uint64_t)n;
	}
	if (out >= 0 && close(out) != 0 && !e)
		e = errno;
	if (in >= 0)
		close(in);
	return e;
}

/* What this process no longer has, or never had: it went on with an earlier run. */
static int copy_old(void *ctx, struct buf *unused, struct hb_err *err)
{
	const struct place *p = ctx;
	int e = 0;

	(void)unused;
	for (int i = 0; i < WHOLE_FILES + WRITER_LOGS && !e; i++) {
		bool log = i >= WHOLE_FILES;
		const char *name = log ? writer_log_names[i - WHOLE_FILES] : whole_files[i];
		char *from = hb_format("%s/%s", p->from, name);
		char *to = hb_format("%s/%s", p->to, name);
		if (!log)
			e = copy_file(from, to, UINT64_MAX, true);
		else if (p->before[i - WHOLE_FILES] > 0)
			e = copy_file(from, to, p->before[i - WHOLE_FILES], false);
		if (e == ENOENT && !log)
			e = 0;
		free(from);
		free(to);
	}
	return e ? store_fail_io(err, "copy", p->from, e) : HB_OK;
}

/* Nothing half-written stays behind. */
static int remove_folder(void *ctx, struct buf *unused, struct hb_err *err)
{
	const struct place *p = ctx;

	(void)unused;
	(void)err;
	for (int i = 0; i < WHOLE_FILES + WRITER_LOGS; i++) {
		char *path = hb_format("%s/%s", p->to,
		                       i < WHOLE_FILES ? whole_files[i]
		                                       : writer_log_names[i - WHOLE_FILES]);
		unlink(path);
		free(path);
	}
	rmdir(p->to);
	return HB_OK;
}

static bool has_plan(const struct store_writer *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->items[i].name && strcmp(w->items[i].name, "plan.json") == 0)
			return true;
	return false;
}

/* False: part of the run is only where it cannot be read now. */
static bool bring_old(struct store_writer *w, const char *to)
{
	struct place p = { .from = w->dir, .to = to, .before = w->before };
	bool whole = has_plan(w);

	for (int i = 0; i < WRITER_LOGS; i++)
		whole = whole && w->before[i] == 0;
	if (whole || store_apart(copy_old, &p, COPY_S, NULL, NULL) == HB_OK)
		return true;
	/* What did not come over whole does not come at all. */
	for (int i = 0; i < WRITER_LOGS; i++) {
		char *path = hb_format("%s/%s", to, writer_log_names[i]);
		unlink(path);
		free(path);
		w->before[i] = 0;
	}
	return false;
}

/* Everything that is in memory is to be written again. */
static void start_over(struct store_writer *w)
{
	w->done = w->sent = w->freed = w->freed_samples = 0;
	w->queued = w->kept = 0;
	for (size_t i = 0; i < w->n; i++) {
		for (int k = 0; k < WRITER_LOGS; k++)
			w->queued += w->items[i].text[k].len;
		w->queued += w->items[i].data.len;
	}
	w->filling = w->late = false;
	w->err = (struct hb_err){ .code = HB_OK };
}

/* Why, where the run is now, and what to do with it. */
static void tell_story(struct store_writer *w, const char *why, const char *was, bool whole)
{
	hb_fail(&w->story, HB_E_IO,
	        "%.190s; %s %s: hpcbench report reads it there; when the store is well, copy "
	        "what is in it over %s",
	        why,
	        !whole ? "what could still be saved (earlier parts are only in the store) is in"
	        : w->dropped ? "everything but some samples is in"
	                     : "the whole run is in",
	        w->dir, was);
}

static bool try_folder(struct store_writer *w, const char *under)
{
	struct place p = { .under = under, .id = w->id };
	struct buf path = BUF_INIT;
	bool whole, good;

	if (store_apart(make_folder, &p, FOLDER_S, &path, NULL) != HB_OK) {
		buf_free(&path);
		return false;
	}
	char *was = w->dir;
	char why[sizeof w->err.text];
	uint64_t before[WRITER_LOGS];
	memcpy(before, w->before, sizeof before);
	snprintf(why, sizeof why, "%s", w->err.text);
	whole = bring_old(w, buf_text(&path));
	w->dir = buf_detach(&path);
	w->moved = true;
	start_over(w);
	writer_start(w, writer_ms(w, WRITER_PATIENCE_MS), NULL);
	good = w->err.code == HB_OK && writer_pump(w, 0, writer_ms(w, WRITER_SETTLE_STOP_MS));
	if (good) {
		tell_story(w, why, w->first_dir, whole);
	} else {
		writer_stop(w);
		p.to = w->dir;
		store_apart(remove_folder, &p, FOLDER_S, NULL, NULL);
		snprintf(w->err.text, sizeof w->err.text, "%s", why);
		w->err.code = HB_E_IO;
		memcpy(w->before, before, sizeof before);
	}
	if (good) {
		free(was);
	} else {
		free(w->dir);
		w->dir = was;
	}
	return good;
}

void writer_rescue(struct store_writer *w)
{
	int i = w->folder++;

	if (i == 0)
		writer_note(w, "error", "%s; the run is being saved elsewhere", w->err.text);
	writer_stop(w);
	w->moved = true;
	if (folder(i) && try_folder(w, folder(i)))
		return;
	hb_fail(&w->story, HB_E_IO,
	        "%.300s; no other place could take the run either (TMPDIR, /tmp, /var/tmp, "
	        "/dev/shm)",
	        w->err.text);
}
