#include "harness/config/profile.h"

#include "bench/base/mem.h"

static void free_words(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

void profile_free(struct profile *p)
{
	free(p->name);
	free(p->arch);
	free(p->mpi_type);
	free(p->mpirun);
	free_words(p->env, p->n_env);
	free_words(p->wrap, p->n_wrap);
	*p = (struct profile){ 0 };
}
