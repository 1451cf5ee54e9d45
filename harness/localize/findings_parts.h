/* What the findings*.c files share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_FINDINGS_PARTS_H
#define HPCBENCH_HARNESS_FINDINGS_PARTS_H

#include "bench/base/buf.h"
#include "harness/localize/findings.h"

/* What a blame is about, whichever direction: what is joined over sheets. */
enum blame_class { ABOUT_NODE, ABOUT_LINK, ABOUT_LEAF, ABOUT_RAIL, ABOUT_SILENT };
enum blame_class findings_class(enum loc_kind k);

/* ---- findings.c ---- */
size_t findings_nodes(const struct sheet *v); /* how many nodes its ends are of */

/* ---- findings_join.c ---- */
/* Takes the blames of sheet i, as found, into out. */
void findings_take(const struct sheets *s, size_t i, const struct localized *found,
                   struct findings *out);
/* Settles kinds, drops groups that are explained, sorts, names all; after the last sheet. */
void findings_settle(const struct sheets *s, struct findings *out);
/* Appends the name of an end: "n17", "n17/mlx5_1". */
void findings_end(const struct sheets *s, const struct sheet *of, uint32_t end, struct buf *out);

/* ---- findings_sure.c ---- */
/* Says of all who is unsure: no more than chance brings in so many sheets (findings.h). */
void findings_weigh(struct findings *f);

/* ---- findings_text.c ---- */
/* Makes c->text from all else. */
void findings_text(struct culprit *c);

#endif
