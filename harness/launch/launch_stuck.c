/*
 * Who does not go when told, and what its processes do: before they are ended by force, a process
 * of hpcbench-node on each of those nodes reads their state and wait channel. A node on which even
 * that does not start is named, and never waited for.
 */
#include "bench/base/mem.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/wait.h"

enum { LOOK_MS = 8000, RANKS_TOLD = 8, LINES_TOLD = 16, NODES_ASKED = 16 };

struct stuck_look {
	struct spawn *child;
	int64_t until_ms;
	struct nodeset nodes;
};

static bool is_stuck(const struct step_run *r, int seat)
{
	if (r->left_out[seat])
		return false;
	return r->nobody || r->s.rank[seat] == RANK_LOST ||
	       (r->ctl && r->world[seat] >= 0 && ctl_connected(r->ctl, r->world[seat]));
}

bool step_somebody_stuck(const struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (is_stuck(r, i))
			return true;
	return false;
}

static void tell_rank(struct step_run *r, int seat)
{
	const struct last_word *last = &r->last[seat];
	double ago = (double)(wait_now_ms() - r->heard_ms[seat]) / 1000;

	if (!last->what)
		step_event(r, "warn", "silent", "rank %d on %s never spoke", seat, r->host[seat]);
	else if (last->unit)
		step_event(
		        r, "warn", "silent",
		        "rank %d on %s does not go; its last word, %.1f s ago, was %s of unit %llu",
		        seat, r->host[seat], ago, last->what, (unsigned long long)last->unit);
	else
		step_event(r, "warn", "silent",
		           "rank %d on %s does not go; its last word, %.1f s ago, was %s", seat,
		           r->host[seat], ago, last->what);
}

/* The command that looks on those nodes; HB_E_UNSUPPORTED: there is no hpcbench-node. */
static int look_command(const struct step_run *r, const struct nodeset *nodes,
                        struct launch_command *c, struct hb_err *err)
{
	const struct launch_site *site = r->l->p.site;
	struct launch_site plain = *site;
	int rc = HB_OK;

	*c = (struct launch_command){ 0 };
	plain.profile = NULL; /* a wrapper may be what hangs */
	if (site->ops->on_nodes)
		rc = site->ops->on_nodes(site, nodes, c, err);
	if (rc == HB_OK)
		rc = launch_helper_words(&plain, "node", c, err);
	if (rc == HB_OK) {
		launch_command_arg(c, "--processes");
		launch_command_arg(c, "%s", r->l->p.run);
	}
	return rc;
}

void stuck_open(struct step_run *r)
{
	struct stuck_look *look = hb_alloc(sizeof *look);
	struct launch_command c;
	struct hb_err err;
	int told = 0, more = 0;

	r->look = look;
	for (int i = 0; i < r->step->n_ranks; i++) {
		if (!is_stuck(r, i))
			continue;
		if (told++ < RANKS_TOLD && !r->nobody)
			tell_rank(r, i);
		else
			more += !r->nobody;
		if (look->nodes.n < NODES_ASKED && nodeset_find(&look->nodes, r->host[i]) < 0)
			nodeset_add(&look->nodes, r->host[i], &err);
	}
	if (more > 0)
		step_event(r, "warn", "silent", "and %d ranks more do not go", more);
	look->until_ms = wait_now_ms() + LOOK_MS;
	/* Elsewhere, and no way to get there: nothing is known of those processes. */
	if (r->l->p.site->ops->remote && !r->l->p.site->ops->on_nodes)
		return;
	if (look_command(r, &look->nodes, &c, &err) == HB_OK) {
		struct spawn_params p = { .argv = (const char *const *)c.argv,
			                  .env = (const char *const *)c.env };
		spawn_start(&p, &look->child, &err);
	}
	launch_command_free(&c);
}

struct spawn *stuck_child(const struct step_run *r)
{
	return r->look ? r->look->child : NULL;
}

static const char *state_text(char state)
{
	switch (state) {
	case 'R': return "is running";
	case 'S': return "is sleeping";
	case 'D': return "is in an uninterruptible wait (a device or a filesystem)";
	case 'T':
	case 't': return "is stopped";
	case 'Z': return "has ended and is not reaped";
	default: return "is in an unknown state";
	}
}

/* "HOST PID STATE WCHAN NAME", fields by tabs; false: another line. Cuts it. */
static bool split(char *line, char *field[5])
{
	for (int i = 0; i < 5; i++) {
		field[i] = line;
		line += strcspn(line, "\t");
		if ((*line != '\t') != (i == 4))
			return false;
		if (i < 4)
			*line++ = '\0';
	}
	return strlen(field[2]) == 1;
}

static void tell_line(struct step_run *r, struct nodeset *answered, char *line)
{
	struct hb_err none;
	char text[300], *f[5];
	bool process;

	if (!split(line, f))
		return;
	nodeset_add(answered, f[0], &none);
	process = strcmp(f[1], "0") != 0;
	if (!process) {
		snprintf(text, sizeof text, "%.64s: no process of this run is there", f[0]);
	} else {
		snprintf(text, sizeof text, "%.64s: %.40s (pid %.12s) %s%s%.60s", f[0], f[4], f[1],
		         state_text(f[2][0]), strcmp(f[3], "0") != 0 && f[3][0] ? ", in " : "",
		         strcmp(f[3], "0") != 0 ? f[3] : "");
	}
	for (size_t i = 0; text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	step_event(r, "warn", "stuck-process", "%s", text);
	if (process && !r->stuck[0])
		snprintf(r->stuck, sizeof r->stuck, "%s", text);
}

/* What came, line by line; then the nodes that said nothing. */
static void tell_answers(struct step_run *r)
{
	struct stuck_look *look = r->look;
	struct nodeset answered = { 0 };
	struct buf silent = BUF_INIT;
	const char *text = look->child ? spawn_text(look->child, SPAWN_OUT) : "";
	int told = 0;

	for (size_t len; *text && told < LINES_TOLD; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		char *line = hb_strndup(text, len < 512 ? len : 512);
		tell_line(r, &answered, line);
		free(line);
		told++;
	}
	for (size_t i = 0; r->l->p.site->ops->on_nodes && look->child && i < look->nodes.n; i++)
		if (nodeset_find(&answered, look->nodes.v[i]) < 0)
			buf_printf(&silent, "%s%s", silent.len ? ", " : "", look->nodes.v[i]);
	if (silent.len > 0)
		step_event(r, "warn", "stuck-node", "%.400s: no process starts there either",
		           buf_text(&silent));
	buf_free(&silent);
	nodeset_free(&answered);
}

bool stuck_done(struct step_run *r, int64_t now)
{
	struct stuck_look *look = r->look;

	if (look && look->child && !spawn_ended(look->child, NULL) && now < look->until_ms) {
		r->until_ms = look->until_ms;
		return false;
	}
	if (look)
		tell_answers(r);
	return true;
}

void stuck_close(struct step_run *r)
{
	if (!r->look)
		return;
	spawn_free(r->look->child);
	nodeset_free(&r->look->nodes);
	free(r->look);
	r->look = NULL;
}
