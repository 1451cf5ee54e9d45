#!/usr/bin/env bash
# Five nodes: a clean cluster has neither slow nodes nor causes; faults of how nodes are set up are
# found without a measurement, several at once, each on its node; a slow node is told with its cause.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
pairs=(--bench 'mpi.latency,mpi.bandwidth')

probe() { # CODES [OPTION...]
	local codes=$1
	shift
	hp "$codes" probe --launcher srun --nodes "$NODES" "$@"
}

begin "a clean cluster is probed" 5
# With two networks MPI is told which one is its own.
bed_second && bed_packet_cost || die "no second network"
export OMPI_MCA_btl_tcp_if_include=eth0
probe 0
caused_are

step "and measured"
measure 0 "${pairs[@]}"
blamed_are
caused_are

step "five faults at once"
bed_own_loopback n2
bed_other_mpi n3
clock=(n3 clock-offset)
bed_clock n3 2 || clock=()
bed_duplicate n4 n2
bed_mtu n5
probe 10
wanted=("n2 own-name-loopback" "n3/lib:libmpi.so.40 library-differs" "n[2,4]/eth1 duplicate-address" "n5/eth0 mtu-differs")
caused_are "${wanted[@]}" ${clock:+"${clock[*]}"}
for node in n2 n3 n4 n5; do
	has_evidence "$node"
done
for node in n2 n3 n4; do
	bed_heal "$node"
done

step "n5 is slow, and why"
measure 10 "${pairs[@]}"
blamed_are "n5 slow-node slow"
caused_are "n5/eth0 mtu-differs"
first_cause_of n5 mtu-differs
said "n5 is slow"
said "n5/eth0"
step "done"
