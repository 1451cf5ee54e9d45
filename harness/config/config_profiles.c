/* Profiles of a configuration file. */
#include <string.h>

#include "bench/base/mem.h"
#include "harness/config/config_parts.h"
#include "harness/store/read.h"
#include "harness/store/store.h"

enum { WORDS_MAX = CONFIG_PROFILES_MAX };

/* A list of words, copied. */
static int read_words(json_object *o, const struct js_at *at, const char *key, char ***out,
                      size_t *n_out, struct hb_err *err)
{
	json_object *list = NULL;
	struct js_at all = js_at_key(at, key);
	int rc = js_get_arr(o, at, key, JS_OPTIONAL, &list, err);

	if (rc != HB_OK || !list)
		return rc;
	size_t n = json_object_array_length(list);
	if (n > WORDS_MAX)
		return js_fail(&all, err, "at most %d words", WORDS_MAX);
	*out = hb_alloc((n + 1) * sizeof **out);
	for (size_t i = 0; i < n; i++) {
		json_object *v = json_object_array_get_idx(list, i);
		struct js_at here = js_at_index(&all, i);
		if (!json_object_is_type(v, json_type_string))
			return js_fail(&here, err, "expected text");
		const char *text = json_object_get_string(v);
		size_t len = strlen(text);
		if (len == 0 || len > READ_TEXT_MAX || len != (size_t)json_object_get_string_len(v))
			return js_fail(&here, err, "must have 1 to %d bytes", READ_TEXT_MAX);
		(*out)[(*n_out)++] = hb_strdup(text);
	}
	return HB_OK;
}

/* "NAME=VALUE"; what hpcbench tells its helpers is not for a profile to change. */
static int check_env(const struct profile *p, const struct js_at *at, struct hb_err *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	struct js_at all = js_at_key(at, "env");

	for (size_t i = 0; i < p->n_env; i++) {
		struct js_at here = js_at_index(&all, i);
		const char *e = p->env[i], *equals = strchr(e, '=');
		size_t len = equals ? (size_t)(equals - e) : 0, n = 0;
		while (n < len && (strchr(letters, e[n]) || (n > 0 && e[n] >= '0' && e[n] <= '9')))
			n++;
		if (len == 0 || n < len)
			return js_fail(&here, err, "must look like NAME=VALUE");
		if (strncmp(e, "HPCBENCH_", 9) == 0)
			return js_fail(&here, err, "variables HPCBENCH_... are not for profiles");
	}
	return HB_OK;
}

static int check_text(const char *key, const char *text, const char *allowed,
                      const struct js_at *at, struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);

	if (!text || (*text && text[strspn(text, allowed)] == '\0'))
		return HB_OK;
	return js_fail(&here, err, "letters, digits, '-', '_' and '.' are allowed");
}

static int read_profile(json_object *o, const struct js_at *at, struct profile *p,
                        struct hb_err *err)
{
	static const char *const keys[] = { "name",    "arch", "mpi_type", "mpirun",
		                            "helpers", "env",  "wrap",     NULL };
	static const char word[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
	struct js_at name_at = js_at_key(at, "name");
	struct hb_err why;
	int rc = json_object_is_type(o, json_type_object)
	                 ? js_known_keys(o, at, keys, err)
	                 : js_fail(at, err, "expected an object {\"name\": ...}");

	if (rc == HB_OK)
		rc = read_text(o, at, "name", JS_REQUIRED, &p->name, err);
	if (rc == HB_OK && store_check_name("a profile", p->name, &why) != HB_OK)
		rc = js_fail(&name_at, err, "%s", why.text);
	if (rc == HB_OK && strcmp(p->name, PROFILE_DEFAULT) == 0)
		rc = js_fail(&name_at, err,
		             "\"%s\" is what hpcbench was built with; choose "
		             "another name",
		             PROFILE_DEFAULT);
	if (rc == HB_OK)
		rc = read_text(o, at, "arch", JS_OPTIONAL, &p->arch, err);
	if (rc == HB_OK)
		rc = check_text("arch", p->arch, word, at, err);
	if (rc == HB_OK)
		rc = read_text(o, at, "mpi_type", JS_OPTIONAL, &p->mpi_type, err);
	if (rc == HB_OK)
		rc = check_text("mpi_type", p->mpi_type, word, at, err);
	if (rc == HB_OK)
		rc = read_text(o, at, "mpirun", JS_OPTIONAL, &p->mpirun, err);
	if (rc == HB_OK)
		rc = read_text(o, at, "helpers", JS_OPTIONAL, &p->helpers, err);
	if (rc == HB_OK && p->helpers && p->helpers[0] != '/')
		rc = js_fail(at, err, "\"helpers\" must be the whole path of a folder");
	if (rc == HB_OK)
		rc = read_words(o, at, "env", &p->env, &p->n_env, err);
	if (rc == HB_OK)
		rc = check_env(p, at, err);
	if (rc == HB_OK)
		rc = read_words(o, at, "wrap", &p->wrap, &p->n_wrap, err);
	return rc;
}

int config_read_profiles(json_object *list, const struct js_at *at, struct config_layer *out,
                         struct hb_err *err)
{
	if (!json_object_is_type(list, json_type_array))
		return js_fail(at, err, "expected an array [{\"name\": ...}, ...]");
	size_t n = json_object_array_length(list);
	if (n > CONFIG_PROFILES_MAX)
		return js_fail(at, err, "at most %d profiles", CONFIG_PROFILES_MAX);
	out->profiles = hb_alloc((n + 1) * sizeof *out->profiles);
	for (size_t i = 0; i < n; i++) {
		struct js_at here = js_at_index(at, i);
		struct profile *p = &out->profiles[out->n_profiles++];
		int rc = read_profile(json_object_array_get_idx(list, i), &here, p, err);
		for (size_t k = 0; rc == HB_OK && k < i; k++)
			if (strcmp(out->profiles[k].name, p->name) == 0)
				rc = js_fail(&here, err, "a second profile \"%.64s\"", p->name);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

/* ---- finding ---- */

const struct profile *config_profile(const struct config *c, const char *name)
{
	for (size_t i = c->n; i-- > 0;)
		for (size_t k = 0; k < c->v[i].n_profiles; k++)
			if (strcmp(c->v[i].profiles[k].name, name) == 0)
				return &c->v[i].profiles[k];
	return NULL;
}

const struct profile **config_profiles(const struct config *c)
{
	size_t all = 0, n = 0;

	for (size_t i = 0; i < c->n; i++)
		all += c->v[i].n_profiles;
	const struct profile **list = hb_realloc_array(NULL, all + 1,
	                                               sizeof(const struct profile *));
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->v[i].n_profiles; k++) {
			const struct profile *p = &c->v[i].profiles[k];
			if (config_profile(c, p->name) == p)
				list[n++] = p;
		}
	list[n] = NULL;
	return list;
}

const char *config_profile_source(const struct config *c, const struct profile *p)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->v[i].n_profiles; k++)
			if (&c->v[i].profiles[k] == p)
				return c->v[i].source;
	return NULL;
}
