/* What would tell next, by the kind of finding: data, so that all of it is read at a glance. */
#include "harness/diagnose/diagnose_next.h"

#include <math.h>
#include <string.h>

/* %s: the subject, as commands take it. */
static const char *const next_words[LOC_KINDS] = {
	[LOC_NODE] =
	        "hpcbench probe %s, then node.memory and node.compute on it and on a good node: "
	        "slow there too, it is the host; else its port's error counters, and its cable "
	        "swapped with a good node's",
	[LOC_NODE_OUT] =
	        "one direction alone is most often a cable, a transceiver or flow control: "
	        "error, discard and pause counters of %s's port and of the switch's port",
	[LOC_NODE_IN] = "one direction alone is most often a cable, a transceiver or flow control: "
	                "error, discard and pause counters of %s's port and of the switch's port",
	[LOC_LINK] = "both ends are well with others, so it is on the way between them: the route "
	             "of %s and the error counters of its switch ports; measured again after a "
	             "change of route",
	[LOC_LINK_AB] =
	        "both ends are well with others, so it is on the way between them: the route "
	        "of %s in this direction and the error counters of its switch ports",
	[LOC_LEAF] = "the up-links of %s: how many are up, at which rate, and their error counters",
	[LOC_RAIL] =
	        "what the adapters of %s share: their switch, its firmware and cables, and the "
	        "slot that they sit in",
	[LOC_SILENT] =
	        "hpcbench probe %s; where it does not answer, its system log and Slurm's reason",
};

/* Alone it is as fast as the others: it is what runs beside it. */
static bool only_loaded(const struct culprit *c)
{
	const struct loc_blame *b = c->n_evidence ? &c->evidence[0].blame : NULL;

	return b && isfinite(b->isolated) && isfinite(b->loss) && b->loss > 0 &&
	       b->isolated < b->loss / 3;
}

void diagnosis_next(const struct culprit *c, struct buf *out)
{
	const char *words = c->kind < LOC_KINDS ? next_words[c->kind] : NULL;
	const char *mark = words ? strstr(words, "%s") : NULL;

	if (c->state == LOC_UNDECIDED) {
		buf_printf(out, "%s%s%s with a third, good node each: who stays slow is it",
		           c->subject, c->others ? "," : "", c->others ? c->others : "");
		return;
	}
	if (!mark)
		return;
	if (only_loaded(c)) {
		buf_printf(out,
		           "isolated it is as fast as the others: switch ports and up-links that "
		           "%s shares with the pairs measured at the same time",
		           c->subject);
		return;
	}
	buf_add(out, words, (size_t)(mark - words));
	buf_puts(out, c->subject);
	buf_puts(out, mark + 2);
}
