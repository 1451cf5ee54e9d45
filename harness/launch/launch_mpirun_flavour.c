/* The words of mpirun: there are several programs of that name, a row each. */
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_mpirun.h"
#include "harness/launch/wait.h"

enum {
	ASK_MS = 5000,
	ASK_GRACE_MS = 500,
	LIST_MAX = 100000 /* bytes of names in one argument; the kernel takes 128 KiB */
};
static const char hint[] = "install Open MPI (Debian, Ubuntu: openmpi-bin) or MPICH (mpich), load "
                           "its module, or name it in a profile (mpirun)";

struct mpirun_flavour {
	const char *name, *sign; /* sign: in its answer to --version */
	void (*words)(const struct mpirun_layout *l, struct launch_command *c);
	void (*pass)(const struct nodeset *names, struct launch_command *c);
};

static int ranks_of(const struct mpirun_layout *l)
{
	return l->hosts ? (int)l->n_hosts * l->rpn : l->rpn;
}

/* ---- Open MPI, from 4 on ---- */

/*
 * Hosts are named with as many slots as ranks: without that mpirun would count cores, or the slots
 * of a batch job. It yields idle ranks only when told to oversubscribe, which triples latencies, so
 * that is said only where ranks really must share cores.
 */
static void openmpi_words(const struct mpirun_layout *l, struct launch_command *c)
{
	struct buf list = BUF_INIT;

	for (size_t i = 0; i < l->n_hosts; i++)
		buf_printf(&list, "%s%s:%d", i ? "," : "", l->hosts[i], l->rpn);
	if (!l->hosts)
		buf_printf(&list, "localhost:%d", l->rpn);
	launch_command_arg(c, "-n");
	launch_command_arg(c, "%d", ranks_of(l));
	launch_command_arg(c, "--host");
	launch_command_arg(c, "%s", buf_text(&list));
	if (l->hosts || l->bind == MPIRUN_BIND_CORE) {
		launch_command_arg(c, "--map-by");
		if (l->hosts)
			launch_command_arg(c, "ppr:%d:node", l->rpn);
		else
			launch_command_arg(c, "core");
	}
	launch_command_arg(c, "--bind-to");
	launch_command_arg(c, "%s", l->bind == MPIRUN_BIND_CORE ? "core" : "none");
	if (l->bind == MPIRUN_BIND_CROWD)
		launch_command_arg(c, "--oversubscribe");
	if (getuid() == 0) {
		launch_command_env(c, "OMPI_ALLOW_RUN_AS_ROOT=1");
		launch_command_env(c, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
	}
	buf_free(&list);
}

static void openmpi_pass(const struct nodeset *names, struct launch_command *c)
{
	for (size_t i = 0; i < names->n; i++) {
		launch_command_arg(c, "-x");
		launch_command_arg(c, "%s", names->v[i]);
	}
}

/* ---- MPICH's hydra ---- */

static void hydra_words(const struct mpirun_layout *l, struct launch_command *c)
{
	struct buf list = BUF_INIT;

	for (size_t i = 0; i < l->n_hosts; i++)
		buf_printf(&list, "%s%s", i ? "," : "", l->hosts[i]);
	if (!l->hosts) {
		/* In a batch job it would start this host's processes through the job's manager. */
		launch_command_arg(c, "-launcher");
		launch_command_arg(c, "fork");
		buf_puts(&list, "localhost");
	}
	launch_command_arg(c, "-n");
	launch_command_arg(c, "%d", ranks_of(l));
	launch_command_arg(c, "-hosts");
	launch_command_arg(c, "%s", buf_text(&list));
	launch_command_arg(c, "-ppn");
	launch_command_arg(c, "%d", l->rpn);
	launch_command_arg(c, "-bind-to");
	launch_command_arg(c, "%s", l->bind == MPIRUN_BIND_CORE ? "core" : "none");
	buf_free(&list);
}

/*
 * Not everything: a batch job's variables would tell every process the name of this node. The
 * values go over hydra's own connection, not on the command line of its proxies.
 */
static void hydra_pass(const struct nodeset *names, struct launch_command *c)
{
	struct buf list = BUF_INIT;

	for (size_t i = 0; i < names->n; i++)
		buf_printf(&list, "%s%s", i ? "," : "", names->v[i]);
	launch_command_arg(c, "-genvlist");
	launch_command_arg(c, "%s", buf_text(&list));
	buf_free(&list);
}

static const struct mpirun_flavour flavours[] = {
	{ "Open MPI", "(Open MPI)", openmpi_words, openmpi_pass },
	{ "Open MPI", "(OpenRTE)", openmpi_words,
	  openmpi_pass }, /* under another name than mpirun */
	{ "MPICH (hydra)", "HYDRA build details", hydra_words, hydra_pass },
};

const char *mpirun_flavour_name(const struct mpirun_flavour *f)
{
	return f->name;
}

const struct mpirun_flavour *mpirun_flavour_of(const char *version)
{
	for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++)
		if (strstr(version, flavours[i].sign))
			return &flavours[i];
	return NULL;
}

/* ---- which one it is ---- */

static const char *program(const struct launch_site *s)
{
	return s->profile && s->profile->mpirun ? s->profile->mpirun : "mpirun";
}

