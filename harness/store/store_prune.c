#include "harness/store/store_prune.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store_remove.h"

enum { DAY_S = 86400, ABOUT_MAX = 16 << 20 };

/* The work at hand. */
struct pruning {
	const struct store *store;
	const struct prune_params *p;
	struct prune *out;
	int runs; /* STORE/runs */
};

static int digits(const char *text, int n)
{
	int v = 0;
	for (int i = 0; i < n; i++)
		v = v * 10 + (text[i] - '0');
	return v;
}

/* When a run was made, from its id: 20261130-014210-7f3a. */
static time_t made_at(const char *id)
{
	struct tm tm = { .tm_year = digits(id, 4) - 1900,
		         .tm_mon = digits(id + 4, 2) - 1,
		         .tm_mday = digits(id + 6, 2),
		         .tm_hour = digits(id + 9, 2),
		         .tm_min = digits(id + 11, 2),
		         .tm_sec = digits(id + 13, 2) };
	return timegm(&tm);
}

/* What run.json says: the label, the caller's or NULL, and whether the run has ended. */
static char *read_about(const struct pruning *w, const char *id, bool *finished)
{
	char *path = hb_format("%s/runs/%s/run.json", w->store->path, id), *label = NULL;
	struct js_at top = JS_AT_TOP(path);
	const char *text = NULL, *end = NULL;
	json_object *o = NULL;
	*finished = false;
	if (js_read_file(path, ABOUT_MAX, &o, NULL) == HB_OK) {
		if (js_get_str(o, &top, "label", JS_OPTIONAL, &text, NULL) == HB_OK)
			label = hb_strdup(text);
		*finished = js_get_str(o, &top, "finished", JS_OPTIONAL, &end, NULL) == HB_OK &&
		            end;
	}
	js_put(o);
	free(path);
	return label;
}

static bool is_in_use(const struct prune_params *p, const char *id)
{
	for (size_t i = 0; i < p->n_in_use; i++)
		if (strcmp(p->in_use[i], id) == 0)
			return true;
	return false;
}

/* A lock tells it; without one a run that has no end and whose journal has just grown. */
static bool is_measured(const struct pruning *w, const char *id, int dir, bool finished)
{
	struct stat st;
	char *path = hb_format("%s/runs/%s", w->store->path, id);
	bool locked = store_run_locked(path, NULL);
	free(path);
	if (locked)
		return true;
	return !finished && fstatat(dir, "journal.jsonl", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       w->p->now - st.st_mtime < DAY_S;
}

static uint64_t file_size(int dir, const char *name)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_size;
}

static void fail(struct prune_run *r, const char *what, int e)
{
	r->fate = PRUNE_FAILED;
	free(r->why);
	r->why = hb_format("%s: %s", what, strerror(e));
}

/* Takes the samples, or the whole folder: first its name, so that nobody finds half a run. */
static void remove_run(const struct pruning *w, struct prune_run *r, int dir)
{
	char *temp = hb_format("%s.pruned.tmp", r->id), *lock = NULL;
	char *path = hb_format("%s/runs/%s", w->store->path, r->id);
	struct hb_err err;
	/* Whoever would measure into it from now on (--resume) finds it taken. */
	if (store_run_lock(path, &lock, &err) != HB_OK) {
		r->fate = store_run_locked(path, NULL) ? PRUNE_MEASURED : PRUNE_FAILED;
		r->why = r->fate == PRUNE_FAILED ? hb_strdup(err.text) : NULL;
	} else if (w->p->samples_only && unlinkat(dir, "samples.jsonl", 0) != 0 &&
	           errno != ENOENT) {
		fail(r, "cannot remove samples.jsonl", errno);
	} else if (!w->p->samples_only && renameat(w->runs, r->id, w->runs, temp) != 0) {
		fail(r, "cannot rename it", errno);
	} else if (!w->p->samples_only && remove_tree(w->runs, temp, dir, NULL) != 0) {
		fail(r, "cannot remove all of it", errno);
	}
	store_unlock(lock); /* which may have gone with its folder */
	free(path);
	free(temp);
}

