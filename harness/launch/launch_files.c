/*
 * Records by files: the schedule is handed over as a file, and what ranks write is read as it
 * grows and handled as if it had come over a connection. The folder lies in the run directory, so
 * nothing that a rank wrote is lost even if nobody reads it any more. Files are untrusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum { READ_CHUNK = 64 * 1024, READ_ROUNDS = 64, START_MAX = 64, FOLDERS_MAX = 1000 };

struct rank_file {
	int fd; /* -1: not there yet, or done with */
	bool hello, over;
	struct buf in; /* the line that is still being written */
	size_t next;   /* place in order of the next job it may begin */
};

struct step_files {
	char *folder;
	size_t *order; /* jobs as the schedule has them */
	size_t n_order;
	struct rank_file *rank; /* a seat each */
	int n;
};

const char *step_files_folder(const struct step_run *r)
{
	return r->files->folder;
}

/* ---- the schedule ---- */

/* Takes o. */
static int write_line(struct store_log *file, json_object *o, struct hb_err *err)
{
	int rc = store_log_line(file, o, err);

	js_put(o);
	return rc;
}

static json_object *seats_line(const struct step_run *r)
{
	json_object *o = json_object_new_object(), *hosts = json_object_new_array();

	for (int i = 0; i < r->step->n_ranks; i++)
		json_object_array_add(hosts, js_str(r->host[i]));
	js_set_str(o, "msg", "seats");
	js_set_obj(o, "hosts", hosts);
	if (step_facts_wanted(r))
		js_set_bool(o, "facts", true);
	return o;
}

/* A copy of the step's state in which everybody is there, to be played through. */
static void rehearsal_init(const struct step_run *r, struct sched *s)
{
	sched_init(s, r->step, r->s.max_pairs);
	for (int i = 0; i < r->step->n_ranks; i++)
		s->rank[i] = r->s.rank[i] == RANK_LOST ? RANK_LOST : RANK_HERE;
	for (size_t j = 0; j < r->step->n_jobs; j++) {
		s->job[j] = r->s.job[j];
		s->late[j] = r->s.late[j];
	}
}

/* Everything that may start together, although it is told in portions. */
static size_t next_slot(struct sched *s, size_t *out)
{
	size_t n = 0, more;

	while ((more = sched_next(s, out + n, START_MAX)) > 0) {
		for (size_t i = 0; i < more; i++)
			sched_started(s, out[n + i]);
		n += more;
	}
	return n;
}

static int write_schedule(struct step_run *r, struct store_log *file, struct hb_err *err)
{
	struct step_files *f = r->files;
	struct sched s;
	size_t n, slot = 0;
	int rc = write_line(file, seats_line(r), err);

	rehearsal_init(r, &s);
	while (rc == HB_OK && (n = next_slot(&s, f->order + f->n_order)) > 0) {
		for (size_t i = 0; i < n && rc == HB_OK; i++) {
			size_t j = f->order[f->n_order++];
			const struct plan_job *job = &r->step->jobs[j];
			step_count_try(r, j);
			json_object *msg = step_job_message(r, j);
			js_set_u64(msg, "slot", slot);
			rc = write_line(file, msg, err);
			for (int k = 0; k < job->n_ranks; k++)
				sched_rank_done(&s, job->ranks[k], job->id);
		}
		slot++;
	}
	sched_free(&s);
	return rc == HB_OK ? write_line(file, step_quit_message(), err) : rc;
}

