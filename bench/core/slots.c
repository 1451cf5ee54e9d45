#include "bench/core/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "bench/core/run.h"

enum {
	SEATS_MAX = 1 << 20,
	SEATS_LINE_MAX = 16 << 20, /* grows with the cluster, a job does not much */
	HOST_MAX = 255,
	LINES_MAX = 4 << 20,
	OWN_TEXT_MAX = 64 << 20, /* all jobs of one seat */
	LOOK_MS = 100
};
#define JOB_TIME_MAX_S 86400.0
/* The ranks of a job also meet before its first case, and prepare for all of them. */
enum { CASES_EXTRA = 2 };

struct slots_file {
	FILE *f;
	char *path;
	struct buf line, where;
	unsigned long n; /* lines read */
	size_t cap;      /* of the slots */
};

static int open_schedule(const char *path, int wait_ms, struct hb_err *err)
{
	static const struct timespec look = { 0, LOOK_MS * 1000000L };
	int fd;

	while ((fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) < 0) {
		if (errno != ENOENT || wait_ms <= 0)
			return hb_fail(err, HB_E_IO, "%s: %s; all nodes must see the run's folder",
			               path, strerror(errno));
		nanosleep(&look, NULL);
		wait_ms -= LOOK_MS;
	}
	return fd;
}

/*
 * The next line without its newline, in file->line; its place in file->where. A last line without
 * a newline has been cut.
 */
static int next_line(struct slots_file *file, size_t max, struct hb_err *err)
{
	int c;

	file->n++;
	buf_clear(&file->where);
	buf_printf(&file->where, "%s:%lu", file->path, file->n);
	buf_clear(&file->line);
	if (file->n > LINES_MAX)
		return hb_fail(err, HB_E_FORMAT, "%s: more than %d lines", file->path, LINES_MAX);
	while ((c = getc_unlocked(file->f)) != EOF && c != '\n') {
		if (file->line.len == max)
			return hb_fail(err, HB_E_FORMAT, "%s: longer than %zu bytes",
			               buf_text(&file->where), max);
		buf_putc(&file->line, (char)c);
	}
	if (ferror(file->f))
		return hb_fail(err, HB_E_IO, "%s: %s", file->path, strerror(errno));
	if (c == EOF)
		return hb_fail(err, HB_E_FORMAT, "%s: the schedule ends before it says quit",
		               buf_text(&file->where));
	return HB_OK;
}

/* The next line as an object with its msg; *out is the caller's where HB_OK is returned. */
static int next_message(struct slots_file *file, size_t max, json_object **out, const char **msg,
                        struct hb_err *err)
{
	int rc = next_line(file, max, err);
	struct js_at at = JS_AT_TOP(buf_text(&file->where));
	json_object *o = NULL;

	if (!rc)
		rc = js_parse(file->line.data ? file->line.data : "", file->line.len,
		              buf_text(&file->where), &o, err);
	if (!rc && !json_object_is_type(o, json_type_object))
		rc = js_fail(&at, err, "is not an object");
	if (!rc)
		rc = js_get_str(o, &at, "msg", JS_REQUIRED, msg, err);
	if (rc < 0)
		js_put(o);
	else
		*out = o;
	return rc;
}

static int take_hosts(struct slots *s, json_object *o, const struct js_at *at, struct hb_err *err)
{
	struct js_at here = js_at_key(at, "hosts");
	json_object *arr = NULL;
	size_t n;

	if (js_get_arr(o, at, "hosts", JS_REQUIRED, &arr, err) < 0 ||
	    js_get_bool(o, at, "facts", JS_OPTIONAL, &s->facts, err) < 0)
		return HB_E_FORMAT;
	n = json_object_array_length(arr);
	if (n < 1 || n > SEATS_MAX)
		return js_fail(&here, err, "%zu seats", n);
	s->hosts = hb_alloc(n * sizeof(*s->hosts));
	for (size_t i = 0; i < n; i++) {
		json_object *v = json_object_array_get_idx(arr, i);
		const char *name = json_object_is_type(v, json_type_string)
		                           ? json_object_get_string(v)
		                           : "";
		size_t len = strlen(name);

		if (len < 1 || len > HOST_MAX)
			return js_fail(&here, err, "element %zu is not the name of a node", i);
		s->hosts[s->n_hosts++] = hb_strdup(name);
	}
	return HB_OK;
}

