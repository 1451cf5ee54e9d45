#!/usr/bin/env bash
# Five nodes and one fault of how they are set up after the other: the right node, the right cause
# first, with its evidence, and nobody else is blamed for anything.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"

probe_finds() { # NODE RULE EVIDENCE [CODES]: alone
	probe "${4:-0}"
	caused_are "$1 $2"
	has_evidence "$3"
}

begin "a clean cluster, and a baseline of it" 5
two_networks
probe 0
caused_are
for _ in 1 2 3; do
	measure 0 "${PAIRS[@]}"
	blamed_are
	caused_are
done
for _ in 1 2 3 4; do # runs of a busy moment are refused by name; others take their place
	hpcbench baseline record bed latest~2,latest~1,latest >"$OUT" 2>&1 && break
	measure 0 "${PAIRS[@]}"
done
hp 0 baseline show bed

step "n2's own name is 127.0.0.1 to it"
bed_own_loopback n2
probe_finds n2 own-name-loopback 'name.own of n2 is 127.0.0.1'
bed_heal n2

step "n3 loads another libmpi"
bed_other_mpi n3
probe_finds n3/lib:libmpi.so.40 lib-path-differs "is $BED/other/lib/libmpi.so.40 .*4 of 4 peers have "
bed_heal n3

step "n3's clock is 2 s ahead"
if bed_clock n3 2; then
	probe_finds n3 clock-ahead 'time.offset_s of n3 is [12]'
	bed_heal n3
fi

step "n4 has the address of n2 on eth1"
bed_duplicate n4 n2
probe_finds 'n[2,4]/eth1' duplicate-address '/eth1 is 10.78.0.2/24' 10
bed_heal n4

step "n1 may lock 64 KiB, an ordinary user finds"
(
	export HPCBENCH_STORE=$BED/home/$BED_USER/store
	bed_memlock n1 65536 || die "slurmd of n1 does not come back"
	chmod 755 "$BED/log"
	as_user hpcbench probe --launcher srun --nodes "$NODES" >"$OUT" 2>&1 || die "probe: exit $?"
	as_user hpcbench report latest >>"$OUT" 2>&1
	caused_are "n1 memlock-differs"
	has_evidence 'limit.memlock_bytes of n1 is 64 KiB .*4 of 4 peers have '
) || exit
bed_heal n1

step "n2 loses a fifth of the long packets that it sends or receives"
if command -v nft >/dev/null; then
	bed_lossy n2 || die "n2 cannot be made to lose anything"
	find_cause n2 tcp-loss
	caused_are "n2 tcp-loss"
	has_evidence 'tcp.retrans_segs of n2 moved by [0-9]{3}'
	bed_heal n2
else
	echo "note: no nft, so nobody loses anything"
fi

step "n5 has a twentieth of a core"
bed_starve n5
case $? in
0)
	find_cause n5 cpu-quota
	caused_are "n5 cpu-quota"
	has_evidence 'cgroup.cpu_cores of n5 is 0.05 .*4 of 4 peers have unlimited'
	bed_heal n5
	;;
77) ;;
*) die "n5 cannot be starved" ;;
esac

step "n3's traffic goes over eth1"
bed_wrong_route n3 || die "n3 cannot be led astray"
find_cause n3 wire-differs
caused_are "n3 wire-differs"
has_evidence 'of the bytes of n3 went over eth1 .*[34] of 4 peers over eth0'
bed_heal n3

step "MTU 1500 on n4"
bed_mtu n4
find_cause n4 mtu-differs
caused_are "n4/eth0 mtu-differs"
has_evidence 'n4/eth0 is 1500 .*4 of 4 peers have 9000'
bed_heal n4

step "MTU 1500 everywhere, and the baseline knows 9000"
for i in $(seq "$BED_NODES"); do
	bed_mtu "n$i"
done
measure 10 "${PAIRS[@]}" --baseline bed
caused_are "cluster mtu-lowered"
first_cause_of cluster mtu-lowered
has_evidence '1500.*9000'
for i in $(seq "$BED_NODES"); do
	bed_heal "n$i"
done

step "all take the second network, and the baseline knows the first"
OMPI_MCA_btl_tcp_if_include=eth1 measure '10|11' "${PAIRS[@]}" --baseline bed
caused_are "cluster env-interface-changed"
first_cause_of cluster env-interface-changed
has_evidence 'btl_tcp_if_include.*eth1.*eth0'

step "a clean cluster again"
measure '0|11' "${PAIRS[@]}" --baseline bed
blamed_are
caused_are
step "done"
