/* `hpcbench config`: what options are when the command line does not say, and why. */
#include <stddef.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/base/opt_row.h"
#include "harness/cmd/cmd.h"
#include "harness/launch/launch.h"
#include "harness/report/report_parts.h"

struct view {
	const struct common *common;
	const struct config *config;
	struct doc *d;
	size_t shown;
};

/* ---- files ---- */

static const struct config_layer *layer_of(const struct config *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].source, path) == 0)
			return &c->v[i];
	return NULL;
}

static void put_files(struct view *v)
{
	static const char *const titles[] = { "file", "", NULL };
	json_object *list = json_object_new_array();
	struct config_paths paths;

	config_paths_default(&paths);
	doc_heading(v->d, 2, "Files, later ones win");
	doc_table(v->d, titles);
	for (int i = 0; i < CONFIG_KINDS; i++) {
		const char *path = paths.path[i];
		if (!path)
			continue;
		bool read = layer_of(v->config, path) != NULL;
		bool dead = i == CONFIG_USER && v->config->warning;
		json_object *o = json_object_new_object();
		js_set_str(o, "file", path);
		js_set_bool(o, "read", read);
		js_set_str(o, "warning", dead ? v->config->warning : NULL);
		json_object_array_add(list, o);
		doc_cell(v->d, DOC_PLAIN, "%s", path);
		doc_cell(v->d, dead ? DOC_WARN : DOC_PLAIN, "%s",
		         read   ? "read"
		         : dead ? "cannot be read"
		                : "not there");
	}
	js_set_obj(v->d->data, "files", list);
	config_paths_free(&paths);
}

/* ---- values ---- */

static void put_origin(json_object *o, const struct opt *row, const struct config_origin *origin,
                       struct buf *text)
{
	static const char *const words[] = { "default", "file", "environment" };
	char *name = origin->kind == ORIGIN_ENV ? config_env_name(row) : NULL;
	const char *where = origin->kind == ORIGIN_FILE ? origin->file : name;

	js_set_str(o, "origin", words[origin->kind]);
	js_set_str(o, "where", where);
	buf_puts(text, where ? where : "default");
	free(name);
}

/* One row; plain where nothing but a default is told. */
static void put_row(struct view *v, json_object *list, const char *command, const struct opt *row,
                    const void *values, const struct config_origin *origin)
{
	const struct opt one[] = { *row, { .type = OPT_END } };
	json_object *all = opt_to_json(one, values, 0), *value = NULL,
	            *o = json_object_new_object();
	static const char *const titles[] = { "option", "value", "from", NULL };
	bool plain = origin->kind == ORIGIN_DEFAULT;
	struct buf text = BUF_INIT;

	if (v->shown++ == 0)
		doc_table(v->d, titles);
	json_object_object_get_ex(all, row->name, &value);
	js_set_str(o, "command", command);
	js_set_str(o, "option", row->name);
	js_set_obj(o, "value", json_object_get(value));
	put_origin(o, row, origin, &text);
	json_object_array_add(list, o);
	doc_cell(v->d, plain ? DOC_DIM : DOC_PLAIN, "%s%s%s", command ? command : "",
	         command ? "." : "", row->name);
	struct buf shown = BUF_INIT;
	if (json_object_is_type(value, json_type_array))
		report_values(value, &shown);
	else if (value)
		buf_puts(&shown, report_json_text(value));
	doc_cell(v->d, plain ? DOC_DIM : DOC_PLAIN, "%s", buf_text(&shown));
	doc_cell(v->d, plain ? DOC_DIM : DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&shown);
	buf_free(&text);
	js_put(all);
}

/* A command's own values lie behind the common ones, as in cmd_main. */
struct values {
	struct common common;
	max_align_t own[];
};

static size_t count_rows(const struct opt *opts)
{
	size_t n = 0;

	while (opts[n].type != OPT_END)
		n++;
	return n;
}

static bool same_origin(const struct config_origin *a, const struct config_origin *b)
{
	return a->kind == b->kind && a->file == b->file;
}

