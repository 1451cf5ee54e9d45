#!/usr/bin/env bash
# The launcher mpirun without Slurm's srun: inside a job, by a host file and a remote shell, with Open
# MPI and, where it is installed, with hydra; a node whose remote shell fails costs its own pairs.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"

# A remote shell as ssh is called: [-x] HOST WORD...
put_agent() {
	cat >"$BED/bin/agent" <<-END
		#!/bin/bash
		[ "\$1" = -x ] && shift
		host=\$1
		shift
		[ "\$host" != "\$(cat $BED/run/unreachable 2>/dev/null)" ] || {
			echo "ssh: connect to host \$host port 22: No route to host" >&2
			exit 255
		}
		exec env -i PATH="\$PATH" HOME="\$HOME" nsenter --target "\$(cat "$BED/run/\$host.ns.pid")" \\
			--net --mount --uts -- /bin/sh -c "\$*"
	END
	chmod 755 "$BED/bin/agent"
}

by_mpirun() { # CODES [OPTION...]
	local codes=$1
	shift
	hp "$codes" run --launcher "mpirun:$BED/home/root/hosts" --suite bed "$@"
}

begin "mpirun inside a job"
put_agent
printf '# all of them\nn1 slots=1\nn2 slots=1\nn3:1\nn4\n' >"$BED/home/root/hosts"
salloc -Q -N4 --exclusive -t 5 hpcbench run --launcher mpirun --suite bed >"$OUT" 2>&1 ||
	die "inside salloc: exit $?"
said "MEASURED: 26 figures"
grep -q '"job": [1-9]' "$(run_dir)/run.json" || die "run.json does not name the job"
bed_wait 10 no_jobs || die "a job is left"
salloc -Q -N2 --exclusive -t 5 hpcbench run --launcher mpirun --suite bed --nodes n1,n4 >"$OUT" 2>&1
code=$?
[ "$code" -eq 64 ] || die "a node that is not in the job: exit $code, expected 64"
said "node n4 is not in this allocation"

step "a host file and a remote shell"
export OMPI_MCA_plm_rsh_agent=$BED/bin/agent
by_mpirun 0
said "MEASURED: 26 figures"
hp 64 run --launcher "mpirun:$BED/home/root/hosts" --suite bed --nodes n1,n9
said "node n9 is not in"
hp 64 run --launcher mpirun --suite bed
said "mpirun:FILE"

step "the token is in no process list"
old=$(run_dir)
hpcbench run --launcher "mpirun:$BED/home/root/hosts" --suite bed >"$OUT" 2>&1 &
# shellcheck disable=SC2034  # for code_is
PID=$!
wait_journal "$old" 60 '"job-end"'
rank=$(bed_ranks n2 | head -n 1)
token=$(tr '\0' '\n' <"/proc/$rank/environ" | sed -n 's/^HPCBENCH_TOKEN=//p')
[ ${#token} -ge 16 ] || die "no token in the environment of rank $rank"
! grep -qF -- "$token" /proc/[0-9]*/cmdline || die "the token is on a command line"
code_is 0

step "a rank is killed"
old=$(run_dir)
hpcbench run --launcher "mpirun:$BED/home/root/hosts" --suite bed --no-confirm --max-time 0.7s \
	--precision 0.01% >"$OUT" 2>&1 &
# shellcheck disable=SC2034  # for code_is
PID=$!
wait_journal "$old" 60 '"job-end"'
kill -KILL "$(bed_ranks n3 | head -n 1)" || die "no rank on n3"
code_is 13
said "NOT MEASURED: n3"
in_journal '"step-end".*"cause":"program-failure".*"node":"n3"' || die "the cause is not told"
assert_pairs_without n3

step "the remote shell does not reach n2"
echo n2 >"$BED/run/unreachable"
by_mpirun 13
said "NOT MEASURED: n2"
in_journal '"step-end".*"cause":"node-failure".*"node":"n2"' || die "the cause is not told"
assert_pairs_without n2
rm "$BED/run/unreachable"

if [ -d "$BED/mpich" ] && command -v mpirun.mpich >/dev/null; then
	step "hydra, by the same remote shell"
	mkdir "$BED/hydra"
	printf '#!/bin/sh\nexec mpirun.mpich "$@"\n' >"$BED/hydra/mpirun"
	chmod 755 "$BED/hydra/mpirun"
	export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=$BED/bin/agent
	PATH=$BED/hydra:$PATH HPCBENCH_EXEC_PATH=$BED/mpich by_mpirun 0 --bench mpi.latency,mpi.bandwidth
	grep -q MPICH "$(run_dir)/records.jsonl" || die "the records do not name MPICH"
	[ "$(grep -c '"type":"pair"' "$(run_dir)/records.jsonl")" -ge 24 ] || die "pairs are missing"
else
	echo "note: test mpi_mpich has not built hpcbench-mpi for MPICH; hydra is not tried"
fi

step "no process is left on the nodes"
for node in n1 n2 n3 n4; do
	[ -z "$(bed_ranks "$node")$(bed_ranks "$node" orted)" ] || die "processes are left on $node"
done
step "done"
