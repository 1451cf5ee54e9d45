/* The launcher mpirun: where its nodes come from, the words it says, and what it makes of an end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "harness/launch/launch_mpirun.h"

/* ---- a site of the test's own ---- */

struct fake {
	char dir[64], *path;
	struct launch_site site;
	struct nodeset nodes;
	struct plan_absent *absent;
	size_t n_absent;
	struct hb_err err;
};

static void put_file(const struct fake *f, const char *name, const char *text, mode_t mode)
{
	char *path = hb_format("%s/%s", f->dir, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(path, mode), 0);
	free(path);
}

#define SAYS_OPENMPI "#!/bin/sh\necho asked >>\"$0.asked\"\necho 'mpirun (Open MPI) 4.1.4'\n"
#define SAYS_HYDRA                                                                                 \
	"#!/bin/sh\necho asked >>\"$0.asked\"\necho 'HYDRA build details:'\n"                      \
	"echo '    Version:                                 4.0.2'\n"

static int open_fake(void **state)
{
	static const char *const noise[] = { "SLURM_JOB_ID", "SLURM_JOBID",    "SLURM_JOB_NODELIST",
		                             "PBS_NODEFILE", "PBS_WALLTIME",   "LD_LIBRARY_PATH",
		                             "UCX_TLS",      "HPCBENCH_MPIRUN" };
	struct fake *f = hb_alloc(sizeof *f);

	for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
		unsetenv(noise[i]);
	snprintf(f->dir, sizeof f->dir, "/tmp/test-mpirun-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	put_file(f, "hpcbench-mpi", "#!/bin/sh\n", 0755);
	put_file(f, "hpcbench-node", "#!/bin/sh\n", 0755);
	put_file(f, "mpirun", SAYS_OPENMPI, 0755);
	f->path = hb_strdup(getenv("PATH"));
	char *path = hb_format("%s:%s", f->dir, f->path);
	setenv("PATH", path, 1);
	setenv("HPCBENCH_EXEC_PATH", f->dir, 1);
	free(path);
	f->site = (struct launch_site){ .ops = &launcher_mpirun, .signal_fd = -1 };
	*state = f;
	return 0;
}

static void close_site(struct fake *f)
{
	launch_site_close(&f->site);
	nodeset_free(&f->nodes);
	for (size_t i = 0; i < f->n_absent; i++) {
		free(f->absent[i].node);
		free(f->absent[i].reason);
	}
	free(f->absent);
	f->absent = NULL;
	f->n_absent = 0;
}

static int close_fake(void **state)
{
	static const char *const files[] = { "hpcbench-mpi", "hpcbench-node", "mpirun",
		                             "mpirun.asked", "hosts",         "other" };
	struct fake *f = *state;

	close_site(f);
	setenv("PATH", f->path, 1);
	unsetenv("HPCBENCH_EXEC_PATH");
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char *path = hb_format("%s/%s", f->dir, files[i]);
		unlink(path);
		free(path);
	}
	assert_int_equal(rmdir(f->dir), 0);
	free(f->path);
	free(f);
	return 0;
}

static int nodes(struct fake *f, const char *wanted)
{
	close_site(f);
	return f->site.ops->nodes(&f->site, wanted, &f->nodes, &f->absent, &f->n_absent, &f->err);
}

static void expect_nodes(struct fake *f, const char *wanted, const char *want)
{
	struct buf text = BUF_INIT;

	if (nodes(f, wanted) != HB_OK)
		fail_msg("%s", f->err.text);
	nodeset_format(&f->nodes, &text);
	assert_string_equal(buf_text(&text), want);
	buf_free(&text);
}

/* ---- where the nodes come from ---- */

static void nodes_come_from_file_job_or_option(void **state)
{
	struct fake *f = *state;
	char *hosts = hb_format("%s/hosts", f->dir), *other = hb_format("%s/other", f->dir);

	put_file(f, "hosts", "n1 slots=2\nn2 slots=2\nn3\n", 0644);
	put_file(f, "other", "p1\np1\np2.cluster.local\n", 0644);
	assert_int_equal(nodes(f, NULL), HB_E_USAGE);
	assert_non_null(strstr(f->err.text, "mpirun:FILE"));
	expect_nodes(f, "a,b", "a,b");
	setenv("PBS_NODEFILE", other, 1);
	expect_nodes(f, NULL, "p[1-2]");
	expect_nodes(f, "p2", "p2");
	assert_string_equal(f->site.first_node, "p2.cluster.local");
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_JOB_NODELIST", "s[1-4]", 1);
	expect_nodes(f, NULL, "s[1-4]");
	f->site.arg = hosts;
	expect_nodes(f, NULL, "n[1-3]");
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_JOB_NODELIST");
	unsetenv("PBS_NODEFILE");
	free(other);
	free(hosts);
}

