/*
 * mpi.latency: one message there and one back. Each rank posts the receive for what comes next
 * right behind its send, while the message is under way, as a user's send and receive would.
 */
#include "bench/mpi/benches.h"
#include "bench/mpi/p2p.h"

static int latency_setup(struct bench *b, struct hb_err *err)
{
	return p2p_setup(b, 1, P2P_SENDS | P2P_RECEIVES, err);
}

static int latency_prepare(struct bench *b, struct hb_err *err)
{
	return p2p_prepare(b, 1, P2P_SENDS | P2P_RECEIVES, err);
}

/* The rank that begins: its loop is what the clock sees. */
static int ping(struct bench *b, uint64_t n, struct hb_err *err)
{
	struct p2p *p = b->state;
	MPI_Request out, in;
	int rc = HB_OK;

	for (uint64_t i = 0; !rc && i < n; i++) {
		rc = p2p_send(p, 0, &out, err);
		if (!rc)
			rc = p2p_receive(p, 0, &in, err);
		if (!rc)
			rc = mpi_wait_spinning(&in, b->deadline_ns, err);
		if (!rc)
			rc = mpi_wait_spinning(&out, b->deadline_ns, err);
	}
	return rc;
}

static int pong(struct bench *b, uint64_t n, struct hb_err *err)
{
	struct p2p *p = b->state;
	MPI_Request out, in;
	int rc = n ? p2p_receive(p, 0, &in, err) : HB_OK;

	for (uint64_t i = 0; !rc && i < n; i++) {
		rc = mpi_wait_spinning(&in, b->deadline_ns, err);
		if (!rc)
			rc = p2p_send(p, 0, &out, err);
		if (!rc && i + 1 < n)
			rc = p2p_receive(p, 0, &in, err);
		if (!rc)
			rc = mpi_wait_spinning(&out, b->deadline_ns, err);
	}
	return rc;
}

static int latency_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	int rc = b->rank == 0 ? ping(b, n, err) : pong(b, n, err);

	(void)sink;
	if (rc)
		b->comm->broken = 1;
	return rc;
}

static int latency_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	int rc;

	p2p_pattern_send(b);
	p2p_pattern_expect(b);
	rc = latency_iterate(b, 1, NULL, err);
	if (!rc)
		p2p_pattern_check(b, checked, bad);
	return rc;
}

const struct bench_ops bench_mpi_latency = {
	.info = &info_mpi_latency,
	.state_size = sizeof(struct p2p),
	.probe = p2p_probe,
	.setup = latency_setup,
	.prepare = latency_prepare,
	.iterate = latency_iterate,
	.verify = latency_verify,
	.teardown = p2p_teardown,
};
