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

/* Of those that own nothing else. */
static void plain_done(struct emit *e)
{
	free(e);
}

struct emit *emit_control_new(struct control *c)
{
	struct emit_control *e = hb_alloc(sizeof(*e));

	e->base.record = control_record;
	e->base.close = plain_done;
	e->control = c;
	return &e->base;
}

struct emit_array {
	struct emit base;
	json_object *arr;
};

static int array_record(struct emit *e, json_object *record, struct hb_err *err)
{
	(void)err;
	json_object_array_add(((struct emit_array *)e)->arr, json_object_get(record));
	return HB_OK;
}

struct emit *emit_array_new(json_object *arr)
{
	struct emit_array *e = hb_alloc(sizeof(*e));

	e->base.record = array_record;
	e->base.close = plain_done;
	e->arr = arr;
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
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

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

/* One of the parts that a series is sent in. */
struct chunk {
	const char *metric, *kept;
	uint64_t seq, of;
	const double *v;
	size_t n;
};

static int emit_chunk(struct emit *e, const struct rec_ids *ids, const struct chunk *c,
                      struct hb_err *err)
{
	json_object *o = json_object_new_object(), *values = json_object_new_array();
	int rc;

	js_set_str(o, "type", record_type_name(REC_SAMPLES));
	js_set_u64(o, "step", ids->step);
	js_set_u64(o, "attempt", ids->attempt);
	js_set_u64(o, "unit", ids->unit);
	js_set_str(o, "phase", phase_name(ids->phase));
	js_set_str(o, "metric", c->metric);
	js_set_str(o, "v_unit", "ns/iteration"); /* the metric's own may be a rate */
	js_set_u64(o, "seq", c->seq);
	js_set_u64(o, "of", c->of);
	js_set_str(o, "kept", c->kept);
	for (size_t i = 0; i < c->n; i++)
		json_object_array_add(values, js_f64(c->v[i]));
	js_set_obj(o, "v", values);
	rc = e->record(e, o, err);
	js_put(o);
	return rc;
}

int emit_series(struct emit *e, const struct rec_ids *ids, const struct emit_series *series,
                struct hb_err *err)
{
	struct chunk c = { .metric = series->metric, .kept = "all" };
	const double *v = series->samples;
	size_t n = series->n;
	int rc = HB_OK;

	if (n > RUN_SAMPLES_KEPT) {
		c.kept = "blocks";
		v = series->block_medians;
		n = series->n_blocks < RUN_SAMPLES_KEPT ? series->n_blocks : RUN_SAMPLES_KEPT;
	}
	for (size_t at = 0; at < n; at = chunk_end(v, n, at))
		c.of++;
	for (size_t at = 0; !rc && at < n; at += c.n, c.seq++) {
		c.v = v + at;
		c.n = chunk_end(v, n, at) - at;
		rc = emit_chunk(e, ids, &c, err);
	}
	return rc;
}
