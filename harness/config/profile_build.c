#include "harness/config/profile_build.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/json.h"
#include "bench/base/mem.h"
#include "harness/launch/wait.h"
#include "harness/store/store.h"

enum {
	CONFIGURE_MS = 300 * 1000,
	BUILD_MS = 1800 * 1000,
	CHECK_MS = 60 * 1000,
	GRACE_MS = 2000,
	JOBS_MAX = 8,
	HELPER_MAX = 128 * 1024 * 1024
};
static const char helper_name[] = "hpcbench-mpi";

struct build {
	const struct profile_build *in;
	char *tmp, *log, *made; /* made: the helper, still in the temporary folder */
	FILE *to;
	struct buf said; /* standard output of the program that runs */
};

static void take_line(void *ctx, enum spawn_stream stream, const char *line)
{
	struct build *b = ctx;

	(void)fprintf(b->to, "%s\n", line);
	if (stream == SPAWN_OUT)
		buf_printf(&b->said, "%s\n", line);
	if (b->in->line)
		b->in->line(b->in->ctx, stream, line);
}

static int wait_end(struct build *b, struct spawn *child, int64_t until, struct hb_err *err)
{
	struct pollfd v[SPAWN_FDS + 1];
	bool watch = b->in->signal_fd >= 0;

	while (!spawn_ended(child, NULL)) {
		int64_t now = wait_now_ms();
		size_t n = spawn_fds(child, v);
		if (now >= until)
			return hb_fail(err, HB_E_TIMEOUT, "did not end in time");
		if (watch)
			v[n] = (struct pollfd){ b->in->signal_fd, POLLIN, 0 };
		int ready = poll(v, n + watch,
		                 wait_shorter(wait_until(now, until), spawn_tick_ms(child)));
		spawn_service(child);
		if (ready > 0 && watch && v[n].revents)
			return hb_fail(err, HB_E_CANCELLED, "stopped by a signal");
	}
	return HB_OK;
}

/* Runs a program to its end; anything but exit 0 is a failure. */
static int run_words(struct build *b, const char *what, const char *const *argv,
                     const char *const *env, int timeout_ms, struct hb_err *err)
{
	struct spawn_params p = { .argv = argv,
		                  .env = env,
		                  .missing_hint = "install it or load its module",
		                  .line = take_line,
		                  .ctx = b };
	struct spawn *child = NULL;
	char how[64];
	int status = -1;

	buf_clear(&b->said);
	for (size_t i = 0; argv[i]; i++)
		(void)fprintf(b->to, "%s%s", i ? " " : "+ ", argv[i]);
	(void)fputc('\n', b->to);
	int rc = spawn_start(&p, &child, err);
	if (rc != HB_OK)
		return rc;
	rc = wait_end(b, child, wait_now_ms() + timeout_ms, err);
	if (rc != HB_OK)
		spawn_stop(child, GRACE_MS);
	else if (spawn_ended(child, &status) && status != 0) {
		spawn_status_text(status, how, sizeof how);
		rc = hb_fail(err, HB_E_LIB, "%s", how);
	}
	spawn_free(child);
	return rc == HB_OK ? HB_OK : hb_fail_in(err, "%s", what);
}

/* ---- building ---- */

static int configure_and_make(struct build *b, struct hb_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char *mpicc = hb_format("-DMPI_C_COMPILER=%s", b->in->mpicc);
	char *jobs = hb_format("-j%ld", cpus > JOBS_MAX ? JOBS_MAX : cpus > 0 ? cpus : 1);
	char *tree = hb_format("%s/build", b->tmp);
	const char *const configure[] = { "cmake",
		                          "-S",
		                          b->in->source,
		                          "-B",
		                          tree,
		                          "-DHPCBENCH_ONLY=mpi",
		                          "-DHPCBENCH_WITH_MPI=ON",
		                          "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
		                          mpicc,
		                          NULL };
	const char *const make[] = { "cmake", "--build", tree, jobs, NULL };
	int rc = run_words(b, "configuring (cmake)", configure, NULL, CONFIGURE_MS, err);

	if (rc == HB_OK)
		rc = run_words(b, "building (cmake --build)", make, NULL, BUILD_MS, err);
	b->made = hb_format("%s/bin/%s", tree, helper_name);
	free(tree);
	free(jobs);
	free(mpicc);
	return rc;
}

/* ---- does it run? ---- */

/* The value of the fact sw.mpi, or NULL. */
static char *mpi_of(const char *facts, size_t len)
{
	struct hb_err none;
	json_object *list = NULL;
	char *found = NULL;

	if (js_parse(facts, len, helper_name, &list, &none) != HB_OK)
		return NULL;
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	const struct js_at top = JS_AT_TOP(helper_name);
	for (size_t i = 0; i < n && !found; i++) {
		json_object *o = json_object_array_get_idx(list, i);
		const char *key = NULL, *value = NULL;
		if (js_get_str(o, &top, "key", JS_REQUIRED, &key, &none) == HB_OK &&
		    strcmp(key, "sw.mpi") == 0 &&
		    js_get_str(o, &top, "value", JS_REQUIRED, &value, &none) == HB_OK)
			found = hb_strdup(value);
	}
	js_put(list);
	for (char *p = found; p && *p; p++)
		if (*p == '\t' || *p == '\n')
			*p = ' ';
	return found;
}

