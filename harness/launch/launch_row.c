/* The table of launchers, and the command of a step. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch.h"

const struct launcher_ops *const launchers[] = { &launcher_local, &launcher_srun, &launcher_mpirun,
	                                         &launcher_sim, NULL };

void launcher_words(const struct launcher_ops *ops, struct buf *out)
{
	bool optional = ops->arg_optional;

	buf_puts(out, ops->name);
	if (ops->arg)
		buf_printf(out, "%s:%s%s", optional ? "[" : "", ops->arg, optional ? "]" : "");
}

int launcher_find(const char *text, const struct launcher_ops **out, const char **arg,
                  struct hb_err *err)
{
	size_t len = strcspn(text, ":");
	struct buf known = BUF_INIT;
	int rc;

	for (size_t i = 0; launchers[i]; i++) {
		const struct launcher_ops *l = launchers[i];
		bool colon = text[len] == ':';
		buf_puts(&known, i ? ", " : "");
		launcher_words(l, &known);
		if (strlen(l->name) != len || strncmp(l->name, text, len) != 0)
			continue;
		buf_free(&known);
		if (l->arg && (colon ? !text[len + 1] : !l->arg_optional))
			return hb_fail(err, HB_E_USAGE, "launcher %s needs %s: %s:%s", l->name,
			               l->arg, l->name, l->arg);
		if (!l->arg && colon)
			return hb_fail(err, HB_E_USAGE, "launcher %s takes nothing behind a colon",
			               l->name);
		*out = l;
		*arg = colon ? text + len + 1 : NULL;
		return HB_OK;
	}
	rc = hb_fail(err, HB_E_USAGE, "unknown launcher '%.64s'; there is %s", text,
	             buf_text(&known));
	buf_free(&known);
	return rc;
}

/* ---- commands ---- */

static void add_word(char ***list, size_t *n, size_t *cap, const char *fmt, va_list ap)
        HB_PRINTF(4, 0);
static void add_word(char ***list, size_t *n, size_t *cap, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);
	char *word = hb_alloc((size_t)(len < 0 ? 0 : len) + 1);
	vsnprintf(word, (size_t)len + 1, fmt, again);
	va_end(again);
	hb_grow(list, cap, *n + 2, sizeof **list);
	(*list)[(*n)++] = word;
	(*list)[*n] = NULL;
}

void launch_command_arg(struct launch_command *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_word(&c->argv, &c->argc, &c->cap_argv, fmt, ap);
	va_end(ap);
}

void launch_command_env(struct launch_command *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_word(&c->env, &c->n_env, &c->cap_env, fmt, ap);
	va_end(ap);
}

void launch_command_free(struct launch_command *c)
{
	for (size_t i = 0; i < c->argc; i++)
		free(c->argv[i]);
	for (size_t i = 0; i < c->n_env; i++)
		free(c->env[i]);
	free(c->argv);
	free(c->env);
	*c = (struct launch_command){ 0 };
}

static int started(const struct launch_what *w)
{
	int n = 0;

	for (int i = 0; i < w->step->n_ranks; i++)
		n += !(w->left_out && w->left_out[i]);
	return n;
}

/* Its ranks connect to each other, so they listen from their start on. */
static bool listens(const struct plan_step *s)
{
	for (size_t j = 0; j < s->n_jobs; j++)
		if (s->jobs[j].cases.info->flags & BENCH_MEETS)
			return true;
	return false;
}

int launch_command_make(const struct launch_what *w, const struct launch_reach *reach,
                        struct launch_command *out, struct hb_err *err)
{
	int rc;

