#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "harness/cmd/cmd.h"

extern const struct command cmd_run, cmd_plan, cmd_accept, cmd_probe, cmd_diff, cmd_check,
        cmd_report, cmd_explain, cmd_rules, cmd_baseline, cmd_ack, cmd_list, cmd_config,
        cmd_build_profile, cmd_store, cmd_selftest, cmd_version, cmd_help;

const struct command *const commands[] = {
	&cmd_run,    &cmd_plan,          &cmd_accept, &cmd_probe,    &cmd_diff,    &cmd_check,
	&cmd_report, &cmd_explain,       &cmd_rules,  &cmd_baseline, &cmd_ack,     &cmd_list,
	&cmd_config, &cmd_build_profile, &cmd_store,  &cmd_selftest, &cmd_version, &cmd_help,
	NULL,
};

/*
 * A descriptor that was closed by whoever started us would be given to the next file opened, and
 * messages would land in the store. Opened read-only, so that printing to it is still an error.
 */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			_exit(CODE_BROKEN);
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
	/* A reader that went away is seen where it is written to (cmd_main, the control channel).
	 */
	(void)signal(SIGPIPE, SIG_IGN);
	return cmd_main(argc, argv);
}
