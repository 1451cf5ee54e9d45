#include "harness/cmd/cmd.h"
static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	(void)common, (void)opts, (void)argc, (void)argv;
	return 0;
}
const struct command cmd_build_profile = { .name = "build-profile",
	                                   .usage = "NAME",
	                                   .summary = "build the MPI helper for a profile",
	                                   .run = run };
