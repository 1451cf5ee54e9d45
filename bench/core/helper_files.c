/* A helper without connections: a schedule it reads, a file it writes (harness/README.md). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/agree.h"
#include "bench/core/clock.h"
#include "bench/core/helper_parts.h"
#include "bench/core/helper_seats.h"
#include "bench/core/slots.h"

enum { SCHEDULE_WAIT_MS = 10000 };
/* Ranks are this much apart beyond what their jobs explain: start-up, slow disks, naps. */
#define MARGIN_S 30.0

struct files {
	struct crew *crew;
	const char *folder;
	struct control_part part;
	struct slots slots;
	struct seat_given *given; /* to each rank */
	int *rank_of_seat;
	int seat; /* this rank's, -1: none yet */
	struct emit *emit;
};

/*
 * All ranks learn whether all are well, and wait for each other, napping: on few cores a rank that
 * spins would disturb the pair that is still measured. Not more than seconds; 0: for ever.
 */
static int meet(struct files *f, int rc, double seconds, struct hb_err *err)
{
	struct comm *world = f->crew->world;

	if (world->apart)
		return rc;
	world->deadline_ns = seconds > 0 ? clock_ns() + (uint64_t)(seconds * 1e9) : 0;
	rc = agree_status(world, rc, err);
	world->deadline_ns = 0;
	if (rc == HB_E_TIMEOUT || world->broken)
		f->crew->clean = false;
	return rc;
}

static int read_seats(struct files *f, struct hb_err *err)
{
	char *path;
	int rc;

	f->folder = getenv(CONTROL_ENV_FILES);
	rc = control_part_read(&f->part, err);
	if (!rc && !f->part.run)
		rc = hb_fail(err, HB_E_USAGE, "%s needs %s beside it", CONTROL_ENV_FILES,
		             CONTROL_ENV_RUN);
	if (rc < 0)
		return rc;
	path = hb_format("%s/schedule.jsonl", f->folder);
	rc = slots_open(path, SCHEDULE_WAIT_MS, &f->slots, err);
	free(path);
	return rc;
}

static int take_seat(struct files *f, struct hb_err *err)
{
	struct comm *world = f->crew->world;
	int n = world->ops->size(world), me = world->ops->rank(world), rc;
	struct seat_claim *mine = hb_alloc(sizeof(*mine));

	snprintf(mine->host, sizeof(mine->host), "%s", f->crew->node.host);
	mine->local = env_launch_local();
	f->given = hb_alloc((size_t)n * sizeof(*f->given));
	f->rank_of_seat = hb_alloc((size_t)f->slots.n_hosts * sizeof(int));
	for (int i = 0; i < f->slots.n_hosts; i++)
		f->rank_of_seat[i] = -1;
	world->deadline_ns = clock_ns() + (uint64_t)(MARGIN_S * 1e9);
	rc = seats_agree(world, (const char *const *)f->slots.hosts, f->slots.n_hosts, mine,
	                 f->given, err);
	world->deadline_ns = 0;
	free(mine);
	for (int i = 0; !rc && i < n; i++)
		if (f->given[i].seat >= 0 && f->given[i].seat < f->slots.n_hosts)
			f->rank_of_seat[f->given[i].seat] = i;
	if (!rc)
		f->seat = f->given[me].seat;
	f->crew->rank_of_seat = f->rank_of_seat;
	f->crew->n_seats = f->slots.n_hosts;
	return rc;
}

static int check_seat(const struct files *f, struct hb_err *err)
{
	struct comm *world = f->crew->world;
	int me = world->ops->rank(world);

	if (f->seat < 0)
		return hb_fail(err, HB_E_LIB,
		               "%s: no seat is left in the schedule's %d for rank %d of %d",
		               f->crew->node.host, f->slots.n_hosts, me, world->ops->size(world));
	if (f->given[me].stranger)
		return hb_fail(err, HB_E_LIB,
		               "the schedule has no free seat on %s, where rank %d runs: the "
		               "launcher started it on another node than planned",
		               f->crew->node.host, me);
	return HB_OK;
}

