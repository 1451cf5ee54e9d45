/* The world of a helper that needs nobody, though a launcher started one on every node. */
#include "bench/core/env.h"
#include "bench/core/helper.h"

int helper_world_apart(struct comm **out, int *argc, char ***argv, struct hb_err *err)
{
	int started, rank = env_launch_rank();

	(void)argc;
	(void)argv;
	if (env_launch_started(&started, err) < 0)
		return HB_E_USAGE;
	if (started > 1 && rank < 0)
		return hb_fail(err, HB_E_LIB,
		               "one of %d processes, but the launcher does not say which: it sets "
		               "none of OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID",
		               started);
	if (started > 1 && rank >= started)
		return hb_fail(err, HB_E_LIB, "rank %d of %d processes, says the launcher", rank,
		               started);
	*out = started > 1 ? comm_solo_among(rank, started) : comm_solo_open();
	return HB_OK;
}
