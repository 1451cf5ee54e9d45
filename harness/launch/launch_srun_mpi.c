/* Which --mpi type of srun fits the MPI of hpcbench-mpi: two ranks try to see each other. */
#include <sys/stat.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_srun.h"
#include "harness/store/store.h"

enum { PROBE_MS = 60000, MEMORY_MAX = 1024 * 1024, ENTRIES_MAX = 64, MEMORY_S = 2 };
static const char memory_file[] = "srun-mpi.json";

/* Tried in this order, after the site's own default. */
static const char *const candidates[] = { "pmix", "pmi2", "openmpi", NULL };

/* ---- what was found out before ---- */

/* Another build, another answer: the file's time is part of the name. A profile may start the same
 * helper in another way. */
static char *memory_key(const struct launch_site *site, const struct srun_state *st,
                        const char *helper)
{
	struct stat s;
	long long when = stat(helper, &s) == 0 ? (long long)s.st_mtime : 0;

	return hb_format("%s %s %s %lld%s%s", st->config.cluster, st->config.version, helper, when,
	                 site->profile ? " " : "", site->profile ? site->profile->name : "");
}

static json_object *memory_read(const struct launch_site *s, char **path)
{
	json_object *o = NULL;
	struct hb_err none;

	struct buf text = BUF_INIT;
	bool read;

	*path = s->memory ? hb_format("%s/%s", s->memory, memory_file) : NULL;
	/* The store may hang, and this is not worth waiting for. */
	read = *path && store_read_apart(*path, MEMORY_MAX, MEMORY_S, &text, &none) == HB_OK &&
	       js_parse(buf_text(&text), text.len, *path, &o, &none) == HB_OK;
	buf_free(&text);
	if (read && json_object_is_type(o, json_type_object) &&
	    json_object_object_length(o) < ENTRIES_MAX)
		return o;
	js_put(o);
	return json_object_new_object();
}

static bool recall(const struct launch_site *s, const char *key, char out[SLURM_WORD_MAX])
{
	const struct js_at at = JS_AT_TOP(memory_file);
	const char *type = NULL;
	char *path;
	json_object *o = memory_read(s, &path);
	bool known = js_get_str(o, &at, key, JS_OPTIONAL, &type, NULL) == HB_OK && type &&
	             strlen(type) < SLURM_WORD_MAX &&
	             strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == strlen(type);

	if (known)
		snprintf(out, SLURM_WORD_MAX, "%s", type);
	js_put(o);
	free(path);
	return known;
}

struct memory {
	const char *path;
	json_object *o;
};

static int write_it(void *ctx, struct buf *out, struct hb_err *err)
{
	const struct memory *m = ctx;

	(void)out;
	return store_write_json(m->path, m->o, err);
}

static void memory_write(const char *path, json_object *o)
{
	struct memory m = { path, o };

	if (path)
		store_apart(write_it, &m, MEMORY_S, NULL, NULL);
}

/* A convenience: where it cannot be kept, the next run tries again. */
static void remember(const struct launch_site *s, const char *key, const char *type)
{
	char *path;
	json_object *o = memory_read(s, &path);

	js_set_str(o, key, type);
	memory_write(path, o);
	js_put(o);
	free(path);
}

void srun_mpi_forget(struct launch_site *s)
{
	char *helper, *key, *path;
	struct hb_err none;

	if (launch_helper_path(s->profile, "mpi", &helper, &none) != HB_OK)
		return;
	key = memory_key(s, srun_state(s), helper);
	json_object *o = memory_read(s, &path);
	json_object_object_del(o, key);
	memory_write(path, o);
	js_put(o);
	free(path);
	free(key);
	free(helper);
}

/* ---- trying ---- */

