#include "harness/config/profile.h"

#include <string.h>
#include <sys/utsname.h>

#include "bench/base/mem.h"

static void free_words(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

void profile_free(struct profile *p)
{
	free(p->name);
	free(p->arch);
	free(p->mpi_type);
	free(p->mpirun);
	free(p->helpers);
	free_words(p->env, p->n_env);
	free_words(p->wrap, p->n_wrap);
	*p = (struct profile){ 0 };
}

static void set_words(json_object *o, const char *key, char *const *v, size_t n)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, js_str(v[i]));
	js_set_obj(o, key, list);
}

json_object *profile_to_json(const struct profile *p)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "name", p->name);
	if (p->arch)
		js_set_str(o, "arch", p->arch);
	if (p->mpi_type)
		js_set_str(o, "mpi_type", p->mpi_type);
	if (p->mpirun)
		js_set_str(o, "mpirun", p->mpirun);
	if (p->helpers)
		js_set_str(o, "helpers", p->helpers);
	if (p->n_env)
		set_words(o, "env", p->env, p->n_env);
	if (p->n_wrap)
		set_words(o, "wrap", p->wrap, p->n_wrap);
	return o;
}

bool profile_fits(const struct profile *p)
{
	struct utsname u;

	return !p->arch || uname(&u) != 0 || strcmp(u.machine, p->arch) == 0;
}

char *profile_user_folder(void)
{
	const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return hb_format("%s/hpcbench/helpers", xdg);
	if (home && *home == '/')
		return hb_format("%s/.local/share/hpcbench/helpers", home);
	return NULL;
}
