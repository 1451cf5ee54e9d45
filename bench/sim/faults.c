/* Faults that take a process away or spoil what it sends; slow nodes and links are the model's. */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/load_span.h"
#include "bench/sim/sim.h"

enum { DEAD_EXIT = 3, FD_MAX = 256 };

const char *sim_node_of(const struct sim_world *w, int rank)
{
	return w->nodes[rank / w->rpn];
}

bool sim_has(const struct sim_rank *r, enum sim_fault_kind kind, const char *bench)
{
	return sim_fault_find(&r->world->model, kind, r->node, r->rank, bench, r->jobs) != NULL;
}

/* Until a signal ends it. */
static void hang(void)
{
	for (;;)
		pause();
}

void sim_fault_before_start(const struct sim_rank *r)
{
	if (sim_has(r, SIM_DEAD_NODE, NULL))
		_exit(DEAD_EXIT);
	if (sim_has(r, SIM_NEVER_STARTS, NULL))
		hang();
}

/* Ranks wait for each other in start-up: all of them for the one that never comes. */
void sim_fault_before_hello(const struct sim_rank *r)
{
	struct sim_rank other = *r;

	if (r->world->size == 1) /* alone it waits for nobody */
		return;
	for (other.rank = 0; other.rank < r->world->size; other.rank++) {
		other.node = sim_node_of(r->world, other.rank);
		if (sim_has(&other, SIM_NEVER_STARTS, NULL) ||
		    sim_has(&other, SIM_HANGS_START, NULL))
			hang();
	}
}

/*
 * Sends what no frame looks like. The client of the control channel can only send frames, which is
 * as it should be; this process has one socket, so it is found among the descriptors.
 */
static void send_garbage(void)
{
	static const char garbage[] = "\xff\xff\xff\xffGET / HTTP/1.1\r\n{\"type\":";
	struct stat st;

	for (int fd = 3; fd < FD_MAX; fd++)
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			send(fd, garbage, sizeof garbage - 1, MSG_NOSIGNAL);
}

void sim_fault_at_job(const struct sim_rank *r, const struct job *job)
{
	const char *bench = job->ops->info->name;

	if (sim_has(r, SIM_DEAD_NODE, bench))
		_exit(DEAD_EXIT);
	if (sim_has(r, SIM_MALFORMED_FRAMES, bench))
		send_garbage();
	if (sim_has(r, SIM_SILENT_RANK, bench))
		hang();
	for (int i = 0; i < job->n_ranks; i++) {
		struct sim_rank other = *r;
		other.rank = job->ranks[i];
		other.node = sim_node_of(r->world, other.rank);
		if (sim_has(&other, SIM_HANGS_JOB, bench))
			hang();
	}
}

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool link_is_silent(const struct sim_rank *r, const char *other, const char *bench)
{
	const struct sim_model *m = &r->world->model;

	for (size_t i = 0; i < m->n_faults; i++) {
		const struct sim_fault *f = &m->faults[i];

		if (f->kind == SIM_SILENT_LINK && r->jobs >= f->after &&
		    (!f->bench || same(f->bench, bench)) &&
		    ((same(f->node, r->node) && same(f->other, other)) ||
		     (same(f->node, other) && same(f->other, r->node))))
			return true;
	}
	return false;
}

int sim_fault_partner(const struct sim_rank *r, const struct job *job)
{
	const char *bench = job->ops->info->name;

	for (int i = 0; i < job->n_ranks; i++) {
		struct sim_rank other = *r;
		other.rank = job->ranks[i];
		other.node = sim_node_of(r->world, other.rank);
		if (other.rank != r->rank &&
		    (sim_has(&other, SIM_SILENT_RANK, bench) ||
		     sim_has(&other, SIM_DEAD_NODE, bench) || link_is_silent(r, other.node, bench)))
			return other.rank;
	}
	return -1;
}

const struct sim_fault *sim_load_of(const struct sim_rank *r, int rank, const struct job *job)
{
	const struct sim_fault *f = sim_fault_find(&r->world->model, SIM_LOAD,
	                                           sim_node_of(r->world, rank), rank,
	                                           job->ops->info->name, r->jobs);

	return f && (f->tries == 0 || job->ids.attempt <= f->tries) ? f : NULL;
}

json_object *sim_load_json(const struct sim_rank *r, const struct job *job)
{
	static const double own_rate = 1e9, speed = 12.5e9;
	const struct sim_fault *f = sim_load_of(r, r->rank, job);
	struct load_span s = { .seconds = 1, .busy_s = 1, .own_s = 1, .cores = 4, .load1 = 1 };
	json_object *o = json_object_new_object();

	if (job->n_ranks > 1) {
		s.tx = s.rx = own_rate;
		s.n_nics = 1;
		s.nics[0] = (struct load_nic){ "ib0", own_rate, own_rate, speed, 0 };
	}
	if (f) {
		s.busy_s += f->cores;
		s.load1 += f->cores;
		s.nics[0].rx += f->Bps;
		s.nics[0].tx += f->Bps;
	}
	load_span_set(o, &s);
	return o;
}