/*
 * The values of one command (NULL: of all that say nothing else). common tells where the common
 * options come from; in a command only those that it overrides are shown.
 */
static int put_values(struct view *v, json_object *list, const struct config_table *t,
                      struct config_origin *common, struct hb_err *err)
{
	size_t own = t->command ? count_rows(t->opts) : 0;
	const struct command *c = t->command ? cmd_find(t->command) : NULL;
	void *values = hb_alloc(offsetof(struct values, own) + (c ? c->opts_size : 0));
	struct opt *opts = cmd_merge_opts(t->command ? t->opts : NULL, offsetof(struct values, own),
	                                  NULL);
	struct config_origin *origin = hb_alloc((count_rows(opts) + 1) * sizeof *origin);

	opt_defaults(opts, values);
	int rc = config_apply(v->config, t->command, opts, NULL, values, origin, err);
	for (size_t i = 0; rc == HB_OK && opts[i].type != OPT_END; i++) {
		bool is_common = i >= own;
		if (!opt_row_is_option(&opts[i]) || (opts[i].flags & OPT_HIDDEN))
			continue;
		if (t->command && is_common && same_origin(&origin[i], &common[i - own]))
			continue;
		if (origin[i].kind != ORIGIN_DEFAULT || v->common->verbose)
			put_row(v, list, t->command, &opts[i], values, &origin[i]);
	}
	if (!t->command && rc == HB_OK)
		memcpy(common, origin, count_rows(opts) * sizeof *origin);
	opt_free(opts, values);
	free(origin);
	free(opts);
	free(values);
	return rc;
}

static int put_options(struct view *v, const struct config_table *tables, struct hb_err *err)
{
	json_object *list = json_object_new_array();
	struct config_origin *common = hb_alloc((count_rows(common_opts) + 1) * sizeof *common);
	int rc = HB_OK;

	doc_heading(v->d, 2, "Options");
	for (const struct config_table *t = tables; t->opts && rc == HB_OK; t++)
		rc = put_values(v, list, t, common, err);
	if (rc == HB_OK && v->shown == 0)
		doc_text(v->d, DOC_PLAIN, "all at their defaults; --verbose shows them");
	js_set_obj(v->d->data, "options", list);
	free(common);
	return rc;
}

/* Variables that look like ours and are none: most likely a slip. */
static void put_strange(struct view *v, const struct config_table *tables)
{
	json_object *list = json_object_new_array();
	size_t at = 0;
	char *near;

	for (const char *var; (var = config_env_unknown(tables, &at, &near)) != NULL; free(near)) {
		char *name = hb_strndup(var, strcspn(var, "="));
		doc_text(v->d, DOC_WARN, "%s in the environment is no option%s%s%s", name,
		         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		json_object_array_add(list, js_str(name));
		free(name);
	}
	js_set_obj(v->d->data, "unknown_variables", list);
}

/* ---- partitions and profiles ---- */

static void put_partitions(struct view *v)
{
	static const char *const titles[] = { "partition", "alloc", "step", "from", NULL };
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < v->config->n; i++) {
		const struct config_layer *l = &v->config->v[i];
		json_object *all = NULL;
		if (!json_object_object_get_ex(l->o, "partitions", &all) || !all)
			continue;
		if (json_object_array_length(list) == 0) {
			doc_heading(v->d, 2, "Partitions");
			doc_table(v->d, titles);
		}
		json_object_object_foreach(all, name, p)
		{
			json_object *o = json_object_new_object();
			js_set_str(o, "partition", name);
			js_set_str(o, "file", l->source);
			doc_cell(v->d, DOC_PLAIN, "%s", name);
			for (int k = 1; k <= 2; k++) {
				json_object *words = NULL;
				struct buf text = BUF_INIT;
				json_object_object_get_ex(p, titles[k], &words);
				js_set_obj(o, titles[k], json_object_get(words));
				if (words)
					report_values(words, &text);
				doc_cell(v->d, DOC_PLAIN, "%s", buf_text(&text));
				buf_free(&text);
			}
			doc_cell(v->d, DOC_PLAIN, "%s", l->source);
			json_object_array_add(list, o);
		}
	}
	js_set_obj(v->d->data, "partitions", list);
}