int slots_open(const char *path, int wait_ms, struct slots *out, struct hb_err *err)
{
	struct slots_file *file = hb_alloc(sizeof(*file));
	json_object *o = NULL;
	const char *msg = "";
	struct js_at at;
	struct stat st;
	int fd, rc;

	*out = (struct slots){ .file = file };
	file->path = hb_strdup(path);
	fd = open_schedule(path, wait_ms, err);
	if (fd < 0)
		return fd;
	file->f = fdopen(fd, "r");
	if (!file->f) {
		close(fd);
		return hb_fail(err, HB_E_IO, "%s: %s", path, strerror(errno));
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return hb_fail(err, HB_E_IO, "%s: is not a plain file", path);
	rc = next_message(file, SEATS_LINE_MAX, &o, &msg, err);
	if (rc < 0)
		return rc;
	at = (struct js_at)JS_AT_TOP(buf_text(&file->where));
	if (strcmp(msg, "seats") != 0)
		rc = js_fail(&at, err, "'%.40s' where the seats should stand", msg);
	else
		rc = take_hosts(out, o, &at, err);
	js_put(o);
	return rc;
}

/* 1 if the job names the seat, 0 if not. */
static int names_seat(const struct slots *s, json_object *o, const struct js_at *at, int seat,
                      struct hb_err *err)
{
	struct js_at here = js_at_key(at, "ranks");
	json_object *arr = NULL;
	int found = 0;

	if (js_get_arr(o, at, "ranks", JS_REQUIRED, &arr, err) < 0)
		return HB_E_FORMAT;
	for (size_t i = 0; i < json_object_array_length(arr); i++) {
		json_object *v = json_object_array_get_idx(arr, i);
		int64_t rank = json_object_is_type(v, json_type_int) ? json_object_get_int64(v)
		                                                     : -1;

		if (rank < 0 || rank >= s->n_hosts)
			return js_fail(&here, err, "element %zu is not a seat", i);
		found |= rank == seat;
	}
	return found;
}

static int job_time(json_object *o, const struct js_at *at, double *deadline, size_t *cases,
                    struct hb_err *err)
{
	static const struct run_params dflt = RUN_PARAMS_DEFAULT;
	struct js_at here = js_at_key(at, "deadline");
	json_object *arr = NULL;

	*deadline = dflt.deadline_s;
	if (js_get_f64(o, at, "deadline", JS_OPTIONAL, deadline, err) < 0 ||
	    js_get_arr(o, at, "cases", JS_REQUIRED, &arr, err) < 0)
		return HB_E_FORMAT;
	if (!(*deadline >= 0 && *deadline <= JOB_TIME_MAX_S))
		return js_fail(&here, err, "must lie between 0 and %g", JOB_TIME_MAX_S);
	*cases = json_object_array_length(arr);
	return HB_OK;
}

/* The slot that the line belongs to: the one before, or a new one with a larger number. */
static struct slot *slot_of(struct slots *s, json_object *o, const struct js_at *at,
                            struct hb_err *err)
{
	struct slot *last = s->n > 0 ? &s->v[s->n - 1] : NULL;
	struct js_at here = js_at_key(at, "slot");
	uint64_t number = 0;

	if (js_get_u64(o, at, "slot", JS_REQUIRED, &number, err) < 0)
		return NULL;
	if (last && number == last->number)
		return last;
	if (last && number < last->number) {
		js_fail(&here, err, "comes after slot %llu", (unsigned long long)last->number);
		return NULL;
	}
	hb_grow(&s->v, &s->file->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n] = (struct slot){ .number = number };
	return &s->v[s->n++];
}

static int take_job(struct slots *s, json_object *o, const struct js_at *at, int seat,
                    struct hb_err *err)
{
	struct slot *slot = slot_of(s, o, at, err);
	const struct buf *line = &s->file->line;
	double deadline = 0, seconds;
	size_t cases = 0;
	int mine;

	if (!slot || job_time(o, at, &deadline, &cases, err) < 0)
		return HB_E_FORMAT;
	mine = names_seat(s, o, at, seat, err);
	if (mine < 0)
		return mine;
	/* Jobs of one slot run at the same time: the longest one counts. */
	seconds = deadline * ((double)cases + CASES_EXTRA);
	slot->endless |= deadline <= 0;
	if (seconds > slot->seconds)
		slot->seconds = seconds;
	if (!mine)
		return HB_OK;
	if (slot->len > 0)
		return js_fail(at, err, "seat %d has two jobs in slot %llu", seat,
		               (unsigned long long)slot->number);
	if (s->text.len + line->len > OWN_TEXT_MAX)
		return js_fail(at, err, "more than %d MiB of jobs for seat %d", OWN_TEXT_MAX >> 20,
		               seat);
	slot->at = s->text.len;
	slot->len = line->len;
	buf_add(&s->text, line->data, line->len);
	return HB_OK;
}

int slots_load(struct slots *s, int seat, struct hb_err *err)
{
	bool quit = false;
	int rc = HB_OK;

	while (!rc && !quit) {
		json_object *o = NULL;
		const char *msg = "";
		struct js_at at;

		rc = next_message(s->file, FRAME_MAX, &o, &msg, err);
		if (rc < 0)
			return rc;
		at = (struct js_at)JS_AT_TOP(buf_text(&s->file->where));
		quit = strcmp(msg, "quit") == 0;
		if (!quit && strcmp(msg, "job") != 0)
			rc = js_fail(&at, err, "'%.40s' is unknown here", msg);
		else if (!quit)
			rc = take_job(s, o, &at, seat, err);
		js_put(o);
	}
	if (!rc && getc_unlocked(s->file->f) != EOF)
		rc = hb_fail(err, HB_E_FORMAT, "%s: goes on behind quit", s->file->path);
	return rc;
}

json_object *slots_job(const struct slots *s, size_t slot)
{
	json_object *o = NULL;

	if (s->v[slot].len > 0)
		js_parse(s->text.data + s->v[slot].at, s->v[slot].len, "job", &o, NULL);
	return o;
}

void slots_free(struct slots *s)
{
	for (int i = 0; i < s->n_hosts; i++)
		free(s->hosts[i]);
	free(s->hosts);
	free(s->v);
	buf_free(&s->text);
	if (s->file) {
		if (s->file->f)
			fclose(s->file->f);
		free(s->file->path);
		buf_free(&s->file->line);
		buf_free(&s->file->where);
		free(s->file);
	}
	*s = (struct slots){ 0 };
}
