/*
 * `hpcbench selftest`: can this installation find what is slow? Two slowdowns are planted and must
 * be found by the very functions that `run` uses: a slow node of a simulated cluster, over the real
 * control channel, and a delay injected into a real helper on this host.
 */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/judge/compare.h"
#include "harness/measure/measure.h"

enum { BASE_RUNS = 6, SEED = 1000 };

/* A quiet cluster; n4 is slow in the second form. Fixed seeds: the same figures everywhere. */
static const char model_good[] =
        "{\"schema\":1,\"seed\":7,\"nodes\":\"n[1-6]\",\"run_spread\":0.005}\n";
static const char model_slow[] =
        "{\"schema\":1,\"seed\":7,\"nodes\":\"n[1-6]\",\"run_spread\":0.005,"
        "\"faults\":[{\"kind\":\"slow-node\",\"node\":\"n4\",\"factor\":1.3}]}\n";
#define SLOW_NODE "n4"

struct self {
	const struct common *common;
	struct store store;
	int signal_fd, signal;
	bool too_noisy; /* the last planted delay was below what could have been seen */
	struct doc *d;
};

static void say(struct self *t, enum doc_tone tone, const char *text)
{
	doc_text(t->d, tone, "%s", text);
	if (t->common->verbose)
		fprintf(stderr, "hpcbench selftest: %s\n", text);
}

/* One run, as `run` does it; the caller frees m. */
static int measure_once(struct self *t, const struct measure_request *r, struct measure *m,
                        struct hb_err *err)
{
	int code, rc = measure_prepare(r, &t->store, m, &code, err);

	if (rc != HB_OK)
		return rc;
	rc = measure_run(m, &t->store, err);
	t->signal = m->signal;
	if (rc == HB_OK && m->signal)
		rc = hb_fail(err, HB_E_CANCELLED, "stopped by a signal");
	if (rc == HB_OK && m->summary.n_rows == 0)
		rc = hb_fail(err, HB_E_UNSUPPORTED, "nothing was measured: %s",
		             m->n_steps && m->steps[0].reason ? m->steps[0].reason : "no record");
	if (rc != HB_OK)
		measure_free(m);
	return rc;
}

/* Several runs into a baseline of the store. */
static int make_baseline(struct self *t, struct measure_request r, const char *name,
                         struct hb_err *err)
{
	const struct summary *ptrs[BASE_RUNS];
	struct measure m[BASE_RUNS];
	struct baseline b;
	int n = 0, rc = HB_OK;

	r.baseline = NULL;
	for (; n < BASE_RUNS && rc == HB_OK; n++) {
		r.seed = SEED + (uint64_t)n;
		rc = measure_once(t, &r, &m[n], err);
		if (rc != HB_OK)
			break;
		ptrs[n] = &m[n].summary;
	}
	if (rc == HB_OK) {
		baseline_build(ptrs, (size_t)n, &b);
		b.name = hb_strdup(name);
		char *path = store_baseline_path(&t->store, name);
		json_object *o = baseline_to_json(&b);
		rc = store_write_json(path, o, err);
		js_put(o);
		free(path);
		baseline_free(&b);
	}
	while (n > 0)
		measure_free(&m[--n]);
	return rc;
}

/* ---- a slow node in a simulated cluster ---- */

static size_t regressed(const struct verdicts *v, const char *subject, bool same)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct summary_row *row = v->rows[i].row;
		if (v->rows[i].verdict == VERDICT_REGRESSED && row && row->kind == SUBJECT_NODE)
			n += (strcmp(row->subject, subject) == 0) == same;
	}
	return n;
}

static bool judge_sim(struct self *t, const struct measure *clean, const struct measure *slow)
{
	size_t right = regressed(&slow->verdicts, SLOW_NODE, true);
	size_t wrong = regressed(&slow->verdicts, SLOW_NODE, false);
	bool ok = clean->code == CODE_OK && slow->code == CODE_FINDINGS && right > 0 && wrong == 0;
	json_object *o = json_object_new_object();
	char line[240];

	snprintf(line, sizeof line, "simulated cluster, nothing planted: exit code %d (0 is right)",
	         clean->code);
	say(t, clean->code == CODE_OK ? DOC_GOOD : DOC_BAD, line);
	snprintf(line, sizeof line,
	         "simulated cluster, %s 30 %% slower: exit code %d (10 is right), %zu rows of %s "
	         "regressed, %zu of other nodes",
	         SLOW_NODE, slow->code, right, SLOW_NODE, wrong);
	say(t, ok ? DOC_GOOD : DOC_BAD, line);
	js_set_i64(o, "clean_code", clean->code);
	js_set_i64(o, "slow_code", slow->code);
	js_set_u64(o, "regressed", right);
	js_set_u64(o, "regressed_elsewhere", wrong);
	js_set_bool(o, "found", ok);
	js_set_obj(t->d->data, "simulated", o);
	return ok;
}