/* Can helpers run with it here? NULL: yes. */
static char *objection(const struct profile *p)
{
	struct utsname u;

	if (!profile_fits(p))
		return hb_format("no: for %s, this is %s", p->arch,
		                 uname(&u) == 0 ? u.machine : "another machine");
	if (p->mpirun && strchr(p->mpirun, '/') && access(p->mpirun, X_OK) != 0)
		return hb_format("no: %s cannot be run", p->mpirun);
	if (p->n_wrap && strchr(p->wrap[0], '/') && access(p->wrap[0], X_OK) != 0)
		return hb_format("no: %s cannot be run", p->wrap[0]);
	return NULL;
}

static void put_profile(struct view *v, json_object *list, const struct profile *p)
{
	json_object *o = profile_to_json(p);
	struct hb_err err;
	char *helper = NULL, *common = NULL, *why = objection(p);

	if (launch_helper_path(p, "mpi", &helper, &err) != HB_OK && !why)
		why = hb_strdup("no: no hpcbench-mpi");
	launch_helper_path(NULL, "mpi", &common, &err);
	bool own = helper && !(common && strcmp(helper, common) == 0);
	js_set_str(o, "helper", helper);
	js_set_bool(o, "own_helper", own);
	js_set_bool(o, "runs", why == NULL);
	js_set_str(o, "reason", why);
	js_set_str(o, "file", config_profile_source(v->config, p));
	json_object_array_add(list, o);
	doc_cell(v->d, DOC_PLAIN, "%s", p->name);
	doc_cell(v->d, why ? DOC_WARN : DOC_PLAIN, "%s", why ? why : "yes");
	doc_cell(v->d, DOC_PLAIN, "%s%s", helper ? helper : "",
	         helper && !own ? " (as built with hpcbench)" : "");
	doc_cell(v->d, DOC_PLAIN, "%s", p->mpirun ? p->mpirun : "mpirun");
	doc_cell(v->d, DOC_PLAIN, "%s", p->mpi_type ? p->mpi_type : "found out");
	doc_cell(v->d, DOC_PLAIN, "%s", config_profile_source(v->config, p));
	free(helper);
	free(common);
	free(why);
}

static void put_profiles(struct view *v)
{
	static const char *const titles[] = { "profile", "runs",       "hpcbench-mpi",
		                              "mpirun",  "srun --mpi", "from",
		                              NULL };
	const struct profile **all = config_profiles(v->config);
	json_object *list = json_object_new_array();

	if (all[0]) {
		doc_heading(v->d, 2, "Profiles");
		doc_table(v->d, titles);
	}
	for (size_t i = 0; all[i]; i++)
		put_profile(v, list, all[i]);
	js_set_obj(v->d->data, "profiles", list);
	free(all);
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct config_table *tables = cmd_tables();
	struct view v = { .common = common, .config = common->config };
	struct hb_err err;

	(void)opts;
	if (argc > 0) {
		free(tables);
		return cmd_error_text("config", CODE_USAGE, "takes no '%.64s'; it only shows",
		                      argv[0]);
	}
	v.d = doc_new("");
	v.d->data = cmd_json("config");
	put_files(&v);
	int rc = put_options(&v, tables, &err);
	put_strange(&v, tables);
	put_partitions(&v);
	put_profiles(&v);
	if (rc == HB_OK)
		cmd_print(common, v.d);
	doc_free(v.d);
	free(tables);
	return rc == HB_OK ? CODE_OK : cmd_error("config", &err);
}

const struct command cmd_config = {
	.name = "config",
	.usage = "[--verbose]",
	.summary = "show what is configured, and where it comes from",
	.text = "Options that the command line does not set are taken from HPCBENCH_NAME in the "
	        "environment, else from the user's file, /etc/hpcbench.json or the installation's "
	        "etc/hpcbench.json, else they have their defaults. --no-NAME on the command line "
	        "takes back what is configured. Shows everything that is not at its default, with "
	        "--verbose the rest too, and the profiles that run --profile knows.",
	.run = run,
};