static void a_node_that_is_not_there_is_named_or_absent(void **state)
{
	struct fake *f = *state;

	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_JOB_NODELIST", "s[1-2]", 1);
	assert_int_equal(nodes(f, "s1,s9"), HB_E_USAGE);
	assert_string_equal(f->err.text, "node s9 is not in this allocation");
	f->site.resume = true;
	expect_nodes(f, "s1,s9", "s1");
	assert_int_equal(f->n_absent, 1);
	assert_string_equal(f->absent[0].node, "s9");
	assert_string_equal(f->absent[0].reason, "not in this allocation");
	assert_int_equal(nodes(f, "s8,s9"), HB_E_USAGE);
	setenv("SLURM_JOB_NODELIST", "s[1-", 1);
	assert_int_equal(nodes(f, NULL), HB_E_FORMAT);
	assert_non_null(strstr(f->err.text, "SLURM_JOB_NODELIST"));
	unsetenv("SLURM_JOB_ID");
	unsetenv("SLURM_JOB_NODELIST");
}

static void two_hosts_of_one_name_are_refused(void **state)
{
	struct fake *f = *state;

	assert_int_equal(nodes(f, "n1.a,n1.b"), HB_E_USAGE);
	assert_non_null(strstr(f->err.text, "both called n1"));
	expect_nodes(f, "10.0.0.1,10.0.0.2", "10.0.0.[1-2]");
}

/* ---- words ---- */

struct step_of {
	struct plan plan;
	struct plan_step step;
	size_t rank_node[8];
	bool left_out[8];
};

static void check_words(struct fake *f, const char *helper, int n_nodes, int rpn, int without,
                        const char *want)
{
	struct step_of s = { .plan = { .run = NULL, .nodes = f->nodes } };
	struct launch_reach reach = { 1, "10.0.0.9:4000", "secret", NULL };
	struct launch_command c;
	struct buf line = BUF_INIT;
	char name[16];

	snprintf(name, sizeof name, "%s", helper);
	s.step = (struct plan_step){ .id = 3,
		                     .helper = name,
		                     .rank_node = s.rank_node,
		                     .n_ranks = n_nodes * rpn,
		                     .rpn = rpn };
	for (int i = 0; i < n_nodes * rpn; i++) {
		s.rank_node[i] = (size_t)(i / rpn);
		s.left_out[i] = i / rpn == without;
	}
	struct launch_what w = { &f->site, &s.plan, &s.step, s.left_out };
	if (launch_command_make(&w, &reach, &c, &f->err) != HB_OK)
		fail_msg("%s", f->err.text);
	for (size_t i = 0; i < c.argc; i++) {
		const char *word = c.argv[i];
		size_t n = strlen(f->dir);
		assert_null(strstr(word, "secret"));
		/* The folder's name is another one each time. */
		buf_printf(&line, "%s%s%s", i ? " " : "", strncmp(word, f->dir, n) ? "" : "DIR",
		           strncmp(word, f->dir, n) ? word : word + n);
	}
	assert_string_equal(buf_text(&line), want);
	bool token = false;
	for (size_t i = 0; i < c.n_env; i++)
		token = token || strcmp(c.env[i], "HPCBENCH_TOKEN=secret") == 0;
	assert_true(token);
	buf_free(&line);
	launch_command_free(&c);
}

#define X_NAMES                                                                                    \
	"-x HPCBENCH_CONTROL -x HPCBENCH_TOKEN -x HPCBENCH_RUN -x HPCBENCH_STEP "                  \
	"-x HPCBENCH_ATTEMPT -x HPCBENCH_RANKS"
#define NAMES                                                                                      \
	"HPCBENCH_CONTROL,HPCBENCH_TOKEN,HPCBENCH_RUN,HPCBENCH_STEP,HPCBENCH_ATTEMPT,"             \
	"HPCBENCH_RANKS"

static void open_mpi_is_told_hosts_slots_and_names(void **state)
{
	struct fake *f = *state;

	expect_nodes(f, "n[1-3].cluster", "n[1-3]");
	check_words(f, "mpi", 3, 1, -1,
	            "mpirun -n 3 --host n1.cluster:1,n2.cluster:1,n3.cluster:1 --map-by ppr:1:node "
	            "--bind-to none " X_NAMES " -x HPCBENCH_BIND DIR/hpcbench-mpi");
	check_words(f, "mpi", 3, 2, 1,
	            "mpirun -n 4 --host n1.cluster:2,n3.cluster:2 --map-by ppr:2:node "
	            "--bind-to core " X_NAMES " DIR/hpcbench-mpi");
	check_words(f, "node", 2, 1, -1,
	            "mpirun -n 2 --host n1.cluster:1,n2.cluster:1 --map-by ppr:1:node "
	            "--bind-to none " X_NAMES " DIR/hpcbench-node");
}

