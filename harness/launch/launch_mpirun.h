/* What the files of the launcher `mpirun` share, and `local`, which uses the same words. */
#ifndef HPCBENCH_HARNESS_LAUNCH_MPIRUN_H
#define HPCBENCH_HARNESS_LAUNCH_MPIRUN_H

#include "harness/launch/launch.h"

/* Where ranks may run: bound to a core each, wherever they like, or there are more than cores. */
enum mpirun_bind { MPIRUN_BIND_CORE, MPIRUN_BIND_NONE, MPIRUN_BIND_CROWD };

/* Ranks stand node by node, rpn on each. */
struct mpirun_layout {
	const char *const *hosts; /* as mpirun shall call them; NULL: this host alone */
	size_t n_hosts;
	int rpn;
	enum mpirun_bind bind;
};

struct mpirun_flavour; /* one of the programs called mpirun */
const char *mpirun_flavour_name(const struct mpirun_flavour *f);
/* The one that wrote this answer to --version; NULL: none that is known. Pure. */
const struct mpirun_flavour *mpirun_flavour_of(const char *version);

/* What a run remembers; the site's state under both launchers. */
struct mpirun_state {
	const struct mpirun_flavour *flavour; /* NULL: not asked yet */
	struct nodeset nodes, hosts;          /* of the nodes' names: how mpirun shall call them */
};
struct mpirun_state *mpirun_state(struct launch_site *s); /* made where there is none */
void mpirun_close(struct launch_site *s);

/*
 * Appends "mpirun", its words for the layout and the helper, in whatever flavour the profile's
 * mpirun is; it is asked once a run. Environment goes by name alone: what is in out already, the
 * profile's, and the user's settings of MPI libraries. HB_E_UNSUPPORTED: there is no mpirun, or no
 * helper; HB_E_LIB: it is one that is not known, or it does not answer.
 */
int mpirun_words(const struct launch_what *w, const struct mpirun_layout *layout,
                 struct launch_command *out, struct hb_err *err);

/*
 * The hosts of a file, each once, in its order: a name a line (PBS_NODEFILE), "host slots=4",
 * "host:4", "#" begins a comment. HB_E_FORMAT with the line; what: the file, for errors. Pure.
 */
int mpirun_hosts_parse(const char *text, size_t len, const char *what, struct nodeset *out,
                       struct hb_err *err);
int mpirun_hosts_read(const char *path, struct nodeset *out, struct hb_err *err);

/* Why mpirun ended, from its standard error: as launcher_ops.explain. */
void mpirun_explain(const char *text, struct launch_cause *out);

#endif
