/* One configuration file: its text, checked against the option tables. */
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/opt_row.h"
#include "harness/config/config_parts.h"

static const char *const own_keys[] = { "schema", "partitions", "profiles", NULL };

size_t config_values_size(const struct opt *opts)
{
	size_t size = 1;

	for (const struct opt *row = opts; row->type != OPT_END; row++)
		if (opt_row_is_option(row) && row->offset + sizeof(struct opt_strings) > size)
			size = row->offset + sizeof(struct opt_strings);
	return size;
}

static int set_default(const struct opt *row, void *dst)
{
	const struct opt one[] = { *row, { .type = OPT_END } };

	opt_row_free(row, dst);
	opt_defaults(one, dst);
	return HB_OK;
}

static int add_strings(const struct opt *row, json_object *list, const struct js_at *at, void *dst,
                       struct hb_err *err)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		json_object *v = json_object_array_get_idx(list, i);
		struct js_at here = js_at_index(at, i);
		if (!json_object_is_type(v, json_type_string))
			return js_fail(&here, err, "expected text");
		opt_row_add_string(opt_row_value(row, dst), json_object_get_string(v));
	}
	return HB_OK;
}

int config_value(const struct opt *row, json_object *value, const struct js_at *at, void *dst,
                 struct hb_err *err)
{
	const struct opt one[] = { *row, { .type = OPT_END } };
	struct js_at here = js_at_key(at, row->name);
	struct buf text = BUF_INIT;

	if (!value)
		return set_default(row, dst);
	if (row->type == OPT_STRINGS && json_object_is_type(value, json_type_array))
		return add_strings(row, value, &here, dst, err);
	json_object *o = json_object_new_object();
	if (row->type == OPT_STRING && json_object_is_type(value, json_type_int)) {
		js_write(value, JS_PLAIN, &text);
		js_set_str(o, row->name, buf_text(&text));
		buf_free(&text);
	} else if (row->type == OPT_STRINGS && json_object_is_type(value, json_type_string)) {
		/* opt_from_json would replace the list. */
		opt_row_add_string(opt_row_value(row, dst), json_object_get_string(value));
	} else {
		js_set_obj(o, row->name, json_object_get(value));
	}
	int rc = opt_from_json(one, dst, o, at, err);
	js_put(o);
	return rc;
}

/* ---- keys ---- */

static bool is_remark(const char *key)
{
	return strcmp(key, "$schema") == 0 || strcmp(key, "comment") == 0;
}

static const struct config_table *find_table(const struct config_table *tables, const char *command)
{
	for (; tables->opts; tables++)
		if (command ? tables->command && strcmp(tables->command, command) == 0
		            : !tables->command)
			return tables;
	return NULL;
}

/* The common options; none where nobody gave any. */
static const struct opt *common_rows(const struct config_table *tables)
{
	static const struct opt none[] = { { .type = OPT_END } };
	const struct config_table *t = find_table(tables, NULL);

	return t ? t->opts : none;
}

static size_t add_names(const char **names, size_t n, const struct opt *opts)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++)
		if (opt_row_is_option(row) && !(row->flags & OPT_HIDDEN))
			names[n++] = row->name;
	return n;
}

static size_t count_rows(const struct opt *opts)
{
	size_t n = 0;

	while (opts[n].type != OPT_END)
		n++;
	return n;
}

/* An unknown key: the nearest of those that may stand there, or where it belongs. */
static int unknown_key(const struct config_table *tables, const struct config_table *t,
                       const char *key, const struct js_at *at, struct hb_err *err)
{
	const struct opt *common = common_rows(tables);
	size_t n = 0, max = count_rows(common) + (t ? count_rows(t->opts) : 0) + 8;
	bool top = t == NULL;

	for (const struct config_table *i = tables; top && i->opts; i++) {
		if (i->command && opt_row_find(i->opts, key))
			return js_fail(at, err,
			               "\"%.64s\" is an option of a command; write "
			               "\"%s\": {\"%.64s\": ...}",
			               key, i->command, key);
		max++;
	}
	const char **names = hb_alloc(max * sizeof *names);
	n = add_names(names, n, common);
	if (t)
		n = add_names(names, n, t->opts);
	for (size_t i = 0; top && own_keys[i]; i++)
		names[n++] = own_keys[i];
	for (const struct config_table *i = tables; top && i->opts; i++)
		if (i->command)
			names[n++] = i->command;
	const char *near = units_nearest(key, names);
	free(names);
	if (near)
		return js_fail(at, err, "unknown key \"%.64s\"; did you mean \"%s\"?", key, near);
	return js_fail(at, err, "unknown key \"%.64s\"; hpcbench help lists commands and options",
	               key);
}

/* Checks one option's value by setting it somewhere. */
static int check_value(const struct opt *row, json_object *value, const struct js_at *at,
                       struct hb_err *err)
{
	struct opt alone = *row;
	struct opt_strings space[2] = { { NULL, 0 }, { NULL, 0 } };

