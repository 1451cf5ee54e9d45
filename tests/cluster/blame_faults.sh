#!/usr/bin/env bash
# Six nodes and one fault after the other: each is named for what it is, and nobody else.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"

begin "a clean cluster" 6
measure 0 "${PAIRS[@]}"
blamed_are

step "n2 loses what it sends and receives"
if command -v nft >/dev/null; then
	bed_lossy n2 || die "n2 cannot be made to lose anything"
	find_fault "n2 slow-node slow"
	bed_heal n2
else
	echo "note: no nft, so nobody loses anything"
fi

step "n5 has a twentieth of a core"
bed_starve n5
case $? in
0)
	find_fault "n5 slow-node slow"
	bed_heal n5
	;;
77) ;;
*) die "n5 cannot be starved" ;;
esac

step "n4 is slow in what it sends"
bed_slow_out n4
find_fault "n4 slow-sending slow"
said "n4 is slow in what it sends"
bed_heal n4

step "n1 is slow in what it receives"
bed_slow_in n1
find_fault "n1 slow-receiving slow"
said "n1 is slow in what it receives"
bed_heal n1

step "the link between n2 and n5 alone"
bed_slow_link n2 n5 || die "the link cannot be made slow"
find_fault "n2-n5 slow-link slow" --rounds all
retested=$(grep '"type":"pair"' "$(run_dir)/records.jsonl" | grep '"phase":"extra"' |
	grep '"bench":"mpi.latency"' | grep '"bytes":262144' |
	grep -cE '"a":"n(2","b":"n5|5","b":"n2)"')
[ "$retested" -ge 2 ] || die "n2-n5 was measured $retested times more before it was blamed"
bed_heal n2
bed_heal n5

step "from n3 to n6 alone"
bed_slow_to n3 n6 || die "the link cannot be made slow"
find_fault "n3>n6 slow-link-direction slow" --rounds all
bed_heal n3

step "the rank of n4 stands still"
old=$(run_dir)
measure_in_background "${PAIRS[@]}" --rounds all
wait_journal "$old" 60 '"connected".*"host":"n4"'
wait_journal "$old" 60 '"job-end"'
stop_rank n4 || die "no rank on n4"
code_is 13
said "NOT MEASURED: n4"
blamed_are "n4 silent-node slow"
assert_pairs_without n4
bed_wait 20 bed_idle || die "the nodes are not idle again"

step "n3 has no slurmd, and Slurm does not know yet"
bed_kill_slurmd n3
measure 13 "${PAIRS[@]}" --rounds all
said "NOT MEASURED: n3"
case "$(blamed)" in "" | "n3 silent-node slow") ;; *) die "blamed: $(blamed)" ;; esac
assert_pairs_without n3
[ "$(count_journal '"step-start"')" -le 3 ] || die "more than two launches more"
bed_start n3
bed_wait 60 bed_idle || die "n3 does not come back"

step "a clean cluster again"
measure 0 "${PAIRS[@]}"
blamed_are
step "done"
