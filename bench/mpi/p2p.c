#include "bench/mpi/p2p.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/verify.h"

enum { CACHE_LINE = 64, MEMORY_SHARE = 4 };

int region_new(struct region *out, uint64_t len, struct hb_err *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) / MEMORY_SHARE * page;
	void *at;

	if (len > most)
		return hb_fail(err, HB_E_UNSUPPORTED,
		               "buffers of %" PRIu64 " bytes a rank are more than a quarter of "
		               "this node's memory; take smaller sizes or a smaller window",
		               len);
	len = len < page ? page : (len + page - 1) / page * page;
	at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return hb_fail(err, HB_E_UNSUPPORTED,
		               "no memory for buffers of %" PRIu64 " bytes a rank", len);
	/* A page that was only read is the kernel's page of zeros and always in cache. */
	memset(at, 1, len);
	*out = (struct region){ .at = at, .len = len };
	return HB_OK;
}

void region_free(struct region *r)
{
	if (r->at)
		munmap(r->at, r->len);
	*r = (struct region){ NULL, 0 };
}

MPI_Datatype datatype_mpi(int datatype)
{
	switch ((enum datatype)datatype) {
	case DATATYPE_BYTE: return MPI_BYTE;
	case DATATYPE_INT32: return MPI_INT32_T;
	case DATATYPE_FLOAT: return MPI_FLOAT;
	case DATATYPE_DOUBLE: return MPI_DOUBLE;
	}
	return MPI_DATATYPE_NULL;
}

size_t datatype_size(int datatype)
{
	return datatype == DATATYPE_BYTE ? 1 : datatype == DATATYPE_DOUBLE ? 8 : 4;
}

int p2p_probe(const struct bench *b, struct hb_err *err)
{
	const struct mpi_opts *o = b->opts;

	if (b->nranks != 2)
		return hb_fail(err, HB_E_USAGE, "%s needs 2 ranks: start it with mpirun -n 2",
		               b->info->name);
	if (o->buffers != BUFFERS_HOT)
		return hb_fail(err, HB_E_USAGE, "%s: buffers: only hot can be measured",
		               b->info->name);
	return HB_OK;
}

static int room(struct region *r, uint64_t len, struct hb_err *err)
{
	if (r->at && r->len >= len)
		return HB_OK;
	region_free(r);
	return region_new(r, len, err);
}

int p2p_setup(struct bench *b, int slots, unsigned roles, struct hb_err *err)
{
	struct p2p *p = b->state;
	uint64_t each = (b->max_bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	int rc = HB_OK;

	if (each > UINT64_MAX / 2 / (uint64_t)slots)
		return hb_fail(err, HB_E_USAGE, "%s: %d messages of %" PRIu64 " bytes",
		               b->info->name, slots, b->max_bytes);
	p->slots = slots;
	p->r = hb_realloc_array(p->r, (size_t)slots, sizeof(MPI_Request));
	for (int i = 0; i < slots; i++)
		p->r[i] = MPI_REQUEST_NULL;
	comm_mpi_route(b->comm, 1 - b->rank, &p->peer);
	if (roles & P2P_SENDS)
		rc = room(&p->send, each * (uint64_t)slots, err);
	if (!rc && roles & P2P_RECEIVES)
		rc = room(&p->receive, each * (uint64_t)slots, err);
	return rc;
}

int p2p_prepare(struct bench *b, int slots, unsigned roles, struct hb_err *err)
{
	struct p2p *p = b->state;
	const struct mpi_opts *o = b->opts;
	uint64_t unit = datatype_size(o->datatype);

	if (b->bytes % unit || b->bytes / unit > INT32_MAX || b->bytes > b->max_bytes)
		return hb_fail(err, HB_E_USAGE, "%s: %" PRIu64 " bytes are no count of elements",
		               b->info->name, b->bytes);
	p->type = datatype_mpi(o->datatype);
	p->count = (int)(b->bytes / unit);
	p->stride = (b->bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	return slots == p->slots ? HB_OK : p2p_setup(b, slots, roles, err);
}

void p2p_teardown(struct bench *b)
{
	struct p2p *p = b->state;

	if (b->comm->broken)
		return;
	region_free(&p->send);
	region_free(&p->receive);
	free(p->r);
	p->r = NULL;
}

static uint64_t slot_seed(const struct bench *b, int slot)
{
	return b->seed + (uint64_t)(unsigned)slot * 0x9e3779b97f4a7c15u;
}

void p2p_pattern_send(const struct bench *b)
{
	struct p2p *p = b->state;

	for (int i = 0; i < p->slots; i++)
		verify_fill(p->send.at + (size_t)i * p->stride, b->bytes, slot_seed(b, i), b->rank);
}

void p2p_pattern_expect(const struct bench *b)
{
	struct p2p *p = b->state;

	for (int i = 0; i < p->slots; i++) {
		unsigned char *at = p->receive.at + (size_t)i * p->stride;

		verify_fill(at, b->bytes, slot_seed(b, i), 1 - b->rank);
		for (uint64_t k = 0; k < b->bytes; k++)
			at[k] ^= 0xff;
	}
}

void p2p_pattern_check(const struct bench *b, uint64_t *checked, uint64_t *bad)
{
	const struct p2p *p = b->state;

	for (int i = 0; i < p->slots; i++)
		*bad += verify_count_bad(p->receive.at + (size_t)i * p->stride, b->bytes,
		                         slot_seed(b, i), 1 - b->rank);
	*checked += (uint64_t)p->slots * b->bytes;
}
