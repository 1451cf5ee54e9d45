#include "bench/core/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/control.h"
#include "bench/core/run.h"

struct emit_control {
	struct emit base;
	struct control *control;
};

static int control_record(struct emit *e, json_object *record, struct hb_err *err)
{
	return control_send(((struct emit_control *)e)->control, record, err);
}

static void control_done(struct emit *e)
{
	free(e);
}

struct emit *emit_control_new(struct control *c)
{
	struct emit_control *e = hb_alloc(sizeof(*e));

	e->base.record = control_record;
	e->base.close = control_done;
	e->control = c;
	return &e->base;
}

struct emit_file {
	struct emit base;
	int fd;
	char *path;
};

static int file_record(struct emit *e, json_object *record, struct hb_err *err)
{
	struct emit_file *f = (struct emit_file *)e;
	struct buf line = BUF_INIT;
	size_t done = 0;
	int rc = HB_OK;

	js_write(record, JS_PLAIN, &line);
	buf_putc(&line, '\n');
	while (!rc && done < line.len) {
		ssize_t n = write(f->fd, line.data + done, line.len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			rc = hb_fail(err, HB_E_IO, "%s: %s", f->path, strerror(errno));
	}
	buf_free(&line);
	return rc;
}

static void file_done(struct emit *e)
{
	struct emit_file *f = (struct emit_file *)e;

	close(f->fd);
	free(f->path);
	free(f);
}

int emit_file_new(const char *path, struct emit **out, struct hb_err *err)
{
	struct emit_file *f;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return hb_fail(err, HB_E_IO, "%s: %s%s", path, strerror(errno),
		               errno == EEXIST ? "; name a new file" : "");
	f = hb_alloc(sizeof(*f));
	f->base.record = file_record;
	f->base.close = file_done;
	f->fd = fd;
	f->path = hb_strdup(path);
	*out = &f->base;
	return HB_OK;
}

/* Values that go into one chunk: their text is never longer than 17 digits make it. */
enum { CHUNK_TEXT = RECORD_MAX - 512 };

static size_t chunk_end(const double *v, size_t n, size_t from)
{
	size_t used = 0, i;

	for (i = from; i < n; i++) {
		char text[40];
		int len = snprintf(text, sizeof(text), "%.17g", v[i]);

		used += (size_t)len + 3; /* ".0" and a comma */
		if (used > CHUNK_TEXT)
			break;
	}
	return i;
}

static int emit_chunk(struct emit *e, const struct rec_ids *ids, const char *metric,
                      const char *kept, uint64_t seq, uint64_t of, const double *v, size_t n,
                      struct hb_err *err)
{
	json_object *o = json_object_new_object(), *values = json_object_new_array();
	int rc;

	js_set_str(o, "type", record_type_name(REC_SAMPLES));
	js_set_u64(o, "step", ids->step);
	js_set_u64(o, "attempt", ids->attempt);
	js_set_u64(o, "unit", ids->unit);
	js_set_str(o, "phase", phase_name(ids->phase));
	js_set_str(o, "metric", metric);
	js_set_u64(o, "seq", seq);
	js_set_u64(o, "of", of);
	js_set_str(o, "kept", kept);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(values, js_f64(v[i]));
	js_set_obj(o, "v", values);
	rc = e->record(e, o, err);
	js_put(o);
	return rc;
}

int emit_samples(struct emit *e, const struct rec_ids *ids, const char *metric,
                 const double *samples, size_t n, const double *block_medians, size_t n_blocks,
                 struct hb_err *err)
{
	const char *kept = "all";
	uint64_t of = 0;
	int rc = HB_OK;

	if (n > RUN_SAMPLES_KEPT) {
		kept = "blocks";
		samples = block_medians;
		n = n_blocks < RUN_SAMPLES_KEPT ? n_blocks : RUN_SAMPLES_KEPT;
	}
	for (size_t at = 0; at < n; at = chunk_end(samples, n, at))
		of++;
	for (size_t at = 0, seq = 0; !rc && at < n; seq++) {
		size_t end = chunk_end(samples, n, at);

		rc = emit_chunk(e, ids, metric, kept, seq, of, samples + at, end - at, err);
		at = end;
	}
	return rc;
}
