/* What the launcher that started this process tells it. */
#include <errno.h>
#include <stdlib.h>

#include "bench/core/control.h"
#include "bench/core/env.h"

enum { LAUNCH_RANKS_MAX = 1 << 20 };

/*
 * The nearest launcher first: within a Slurm step, mpirun's processes see the step's variables too,
 * those of the daemon that started them.
 */
static const struct {
	const char *rank, *local;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK" },
	{ "PMIX_RANK", "PMIX_LOCAL_RANK" },
	{ "PMI_RANK", "MPI_LOCALRANKID" },
	{ "SLURM_PROCID", "SLURM_LOCALID" },
};

/* A whole number below LAUNCH_RANKS_MAX, or -1. */
static int number_in(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long v;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	v = strtol(text, &end, 10);
	return errno || *end || v >= LAUNCH_RANKS_MAX ? -1 : (int)v;
}

int env_launch_rank(void)
{
	int v = -1;

	for (size_t i = 0; v < 0 && i < sizeof(launchers) / sizeof(*launchers); i++)
		v = number_in(launchers[i].rank);
	return v;
}

int env_launch_local(void)
{
	int v = -1;

	for (size_t i = 0; v < 0 && i < sizeof(launchers) / sizeof(*launchers); i++)
		v = number_in(launchers[i].local);
	return v;
}

int env_launch_started(int *out, struct hb_err *err)
{
	const char *text = getenv(CONTROL_ENV_RANKS);

	*out = 0;
	if (!text)
		return HB_OK;
	*out = number_in(CONTROL_ENV_RANKS);
	if (*out >= 1)
		return HB_OK;
	return hb_fail(err, HB_E_USAGE, CONTROL_ENV_RANKS "='%.40s' is not a number of ranks",
	               text);
}
