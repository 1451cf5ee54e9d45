#include "bench/core/helper_seats.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/seat.h"

void seats_give(const char *const *hosts, int n_hosts, const struct seat_claim *claim, int n,
                struct seat_given *out)
{
	bool *taken = hb_alloc((size_t)n_hosts * sizeof(*taken));

	for (int i = 0; i < n; i++)
		out[i] = (struct seat_given){ -1, true };
	for (int strangers = 0; strangers < 2; strangers++) {
		for (int i = 0; i < n; i++) {
			bool stranger;
			int seat;

			if (out[i].seat >= 0)
				continue;
			seat = seat_find(hosts, taken, n_hosts, claim[i].host, claim[i].local,
			                 &stranger);
			if (seat < 0 || (stranger && !strangers))
				continue;
			out[i] = (struct seat_given){ seat, stranger };
			taken[seat] = true;
		}
	}
	free(taken);
}

static int give_at_root(const char *const *hosts, int n_hosts, const struct buf *claims, int n,
                        struct seat_given *out, struct hb_err *err)
{
	struct seat_claim *claim;

	if (claims->len != (size_t)n * sizeof(*claim))
		return hb_fail(err, HB_E_DATA,
		               "the ranks do not tell where they are in one form: install the "
		               "helpers in one version on all nodes");
	claim = hb_alloc(claims->len);
	memcpy(claim, claims->data, claims->len);
	for (int i = 0; i < n; i++)
		claim[i].host[sizeof(claim[i].host) - 1] = '\0';
	seats_give(hosts, n_hosts, claim, n, out);
	free(claim);
	return HB_OK;
}

int seats_agree(struct comm *world, const char *const *hosts, int n_hosts,
                const struct seat_claim *mine, struct seat_given *out, struct hb_err *err)
{
	int n = world->ops->size(world), me = world->ops->rank(world), bad = HB_OK, rc;
	struct buf claims = BUF_INIT;

	if (world->apart) {
		for (int i = 0; i < n; i++)
			out[i] = (struct seat_given){ -1, false };
		seats_give(hosts, n_hosts, mine, 1, &out[me]);
		return HB_OK;
	}
	rc = world->ops->gatherv(world, mine, sizeof(*mine), &claims, NULL, 0, err);
	if (!rc && me == 0)
		bad = give_at_root(hosts, n_hosts, &claims, n, out, err);
	/* The others wait for an answer also where there is no seat for anybody. */
	for (int i = 0; bad < 0 && i < n; i++)
		out[i] = (struct seat_given){ -1, false };
	buf_free(&claims);
	if (rc < 0)
		return rc;
	rc = world->ops->bcast(world, out, (size_t)n * sizeof(*out), 0, bad < 0 ? NULL : err);
	return bad < 0 ? bad : rc;
}
