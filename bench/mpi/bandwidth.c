/*
 * mpi.bandwidth: a window of messages from one rank to the other, each with a buffer of its own
 * (one shared buffer would stay in cache and double the figure), closed by an empty message back.
 * The sender has the clock, in either direction (run.c), so that the directions compare.
 */
#include "bench/mpi/benches.h"
#include "bench/mpi/p2p.h"

/* Both directions asked for at once are a to b: the job of the other direction is its own. */
static bool is_sender(const struct bench *b)
{
	return b->rank == (b->dir == DIR_BA ? 1 : 0);
}

static int bandwidth_setup(struct bench *b, struct hb_err *err)
{
	const struct mpi_opts *o = b->opts;

	return p2p_setup(b, o->window, is_sender(b) ? P2P_SENDS : P2P_RECEIVES, err);
}

static int bandwidth_prepare(struct bench *b, struct hb_err *err)
{
	const struct mpi_opts *o = b->opts;

	return p2p_prepare(b, o->window, is_sender(b) ? P2P_SENDS : P2P_RECEIVES, err);
}

static int send_token(struct bench *b, struct hb_err *err)
{
	struct p2p *p = b->state;
	MPI_Request req;
	int rc = mpi_check(
	        MPI_Isend(NULL, 0, MPI_BYTE, p->peer.rank, p->peer.tag_token, p->peer.comm, &req),
	        "MPI_Isend", err);

	return rc ? rc : mpi_wait_spinning(&req, b->deadline_ns, err);
}

static int take_token(struct bench *b, struct hb_err *err)
{
	struct p2p *p = b->state;
	MPI_Request req;
	int rc = mpi_check(
	        MPI_Irecv(NULL, 0, MPI_BYTE, p->peer.rank, p->peer.tag_token, p->peer.comm, &req),
	        "MPI_Irecv", err);

	return rc ? rc : mpi_wait_spinning(&req, b->deadline_ns, err);
}

static int wait_window(struct bench *b, struct hb_err *err)
{
	struct p2p *p = b->state;
	int rc = HB_OK;

	for (int i = 0; !rc && i < p->slots; i++)
		rc = mpi_wait_spinning(&p->r[i], b->deadline_ns, err);
	return rc;
}

static int send_window(struct bench *b, struct hb_err *err)
{
	struct p2p *p = b->state;
	int rc = HB_OK;

	for (int i = 0; !rc && i < p->slots; i++)
		rc = p2p_send(p, i, &p->r[i], err);
	if (!rc)
		rc = wait_window(b, err);
	return rc ? rc : take_token(b, err);
}

static int receive_window(struct bench *b, struct hb_err *err)
{
	struct p2p *p = b->state;
	int rc = HB_OK;

	for (int i = 0; !rc && i < p->slots; i++)
		rc = p2p_receive(p, i, &p->r[i], err);
	if (!rc)
		rc = wait_window(b, err);
	return rc ? rc : send_token(b, err);
}

static int bandwidth_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	bool sender = is_sender(b);
	int rc = HB_OK;

	(void)sink;
	for (uint64_t i = 0; !rc && i < n; i++)
		rc = sender ? send_window(b, err) : receive_window(b, err);
	if (rc)
		b->comm->broken = 1;
	return rc;
}

static int bandwidth_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	bool sender = is_sender(b);
	int rc;

	if (sender)
		p2p_pattern_send(b);
	else
		p2p_pattern_expect(b);
	rc = bandwidth_iterate(b, 1, NULL, err);
	if (!rc && !sender)
		p2p_pattern_check(b, checked, bad);
	return rc;
}

static double bandwidth_bytes(const struct bench *b)
{
	const struct mpi_opts *o = b->opts;

	return (double)b->bytes * o->window;
}

const struct bench_ops bench_mpi_bandwidth = {
	.info = &info_mpi_bandwidth,
	.state_size = sizeof(struct p2p),
	.probe = p2p_probe,
	.setup = bandwidth_setup,
	.prepare = bandwidth_prepare,
	.iterate = bandwidth_iterate,
	.verify = bandwidth_verify,
	.bytes_moved = bandwidth_bytes,
	.teardown = p2p_teardown,
};
