/* `hpcbench build-profile`: the MPI helper once more, for the MPI that is loaded now. */
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/config/profile_build.h"
#include "harness/launch/launch.h"
#include "harness/plan/suite.h"

struct build_opts {
	char *mpicc, *prefix;
};

#define AT(field) offsetof(struct build_opts, field)
static const struct opt build_opts[] = {
	{ OPT_STRING, 0, "mpicc", "PROGRAM", "the compiler wrapper of the MPI", "mpicc", AT(mpicc),
	  0, 0, NULL, 0 },
	{ OPT_STRING, 0, "prefix", "DIR",
	  "the folder of the new helper (NAME beside the other helpers, else in the user's data "
	  "folder)",
	  NULL, AT(prefix), 0, 0, NULL, 0 },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};
#undef AT

/* path as a whole one; the caller frees. */
static char *whole_path(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *whole = here ? hb_format("%s/%s", here, path) : hb_strdup(path);

	free(here);
	return whole;
}

/* A program as a whole path, searched in PATH unless it has a slash; NULL: there is none. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? whole_path(name) : NULL;
	for (const char *p = path ? path : ""; *p; p += *p == ':') {
		size_t len = strcspn(p, ":");
		char *file = hb_format("%.*s/%s", (int)len, p, name);
		if (*p == '/' && access(file, X_OK) == 0)
			return file;
		free(file);
		p += len;
	}
	return NULL;
}

/* mpirun of the same MPI: beside its mpicc, with what the name has behind; NULL: there is none. */
static char *find_mpirun(const char *mpicc)
{
	static const char *const names[] = { "mpirun", "mpiexec", NULL };
	const char *base = strrchr(mpicc, '/') + 1;

	if (strncmp(base, "mpicc", 5) != 0)
		return NULL;
	for (size_t i = 0; names[i]; i++) {
		char *path = hb_format("%.*s%s%s", (int)(base - mpicc), mpicc, names[i], base + 5);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

/* Where helpers of that name are found without a word: beside the others, or at home. */
static char *default_folder(const char *name, struct hb_err *err)
{
	char *helper = NULL, *folder = NULL, *home;
	struct hb_err none;

	if (launch_helper_path(NULL, "node", &helper, &none) == HB_OK) {
		*strrchr(helper, '/') = '\0';
		if (access(helper, W_OK) == 0)
			folder = hb_format("%s/%s", helper, name);
		free(helper);
	}
	if (folder)
		return folder;
	home = profile_user_folder();
	if (home)
		folder = hb_format("%s/%s", home, name);
	else
		hb_fail(err, HB_E_USAGE, "HOME is not set; say where with --prefix");
	free(home);
	return folder;
}

static void print_line(void *ctx, enum spawn_stream stream, const char *line)
{
	struct buf text = BUF_INIT;

	(void)ctx;
	(void)stream;
	doc_clean(line, &text);
	(void)fprintf(stderr, "%s\n", buf_text(&text));
	buf_free(&text);
}

/* ---- what comes out ---- */

/* The profile as it should stand in the configuration; strings are owned by it. */
static void make_profile(const char *name, const char *mpicc, const char *folder,
                         const struct profile_built *b, struct profile *p)
{
	struct utsname u;

	*p = (struct profile){ .name = hb_strdup(name),
		               .arch = uname(&u) == 0 ? hb_strdup(u.machine) : NULL,
		               .mpirun = find_mpirun(mpicc),
		               .helpers = hb_strdup(folder) };
	if (b->library) {
		p->env = hb_alloc(sizeof *p->env);
		p->env[p->n_env++] = hb_format("LD_LIBRARY_PATH=%s", b->library);
	}
}

static void print_built(const struct common *common, const struct profile *p,
                        const struct profile_built *b)
{
	struct config_paths paths;
	struct doc *d = doc_new("");
	json_object *one = profile_to_json(p);
	struct buf text = BUF_INIT;
	bool known = config_profile(common->config, p->name) != NULL;

	config_paths_default(&paths);
	const char *file = paths.path[geteuid() == 0 ? CONFIG_SYSTEM : CONFIG_USER];
	d->data = cmd_json("build-profile");
	js_set_str(d->data, "helper", b->helper);
	js_set_str(d->data, "mpi", b->mpi);
	js_set_str(d->data, "file", file);
	js_set_bool(d->data, "configured", known);
	js_set_obj(d->data, "profile", one);
	doc_fact(d, "helper", "%s", b->helper);
	doc_fact(d, "MPI", "%s", b->mpi ? b->mpi : "(does not say)");
	js_write(one, JS_PLAIN, &text);
	if (known)
		doc_text(d, DOC_PLAIN,
		         "the configuration has a profile %s already; this is it now:", p->name);
	else if (file && access(file, F_OK) == 0)
		doc_text(d, DOC_PLAIN, "add this to \"profiles\": [...] in %s:", file);
	else
		doc_text(d, DOC_PLAIN, "write %s with:", file ? file : "a configuration");
	bool whole = !known && !(file && access(file, F_OK) == 0);
	doc_list_item(d, "%s%s%s", whole ? "{\"schema\":1,\"profiles\":[" : "", buf_text(&text),
	              whole ? "]}" : "");
	doc_text(d, DOC_PLAIN, "then: hpcbench run --profile %s", p->name);
	cmd_print(common, d);
	doc_free(d);
	buf_free(&text);
	config_paths_free(&paths);
}

static int open_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The signal that came, as an exit code. */
static int stopped(int fd)
{
	struct signalfd_siginfo info;

	if (fd >= 0 && read(fd, &info, sizeof info) == (ssize_t)sizeof info)
		return 128 + (int)info.ssi_signo;
	return CODE_BROKEN;
}

static int build(const struct common *common, const char *name, const char *mpicc,
                 const char *folder)
{
	char *source = suite_data_path("src");
	struct profile_build in = { .source = source,
		                    .mpicc = mpicc,
		                    .folder = folder,
		                    .line = common->verbose ? print_line : NULL };
	struct profile_built out;
	struct profile p;
	struct hb_err err;
	sigset_t old;

	in.signal_fd = open_signals(&old);
	int rc = profile_build(&in, &out, &err), code = CODE_OK;
	if (rc == HB_E_CANCELLED)
		code = stopped(in.signal_fd);
	else if (rc != HB_OK)
		code = cmd_error_text("build-profile", CODE_BROKEN, "%s", err.text);
	if (in.signal_fd >= 0)
		close(in.signal_fd);
	if (rc == HB_OK) {
		make_profile(name, mpicc, folder, &out, &p);
		print_built(common, &p, &out);
		profile_free(&p);
		profile_built_free(&out);
	}
	free(source);
	return code;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	const struct build_opts *o = opts;
	struct hb_err err = { .code = HB_OK };

	if (argc != 1)
		return cmd_error_text("build-profile", CODE_USAGE,
		                      "needs one NAME, as in hpcbench build-profile ompi5");
	if (store_check_name("a profile", argv[0], &err) != HB_OK)
		return cmd_error_text("build-profile", CODE_USAGE, "%s", err.text);
	if (strcmp(argv[0], PROFILE_DEFAULT) == 0)
		return cmd_error_text("build-profile", CODE_USAGE,
		                      "\"%s\" is what hpcbench was built with; choose another name",
		                      argv[0]);
	char *mpicc = find_program(o->mpicc);
	if (!mpicc)
		return cmd_error_text("build-profile", CODE_USAGE,
		                      "no program '%.200s'; load the module of the MPI, or name "
		                      "its compiler with --mpicc",
		                      o->mpicc);
	char *folder = o->prefix ? whole_path(o->prefix) : default_folder(argv[0], &err);
	int code = folder ? build(common, argv[0], mpicc, folder)
	                  : cmd_error("build-profile", &err);
	free(folder);
	free(mpicc);
	return code;
}

const struct command cmd_build_profile = {
	.name = "build-profile",
	.usage = "NAME [--mpicc PROGRAM] [--prefix DIR]",
	.summary = "build the MPI helper for another MPI, without root",
	.text = "Builds hpcbench-mpi once more, against the MPI whose mpicc is in PATH (load its "
	        "module first), checks that it runs, and prints the profile to put into the "
	        "configuration. run --profile NAME then uses it. Needs cmake, a C compiler and the "
	        "development files of json-c; --verbose shows the build, a log is kept where it "
	        "fails.",
	.opts = build_opts,
	.opts_size = sizeof(struct build_opts),
	.run = run,
};
