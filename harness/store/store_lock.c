/* Locks: files that say who holds them, made in one go, taken over only from the dead. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/wait.h"
#include "harness/store/store_parts.h"

enum {
	LOCK_MAX = 4096,
	NAP_MIN_MS = 5,
	NAP_MAX_MS = 200,
	UNKNOWN_WAIT_MS = 1000, /* for a lock that does not say whose it is */
	TAKE_OVERS_MAX = 1000,
	RUN_WAIT_S = 3
};

struct holder {
	struct buf text; /* the file as it was read; empty: it could not be */
	bool known;
	struct store_who who;
	char time[32];
};

static void lock_text(const char *what, struct buf *out)
{
	struct store_who self;
	json_object *o = json_object_new_object();
	char now[32] = "";
	time_t t = time(NULL);
	struct tm tm;

	store_who_self(&self);
	if (gmtime_r(&t, &tm))
		(void)strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &tm);
	js_set_str(o, "host", self.host);
	js_set_i64(o, "pid", self.pid);
	js_set_u64(o, "start", self.start);
	js_set_str(o, "boot_id", self.boot);
	js_set_str(o, "pid_ns", self.pid_ns);
	js_set_u64(o, "job", self.job);
	js_set_u64(o, "restart", self.restart);
	js_set_str(o, "time", now);
	js_set_str(o, "what", what);
	js_write(o, JS_PLAIN, out);
	buf_putc(out, '\n');
	js_put(o);
}

