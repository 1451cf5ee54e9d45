/* Where a run's topology comes from. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "harness/slurm/slurm.h"
#include "harness/topo/topo.h"

static int ask_slurm(int signal_fd, struct topo *out, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	int rc = slurm_topology(signal_fd, TOPO_FILE_MAX, &text, err);

	if (rc == HB_OK)
		rc = topo_from_slurm(buf_text(&text), text.len, "scontrol show topology", out, err);
	buf_free(&text);
	return rc;
}

/* Do at least two of the nodes hang on one leaf? */
static bool is_of_use(const struct topo *t, const struct nodeset *nodes)
{
	struct topo part;
	bool two = false;

	topo_restrict(t, nodes, &part);
	for (size_t i = 0; i < part.n_leaves; i++)
		two = two || part.leaves[i].nodes.n >= 2;
	topo_free(&part);
	return two;
}

/* Nobody asked for it: what cannot be had is told, not an error. */
static void take_silently(const struct nodeset *nodes, int signal_fd, struct topo *out, char **note)
{
	struct hb_err why = { HB_OK, "" };
	int rc = ask_slurm(signal_fd, out, &why);

	if (rc == HB_E_FORMAT)
		*note = hb_format("no topology: %s", why.text);
	if (rc == HB_OK && !is_of_use(out, nodes))
		topo_free(out);
}

static bool knows_some(const struct topo *t, const struct nodeset *nodes)
{
	struct topo part;
	if (!nodes || nodes->n == 0)
		return true;
	topo_restrict(t, nodes, &part);
	bool some = part.n_leaves > 0;
	topo_free(&part);
	return some;
}

int topo_choose(const char *option, bool slurm, const struct nodeset *nodes, int signal_fd,
                struct topo *out, char **note, struct hb_err *err)
{
	*out = (struct topo){ 0 };
	*note = NULL;
	if (!option && slurm)
		take_silently(nodes, signal_fd, out, note);
	if (!option || strcmp(option, "none") == 0)
		return HB_OK;
	if (!*option)
		return hb_fail(err, HB_E_USAGE,
		               "--topology: a file, slurm, slurm:static or none is wanted");
	bool stat = strcmp(option, "slurm:static") == 0;
	if (!stat && strcmp(option, "slurm") != 0) {
		int rc = topo_read(option, out, err);
		if (rc == HB_OK && !knows_some(out, nodes)) {
			topo_free(out);
			rc = hb_fail(err, HB_E_USAGE,
			             "%s: none of the nodes stands in it; is it of another "
			             "cluster?",
			             option);
		}
		return rc == HB_OK ? HB_OK : hb_fail_in(err, "--topology");
	}
	int rc = ask_slurm(signal_fd, out, err);
	if (rc == HB_OK && out->n_leaves == 0)
		rc = hb_fail(err, HB_E_USAGE,
		             "Slurm knows no leaf switches (scontrol show topology); give a file, "
		             "or none");
	if (rc != HB_OK)
		return hb_fail_in(err, "--topology %s", option);
	out->routing = stat ? TOPO_STATIC : TOPO_UNKNOWN;
	return HB_OK;
}
