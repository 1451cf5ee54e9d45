/* The commands whose options are tried; for every target that links the commands. */
#include "harness/cmd/cmd.h"

extern const struct command cmd_run, cmd_diff, cmd_check, cmd_report, cmd_explain, cmd_baseline,
        cmd_ack, cmd_list, cmd_config, cmd_build_profile, cmd_store, cmd_selftest;

const struct command *const commands[] = {
	&cmd_run,      &cmd_diff,     &cmd_check, &cmd_report, &cmd_explain,
	&cmd_baseline, &cmd_ack,      &cmd_list,  &cmd_config, &cmd_build_profile,
	&cmd_store,    &cmd_selftest, NULL,
};