	alone.offset = 0;
	int rc = config_value(&alone, value, at, space, err);
	opt_row_free(&alone, space);
	return rc;
}

static int check_command(const struct config_table *tables, const struct config_table *t,
                         json_object *o, const struct js_at *at, struct hb_err *err)
{
	const struct opt *common = common_rows(tables);
	struct js_at here = js_at_key(at, t->command);

	if (!json_object_is_type(o, json_type_object))
		return js_fail(&here, err, "expected an object of options of the command %s",
		               t->command);
	json_object_object_foreach(o, key, value)
	{
		const struct opt *row = opt_row_find(t->opts, key);
		if (!row)
			row = opt_row_find(common, key);
		if (is_remark(key))
			continue;
		int rc = row ? check_value(row, value, &here, err)
		             : unknown_key(tables, t, key, &here, err);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

/* partitions: NAME -> {"alloc": [...], "step": [...]}, as the options of the command run. */
static int check_partitions(const struct config_table *tables, json_object *o,
                            const struct js_at *at, struct hb_err *err)
{
	static const char *const keys[] = { "alloc", "step", NULL };
	const struct config_table *run = find_table(tables, "run");
	struct js_at all = js_at_key(at, "partitions");

	if (!json_object_is_type(o, json_type_object))
		return js_fail(&all, err,
		               "expected an object: partition's name -> {\"alloc\": "
		               "[...], \"step\": [...]}");
	json_object_object_foreach(o, name, p)
	{
		struct js_at here = js_at_key(&all, name);
		int rc = json_object_is_type(p, json_type_object)
		                 ? js_known_keys(p, &here, keys, err)
		                 : js_fail(&here, err, "expected an object");
		for (size_t i = 0; rc == HB_OK && keys[i]; i++) {
			json_object *v = NULL;
			const struct opt *row = run ? opt_row_find(run->opts, keys[i]) : NULL;
			if (row && json_object_object_get_ex(p, keys[i], &v))
				rc = check_value(row, v, &here, err);
		}
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

static int check_key(const struct config_table *tables, const char *key, json_object *value,
                     struct config_layer *out, struct hb_err *err)
{
	const struct js_at top = JS_AT_TOP(out->source);
	struct js_at here = js_at_key(&top, key);
	const struct opt *row = opt_row_find(common_rows(tables), key);
	const struct config_table *t = find_table(tables, key);

	if (is_remark(key) || strcmp(key, "schema") == 0)
		return HB_OK;
	/* A command may have the name of an option: then its object is not the option's value. */
	if (row && !(t && json_object_is_type(value, json_type_object)))
		return check_value(row, value, &top, err);
	if (!value && (t || strcmp(key, "partitions") == 0 || strcmp(key, "profiles") == 0))
		return HB_OK;
	if (strcmp(key, "partitions") == 0)
		return check_partitions(tables, value, &top, err);
	if (strcmp(key, "profiles") == 0)
		return config_read_profiles(value, &here, out, err);
	if (t)
		return check_command(tables, t, value, &top, err);
	return unknown_key(tables, NULL, key, &top, err);
}

static int check_all(const struct config_table *tables, struct config_layer *out,
                     struct hb_err *err)
{
	const struct js_at top = JS_AT_TOP(out->source);
	int schema = 0;

	if (!json_object_is_type(out->o, json_type_object))
		return js_fail(&top, err, "must be one object {\"schema\": %d, ...}",
		               CONFIG_SCHEMA);
	/* What is written first is told first: a missing schema only where the rest is right. */
	json_object_object_foreach(out->o, key, value)
	{
		int rc = check_key(tables, key, value, out, err);
		if (rc != HB_OK)
			return rc;
	}
	return js_get_int(out->o, &top, "schema", JS_REQUIRED, CONFIG_SCHEMA, CONFIG_SCHEMA,
	                  &schema, err);
}

int config_parse(const char *text, size_t len, const char *source,
                 const struct config_table *tables, struct config_layer *out, struct hb_err *err)
{
	int rc = HB_OK;

	*out = (struct config_layer){ .source = hb_strdup(source) };
	if (len > CONFIG_FILE_MAX)
		rc = hb_fail(err, HB_E_FORMAT, "%s: larger than %d KiB", source,
		             CONFIG_FILE_MAX / 1024);
	if (rc == HB_OK)
		rc = js_parse(text, len, source, &out->o, err);
	if (rc == HB_OK)
		rc = check_all(tables, out, err);
	if (rc != HB_OK)
		config_layer_free(out);
	return rc;
}

void config_layer_free(struct config_layer *l)
{
	for (size_t i = 0; i < l->n_profiles; i++)
		profile_free(&l->profiles[i]);
	free(l->profiles);
	free(l->source);
	js_put(l->o);
	*l = (struct config_layer){ NULL };
}
