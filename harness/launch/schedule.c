#include "harness/launch/schedule.h"

#include "bench/base/mem.h"

static bool same_group(const struct plan_job *a, const struct plan_job *b)
{
	return a->entry == b->entry && a->phase == b->phase && a->round == b->round &&
	       a->repeat == b->repeat;
}

void sched_init(struct sched *s, const struct plan_step *step, int max_pairs)
{
	size_t n_ranks = (size_t)step->n_ranks, n_jobs = step->n_jobs;

	*s = (struct sched){ .step = step, .max_pairs = max_pairs };
	s->rank = hb_alloc((n_ranks + 1) * sizeof *s->rank);
	s->rank_job = hb_alloc((n_ranks + 1) * sizeof *s->rank_job);
	s->job = hb_alloc((n_jobs + 1) * sizeof *s->job);
	s->left = hb_alloc((n_jobs + 1) * sizeof *s->left);
	s->group = hb_alloc((n_jobs + 1) * sizeof *s->group);
	s->lost_by = hb_alloc((n_jobs + 1) * sizeof *s->lost_by);
	s->late = hb_alloc((n_jobs + 1) * sizeof *s->late);
	s->again = hb_alloc((n_jobs + 1) * sizeof *s->again);
	for (size_t r = 0; r < n_ranks; r++)
		s->rank_job[r] = SIZE_MAX;
	for (size_t j = 0; j < n_jobs; j++) {
		s->lost_by[j] = -1;
		if (j > 0)
			s->group[j] = s->group[j - 1] +
			              !same_group(&step->jobs[j], &step->jobs[j - 1]);
	}
}

void sched_free(struct sched *s)
{
	free(s->rank);
	free(s->rank_job);
	free(s->job);
	free(s->left);
	free(s->group);
	free(s->lost_by);
	free(s->late);
	free(s->again);
	*s = (struct sched){ 0 };
}

static bool live(const struct sched *s, size_t j)
{
	return s->job[j] == JOB_WAITING || s->job[j] == JOB_RUNNING;
}

static bool ranks_are(const struct sched *s, size_t j, bool (*fits)(enum sched_rank))
{
	const struct plan_job *job = &s->step->jobs[j];

	for (int i = 0; i < job->n_ranks; i++)
		if (!fits(s->rank[job->ranks[i]]))
			return false;
	return true;
}

static bool is_here(enum sched_rank r)
{
	return r == RANK_HERE;
}

static bool may_come(enum sched_rank r)
{
	return r == RANK_HERE || r == RANK_ABSENT;
}

static bool not_lost(enum sched_rank r)
{
	return r != RANK_LOST;
}

static bool ranks_free(const struct sched *s, size_t j, const bool *taken)
{
	const struct plan_job *job = &s->step->jobs[j];

	for (int i = 0; i < job->n_ranks; i++)
		if (s->rank_job[job->ranks[i]] != SIZE_MAX || taken[job->ranks[i]])
			return false;
	return true;
}

/* Has ended, or waits for a rank that is lost for good. */
static bool is_over(const struct sched *s, size_t j)
{
	if (s->job[j] == JOB_RUNNING)
		return false;
	return s->job[j] == JOB_DONE || s->job[j] == JOB_GIVEN_UP || s->job[j] == JOB_SKIPPED ||
	       !ranks_are(s, j, not_lost);
}

static void advance(struct sched *s)
{
	while (s->first < s->step->n_jobs && is_over(s, s->first))
		s->first++;
}

static void note_started(struct sched *s, size_t j)
{
	if (s->started <= j)
		s->started = j + 1;
}

static bool pending(const struct sched *s, size_t j)
{
	return s->job[j] == JOB_RUNNING || (s->job[j] == JOB_WAITING && ranks_are(s, j, may_come));
}

/*
 * The first job that runs or can still run; those that are measured once more after all others of
 * their group, late ones after all others. SIZE_MAX: none.
 */
