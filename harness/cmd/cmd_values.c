/* The values of a command's options: defaults, configuration, command line. */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"

static size_t count_opts(const struct opt *opts)
{
	size_t n = 0;
	while (opts && opts[n].type != OPT_END)
		n++;
	return n;
}

static size_t append_opts(struct opt *to, size_t n, const struct opt *from, size_t shift)
{
	for (size_t i = 0; from && from[i].type != OPT_END; i++) {
		to[n] = from[i];
		to[n++].offset += shift;
	}
	return n;
}

struct opt *cmd_merge_opts(const struct opt *own, size_t own_at, const struct opt *extra)
{
	size_t max = count_opts(own) + count_opts(common_opts) + count_opts(extra) + 1;
	struct opt *all = hb_alloc(max * sizeof *all);
	size_t n = append_opts(all, 0, own, own_at);
	n = append_opts(all, n, common_opts, 0);
	n = append_opts(all, n, extra, 0);
	all[n].type = OPT_END;
	return all;
}

struct config_table *cmd_tables(void)
{
	static const struct opt none[] = { { .type = OPT_END } };
	size_t n = 0, k = 1;
	while (commands[n])
		n++;
	struct config_table *t = hb_alloc((n + 2) * sizeof *t);
	t[0] = (struct config_table){ NULL, common_opts };
	for (size_t i = 0; i < n; i++)
		if (!commands[i]->plain && !commands[i]->like)
			t[k++] = (struct config_table){ commands[i]->name,
				                        commands[i]->opts && !commands[i]->by_hand
				                                ? commands[i]->opts
				                                : none };
	return t;
}

/* One attempt over zeroed memory. A configuration that is wrong hides nothing on the line. */
static int set_all(const struct cmd_line *l, const struct config_use *use, int *n,
                   const char **words, struct hb_err *wrong, struct hb_err *err)
{
	opt_defaults(l->opts, l->dst);
	if (l->c && !l->c->plain && wrong->code == HB_OK)
		config_apply(l->config,
		             l->c->by_hand ? NULL
		             : l->c->like  ? l->c->like
		                           : l->c->name,
		             l->c->by_hand ? common_opts : l->opts, use, l->dst, NULL, wrong);
	struct common *common = l->dst;
	char *store = hb_strdup(common->store);
	int rc = opt_parse(l->opts, l->dst, n, words, NULL, err);
	/* --store "$UNSET" does not send a run to another place than the one that is configured. */
	if (common->store && !*common->store) {
		free(common->store);
		common->store = store;
		store = NULL;
	}
	free(store);
	config_settle(l->opts, l->dst);
	return rc;
}

int cmd_values(const struct cmd_line *l, int *n, const char **words, struct hb_err *wrong,
               struct hb_err *err)
{
	const char *job = getenv("SLURM_JOB_ID"), *name = NULL;
	struct config_use use = { .in_job = job && *job };
	size_t bytes = ((size_t)*n + 1) * sizeof *words;
	const char **again = hb_alloc(bytes);
	int n_again = *n;

	memcpy(again, words, (size_t)*n * sizeof *words);
	int rc = set_all(l, &use, n, words, wrong, err);
	if (rc == HB_OK && l->c && l->c->partition)
		name = l->c->partition((const char *)l->dst + l->own_at);
	if (name && wrong->code == HB_OK && config_has_partition(l->config, name)) {
		char *partition = hb_strdup(name);
		use.partition = partition;
		opt_free(l->opts, l->dst);
		memset(l->dst, 0, l->size);
		rc = set_all(l, &use, &n_again, again, wrong, err);
		free(partition);
		memcpy(words, again, bytes);
		*n = n_again;
	}
	free(again);
	return rc;
}

int cmd_read_config(struct config *out, struct hb_err *err)
{
	struct config_table *tables = cmd_tables();
	struct config_paths paths;

	config_paths_default(&paths);
	int rc = config_load(&paths, tables, out, err);
	config_paths_free(&paths);
	free(tables);
	return rc;
}

char *cmd_configured_store(void)
{
	struct common common = { .store = NULL };
	struct config config;
	struct hb_err none;

	if (cmd_read_config(&config, &none) == HB_OK)
		config_apply(&config, NULL, common_opts, NULL, &common, NULL, &none);
	config_free(&config);
	return common.store;
}
