/* Settings of communication libraries that come by the environment. */
#include <string.h>

#include "bench/base/buf.h"
#include "bench/facts/facts.h"
#include "bench/facts/facts_parts.h"

extern char **environ;

/* Worth telling: set by a person or a site, the same in every start, and no secret. */
static bool is_setting(const char *name)
{
	static const char *const ours[] = { "OMPI_MCA_",       "PRTE_MCA_",  "UCX_",
		                            "NCCL_",           "FI_",        "PSM_",
		                            "PSM2_",           "PSM3_",      "MPICH_",
		                            "MPIR_",           "I_MPI_",     "MV2_",
		                            "LD_LIBRARY_PATH", "LD_PRELOAD", NULL };
	/* What a launcher tells its own ranks: addresses, numbers and folders of this one start. */
	static const char *const starts[] = {
		"OMPI_MCA_orte_", "OMPI_MCA_ess",      "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir",
		"OMPI_MCA_shmem", "OMPI_MCA_plm_rsh_", "PRTE_MCA_ess",  "PRTE_MCA_prte_",
		"PRTE_MCA_plm_",  "I_MPI_HYDRA_",      "I_MPI_INFO_",   NULL
	};

	return facts_begins(name, ours) && !facts_begins(name, starts) && !facts_is_secret(name);
}

void facts_environment(const struct fact_sink *s)
{
	struct buf key = BUF_INIT;

	for (char **e = environ; e && *e; e++) {
		const char *eq = strchr(*e, '=');

		if (!eq)
			continue;
		buf_clear(&key);
		buf_puts(&key, "env.");
		buf_add(&key, *e, (size_t)(eq - *e));
		if (is_setting(buf_text(&key) + strlen("env.")))
			fact_tell(s, "", buf_text(&key), eq + 1, "environment");
	}
	buf_free(&key);
}