	*out = (struct launch_command){ 0 };
	if (reach->files) {
		launch_command_env(out, "HPCBENCH_FILES=%s", reach->files);
	} else {
		launch_command_env(out, "HPCBENCH_CONTROL=%s",
		                   reach->address ? reach->address : "...");
		launch_command_env(out, "HPCBENCH_TOKEN=%s", reach->token ? reach->token : "...");
	}
	launch_command_env(out, "HPCBENCH_RUN=%s", w->plan->run ? w->plan->run : "...");
	launch_command_env(out, "HPCBENCH_STEP=%llu", (unsigned long long)w->step->id);
	launch_command_env(out, "HPCBENCH_ATTEMPT=%llu", (unsigned long long)reach->attempt);
	launch_command_env(out, "HPCBENCH_RANKS=%d", started(w));
	if (!reach->files && listens(w->step))
		launch_command_env(out, "HPCBENCH_LISTEN=1");
	rc = w->site->ops->command(w, out, err);
	if (rc != HB_OK)
		launch_command_free(out);
	return rc;
}

void launch_site_close(struct launch_site *s)
{
	if (s->ops && s->ops->close)
		s->ops->close(s);
	free(s->first_node);
	free(s->cluster);
	s->first_node = s->cluster = NULL;
	s->state = NULL;
}

/* ---- helpers ---- */

static char *own_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (n <= 0)
		return hb_strdup(".");
	path[n] = '\0';
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return hb_strdup(path);
}

/* The folders in which helpers may lie, in the order of looking; at most 2. */
static size_t helper_folders(char *folder[2])
{
	const char *forced = getenv("HPCBENCH_EXEC_PATH");

	if (forced && *forced) {
		folder[0] = hb_strdup(forced);
		return 1;
	}
	folder[0] = own_folder();
	folder[1] = hb_format("%s/../libexec/hpcbench", folder[0]);
	return 2;
}

/* FOLDER/[PROFILE/]hpcbench-HELPER if it can be run, else NULL. */
static char *helper_in(const char *folder, const char *profile, const char *helper)
{
	char *path = profile ? hb_format("%s/%s/hpcbench-%s", folder, profile, helper)
	                     : hb_format("%s/hpcbench-%s", folder, helper);

	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* A helper that was built for a profile, or NULL. */
static char *profile_helper(const struct profile *p, char *const *folder, size_t n,
                            const char *helper)
{
	char *path = p->helpers ? helper_in(p->helpers, NULL, helper) : NULL;
	char *own = NULL;

	for (size_t i = 0; i < n && !path; i++)
		path = helper_in(folder[i], p->name, helper);
	if (!path)
		own = profile_user_folder();
	if (own)
		path = helper_in(own, p->name, helper);
	free(own);
	return path;
}

int launch_helper_path(const struct profile *profile, const char *helper, char **path,
                       struct hb_err *err)
{
	char *folder[2] = { NULL, NULL };
	size_t n = helper_folders(folder);
	int rc = HB_OK;

	*path = profile ? profile_helper(profile, folder, n, helper) : NULL;
	/* Whoever names a folder means that MPI: measuring another one would be a lie. */
	bool another = profile && profile->helpers && strcmp(helper, "mpi") == 0;
	for (size_t i = 0; i < n && !*path && !another; i++)
		*path = helper_in(folder[i], NULL, helper);
	if (!*path && another)
		rc = hb_fail(
		        err, HB_E_USAGE,
		        "profile %s: %.300s has no hpcbench-mpi; hpcbench build-profile makes it",
		        profile->name, profile->helpers);
	else if (!*path)
		rc = hb_fail(err, HB_E_UNSUPPORTED,
		             "hpcbench-%s not found in %s%s%s; this build lacks its library, or "
		             "HPCBENCH_EXEC_PATH must name the folder of the helpers",
		             helper, folder[0], n > 1 ? " and " : "", n > 1 ? folder[1] : "");
	free(folder[0]);
	free(folder[1]);
	return rc;
}

int launch_helper_words(const struct launch_site *site, const char *helper,
                        struct launch_command *out, struct hb_err *err)
{
	const struct profile *p = site->profile;
	char *path;
	int rc = launch_helper_path(p, helper, &path, err);

	if (rc != HB_OK)
		return rc;
	for (size_t i = 0; p && i < p->n_env; i++)
		launch_command_env(out, "%s", p->env[i]);
	for (size_t i = 0; p && i < p->n_wrap; i++)
		launch_command_arg(out, "%s", p->wrap[i]);
	launch_command_arg(out, "%s", path);
	free(path);
	return HB_OK;
}
