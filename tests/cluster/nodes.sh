#!/usr/bin/env bash
# A node that is down when a run begins, or goes down while it runs, is not measured; the rest is.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
begin "something to compare with"
measure 0
hp 0 baseline record bed latest

assert_n2_missed() {
	said "NOT MEASURED: n2"
	said "Slurm says DOWN"
	hp 13 check latest --baseline bed
	case " $(with_verdict not-measured) " in *" n2 "*) ;; *) die "n2 has no verdict not-measured" ;; esac
	assert_pairs_without n2
}

step "n2 goes down inside an allocation"
cat >"$BED/home/root/inside" <<-END
	#!/bin/bash
	. "$BED_SOURCE/tests/cluster/lib.sh"
	bed_kill n2
	bed_wait 40 bed_is n2 'down*' || exit 99
	exec hpcbench run --launcher srun --suite bed --baseline bed
END
chmod +x "$BED/home/root/inside"
salloc -Q -N4 --exclusive --no-kill -t 5 "$BED/home/root/inside" >"$OUT" 2>&1
code=$?
[ "$code" -eq 13 ] || die "exit $code, expected 13"
assert_n2_missed
bed_wait 10 no_jobs || die "a job is left"

step "n2 is down when a run begins"
measure 13 --baseline bed
assert_n2_missed
said "n2"
hp 64 run --launcher srun --suite bed
said "name the nodes with --nodes"
hp 20 run --launcher srun --suite bed --nodes n2
said "none of the nodes can be used"

step "n3 dies while it is measured"
old=$(run_dir)
measure_in_background --baseline bed
wait_journal "$old" 60 '"job-end"'
bed_kill n3
code_is 13
said "NOT MEASURED"
[ "$(count_journal '"step-start"')" -le 2 ] || die "more than one relaunch"
records=$(run_dir)/records.jsonl
grep '"type":"pair"' "$records" | grep '"bench":"mpi.bandwidth"' |
	grep -qE '"a":"n(1","b":"n4|4","b":"n1)"' || die "n1-n4 was not measured"
step "done"