/* Waits for the end of the child; false: it did not come in time. */
static bool wait_end(struct spawn *child)
{
	int64_t until = wait_now_ms() + ASK_MS;
	struct pollfd v[SPAWN_FDS];

	while (!spawn_ended(child, NULL)) {
		int64_t now = wait_now_ms();
		size_t n = spawn_fds(child, v);
		if (now >= until)
			return false;
		poll(v, n, wait_shorter(wait_until(now, until), spawn_tick_ms(child)));
		spawn_service(child);
	}
	return true;
}

/* One clean line of what it said. */
static void first_line(const char *text, char out[120])
{
	size_t n = 0;

	text += strspn(text, "- \t\r\n");
	for (; text[n] && text[n] != '\n' && n < 119; n++)
		out[n] = (char)(text[n] < ' ' || text[n] > '~' ? '?' : text[n]);
	out[n] = '\0';
}

static int ask(const char *name, char *const *env, const struct mpirun_flavour **out,
               struct hb_err *err)
{
	const char *const argv[] = { name, "--version", NULL };
	union { /* nothing changes the words */
		char *const *in;
		const char *const *out;
	} words = { env };
	struct spawn_params p = { .argv = argv, .env = words.out, .missing_hint = hint };
	struct spawn *child = NULL;
	char said[120];
	int rc = spawn_start(&p, &child, err);

	if (rc != HB_OK)
		return rc;
	bool ended = wait_end(child);
	if (!ended)
		spawn_stop(child, ASK_GRACE_MS);
	const char *text = spawn_text(child, SPAWN_OUT);
	*out = ended ? mpirun_flavour_of(text) : NULL;
	first_line(*text ? text : spawn_text(child, SPAWN_ERR), said);
	spawn_free(child);
	if (!ended)
		return hb_fail(err, HB_E_LIB, "%.120s --version gave no answer within %d s", name,
		               ASK_MS / 1000);
	if (!*out)
		return hb_fail(err, HB_E_LIB,
		               "%.120s is neither Open MPI's nor MPICH's; to --version it says "
		               "'%s'; name another one in a profile (mpirun)",
		               name, said);
	return HB_OK;
}

static int flavour(const struct launch_site *s, char *const *env, const struct mpirun_flavour **out,
                   struct hb_err *err)
{
	struct mpirun_state *st = s->state;
	int rc = HB_OK;

	*out = st ? st->flavour : NULL;
	if (!*out)
		rc = ask(program(s), env, out, err);
	if (rc == HB_OK && st)
		st->flavour = *out;
	return rc;
}

/* ---- environment ---- */

/*
 * What a user sets for MPI libraries is meant for all ranks; srun passes it too. Open MPI's own
 * OMPI_ variables it passes by itself.
 */
static const char *const passed[] = {
	"LD_LIBRARY_PATH=", "UCX_", "FI_", "PSM2_", "PSM3_", "NCCL_", "MPIR_", "MPICH_"
};

extern char **environ;

static bool is_passed(const char *var)
{
	for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
		if (strncmp(var, passed[i], strlen(passed[i])) == 0)
			return true;
	return false;
}

/* The names of NAME=VALUE, each once; what is no plain name stays at home. */
static void add_names(char *const *env, bool all, struct nodeset *names)
{
	struct hb_err none;

	for (; env && *env; env++) {
		size_t n = strcspn(*env, "=");
		if ((!all && !is_passed(*env)) || n == 0 || n > NODESET_NAME_MAX)
			continue;
		char *name = hb_strndup(*env, n);
		nodeset_add(names, name, &none); /* refuses odd names and repeated ones */
		free(name);
	}
}

/* ---- the whole ---- */

static int check_list(const struct mpirun_layout *l, struct hb_err *err)
{
	size_t bytes = 0;

	for (size_t i = 0; i < l->n_hosts; i++)
		bytes += strlen(l->hosts[i]) + 12;
	if (bytes <= LIST_MAX)
		return HB_OK;
	return hb_fail(err, HB_E_UNSUPPORTED,
	               "launcher mpirun: the names of %zu nodes do not fit into one argument; "
	               "measure fewer at once with --nodes",
	               l->n_hosts);
}

/* The flavour's words, in front of those of the helper. */
static void join(const struct mpirun_flavour *f, const char *name, const struct mpirun_layout *l,
                 const struct launch_command *helper, struct launch_command *out)
{
	struct nodeset names = { 0 };

	for (size_t i = 0; i < helper->n_env; i++)
		launch_command_env(out, "%s", helper->env[i]);
	add_names(out->env, true, &names);
	add_names(environ, false, &names);
	out->missing_hint = hint;
	launch_command_arg(out, "%s", name);
	f->words(l, out);
	f->pass(&names, out);
	for (size_t i = 0; i < helper->argc; i++)
		launch_command_arg(out, "%s", helper->argv[i]);
	nodeset_free(&names);
}

int mpirun_words(const struct launch_what *w, const struct mpirun_layout *layout,
                 struct launch_command *out, struct hb_err *err)
{
	const struct mpirun_flavour *f = NULL;
	struct launch_command helper = { 0 };
	int rc = check_list(layout, err);

	if (rc == HB_OK)
		rc = launch_helper_words(w->site, w->step->helper, &helper, err);
	if (rc == HB_OK)
		rc = flavour(w->site, helper.env, &f, err);
	if (rc == HB_OK)
		join(f, program(w->site), layout, &helper, out);
	launch_command_free(&helper);
	return rc;
}