static void copy_word(json_object *o, const struct js_at *at, const char *key, char *out, size_t n)
{
	const char *s = NULL;

	if (js_get_str(o, at, key, JS_OPTIONAL, &s, NULL) == HB_OK && s)
		snprintf(out, n, "%s", s);
	for (char *c = out; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* 0 or errno. A file that is no lock of ours has a holder that nothing is known of. */
static int read_holder(const char *lock, struct holder *h)
{
	const struct js_at at = JS_AT_TOP("lock");
	json_object *o = NULL;
	struct stat st;

	*h = (struct holder){ .text = BUF_INIT };
	if (lstat(lock, &st) != 0)
		return errno;
	if (buf_read_file(&h->text, lock, LOCK_MAX, NULL) != HB_OK ||
	    js_parse(buf_text(&h->text), h->text.len, lock, &o, NULL) != HB_OK)
		return 0;
	if (json_object_is_type(o, json_type_object)) {
		copy_word(o, &at, "host", h->who.host, sizeof h->who.host);
		copy_word(o, &at, "boot_id", h->who.boot, sizeof h->who.boot);
		copy_word(o, &at, "pid_ns", h->who.pid_ns, sizeof h->who.pid_ns);
		copy_word(o, &at, "time", h->time, sizeof h->time);
		h->known = js_get_i64(o, &at, "pid", JS_REQUIRED, &h->who.pid, NULL) == HB_OK &&
		           js_get_u64(o, &at, "start", JS_OPTIONAL, &h->who.start, NULL) == HB_OK &&
		           js_get_u64(o, &at, "job", JS_OPTIONAL, &h->who.job, NULL) == HB_OK &&
		           js_get_u64(o, &at, "restart", JS_OPTIONAL, &h->who.restart, NULL) ==
		                   HB_OK &&
		           h->who.host[0];
	}
	js_put(o);
	return 0;
}

static bool same_text(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && a->len > 0 && memcmp(a->data, b->data, a->len) == 0;
}

/* Where links cannot be made. The name may be seen empty for a moment: its holder is unknown. */
static int make_plain(const char *lock, const struct buf *text)
{
	size_t done;
	int fd = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno;
	int e = store_write_all(fd, text->data, text->len, &done);
	if (close(fd) != 0 && !e)
		e = errno;
	if (e)
		unlink(lock);
	return e;
}

/* Makes the file with all its text, or not at all: 0 or errno, EEXIST where it is there. */
static int make_lock(const char *lock, const struct buf *text)
{
	char *temp = NULL;
	struct stat st;
	size_t done;
	int fd = store_open_temp(lock, &temp), e;

	if (fd < 0)
		return errno;
	e = store_write_all(fd, text->data, text->len, &done);
	if (!e)
		e = store_sync_fd(fd, fsync);
	if (!e && link(temp, lock) != 0) {
		e = errno;
		/* Over NFS the answer may be lost and the question asked twice. */
		if (e == EEXIST && fstat(fd, &st) == 0 && st.st_nlink == 2)
			e = 0;
		else if (e == EPERM || e == EOPNOTSUPP || e == ENOSYS || e == EMLINK)
			e = make_plain(lock, text);
	}
	close(fd);
	unlink(temp);
	free(temp);
	return e;
}

/* A thief died in the few microseconds that a steal takes. */
static void clear_guard(const char *guard)
{
	struct holder h;

	if (read_holder(guard, &h) == 0 && h.known && store_who_gone(&h.who))
		unlink(guard);
	buf_free(&h.text);
}

/*
 * Removes a stale lock. Thieves go one by one, by a lock of their own, and look once more whether
 * it is still the one that was judged: so nobody removes a lock that another thief just made.
 */
static void take_over(const char *lock, const struct holder *stale, const struct buf *text)
{
	char *guard = hb_format("%s.steal", lock);
	struct holder now;
	int e = make_lock(guard, text);

	if (e == EEXIST) {
		clear_guard(guard);
	} else if (!e) {
		if (read_holder(lock, &now) == 0 && same_text(&now.text, &stale->text))
			unlink(lock);
		buf_free(&now.text);
		unlink(guard);
	}
	free(guard);
}

static int fail_held(const char *path, const char *what, const char *lock, const struct holder *h,
                     struct hb_err *err)
{
	const char *doing = strcmp(what, "run") == 0 ? "measured" : "written";
	bool run = doing[0] == 'm';
	const char *slash = strrchr(path, '/');
	int len = run && slash ? (int)(slash - path) : (int)strlen(path);

	if (!h->known)
		return hb_fail(err, HB_E_IO,
		               "%.*s is being %s by somebody else; try again, or remove %s if "
		               "nobody is",
		               len, path, doing, lock);
	return hb_fail(err, HB_E_IO,
	               "%.*s is being %s by pid %lld on %s since %s; remove %s if that is not so",
	               len, path, doing, (long long)h->who.pid, h->who.host,
	               h->time[0] ? h->time : "an unknown time", lock);
}

/* How long to wait for this holder at most, in ms. */
static int64_t worth_waiting(const struct holder *h, double wait_s)
{
	int64_t ms = (int64_t)(wait_s * 1000);

	return !h->known && ms > UNKNOWN_WAIT_MS ? UNKNOWN_WAIT_MS : ms;
}

static void nap(int *ms)
{
	struct timespec t = { 0, *ms * 1000000L };

	nanosleep(&t, NULL);
	*ms = *ms * 2 > NAP_MAX_MS ? NAP_MAX_MS : *ms * 2;
}

int store_lock_wait(const char *path, const char *what, double wait_s, char **lock,
                    struct hb_err *err)
{
	char *file = hb_format("%s.lock", path);
	int64_t start = wait_now_ms();
	struct buf text = BUF_INIT;
	int rc = HB_OK, ms = NAP_MIN_MS, take_overs = 0, e;

	lock_text(what, &text);
	while (rc == HB_OK && (e = make_lock(file, &text)) != 0) {
		struct holder h;
		if (e != EEXIST) {
			rc = store_fail_io(err, "write", file, e);
			break;
		}
		e = read_holder(file, &h);
		if (e == ENOENT)
			; /* it was just given back */
		else if (h.known && store_who_gone(&h.who) && take_overs++ < TAKE_OVERS_MAX)
			take_over(file, &h, &text);
		else if (wait_now_ms() - start >= worth_waiting(&h, wait_s))
			rc = fail_held(path, what, file, &h, err);
		else
			nap(&ms);
		buf_free(&h.text);
	}
	buf_free(&text);
	if (rc == HB_OK)
		*lock = file;
	else
		free(file);
	if (rc != HB_OK)
		*lock = NULL;
	return rc;
}

int store_lock_try(const char *path, const char *what, char **lock, struct hb_err *err)
{
	return store_lock_wait(path, what, 0, lock, err);
}

int store_lock(const char *path, char **lock, struct hb_err *err)
{
	return store_lock_wait(path, "file", STORE_LOCK_WAIT_S, lock, err);
}

void store_unlock(char *lock)
{
	struct store_who self;
	struct holder h;

	if (!lock)
		return;
	store_who_self(&self);
	/*
	 * Whoever was told to remove it by hand may have done so, and have a lock there now. A
	 * child may give back what this process took (store_apart).
	 */
	if (read_holder(lock, &h) == 0 && h.known && strcmp(h.who.host, self.host) == 0 &&
	    (h.who.pid == self.pid || h.who.pid == getppid()))
		unlink(lock);
	buf_free(&h.text);
	free(lock);
}

bool store_lock_stale(const char *path)
{
	struct holder h;
	bool stale = read_holder(path, &h) == 0 && h.known && store_who_gone(&h.who);

	buf_free(&h.text);
	return stale;
}

int store_run_lock(const char *dir, char **lock, struct hb_err *err)
{
	char *path = hb_format("%s/run", dir);
	/* The writer of a run that was just killed may still be there. */
	int rc = store_lock_wait(path, "run", RUN_WAIT_S, lock, err);

	free(path);
	return rc;
}

bool store_run_locked(const char *dir, char **who)
{
	char *path = hb_format("%s/run.lock", dir);
	struct holder h;
	bool held = read_holder(path, &h) == 0 && !(h.known && store_who_gone(&h.who));

	if (who)
		*who = held && h.known
		               ? hb_format("pid %lld on %s", (long long)h.who.pid, h.who.host)
		               : NULL;
	buf_free(&h.text);
	free(path);
	return held;
}
