/*
 * An MPI that delivers one wrong byte: put in front of the real one with LD_PRELOAD, so that the
 * program under test is the one that is installed. HPCBENCH_FAULT=RANK:BYTES:OFFSET spoils the byte
 * at OFFSET of messages of exactly BYTES bytes that RANK sends, and of the result that it gets from
 * an allreduce of that size.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

static int applies(MPI_Comm comm, int count, MPI_Datatype type, long *offset)
{
	const char *text = getenv("HPCBENCH_FAULT");
	int size = 0, rank = -1;
	long wanted, bytes;
	char *at;

	if (!text)
		return 0;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Type_size(type, &size);
	wanted = strtol(text, &at, 10);
	bytes = strtol(*at ? at + 1 : at, &at, 10);
	*offset = strtol(*at ? at + 1 : at, NULL, 10);
	return rank == wanted && (long)count * size == bytes && *offset < bytes;
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
	long offset;

	if (applies(comm, count, type, &offset))
		((unsigned char *)(uintptr_t)buf)[offset] ^= 0x10;
	return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	int rc = PMPI_Allreduce(in, out, count, type, op, comm);
	long offset;

	if (applies(comm, count, type, &offset))
		((unsigned char *)out)[offset] ^= 0x10;
	return rc;
}
