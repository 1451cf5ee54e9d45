/* `hpcbench run --profile`: once for each profile, and how to compare what came out. */
#include <sys/utsname.h>

#include "bench/base/mem.h"
#include "bench/base/names.h"
#include "harness/cmd/cmd_run.h"

enum { PROFILES_MAX = 16 };

struct profile_list {
	const struct profile *v[PROFILES_MAX]; /* borrowed; NULL: as hpcbench was built */
	size_t n;
};

struct finding_profiles {
	const struct config *config;
	struct profile_list *out;
};

static int unknown(const struct config *config, const char *name, struct hb_err *err)
{
	const struct profile **all = config_profiles(config);
	size_t n = 0;
	while (all[n])
		n++;
	const char **names = hb_alloc((n + 2) * sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = all[i]->name;
	names[n] = PROFILE_DEFAULT;
	const char *near = units_nearest(name, names);
	if (near)
		hb_fail(err, HB_E_USAGE, "--profile: no profile '%.64s'; did you mean '%s'?", name,
		        near);
	else
		hb_fail(err, HB_E_USAGE,
		        "--profile: no profile '%.64s' in the configuration; hpcbench config shows "
		        "%s",
		        name,
		        n ? "those that there are" : "its files, hpcbench build-profile makes one");
	free(names);
	free(all);
	return HB_E_USAGE;
}

static int find_one(const struct config *config, const char *name, struct profile_list *out,
                    struct hb_err *err)
{
	const struct profile *p = NULL;
	struct utsname u;

	if (strcmp(name, PROFILE_DEFAULT) != 0) {
		p = config_profile(config, name);
		if (!p)
			return unknown(config, name, err);
		if (!profile_fits(p))
			return hb_fail(err, HB_E_USAGE,
			               "--profile: '%.64s' is for machines of type %.64s, this is "
			               "%s",
			               name, p->arch, uname(&u) == 0 ? u.machine : "another");
	}
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i] == p)
			return hb_fail(err, HB_E_USAGE, "--profile: '%.64s' is there twice", name);
	if (out->n == PROFILES_MAX)
		return hb_fail(err, HB_E_USAGE, "--profile: at most %d", PROFILES_MAX);
	out->v[out->n++] = p;
	return HB_OK;
}

static int find_each(const char *name, void *arg, struct hb_err *err)
{
	struct finding_profiles *f = arg;

	return find_one(f->config, name, f->out, err);
}

static int find_all(const struct config *config, const char *list, struct profile_list *out,
                    struct hb_err *err)
{
	struct finding_profiles f = { config, out };

	return names_each("--profile", list, find_each, &f, err);
}

static const char *name_of(const struct profile *p)
{
	return p ? p->name : PROFILE_DEFAULT;
}

/* Which runs there are now, and the command that compares the first two. */
static void print_runs(const struct common *common, const struct profile_list *list,
                       char *const *ids, const int *codes, int worst)
{
	static const char *const titles[] = { "profile", "run", ">exit", NULL };
	struct doc *d = doc_new("");
	json_object *runs = json_object_new_array();
	const char *stored[PROFILES_MAX];
	size_t n = 0;

	d->data = cmd_json("profiles");
	doc_table(d, titles);
	for (size_t i = 0; i < list->n; i++) {
		json_object *o = json_object_new_object();
		if (ids[i])
			stored[n++] = ids[i];
		js_set_str(o, "profile", name_of(list->v[i]));
		js_set_str(o, "run", ids[i]);
		js_set_i64(o, "code", codes[i]);
		json_object_array_add(runs, o);
		doc_cell(d, DOC_PLAIN, "%s", name_of(list->v[i]));
		doc_cell(d, DOC_PLAIN, "%s", ids[i] ? ids[i] : "(none)");
		doc_cell(d, codes[i] ? DOC_WARN : DOC_PLAIN, "%d", codes[i]);
	}
	js_set_obj(d->data, "runs", runs);
	js_set_i64(d->data, "code", worst);
	if (n >= 2)
		doc_text(d, DOC_PLAIN, "compare them: hpcbench diff %s %s", stored[0], stored[1]);
	cmd_print(common, d);
	doc_free(d);
}

static int run_several(const struct common *common, const struct profile_list *list,
                       cmd_run_one *one, void *ctx)
{
	char *ids[PROFILES_MAX] = { NULL };
	int codes[PROFILES_MAX], worst = CODE_OK;
	struct profile_list done = *list;
	size_t stored = 0;

	done.n = 0;
	/* After a signal or with words that are wrong the next one makes no sense. */
	while (done.n < list->n && worst < CODE_USAGE) {
		size_t i = done.n++;
		codes[i] = one(ctx, list->v[i], &ids[i]);
		worst = code_worse(worst, codes[i]);
		stored += ids[i] != NULL;
	}
	if (stored)
		print_runs(common, &done, ids, codes, worst);
	for (size_t i = 0; i < done.n; i++)
		free(ids[i]);
	return worst;
}

int cmd_run_profiles(const struct common *common, const char *list, cmd_run_one *one, void *ctx)
{
	struct profile_list found = { .n = 0 };
	struct hb_err err;
	char *id = NULL;

	if (list && find_all(common->config, list, &found, &err) != HB_OK)
		return cmd_error("run", &err);
	if (found.n > 1)
		return run_several(common, &found, one, ctx);
	int code = one(ctx, found.n ? found.v[0] : NULL, &id);
	free(id);
	return code;
}