/* An old run: what becomes of it. */
static void take_run(const struct pruning *w, const char *id, int dir, bool finished,
                     uint64_t bytes)
{
	struct prune *out = w->out;
	hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
	struct prune_run *r = &out->v[out->n++];
	*r = (struct prune_run){ .id = hb_strdup(id), .fate = PRUNE_GONE };
	r->bytes = w->p->samples_only ? file_size(dir, "samples.jsonl") : bytes;
	if (dir < 0)
		r->fate = PRUNE_STRANGE;
	else if (is_in_use(w->p, id))
		r->fate = PRUNE_IN_USE;
	else if (is_measured(w, id, dir, finished))
		r->fate = PRUNE_MEASURED;
	else if (!w->p->dry_run)
		remove_run(w, r, dir);
	if (r->fate != PRUNE_GONE)
		r->bytes = 0;
}

/* n_newer: how many newer runs of the label there are. */
static bool is_old(const struct prune_params *p, const char *id, size_t n_newer)
{
	if (p->keep >= 0 && n_newer < (size_t)p->keep)
		return false;
	if (p->keep_days >= 0 && difftime(p->now, made_at(id)) < p->keep_days * DAY_S)
		return false;
	return p->keep >= 0 || p->keep_days >= 0 || p->label;
}

static void look_at(const struct pruning *w, const char *id, size_t *n_newer)
{
	int dir = openat(w->runs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool finished = false, wanted;
	char *label = dir >= 0 ? read_about(w, id, &finished) : NULL;
	uint64_t bytes = 0;
	if (dir >= 0) {
		(void)remove_tree(w->runs, id, dir, &bytes);
		w->out->bytes += bytes;
		w->out->samples += file_size(dir, "samples.jsonl");
	}
	wanted = !w->p->label || (label && strcmp(label, w->p->label) == 0);
	if (wanted && is_old(w->p, id, *n_newer))
		take_run(w, id, dir, finished, bytes);
	*n_newer += wanted;
	/* Also in folders that stay; one that went has nothing left. */
	if (dir >= 0 && faccessat(w->runs, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		remove_left(dir, LEFT_TEMP, w->p->now - DAY_S, w->p->dry_run, &w->out->n_left,
		            &w->out->left_bytes);
	if (dir >= 0)
		close(dir);
	free(label);
}

static void turn_round(struct prune *out)
{
	for (size_t i = 0; i < out->n / 2; i++) {
		struct prune_run r = out->v[i];
		out->v[i] = out->v[out->n - 1 - i];
		out->v[out->n - 1 - i] = r;
	}
}

int store_prune(const struct store *s, const struct prune_params *p, struct prune *out,
                struct hb_err *err)
{
	struct pruning w = { .store = s, .p = p, .out = out, .runs = -1 };
	char **ids = NULL, *path = hb_format("%s/runs", s->path);
	size_t n_newer = 0;
	*out = (struct prune){ 0 };
	int rc = store_run_list(s, &ids, &out->n_runs, err);
	if (rc == HB_OK) {
		w.runs = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (w.runs < 0 && errno != ENOENT)
			rc = hb_fail(err, HB_E_IO,
			             "cannot prune %s: %s; a symbolic link is not followed", path,
			             strerror(errno));
	}
	for (size_t i = out->n_runs; rc == HB_OK && i > 0; i--)
		look_at(&w, ids[i - 1], &n_newer);
	turn_round(out);
	free(path);
	path = hb_format("%s/baselines", s->path);
	int baselines = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const int dirs[] = { w.runs, baselines }, kinds[] = { LEFT_TEMP, LEFT_TEMP | LEFT_LOCK };
	for (size_t i = 0; i < 2; i++) {
		if (rc == HB_OK && dirs[i] >= 0)
			remove_left(dirs[i], kinds[i], p->now - DAY_S, p->dry_run, &out->n_left,
			            &out->left_bytes);
		if (dirs[i] >= 0)
			close(dirs[i]);
	}
	store_dirs_free(ids, rc == HB_OK || ids ? out->n_runs : 0);
	free(path);
	return rc;
}

void store_prune_free(struct prune *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].id);
		free(p->v[i].why);
	}
	free(p->v);
	*p = (struct prune){ 0 };
}