int step_files_open(struct step_run *r, struct hb_err *err)
{
	struct step_files *f = hb_alloc(sizeof *f);
	struct store_log *file = NULL;
	char *path;
	int rc;

	r->files = f;
	f->folder = hb_format("%s/files-%llu.%llu", r->l->p.dir, (unsigned long long)r->step->id,
	                      (unsigned long long)r->attempt);
	f->n = r->step->n_ranks;
	f->order = hb_alloc((r->step->n_jobs + 1) * sizeof *f->order);
	f->rank = hb_alloc((size_t)f->n * sizeof *f->rank);
	for (int i = 0; i < f->n; i++)
		f->rank[i].fd = -1;
	/* An earlier process of the run may have died before it told that it came so far. */
	for (int i = 1; mkdir(f->folder, 0777) != 0 && errno == EEXIST && i < FOLDERS_MAX; i++) {
		free(f->folder);
		f->folder = hb_format("%s/files-%llu.%llu-%d", r->l->p.dir,
		                      (unsigned long long)r->step->id,
		                      (unsigned long long)r->attempt, i);
	}
	if (access(f->folder, W_OK) != 0)
		return hb_fail(err, HB_E_IO, "%s: %s", f->folder, strerror(errno));
	path = hb_format("%s/schedule.jsonl", f->folder);
	rc = store_log_open(path, &file, err);
	free(path);
	if (rc != HB_OK)
		return rc;
	rc = write_schedule(r, file, err);
	int rc_close = store_log_close(file, rc == HB_OK ? err : NULL);
	return rc == HB_OK ? rc_close : rc;
}

/* ---- what ranks write ---- */

static void give_up_file(struct step_run *r, int seat, const char *why)
{
	struct rank_file *f = &r->files->rank[seat];

	step_event(r, "warn", "misbehaved", "the file of rank %d on %s is not read any further: %s",
	           seat, r->host[seat], why);
	close(f->fd);
	f->fd = -1;
	f->over = true;
	step_rank_lost(r, seat, why);
}

/* What a rank writes about is the next of its jobs. Others may be further, or not so far yet. */
static void begin_job(struct step_run *r, int seat)
{
	struct step_files *f = r->files;
	size_t *at = &f->rank[seat].next;

	for (; r->s.rank_job[seat] == SIZE_MAX && *at < f->n_order; (*at)++) {
		size_t j = f->order[*at];
		const struct plan_job *job = &r->step->jobs[j];
		for (int i = 0; i < job->n_ranks; i++) {
			if (job->ranks[i] != seat)
				continue;
			if (r->s.job[j] == JOB_WAITING)
				step_log_job_start(r, j);
			sched_rank_begins(&r->s, seat, j);
		}
	}
}

static int take_hello(struct step_run *r, int seat, json_object *o, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("hello");
	struct ctl_hello hello = { .local = -1 };
	const char *run = NULL;
	uint64_t step = 0, attempt = 0;

	if (js_get_str(o, &at, "run", JS_REQUIRED, &run, err) != HB_OK ||
	    js_get_u64(o, &at, "step", JS_REQUIRED, &step, err) != HB_OK ||
	    js_get_u64(o, &at, "attempt", JS_REQUIRED, &attempt, err) != HB_OK ||
	    js_get_int(o, &at, "rank", JS_REQUIRED, 0, r->n_world - 1, &hello.rank, err) != HB_OK ||
	    js_get_int(o, &at, "size", JS_REQUIRED, 1, CTL_RANKS_MAX, &hello.size, err) != HB_OK ||
	    js_get_str(o, &at, "host", JS_REQUIRED, &hello.host, err) != HB_OK ||
	    js_get_i64(o, &at, "pid", JS_OPTIONAL, &hello.pid, err) != HB_OK)
		return HB_E_FORMAT;
	if (strcmp(run, r->l->p.run) != 0 || step != r->step->id || attempt != r->attempt)
		return hb_fail(err, HB_E_FORMAT, "a hello of another run, step or attempt");
	if (r->seat[hello.rank] >= 0 || r->left_out[seat])
		return hb_fail(err, HB_E_FORMAT, "rank %d is there already, or was not started",
		               hello.rank);
	step_joined(r, seat, &hello);
	return HB_OK;
}

