/*
 * The harness's end of the control channel, as little of it as a test needs: it lets ranks in,
 * gives them jobs one pair at a time, and keeps what they say.
 */
#ifndef HPCBENCH_TESTS_MPI_COMMANDER_H
#define HPCBENCH_TESTS_MPI_COMMANDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench/base/frame.h"
#include "bench/base/record.h"

enum { COMMANDER_RANKS = 8, COMMANDER_UNITS = 256 };

struct commander_rank {
	int fd; /* -1: not there (any more) */
	struct frame_reader in;
	pid_t pid;
	int size;          /* of the world, as its hello says */
	uint64_t done_job; /* the last job it has answered, and how */
	char done_status[16], done_reason[256];
	int rank_records;
};

struct commander_unit {
	bool ended, figures;
	enum unit_status status;
	char reason[256];
};

struct commander {
	int listener, port;
	struct commander_rank ranks[COMMANDER_RANKS];
	struct commander_unit units[COMMANDER_UNITS];
	int strays[COMMANDER_RANKS]; /* accepted, no hello yet; -1: none */
	struct frame_reader stray_in[COMMANDER_RANKS];
	int watched;       /* also wakes commander_until when readable; -1: nothing */
	struct buf events; /* texts of event records */
	char address[64], token[64], run[64], count[64];
	const char *env[8]; /* for child_start */
};

/* Listens on the loopback; n_started is what the launcher was asked to start. */
void commander_open(struct commander *c, int n_started);
void commander_close(struct commander *c);
/* Serves until cond is true or the limit is over; returns what cond says then. */
bool commander_until(struct commander *c, bool (*cond)(struct commander *c, void *arg), void *arg);
/* Sends a job to each of its ranks; text is the JSON object. */
void commander_job(struct commander *c, const char *text, const int *ranks, int n);
void commander_quit(struct commander *c, int rank);

#endif