/* Opens this rank's file and says hello in it. */
static int open_file(struct files *f, struct hb_err *err)
{
	struct control_hello hello = helper_hello(f->crew);
	json_object *o;
	char *path;
	int rc;

	/* Ranks that are apart could write to the seat of one who belongs there. */
	if (f->seat < 0 || (f->crew->world->apart && f->given[hello.rank].stranger))
		return HB_OK;
	path = hb_format("%s/rank-%d.jsonl", f->folder, f->seat);
	rc = emit_file_new(path, &f->emit, err);
	free(path);
	if (rc < 0)
		return rc;
	o = control_hello_json(&hello, &f->part);
	js_set_str(o, "run", f->part.run);
	rc = f->emit->record(f->emit, o, err);
	js_put(o);
	return rc;
}

static void say_event(struct files *f, const char *code, const char *text)
{
	json_object *o = rec_event_to_json(NULL, "error", code, text);

	if (f->emit)
		f->emit->record(f->emit, o, NULL);
	js_put(o);
}

/* Nobody answers here: of the ranks on a node the one in its first seat tells. */
static bool first_seat(const struct files *f)
{
	int i = 0;

	while (i < f->seat && strcmp(f->slots.hosts[i], f->slots.hosts[f->seat]) != 0)
		i++;
	return i == f->seat;
}

/* What each rank does for itself before the first slot. */
static int begin(struct files *f, struct hb_err *err)
{
	struct comm *world = f->crew->world;
	struct hb_err why = { HB_OK, "" };
	int rc = open_file(f, err), wrong;

	if (rc < 0)
		return rc;
	wrong = helper_check_world(world->ops->size(world), &why);
	if (wrong < 0) {
		say_event(f, "world-size", why.text);
	} else {
		wrong = check_seat(f, &why);
		if (wrong < 0)
			say_event(f, "seat", why.text);
	}
	if (wrong < 0)
		return hb_fail(err, (enum hb_status)wrong, "%s", why.text);
	f->crew->first = first_seat(f);
	f->crew->facts = f->crew->first && f->slots.facts;
	rc = helper_introduce(f->crew, f->emit, err);
	return rc < 0 ? rc : slots_load(&f->slots, f->seat, err);
}

/*
 * Slot by slot. The ranks also meet after the last one: leaving, too, would spin until all have
 * come. A rank that cannot write any more says so at the next meeting, and all stop.
 */
static int work_off(struct files *f, struct hb_err *err)
{
	double patience = MARGIN_S;
	int rc = HB_OK;

	for (size_t i = 0; i <= f->slots.n; i++) {
		const struct slot *slot = i < f->slots.n ? &f->slots.v[i] : NULL;
		json_object *msg;

		rc = meet(f, rc, patience, err);
		if (rc < 0 && slot)
			return hb_fail_in(err, "given up before slot %" PRIu64, slot->number);
		if (rc < 0)
			return hb_fail_in(err, "after the last slot");
		if (!slot)
			break;
		msg = slots_job(&f->slots, i);
		if (msg)
			rc = helper_do_job(f->crew, f->emit, msg, err);
		js_put(msg);
		patience = slot->endless ? 0 : slot->seconds + MARGIN_S;
	}
	return rc;
}

static int run(struct files *f, struct hb_err *err)
{
	int rc = meet(f, read_seats(f, err), MARGIN_S, err);

	if (rc < 0)
		return rc;
	rc = take_seat(f, err);
	rc = meet(f, rc < 0 ? rc : begin(f, err), MARGIN_S, err);
	return rc < 0 ? rc : work_off(f, err);
}

static void say_bye(struct files *f)
{
	json_object *o = json_object_new_object();

	js_set_str(o, "msg", "bye");
	if (f->emit)
		f->emit->record(f->emit, o, NULL);
	js_put(o);
}

int helper_files(struct crew *crew)
{
	struct files f = { .crew = crew, .seat = -1 };
	struct hb_err err = { HB_OK, "" };
	int rc;

	crew->world->idle = 1;
	rc = run(&f, &err);
	if (rc < 0)
		say_event(&f, "given-up", err.text);
	else if (f.emit)
		helper_part(crew, f.emit);
	say_bye(&f);
	if (f.emit)
		f.emit->close(f.emit);
	slots_free(&f.slots);
	control_part_free(&f.part);
	free(f.given);
	free(f.rank_of_seat);
	crew->rank_of_seat = NULL;
	return rc < 0 ? helper_complain(crew->helper, &err) : HB_EXIT_OK;
}
