#!/usr/bin/env bash
# Six nodes: a clean cluster names nobody, a slow node is named alone; as a new node it is accepted
# while it is well, rejected while it is slow, and drained only where that was asked for.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"

accept_n6() { # CODES [OPTION...]
	local codes=$1
	shift
	hp "$codes" accept n6 --controls 'n[1-5]' --suite bed --launcher srun "$@"
}

begin "a clean cluster" 6
measure 0
blamed_are

step "n3's link at a quarter"
bed_slow n3
measure 10
blamed_are "n3 slow-node slow"
said "n3 is slow"
bed_heal n3

step "n6 is new and well"
accept_n6 0
decided_are "n6 accepted"
bed_is n6 idle || die "n6 is $(bed_state n6), and nobody may change that"

step "n6 is new and slow"
bed_slow n6
accept_n6 10 --drain
decided_are "n6 rejected"
said "DRAINED n6"
bed_wait 10 bed_is n6 drained || die "n6 is $(bed_state n6), expected drained"
scontrol show node n6 | grep -q 'Reason=HPCBENCH:' || die "n6 was drained without the reason of hpcbench"
[ "$(sinfo -h -N -t drain -o %N | sort -u | xargs)" = n6 ] || die "somebody else is drained too"
scontrol update nodename=n6 state=resume || exit
bed_wait 10 bed_idle || die "n6 does not come back"
hp 0 report latest
said "scontrol update nodename=n6 state=drain"
step "done"
