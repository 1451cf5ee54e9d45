/* What `hpcbench store` is given, for its actions. */
#ifndef HPCBENCH_HARNESS_CMD_STORE_H
#define HPCBENCH_HARNESS_CMD_STORE_H

#include "harness/cmd/cmd.h"

struct store_opts {
	char *keep, *keep_days, *label, *to;
	struct opt_strings baselines;
	int samples_only, dry_run, no_samples;
};

/* Each returns an exit code; argv are the words behind its name. */
int cmd_store_prune(const struct common *common, const struct store_opts *o, const struct store *s,
                    int argc, const char **argv);
int cmd_store_verify(const struct common *common, const struct store_opts *o, const struct store *s,
                     int argc, const char **argv);
int cmd_store_export(const struct common *common, const struct store_opts *o, const struct store *s,
                     int argc, const char **argv);
int cmd_store_import(const struct common *common, const struct store_opts *o, const struct store *s,
                     int argc, const char **argv);

#endif
