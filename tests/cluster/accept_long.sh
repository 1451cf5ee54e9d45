#!/usr/bin/env bash
# A new node with one fault after the other, against controls that hpcbench chooses and against a
# baseline: it is never accepted, and no control is blamed for it.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"

# The new node is the only one that is looked for; five others are idle and may be controls.
accept() { # CODES NODE [OPTION...]
	local codes=$1 node=$2
	shift 2
	hp "$codes" accept "$node" --suite bed --launcher srun "$@"
}

rejected() { # NODE KIND [OPTION...]: with its fault, which is taken back
	local node=$1 kind=$2
	shift 2
	accept 10 "$node" "$@"
	decided_are "$node rejected"
	blamed_are "$node $kind slow"
	said "scontrol update nodename=$node state=drain"
	bed_heal "$node"
}

begin "runs to make a baseline of" 6
for _ in 1 2 3 4 5; do
	measure 0
done
hp 0 baseline record bed latest~4,latest~3,latest~2,latest~1,latest

step "n2 is well, its controls are chosen"
accept 0 n2 --controls auto
decided_are "n2 accepted"

step "n2 and n5 are well, against the baseline"
accept '0|11' n2,n5 --controls auto --baseline bed
blamed_are
decided_are "n2 accepted" "n5 accepted"

step "n4's link at a quarter"
bed_slow n4
rejected n4 slow-node --controls auto --baseline bed

step "n1 loses what it sends and receives"
if command -v nft >/dev/null; then
	bed_lossy n1 || die "n1 cannot be made to lose anything"
	rejected n1 slow-node --controls auto --bench 'mpi.latency,mpi.bandwidth'
else
	echo "note: no nft, so nobody loses anything"
fi

step "n5 has a twentieth of a core"
bed_starve n5
case $? in
0) rejected n5 slow-node --controls auto --bench 'mpi.latency,mpi.bandwidth' ;;
77) ;;
*) die "n5 cannot be starved" ;;
esac

step "n6 is slow in what it sends"
bed_slow_out n6
rejected n6 slow-sending --controls auto

step "n3 is slow in what it receives"
bed_slow_in n3
rejected n3 slow-receiving --controls 'n[1-2,4-6]'

step "the link between n2 and a control"
bed_slow_link n2 n5 || die "the link cannot be made slow"
accept 10 n2 --controls 'n[1,3-6]'
blamed_are "n2-n5 slow-link slow"
decided_are "n2 rejected"
bed_heal n2
bed_heal n5

step "the rank of n4 stands still"
old=$(run_dir)
hpcbench accept n4 --controls auto --suite bed --launcher srun >"$OUT" 2>&1 &
# shellcheck disable=SC2034  # for code_is
PID=$!
wait_journal "$old" 60 '"connected".*"host":"n4"'
wait_journal "$old" 60 '"job-end"'
stop_rank n4 || die "no rank on n4"
code_is 13
decided_are "n4 not-measured"
bed_wait 20 bed_idle || die "the nodes are not idle again"

step "n6 has no slurmd, and Slurm does not know yet"
bed_kill_slurmd n6
accept 13 n6 --controls auto
decided_are "n6 not-measured"
bed_start n6
bed_wait 60 bed_idle || die "n6 does not come back"
step "done"