static void hydra_is_told_hosts_ranks_and_names(void **state)
{
	struct fake *f = *state;

	put_file(f, "mpirun", SAYS_HYDRA, 0755);
	expect_nodes(f, "n[1-3]", "n[1-3]");
	check_words(f, "mpi", 3, 1, 0,
	            "mpirun -n 2 -hosts n2,n3 -ppn 1 -bind-to none -genvlist " NAMES
	            ",HPCBENCH_BIND DIR/hpcbench-mpi");
	check_words(f, "mpi", 2, 4, -1,
	            "mpirun -n 8 -hosts n1,n2 -ppn 4 -bind-to core -genvlist " NAMES
	            " DIR/hpcbench-mpi");
}

static void settings_of_the_user_and_the_profile_go_by_name(void **state)
{
	struct fake *f = *state;
	char name[] = "other", env[] = "MODULE=openmpi/5", wrap[] = "wrapper", *envs[] = { env },
	     *wraps[] = { wrap };
	struct profile p = { .name = name, .env = envs, .n_env = 1, .wrap = wraps, .n_wrap = 1 };

	f->site.profile = &p;
	setenv("UCX_TLS", "tcp", 1);
	setenv("UCX_,ODD", "tcp", 1);
	setenv("LD_LIBRARY_PATH", "/opt/mpi/lib", 1);
	expect_nodes(f, "n1", "n1");
	put_file(f, "mpirun", SAYS_HYDRA, 0755);
	check_words(f, "node", 1, 1, -1,
	            "mpirun -n 1 -hosts n1 -ppn 1 -bind-to none -genvlist " NAMES
	            ",MODULE,UCX_TLS,LD_LIBRARY_PATH wrapper DIR/hpcbench-node");
	unsetenv("UCX_TLS");
	unsetenv("UCX_,ODD");
	unsetenv("LD_LIBRARY_PATH");
}

static void mpirun_is_asked_once_a_run(void **state)
{
	struct fake *f = *state;
	char *asked = hb_format("%s/mpirun.asked", f->dir);
	struct stat s;

	expect_nodes(f, "n1", "n1");
	for (int i = 0; i < 3; i++)
		check_words(f, "node", 1, 1, -1,
		            "mpirun -n 1 --host n1:1 --map-by ppr:1:node --bind-to none " X_NAMES
		            " DIR/hpcbench-node");
	assert_int_equal(stat(asked, &s), 0);
	assert_int_equal(s.st_size, strlen("asked\n"));
	free(asked);
}

static void expect_refusal(struct fake *f, const char *script, int code, const char *told)
{
	char helper[] = "node";
	size_t rank_node[1] = { 0 };
	struct plan_step step = {
		.helper = helper, .rank_node = rank_node, .n_ranks = 1, .rpn = 1
	};
	struct launch_reach reach = { 1, NULL, NULL, NULL };
	struct launch_command c;

	put_file(f, "mpirun", script, 0755);
	expect_nodes(f, "n1", "n1");
	struct plan plan = { .nodes = f->nodes };
	struct launch_what w = { &f->site, &plan, &step, NULL };
	assert_int_equal(launch_command_make(&w, &reach, &c, &f->err), code);
	if (!strstr(f->err.text, told))
		fail_msg("%s", f->err.text);
	assert_null(strchr(f->err.text, '\n'));
}

static void an_mpirun_that_nobody_knows_is_told(void **state)
{
	struct fake *f = *state;

	expect_refusal(f, "#!/bin/sh\nprintf 'Acme MPI \\033 2\\nmore\\n'\n", HB_E_LIB,
	               "to --version it says 'Acme MPI ? 2'");
	expect_refusal(f, "#!/bin/sh\necho 'unknown option' >&2; exit 1\n", HB_E_LIB,
	               "unknown option");
	expect_refusal(f, "#!/bin/sh\nexec sleep 30\n", HB_E_LIB, "no answer within 5 s");
	char name[] = "x", mpirun[] = "no-such-mpirun";
	struct profile p = { .name = name, .mpirun = mpirun };
	f->site.profile = &p;
	expect_refusal(f, SAYS_OPENMPI, HB_E_UNSUPPORTED, "no-such-mpirun: not found");
}

