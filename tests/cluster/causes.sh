#!/usr/bin/env bash
# Five nodes: a clean cluster has neither slow nodes nor causes; faults of how nodes are set up are
# found without a measurement, several at once, each on its node; a slow node is told with its cause.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"

begin "a clean cluster is probed" 5
two_networks
probe 0
caused_are

step "and measured"
measure 0 "${PAIRS[@]}"
blamed_are
caused_are

step "five faults at once"
wanted=("n2 own-name-loopback" "n3/lib:libmpi.so.40 lib-path-differs"
	"n[2,4]/eth1 duplicate-address" "n5/eth0 mtu-differs")
bed_own_loopback n2
bed_other_mpi n3
bed_clock n3 2 && wanted+=("n3 clock-ahead")
bed_duplicate n4 n2
bed_mtu n5
probe 10
caused_are "${wanted[@]}"
said "mtu of eth0: n5 1500, 4 nodes 9000"
said "path of libmpi.so.40: n3 $BED/other/lib/libmpi.so.40, 4 nodes "
has_evidence 'n2 is yes .*getaddrinfo'
has_evidence "n3/lib:libmpi.so.40 is $BED/other/lib/libmpi.so.40 .*4 of 4 peers have "
has_evidence '/eth1 is 10.78.0.2/24'
has_evidence 'n5/eth0 is 1500 .*4 of 4 peers have 9000'
for node in n2 n3 n4; do
	bed_heal "$node"
done

step "n5 is slow, and why"
find_cause n5 mtu-differs
caused_are "n5/eth0 mtu-differs"
has_evidence 'n5/eth0 is 1500 .*4 of 4 peers have 9000'
step "done"