static bool sees_two(const struct slurm_answer *a)
{
	for (const char *at = a->out; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (strncmp(at, "world 2", 7) == 0 && (at[7] == '\n' || at[7] == '\0'))
			return true;
	return false;
}

static void probe_words(const struct launch_site *s, const struct plan *plan, const char *type,
                        const char *helper, struct launch_command *c)
{
	const struct profile *p = s->profile;
	size_t n = plan->nodes.n > 1 ? 2 : 1;

	srun_words(s, c);
	launch_command_arg(c, "--nodes=%zu", n);
	launch_command_arg(c, "--ntasks=2");
	launch_command_arg(c, "--nodelist=%s%s%s", plan->nodes.v[0], n > 1 ? "," : "",
	                   n > 1 ? plan->nodes.v[1] : "");
	if (n == 1)
		launch_command_arg(c, "--overcommit");
	if (*type)
		launch_command_arg(c, "--mpi=%s", type);
	/* As launch_helper_words, but the environment of what is asked here is not ours to give. */
	if (p && p->n_env)
		launch_command_arg(c, "env");
	for (size_t i = 0; p && i < p->n_env; i++)
		launch_command_arg(c, "%s", p->env[i]);
	for (size_t i = 0; p && i < p->n_wrap; i++)
		launch_command_arg(c, "%s", p->wrap[i]);
	launch_command_arg(c, "%s", helper);
	launch_command_arg(c, "--hello");
}

/* The first words that say something, for the error. */
static void keep_why(const struct slurm_answer *a, const char *type, struct buf *why)
{
	const char *line = a->err;

	while (*line && strspn(line, "- \t\r") >= strcspn(line, "\n")) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	buf_printf(why, "%s%s: %.*s", why->len ? "; " : "", *type ? type : "default",
	           (int)(strcspn(line, "\n") < 120 ? strcspn(line, "\n") : 120), line);
}

static int probe(struct launch_site *s, const struct plan *plan, const char *type,
                 const char *helper, struct buf *why)
{
	struct launch_command c = { 0 };
	struct slurm_answer a;
	struct hb_err err;
	bool good = false;

	probe_words(s, plan, type, helper, &c);
	int rc = slurm_ask((const char *const *)c.argv, PROBE_MS, s->signal_fd, &a, &err);
	if (rc == HB_OK) {
		good = sees_two(&a);
		if (!good)
			keep_why(&a, type, why);
		slurm_answer_free(&a);
	} else if (rc != HB_E_CANCELLED) {
		buf_printf(why, "%s%s", why->len ? "; " : "", err.text);
	}
	launch_command_free(&c);
	return rc == HB_E_CANCELLED ? rc : good ? HB_OK : HB_E_LIB;
}

static bool is_listed(const struct slurm_types *types, const char *name)
{
	for (size_t i = 0; i < types->n; i++)
		if (strcmp(types->v[i], name) == 0)
			return true;
	return types->n == 0; /* a list that cannot be read forbids nothing */
}

static int find_type(struct launch_site *s, const struct plan *plan, const char *helper,
                     struct hb_err *err)
{
	static const char *const list[] = { "srun", "--mpi=list", NULL };
	struct srun_state *st = srun_state(s);
	struct slurm_types types = { .n = 0 };
	struct slurm_answer a;
	struct buf why = BUF_INIT;
	int rc = slurm_ask(list, SLURM_ASK_MS, s->signal_fd, &a, err);

	if (rc != HB_OK)
		return rc;
	slurm_mpi_types_parse(*a.out ? a.out : a.err, &types);
	slurm_answer_free(&a);
	rc = HB_E_LIB;
	/* Nothing is said where the site's default does it. */
	if (st->config.mpi_default[0] && strcmp(st->config.mpi_default, "none") != 0)
		rc = probe(s, plan, "", helper, &why);
	for (size_t i = 0; rc == HB_E_LIB && candidates[i]; i++) {
		if (!is_listed(&types, candidates[i]))
			continue;
		rc = probe(s, plan, candidates[i], helper, &why);
		if (rc == HB_OK)
			snprintf(st->mpi, sizeof st->mpi, "%s", candidates[i]);
	}
	if (rc == HB_E_LIB)
		hb_fail(err, HB_E_LIB,
		        "no --mpi type of srun starts hpcbench-mpi as one world (%s); name one "
		        "with --step mpi=TYPE, see srun --mpi=list",
		        why.len ? buf_text(&why) : "none is installed");
	else if (rc == HB_E_CANCELLED)
		hb_fail(err, rc, "stopped");
	buf_free(&why);
	return rc;
}

static bool needs_mpi(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (strcmp(plan->steps[i].helper, "mpi") == 0)
			return true;
	return false;
}

int srun_mpi_type(struct launch_site *s, const struct plan *plan, struct hb_err *err)
{
	struct srun_state *st = srun_state(s);
	struct hb_err none;
	char *helper, *key;
	int rc = HB_OK;

	/* A helper that is missing is told, and its steps are skipped, where it is started. */
	if (!needs_mpi(plan) || srun_has_step_opt(s, "mpi") ||
	    launch_helper_path(s->profile, "mpi", &helper, &none) != HB_OK)
		return HB_OK;
	/* Who wrote the profile knows; --step mpi= still goes before. */
	if (s->profile && s->profile->mpi_type) {
		snprintf(st->mpi, sizeof st->mpi, "%s", s->profile->mpi_type);
		free(helper);
		return HB_OK;
	}
	key = memory_key(s, st, helper);
	if (!recall(s, key, st->mpi)) {
		rc = find_type(s, plan, helper, err);
		if (rc == HB_OK)
			remember(s, key, st->mpi);
	}
	free(key);
	free(helper);
	return rc;
}
