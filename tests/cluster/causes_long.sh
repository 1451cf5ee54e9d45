#!/usr/bin/env bash
# Five nodes and one fault of a setting after the other: the right node, the right cause first, with
# its evidence, and nobody else is blamed for anything.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
pairs=(--bench 'mpi.latency,mpi.bandwidth')

probe() { # CODES [OPTION...]
	local codes=$1
	shift
	hp "$codes" probe --launcher srun --nodes "$NODES" "$@"
}

# What else works on this host may spoil a run: hpcbench then says disturbed, or that it cannot tell,
# and the run is made again.
find_cause() { # NODE RULE [OPTION...]
	local node=$1 rule=$2 try
	shift 2
	for try in 1 2 3; do
		measure '10|11|13' "${pairs[@]}" "$@"
		[ "$(blamed)" = "$node slow-node slow" ] && break
		spoilt || break
		echo "   run $try was disturbed: $(blamed | xargs -d '\n')"
	done
	blamed_are "$node slow-node slow"
	first_cause_of "$node" "$rule"
}

step_probe() { # WHAT NODE RULE: one fault alone, without a measurement
	step "$1"
	probe 10
	caused_are "$2 $3"
	has_evidence "${2%%/*}"
}

begin "a clean cluster, and a baseline of it" 5
bed_second && bed_packet_cost || die "no second network"
export OMPI_MCA_btl_tcp_if_include=eth0
probe 0
caused_are
for _ in 1 2 3; do
	measure 0 "${pairs[@]}"
	blamed_are
	caused_are
done
hp 0 baseline record bed latest~2,latest~1,latest

bed_own_loopback n2
step_probe "n2's own name is 127.0.0.1 to it" n2 own-name-loopback
bed_heal n2

bed_other_mpi n3
step_probe "n3 loads another libmpi" n3/lib:libmpi.so.40 library-differs
bed_heal n3

if bed_clock n3 2; then
	step_probe "n3's clock is 2 s off" n3 clock-offset
	bed_heal n3
fi

bed_duplicate n4 n2
step_probe "n4 has the address of n2 on eth1" 'n[2,4]/eth1' duplicate-address
bed_heal n4
step "done"