static size_t current_job(const struct sched *s)
{
	size_t late = SIZE_MAX, again = SIZE_MAX;

	for (size_t j = s->first; j < s->step->n_jobs; j++) {
		if (again != SIZE_MAX && s->group[j] != s->group[again])
			break;
		if (!pending(s, j))
			continue;
		if (!s->late[j] && !s->again[j])
			return j;
		if (!s->late[j] && again == SIZE_MAX)
			again = j;
		else if (s->late[j] && (late == SIZE_MAX || s->job[j] == JOB_RUNNING))
			late = j;
	}
	return again != SIZE_MAX ? again : late;
}

/* Pairs, and groups that are not alone: they share the network. */
static bool is_limited(const struct plan_job *job)
{
	return job->n_ranks > 1;
}

static bool must_be_alone(const struct sched *s, size_t j)
{
	return s->step->jobs[j].alone || s->late[j];
}

struct running {
	size_t all, limited;
	bool alone;
};

static struct running count_running(const struct sched *s)
{
	struct running r = { 0, 0, false };

	for (size_t j = s->first; j < s->started; j++) {
		if (s->job[j] != JOB_RUNNING)
			continue;
		r.all++;
		r.limited += is_limited(&s->step->jobs[j]);
		r.alone = r.alone || must_be_alone(s, j);
	}
	return r;
}

static bool may_start(const struct sched *s, size_t j, size_t now, const struct running *r,
                      const bool *taken)
{
	const struct plan_job *job = &s->step->jobs[j];

	if (s->job[j] != JOB_WAITING || s->group[j] != s->group[now] || !ranks_are(s, j, is_here))
		return false;
	if (s->late[j] && j != now)
		return false;
	if (s->again[j] && !s->again[now])
		return false;
	if (r->alone || (must_be_alone(s, j) && r->all > 0))
		return false;
	if (is_limited(job) && s->max_pairs > 0 && r->limited >= (size_t)s->max_pairs)
		return false;
	return ranks_free(s, j, taken);
}

size_t sched_next(const struct sched *s, size_t *out, size_t max)
{
	size_t now = current_job(s), n = 0;
	struct running r = count_running(s);

	if (now == SIZE_MAX || r.alone)
		return 0;
	bool *taken = hb_alloc(((size_t)s->step->n_ranks + 1) * sizeof *taken);
	size_t from = now; /* the jobs of a group stand together */
	while (from > s->first && s->group[from - 1] == s->group[now])
		from--;
	for (size_t j = from; j < s->step->n_jobs && n < max && s->group[j] == s->group[now]; j++) {
		const struct plan_job *job = &s->step->jobs[j];
		if (!may_start(s, j, now, &r, taken))
			continue;
		out[n++] = j;
		for (int i = 0; i < job->n_ranks; i++)
			taken[job->ranks[i]] = true;
		r.all++;
		r.limited += is_limited(job);
		r.alone = must_be_alone(s, j);
	}
	free(taken);
	return n;
}

void sched_started(struct sched *s, size_t j)
{
	const struct plan_job *job = &s->step->jobs[j];

	note_started(s, j);
	s->job[j] = JOB_RUNNING;
	s->left[j] = job->n_ranks;
	for (int i = 0; i < job->n_ranks; i++)
		s->rank_job[job->ranks[i]] = j;
}

void sched_rank_begins(struct sched *s, int rank, size_t j)
{
	if (s->job[j] == JOB_WAITING) {
		note_started(s, j);
		s->job[j] = JOB_RUNNING;
		s->left[j] = s->step->jobs[j].n_ranks;
	}
	if (s->job[j] == JOB_RUNNING)
		s->rank_job[rank] = j;
}

void sched_joined(struct sched *s, int rank)
{
	if (s->rank[rank] != RANK_LOST)
		s->rank[rank] = RANK_HERE;
}