static int write_model(const struct self *t, const char *name, const char *text, char **launcher,
                       struct hb_err *err)
{
	char *path = hb_format("%s/%s.json", t->store.path, name);
	int rc = store_write(path, text, strlen(text), err);

	*launcher = hb_format("sim:%s", path);
	free(path);
	return rc;
}

static int test_sim(struct self *t, bool *ok, struct hb_err *err)
{
	struct measure_request r = { .bench = "mpi.latency,mpi.bandwidth",
		                     .sizes = "8,64Ki",
		                     .rounds = 3,
		                     .confirm = true,
		                     .signal_fd = t->signal_fd };
	struct measure clean, slow;
	char *good_launcher, *slow_launcher = NULL;
	int rc = write_model(t, "good", model_good, &good_launcher, err);

	if (rc == HB_OK)
		rc = write_model(t, "slow", model_slow, &slow_launcher, err);
	r.launcher = good_launcher;
	if (rc == HB_OK)
		rc = make_baseline(t, r, "simulated", err);
	r.baseline = "simulated";
	r.seed = SEED + 100;
	if (rc == HB_OK)
		rc = measure_once(t, &r, &clean, err);
	if (rc == HB_OK) {
		r.launcher = slow_launcher;
		rc = measure_once(t, &r, &slow, err);
		if (rc == HB_OK) {
			*ok = judge_sim(t, &clean, &slow);
			measure_free(&slow);
		}
		measure_free(&clean);
	}
	free(good_launcher);
	free(slow_launcher);
	return rc;
}

/* ---- a delay in a real helper ---- */

static const struct verdict_row *worst_row(const struct verdicts *v)
{
	const struct verdict_row *worst = NULL;

	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].row && (!worst || v->rows[i].loss > worst->loss))
			worst = &v->rows[i];
	return worst;
}

static bool judge_real(struct self *t, const struct verdicts *v, double factor)
{
	const struct verdict_row *w = worst_row(v);
	bool ok = w && w->verdict == VERDICT_REGRESSED;

	t->too_noisy = !ok && w && !(w->mde < 1 - 1 / factor);
	json_object *o = json_object_new_object();
	char line[240];

	if (w)
		snprintf(line, sizeof line,
		         "node.memory slowed down %.3g times: %s, %.0f %% slower (%.0f %% was "
		         "planted), could have seen %.0f %%",
		         factor, verdict_name(w->verdict), 100 * w->loss, 100 * (1 - 1 / factor),
		         100 * w->mde);
	else
		snprintf(line, sizeof line, "node.memory: no row to judge");
	say(t, ok ? DOC_GOOD : DOC_BAD, line);
	js_set_f64(o, "factor", factor);
	js_set_str(o, "verdict", w ? verdict_name(w->verdict) : NULL);
	js_set_f64(o, "loss", w ? w->loss : 0);
	js_set_f64(o, "detectable", w ? w->mde : 0);
	js_set_bool(o, "found", ok);
	js_set_obj(t->d->data, "real", o);
	return ok;
}

/* Two injected runs confirm each other: on one node there is no control to rerun against. */
static int inject_and_judge(struct self *t, struct measure_request r, double factor, bool *ok,
                            struct hb_err *err)
{
	const struct compare_params params = COMPARE_PARAMS_DEFAULT;
	const struct summary *ptrs[2];
	struct measure_inject inject = { 0 };
	struct verdicts v = { 0 };
	struct measure m[2];
	char spec[64];
	int n = 0, rc;

	snprintf(spec, sizeof spec, "node.memory:%g", factor);
	rc = measure_inject_parse(spec, &inject, err);
	r.inject = &inject;
	for (; rc == HB_OK && n < 2; n++) {
		r.seed = SEED + 200 + (uint64_t)n;
		rc = measure_once(t, &r, &m[n], err);
		if (rc != HB_OK)
			break;
		ptrs[n] = &m[n].summary;
	}
	if (rc == HB_OK) {
		compare_runs(&m[0].base, ptrs, 2, &params, &v);
		*ok = judge_real(t, &v, factor);
		verdicts_free(&v);
	}
	while (n > 0)
		measure_free(&m[--n]);
	measure_inject_free(&inject);
	return rc;
}