/* First without the environment's library path: what a profile need not say is better not said. */
static int check(struct build *b, struct profile_built *out, struct hb_err *err)
{
	static const char *const plain[] = { "LD_LIBRARY_PATH=", NULL };
	const char *const list[] = { b->made, "--list", NULL };
	const char *const facts[] = { b->made, "--facts", NULL };
	const char *path = getenv("LD_LIBRARY_PATH");
	const char *const *env = plain;
	int rc = run_words(b, "hpcbench-mpi --list", list, env, CHECK_MS, err);

	if (rc != HB_OK && rc != HB_E_CANCELLED && path && *path) {
		env = NULL;
		rc = run_words(b, "hpcbench-mpi --list", list, env, CHECK_MS, err);
		if (rc == HB_OK)
			out->library = hb_strdup(path);
	}
	if (rc == HB_OK && !strstr(buf_text(&b->said), "mpi.latency"))
		rc = hb_fail(err, HB_E_LIB, "%s --list does not list mpi.latency", b->made);
	if (rc == HB_OK)
		rc = run_words(b, "hpcbench-mpi --facts", facts, env, CHECK_MS, err);
	if (rc == HB_OK)
		out->mpi = mpi_of(buf_text(&b->said), b->said.len);
	if (rc != HB_OK && rc != HB_E_CANCELLED)
		hb_fail_in(err, "it was built, but does not run here");
	return rc;
}

/* ---- keeping it ---- */

static int make_dirs(const char *path, struct hb_err *err)
{
	char *p = hb_strdup(path);
	int rc = HB_OK;

	for (char *s = p + 1; rc == HB_OK && *s; s++) {
		if (*s != '/' && s[1])
			continue;
		char keep = *s;
		if (keep == '/')
			*s = '\0';
		if (mkdir(p, 0777) != 0 && errno != EEXIST)
			rc = hb_fail(err, HB_E_IO, "cannot make %s: %s", p, strerror(errno));
		*s = keep;
	}
	free(p);
	return rc;
}

static int keep(struct build *b, struct profile_built *out, struct hb_err *err)
{
	struct buf program = BUF_INIT;
	struct stat st;
	int rc = make_dirs(b->in->folder, err);

	out->helper = hb_format("%s/%s", b->in->folder, helper_name);
	if (rc == HB_OK)
		rc = buf_read_file(&program, b->made, HELPER_MAX, err);
	if (rc == HB_OK)
		rc = store_write(out->helper, buf_text(&program), program.len, err);
	/* Whoever may read it may run it. */
	if (rc == HB_OK && (stat(out->helper, &st) != 0 ||
	                    chmod(out->helper, st.st_mode | (st.st_mode & 0444) >> 2) != 0))
		rc = hb_fail(err, HB_E_IO, "%s: %s", out->helper, strerror(errno));
	buf_free(&program);
	return rc;
}

/* ---- around ---- */

static int open_temporary(struct build *b, struct hb_err *err)
{
	const char *tmp = getenv("TMPDIR");

	b->tmp = hb_format("%s/hpcbench-build-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(b->tmp))
		return hb_fail(err, HB_E_IO, "cannot make %s: %s; set TMPDIR", b->tmp,
		               strerror(errno));
	b->log = hb_format("%s/build.log", b->tmp);
	b->to = fopen(b->log, "we");
	return b->to ? HB_OK : hb_fail(err, HB_E_IO, "%s: %s", b->log, strerror(errno));
}

static void add_log(struct hb_err *err, int rc, const char *log)
{
	struct hb_err why = err ? *err : (struct hb_err){ .code = HB_OK };

	hb_fail(err, (enum hb_status)rc, "%.300s; see %s", why.text, log);
}

int profile_build(const struct profile_build *in, struct profile_built *out, struct hb_err *err)
{
	struct build b = { .in = in };
	int rc = open_temporary(&b, err);
	bool log = rc == HB_OK;

	*out = (struct profile_built){ 0 };
	if (rc == HB_OK)
		rc = configure_and_make(&b, err);
	if (rc == HB_OK)
		rc = check(&b, out, err);
	if (rc == HB_OK)
		rc = keep(&b, out, err);
	if (b.to)
		(void)fclose(b.to);
	if (rc == HB_OK || rc == HB_E_CANCELLED || !log)
		store_remove_temporary(b.tmp);
	else
		add_log(err, rc, b.log);
	if (rc != HB_OK)
		profile_built_free(out);
	buf_free(&b.said);
	free(b.made);
	free(b.log);
	free(b.tmp);
	return rc;
}

void profile_built_free(struct profile_built *b)
{
	free(b->helper);
	free(b->mpi);
	free(b->library);
	*b = (struct profile_built){ 0 };
}