bool sched_rank_done(struct sched *s, int rank, uint64_t job_id)
{
	size_t j = s->rank_job[rank];

	if (j == SIZE_MAX || s->step->jobs[j].id != job_id)
		return false;
	s->rank_job[rank] = SIZE_MAX;
	if (--s->left[j] > 0 || s->job[j] != JOB_RUNNING)
		return false;
	s->job[j] = JOB_DONE;
	advance(s);
	return true;
}

static size_t end_job_of(struct sched *s, int rank, enum sched_job how)
{
	size_t j = s->rank_job[rank];

	s->rank_job[rank] = SIZE_MAX;
	if (j == SIZE_MAX || s->job[j] != JOB_RUNNING)
		return SIZE_MAX;
	s->job[j] = how;
	s->lost_by[j] = rank;
	advance(s);
	return j;
}

size_t sched_gone(struct sched *s, int rank)
{
	if (s->rank[rank] != RANK_LOST)
		s->rank[rank] = RANK_GONE;
	return end_job_of(s, rank, JOB_CUT);
}

size_t sched_lost(struct sched *s, int rank)
{
	s->rank[rank] = RANK_LOST;
	return end_job_of(s, rank, JOB_GIVEN_UP);
}

static bool on_one_node(const struct plan_step *step, const int *ranks, int n)
{
	for (int i = 1; i < n; i++)
		if (step->rank_node[ranks[i]] != step->rank_node[ranks[0]])
			return false;
	return true;
}

/* Those that did not answer are of one node, and others did: it is that node. */
static bool to_blame(const struct plan_step *step, const struct plan_job *job, const int *late,
                     int n)
{
	return n == 1 ||
	       (on_one_node(step, late, n) && !on_one_node(step, job->ranks, job->n_ranks));
}

int sched_expired(struct sched *s, size_t j, int *out)
{
	const struct plan_job *job = &s->step->jobs[j];
	int n = 0;

	for (int i = 0; i < job->n_ranks; i++) {
		int r = job->ranks[i];
		if (s->rank_job[r] != j)
			continue;
		s->rank_job[r] = SIZE_MAX;
		out[n++] = r;
	}
	bool lost = to_blame(s->step, job, out, n);
	for (int i = 0; i < n; i++)
		s->rank[out[i]] = lost ? RANK_LOST : RANK_STUCK;
	sched_give_up(s, j, n > 0 ? out[0] : -1);
	return n;
}

void sched_repeat(struct sched *s, size_t j)
{
	s->job[j] = JOB_WAITING;
	s->again[j] = true;
	if (s->first > j)
		s->first = j;
}

void sched_give_up(struct sched *s, size_t j, int by_rank)
{
	s->job[j] = JOB_GIVEN_UP;
	s->lost_by[j] = by_rank;
	advance(s);
}

size_t sched_running(const struct sched *s)
{
	return count_running(s).all;
}

bool sched_finished(const struct sched *s)
{
	return current_job(s) == SIZE_MAX;
}

bool sched_worth_relaunch(const struct sched *s)
{
	for (size_t j = 0; j < s->step->n_jobs; j++)
		if ((live(s, j) || s->job[j] == JOB_CUT) && ranks_are(s, j, not_lost))
			return true;
	return false;
}

void sched_relaunch(struct sched *s)
{
	for (int r = 0; r < s->step->n_ranks; r++) {
		s->rank_job[r] = SIZE_MAX;
		if (s->rank[r] != RANK_LOST)
			s->rank[r] = RANK_ABSENT;
	}
	for (size_t j = 0; j < s->step->n_jobs; j++) {
		if (s->job[j] != JOB_CUT && s->job[j] != JOB_RUNNING)
			continue;
		s->job[j] = JOB_WAITING;
		s->late[j] = true;
	}
}

void sched_close(struct sched *s)
{
	for (size_t j = 0; j < s->step->n_jobs; j++)
		if (live(s, j) || s->job[j] == JOB_CUT)
			s->job[j] = JOB_GIVEN_UP;
}