static int take_line(struct step_run *r, int seat, const char *text, size_t len, struct hb_err *err)
{
	struct rank_file *f = &r->files->rank[seat];
	const struct js_at at = JS_AT_TOP("line");
	const char *msg = NULL;
	json_object *o = NULL;
	int rc = js_parse(text, len, "line", &o, err);

	if (rc == HB_OK && !json_object_is_type(o, json_type_object))
		rc = hb_fail(err, HB_E_FORMAT, "a line is not a JSON object");
	if (rc == HB_OK)
		rc = js_get_str(o, &at, "msg", JS_OPTIONAL, &msg, err);
	if (rc == HB_OK && !f->hello) {
		rc = take_hello(r, seat, o, err);
		f->hello = rc == HB_OK;
	} else if (rc == HB_OK && msg && strcmp(msg, "bye") == 0) {
		f->over = true;
	} else if (rc == HB_OK) {
		begin_job(r, seat);
		rc = step_on_message(r, seat, o, len, err);
		rc = rc < 0 ? rc : HB_OK;
	}
	js_put(o);
	return rc;
}

static void take_lines(struct step_run *r, int seat)
{
	struct rank_file *f = &r->files->rank[seat];
	struct hb_err err;
	size_t from = 0;

	while (f->fd >= 0) {
		const char *start = f->in.data + from;
		const char *end = f->in.len > from ? memchr(start, '\n', f->in.len - from) : NULL;
		if (!end)
			break;
		from += (size_t)(end - start) + 1;
		if (take_line(r, seat, start, (size_t)(end - start), &err) != HB_OK)
			give_up_file(r, seat, err.text);
	}
	buf_drop(&f->in, from);
	if (f->fd >= 0 && f->in.len > FRAME_MAX)
		give_up_file(r, seat, "a line of more than 64 KiB");
}

/* False: it is not there yet. */
static bool open_file(struct step_run *r, int seat)
{
	struct rank_file *f = &r->files->rank[seat];
	char *path = hb_format("%s/rank-%d.jsonl", r->files->folder, seat);
	struct stat st;

	f->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	free(path);
	if (f->fd < 0)
		return false;
	if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		give_up_file(r, seat, "it is not a plain file");
		return false;
	}
	return true;
}

/* rounds: how much of it at most, so that one rank that floods cannot keep us from the others. */
static void service_seat(struct step_run *r, int seat, size_t rounds)
{
	struct rank_file *f = &r->files->rank[seat];
	char *chunk;

	if (f->over || r->left_out[seat] || (f->fd < 0 && !open_file(r, seat)))
		return;
	chunk = hb_alloc(READ_CHUNK);
	for (size_t i = 0; i < rounds && f->fd >= 0; i++) {
		ssize_t n = read(f->fd, chunk, READ_CHUNK);
		if (n <= 0)
			break; /* its end for now; an error shows as a rank that says nothing */
		buf_add(&f->in, chunk, (size_t)n);
		take_lines(r, seat);
	}
	free(chunk);
}

void step_files_service(struct step_run *r)
{
	for (int i = 0; r->files && i < r->files->n; i++)
		service_seat(r, i, READ_ROUNDS);
}

/* Whoever began and never said bye is gone like a connection that closes. */
void step_files_finish(struct step_run *r)
{
	for (int i = 0; i < r->files->n; i++)
		service_seat(r, i, SIZE_MAX);
	for (int i = 0; i < r->files->n; i++)
		if (r->files->rank[i].hello && !r->files->rank[i].over)
			step_on_leave(r, i, "it ended without a word");
}

void step_files_close(struct step_run *r)
{
	struct step_files *f = r->files;

	if (!f)
		return;
	for (int i = 0; i < f->n; i++) {
		if (f->rank[i].fd >= 0)
			close(f->rank[i].fd);
		buf_free(&f->rank[i].in);
	}
	free(f->rank);
	free(f->order);
	free(f->folder);
	free(f);
	r->files = NULL;
}
