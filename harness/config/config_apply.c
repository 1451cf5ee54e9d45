/* From layers and the environment to the values of a command's options. */
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/base/opt_row.h"
#include "harness/config/config_parts.h"

static const char prefix[] = "HPCBENCH_";

/*
 * Names that the control channel, the helpers and the tests give a meaning of their own; and what
 * is said once, for one run, not left in an environment.
 */
static const char *const taken[] = { "STEP",      "RUN",     "RANKS",      "NODE",       "FILES",
	                             "TOKEN",     "CONTROL", "ATTEMPT",    "EXEC_PATH",  "BIND",
	                             "DATA_PATH", "FAULT",   "SYSFS_ROOT", "DRY_RUN",    "RESUME",
	                             "INJECT",    "SHARD",   "LISTEN",     "RULES_PATH", NULL };
/* The same for all names that begin so. */
static const char *const taken_start[] = { "SIM_", "FAULT_", "TEST_", NULL };

/* ---- files ---- */

static void note_file(struct config_origin *origin, const struct config_layer *l)
{
	if (origin)
		*origin = (struct config_origin){ ORIGIN_FILE, l->source };
}

static json_object *member(json_object *o, const char *key)
{
	json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

/* One place in a file that may have a value for the row. */
static int apply_from(const struct config_layer *l, json_object *o, const struct opt *row,
                      void *dst, struct config_origin *origin, struct hb_err *err)
{
	const struct js_at top = JS_AT_TOP(l->source);
	json_object *v = NULL;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, row->name, &v))
		return HB_OK;
	/* A command may have the name of an option: its object is not this option's value. */
	if (json_object_is_type(v, json_type_object))
		return HB_OK;
	note_file(origin, l);
	if (!v && origin)
		*origin = (struct config_origin){ ORIGIN_DEFAULT, NULL };
	return config_value(row, v, &top, dst, err);
}

/* The object of a command: not the option that may have the same name. */
static json_object *command_object(const struct config_layer *l, const char *command)
{
	json_object *o = command ? member(l->o, command) : NULL;

	return json_object_is_type(o, json_type_object) ? o : NULL;
}

static int apply_layer(const struct config_layer *l, const char *command, const struct opt *row,
                       const struct config_use *use, void *dst, struct config_origin *origin,
                       struct hb_err *err)
{
	bool run = command && strcmp(command, "run") == 0;
	bool alloc = run && strcmp(row->name, "alloc") == 0;
	bool listed = alloc || (run && strcmp(row->name, "step") == 0);
	int rc;

	if (alloc && use && use->in_job)
		return HB_OK;
	rc = apply_from(l, l->o, row, dst, origin, err);
	if (rc == HB_OK)
		rc = apply_from(l, command_object(l, command), row, dst, origin, err);
	if (rc == HB_OK && listed && use && use->partition)
		rc = apply_from(l, member(member(l->o, "partitions"), use->partition), row, dst,
		                origin, err);
	return rc;
}

bool config_has_partition(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (member(member(c->v[i].o, "partitions"), name))
			return true;
	return false;
}

/* ---- the environment ---- */

static bool is_taken(const char *name)
{
	for (size_t i = 0; taken[i]; i++)
		if (strcmp(name, taken[i]) == 0)
			return true;
	for (size_t i = 0; taken_start[i]; i++)
		if (strncmp(name, taken_start[i], strlen(taken_start[i])) == 0)
			return true;
	return false;
}

char *config_env_name(const struct opt *row)
{
	if (!opt_row_is_option(row) || row->type == OPT_STRINGS || (row->flags & OPT_HIDDEN))
		return NULL;
	char *name = hb_format("%s%s", prefix, row->name);
	for (char *p = name + strlen(prefix); *p; p++) {
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
		else if (*p == '-')
			*p = '_';
	}
	if (!is_taken(name + strlen(prefix)))
		return name;
	free(name);
	return NULL;
}

static int apply_env(const struct opt *row, void *dst, struct config_origin *origin,
                     struct hb_err *err)
{
	char *name = config_env_name(row);
	const char *text = name ? getenv(name) : NULL;
	int rc = HB_OK;

	/* Set to nothing is not set, as everywhere in shells. */
	if (text && *text) {
		rc = opt_row_set(row, dst, text, err);
		if (rc != HB_OK) {
			rc = HB_E_USAGE;
			hb_fail_in(err, "%s=%.80s in the environment", name, text);
			if (err)
				err->code = rc;
		} else if (origin) {
			*origin = (struct config_origin){ ORIGIN_ENV, NULL };
		}
	}
	free(name);
	return rc;
}

static const struct opt *env_option(const struct opt *opts, const char *variable, size_t len)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		char *name = config_env_name(row);
		bool same = name && strlen(name) == len && strncmp(name, variable, len) == 0;
		free(name);
		if (same)
			return row;
	}
	return NULL;
}

/* The variable nearest to name of one table, if it is nearer than what is known so far. */
static void nearer(const struct opt *opts, const char *name, char **near)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		char *other = config_env_name(row);
		const char *const list[] = { other, *near, NULL };
		if (other && units_nearest(name, list) == other) {
			free(*near);
			*near = other;
		} else {
			free(other);
		}
	}
}

const char *config_env_unknown(const struct config_table *tables, size_t *at, char **near)
{
	*near = NULL;
	for (; environ && environ[*at]; ++*at) {
		const char *v = environ[*at];
		size_t len = strcspn(v, "=");
		bool known = strncmp(v, prefix, strlen(prefix)) != 0;
		for (const struct config_table *t = tables; !known && t->opts; t++)
			known = env_option(t->opts, v, len) != NULL;
		char *name = hb_strndup(v, len);
		known = known || is_taken(name + strlen(prefix));
		for (const struct config_table *t = tables; !known && t->opts; t++)
			nearer(t->opts, name, near);
		free(name);
		if (!known)
			return environ[(*at)++];
	}
	return NULL;
}

/* ---- all ---- */

int config_apply(const struct config *c, const char *command, const struct opt *opts,
                 const struct config_use *use, void *dst, struct config_origin *origin,
                 struct hb_err *err)
{
	int rc = HB_OK;

	for (size_t r = 0; opts[r].type != OPT_END && rc == HB_OK; r++) {
		struct config_origin *from = origin ? &origin[r] : NULL;
		if (!opt_row_is_option(&opts[r]))
			continue;
		for (size_t i = 0; i < c->n && rc == HB_OK; i++)
			rc = apply_layer(&c->v[i], command, &opts[r], use, dst, from, err);
		if (rc == HB_OK)
			rc = apply_env(&opts[r], dst, from, err);
	}
	config_settle(opts, dst);
	return rc;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strcspn(b, "=") == len && strncmp(a, b, len) == 0;
}

void config_settle(const struct opt *opts, void *dst)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++) {
		if (row->type != OPT_STRINGS || !row->arg || strcmp(row->arg, "OPT=VAL") != 0)
			continue;
		struct opt_strings *s = opt_row_value(row, dst).strings;
		size_t kept = 0;
		for (size_t i = 0; i < s->n; i++) {
			bool again = false;
			for (size_t k = i + 1; k < s->n && !again; k++)
				again = same_name(s->v[i], s->v[k]);
			if (again)
				free(s->v[i]);
			else
				s->v[kept++] = s->v[i];
		}
		s->n = kept;
	}
}