/*
 * One thread on data that fit any cache: what other users of the machine do to its memory and its
 * other cores is out.
 */
static const char suite_real[] =
        "{\"schema\":1,\"name\":\"selftest\",\"summary\":\"one core\",\"benches\":[{\"bench\":"
        "\"node.memory\",\"options\":{\"sizes\":\"256Ki\",\"threads\":1},\"precision\":\"2%\"}]}\n";

/* One attempt: a baseline of this moment, then the planted delay. */
static int try_real(struct self *t, const char *suite, double max_time_s, double factor, bool *ok,
                    struct hb_err *err)
{
	struct measure_request r = { .suite = suite,
		                     .launcher = "local",
		                     .max_time_s = max_time_s,
		                     .rounds = -1,
		                     .signal_fd = t->signal_fd };
	int rc = make_baseline(t, r, "real", err);

	r.baseline = "real";
	if (rc == HB_OK)
		rc = inject_and_judge(t, r, factor, ok, err);
	return rc;
}

static int test_real(struct self *t, bool *ok, struct hb_err *err)
{
	/* On a noisy machine a longer look and a larger delay are tried before giving up. */
	static const struct {
		double max_time_s, factor;
	} tries[] = { { 0.1, 3 }, { 0.4, 3 }, { 1, 10 } };
	char *path = hb_format("%s/selftest.json", t->store.path);
	int rc = store_write(path, suite_real, strlen(suite_real), err);

	for (size_t i = 0; i < sizeof tries / sizeof tries[0] && rc == HB_OK && !*ok; i++)
		rc = try_real(t, path, tries[i].max_time_s, tries[i].factor, ok, err);
	free(path);
	return rc;
}

/* ---- around ---- */

static int open_temporary(struct self *t, char **path, struct hb_err *err)
{
	const char *tmp = getenv("TMPDIR");

	*path = hb_format("%s/hpcbench-selftest-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(*path)) {
		int rc = hb_fail(err, HB_E_IO, "cannot make %s; set TMPDIR", *path);
		free(*path);
		*path = NULL;
		return rc;
	}
	return store_open(*path, true, &t->store, err);
}

static int run_tests(struct self *t, struct hb_err *err)
{
	bool sim_ok = false, real_ok = false;
	int rc = test_sim(t, &sim_ok, err);

	if (rc == HB_OK)
		rc = test_real(t, &real_ok, err);
	if (t->signal)
		return 128 + t->signal;
	if (rc != HB_OK)
		return cmd_error("selftest", err) == CODE_USAGE ? CODE_BROKEN
		       : rc == HB_E_UNSUPPORTED                 ? CODE_NOT_MEASURED
		                                                : CODE_BROKEN;
	if (sim_ok && real_ok) {
		say(t, DOC_GOOD, "both planted slowdowns were found");
		return CODE_OK;
	}
	if (sim_ok && t->too_noisy) {
		say(t, DOC_WARN, "this host is too busy to tell: try again when it is idle");
		return CODE_NOT_MEASURED;
	}
	say(t, DOC_BAD, "a planted slowdown was not found: do not trust this installation");
	return CODE_BROKEN;
}

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	struct self t = { .common = common, .signal_fd = -1 };
	struct hb_err err;
	sigset_t set, old;
	char *path = NULL;
	int code;

	(void)opts;
	if (argc > 0)
		return cmd_error_text("selftest", CODE_USAGE, "what is '%.64s'?", argv[0]);
	/* Every run of the simulator here has the seed that it is given. */
	unsetenv("HPCBENCH_SIM_SEED");
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	t.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	t.d = doc_new("Can this installation find what is slow?");
	t.d->data = cmd_json("selftest");
	code = open_temporary(&t, &path, &err) == HB_OK ? run_tests(&t, &err)
	                                                : cmd_error("selftest", &err);
	js_set_i64(t.d->data, "code", code);
	cmd_print(common, t.d);
	doc_free(t.d);
	if (path)
		store_remove_temporary(path);
	store_close(&t.store);
	if (t.signal_fd >= 0)
		close(t.signal_fd);
	free(path);
	return code;
}

const struct command cmd_selftest = {
	.name = "selftest",
	.usage = "",
	.summary = "plant slowdowns and see that they are found",
	.text = "Takes less than a minute and leaves nothing behind. A slow node is planted in a "
	        "simulated cluster, a delay in a real benchmark on this host. Exits 0 only if both "
	        "are found.",
	.run = run,
};