static void more_names_than_an_argument_holds_are_refused(void **state)
{
	struct fake *f = *state;
	struct mpirun_layout l = { .rpn = 1, .n_hosts = 9000 };
	const char **hosts = hb_alloc(9000 * sizeof *hosts);
	char helper[] = "node";
	struct plan_step step = { .helper = helper };
	struct launch_what w = { &f->site, NULL, &step, NULL };
	struct launch_command c = { 0 };

	for (size_t i = 0; i < 9000; i++)
		hosts[i] = "a-long-name-of-a-host";
	l.hosts = hosts;
	assert_int_equal(mpirun_words(&w, &l, &c, &f->err), HB_E_UNSUPPORTED);
	assert_non_null(strstr(f->err.text, "9000"));
	free(hosts);
}

/* ---- the job's end ---- */

static void pbs_tells_how_long_the_job_may_run(void **state)
{
	struct fake *f = *state;
	char *hosts = hb_format("%s/hosts", f->dir);

	put_file(f, "hosts", "n1\n", 0644);
	assert_true(launcher_mpirun.left_s(&f->site) < 0);
	setenv("PBS_NODEFILE", hosts, 1);
	setenv("PBS_WALLTIME", "3600", 1);
	double left = launcher_mpirun.left_s(&f->site);
	assert_true(left > 3500 && left <= 3601);
	setenv("PBS_WALLTIME", "0x", 1);
	assert_true(launcher_mpirun.left_s(&f->site) < 0);
	unsetenv("PBS_WALLTIME");
	unsetenv("PBS_NODEFILE");
	free(hosts);
}

/* ---- why it ended ---- */

#define RULER "--------------------------------------------------------------------------\n"
#define DAEMONS                                                                                    \
	RULER "ORTE was unable to reliably start one or more daemons.\nThis usually is caused by:" \
	      "\n\n* not finding the required libraries and/or binaries on\n" RULER

static void what_mpirun_says_is_understood(void **state)
{
	static const struct {
		const char *text, *cause, *node, *told;
		bool again;
	} rows[] = {
		{ "", NULL, "", "", false },
		{ "hpcbench-mpi: something else\n", NULL, "", "", false },
		/* seen: Open MPI 4.1.4 */
		{ "ssh: connect to host n3 port 22: No route to host\n" DAEMONS RULER
		  "ORTE does not know how to route a message to the specified daemon\n"
		  "located on the indicated node:\n\n  my node:   controller\n"
		  "  target node:  n1\n",
		  "node-failure", "n3", "ssh: connect to host n3 port 22: No route to host", true },
		{ "ssh: Could not resolve hostname nx: Name or service not known\r\n" DAEMONS,
		  "node-failure", "nx",
		  "ssh: Could not resolve hostname nx: Name or service not known", true },
		{ DAEMONS, "launch-failure", "",
		  "ORTE was unable to reliably start one or more daemons.", false },
		{ RULER "Primary job  terminated normally, but 1 process returned\na non-zero exit "
		        "code. Per user-direction, the job has been aborted.\n" RULER RULER
		        "mpirun noticed that process rank 1 with PID 219 on node n2 exited on "
		        "signal 9 (Killed).\n" RULER,
		  "program-failure", "n2",
		  "mpirun noticed that process rank 1 with PID 219 on node n2 exited on signal 9 "
		  "(Killed).",
		  true },
		{ RULER "Primary job  terminated normally, but 1 process returned\na non-zero exit "
		        "code. Per user-direction, the job has been aborted.\n" RULER RULER
		        "mpirun detected that one or more processes exited with non-zero status, "
		        "thus causing\nthe job to be terminated. The first process to do so was:\n"
		        "\n  Process name: [[13091,1],1]\n  Exit code:    3\n" RULER,
		  "program-failure", "", "Primary job  terminated normally, but 1 process returned",
		  true },
		{ RULER "mpirun was unable to launch the specified application as it could not "
		        "access\nor execute an executable:\n\nExecutable: /nonexistent\nNode: n2\n"
		        "\nwhile attempting to start process rank 1.\n" RULER
		        "2 total processes failed to start\n",
		  "launch-failure", "n2",
		  "mpirun was unable to launch the specified application as it could not access "
		  "(on n2)",
		  false },
		{ RULER
		  "There are not enough slots available in the system to satisfy the 2\nslots "
		  "that were requested by the application:\n",
		  "launch-failure", "",
		  "There are not enough slots available in the system to satisfy the 2", false },
		{ RULER
		  "ORTE has lost communication with a remote daemon.\n\n"
		  "  HNP daemon   : [[13034,0],0] on node controller\n"
		  "  Remote daemon: [[13034,0],2] on node n2\n\nThis is usually due to\n" RULER
		  "Killed\n",
		  "node-failure", "n2", "Remote daemon: [[13034,0],2] on node n2", true },
		/* seen: MPICH 4.0.2 */
		{ "\n============================================\n"
		  "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
		  "=   PID 283 RUNNING AT n4\n=   EXIT CODE: 9\n"
		  "=   CLEANING UP REMAINING PROCESSES\n",
		  "program-failure", "n4",
		  "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES (on n4)", true },
		{ "[proxy:0:1@n4] HYDU_create_process (utils/launch/launch.c:73): execvp error on "
		  "file /nonexistent (No such file or directory)\n",
		  "launch-failure", "n4",
		  "[proxy:0:1@n4] HYDU_create_process (utils/launch/launch.c:"
		  "73): execvp error on file /nonexistent (No such file or "
		  "directory)",
		  false },
		{ "Killed\n[mpiexec@controller] control_cb (pm/pmiserv/pmiserv_cb.c:206): assert "
		  "(!closed) failed\n",
		  "program-failure", "",
		  "[mpiexec@controller] control_cb (pm/pmiserv/pmiserv_cb.c:206): assert (!closed) "
		  "failed",
		  true },
		/* their words, not provoked */
		{ "root@n3.cluster.local: Permission denied (publickey,password).\n" DAEMONS,
		  "node-failure", "n3",
		  "root@n3.cluster.local: Permission denied (publickey,password).", true },
		{ "Connection to n7 closed by remote host.\n", "node-failure", "n7",
		  "Connection to n7 closed by remote host.", true },
		{ "Host key verification failed.\n" DAEMONS, "launch-failure", "",
		  "Host key verification failed.", false },
		{ "prterun noticed that process rank 3 with PID 12 on node n9 exited on signal 11 "
		  "(Segmentation fault).\n",
		  "program-failure", "n9",
		  "prterun noticed that process rank 3 with PID 12 on node n9 exited on signal 11 "
		  "(Segmentation fault).",
		  true },
		/* Slurm, where mpirun's daemons are a step */
		{ "slurmstepd-n1: error: *** STEP 4.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE "
		  "TO "
		  "TIME LIMIT ***\n" DAEMONS,
		  "time-limit", "", NULL, false },
		/* hostile */
		{ "ssh: connect to host \033[31m port 22: No\n", "node-failure", "",
		  "ssh: connect to host  [31m port 22: No", true },
		{ "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", "program-failure", "",
		  "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct launch_cause c;
		mpirun_explain(rows[i].text, &c);
		if (!c.name != !rows[i].cause || (c.name && strcmp(c.name, rows[i].cause) != 0))
			fail_msg("row %zu: cause %s", i, c.name ? c.name : "none");
		assert_string_equal(c.node, rows[i].node);
		if (rows[i].told)
			assert_string_equal(c.text, rows[i].told);
		assert_int_equal(c.again, rows[i].again);
	}
}

static void an_endless_line_is_cut(void **state)
{
	struct buf text = BUF_INIT;
	struct launch_cause c;

	(void)state;
	buf_puts(&text, "ssh: connect to host ");
	for (int i = 0; i < 100000; i++)
		buf_putc(&text, 'x');
	mpirun_explain(buf_text(&text), &c);
	assert_int_equal(strlen(c.node), NODESET_NAME_MAX);
	assert_int_equal(strlen(c.text), sizeof c.text - 1);
	buf_free(&text);
}

#define WITH_SITE(test) cmocka_unit_test_setup_teardown(test, open_fake, close_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SITE(nodes_come_from_file_job_or_option),
		WITH_SITE(a_node_that_is_not_there_is_named_or_absent),
		WITH_SITE(two_hosts_of_one_name_are_refused),
		WITH_SITE(open_mpi_is_told_hosts_slots_and_names),
		WITH_SITE(hydra_is_told_hosts_ranks_and_names),
		WITH_SITE(settings_of_the_user_and_the_profile_go_by_name),
		WITH_SITE(mpirun_is_asked_once_a_run),
		WITH_SITE(an_mpirun_that_nobody_knows_is_told),
		WITH_SITE(more_names_than_an_argument_holds_are_refused),
		WITH_SITE(pbs_tells_how_long_the_job_may_run),
		cmocka_unit_test(what_mpirun_says_is_understood),
		cmocka_unit_test(an_endless_line_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
