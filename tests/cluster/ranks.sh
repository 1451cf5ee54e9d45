#!/usr/bin/env bash
# A rank that falls silent costs its own pairs; one that is killed costs one relaunch without it.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
begin "something to compare with"
measure 0
hp 0 baseline record bed latest

# n3 has not been measured as far as it should, and that is no verdict about its figures.
assert_n3_missed() {
	said "NOT MEASURED: n3"
	hp 13 check latest --baseline bed
	case " $(with_verdict not-measured) " in *" n3 "*) ;; *) die "n3 has no verdict not-measured" ;; esac
	[ -z "$(with_verdict regressed)" ] || die "regressed: $(with_verdict regressed)"
	assert_pairs_without n3
}

# Until the first pair is finished; each of its cases takes its whole time, so that there is time to
# act before n3 has any figure of 256 KiB.
measure_slowly() {
	local old
	old=$(run_dir)
	measure_in_background --baseline bed --no-confirm --max-time 0.7s --precision 0.01%
	wait_journal "$old" 60 '"connected".*"host":"n3"'
	rank=$(rank_on n3)
	wait_journal "$old" 60 '"job-end"'
}

step "the rank of n3 is stopped after the first finished pair"
measure_slowly
kill -STOP "$rank" || die "no rank on n3"
code_is 13
assert_n3_missed
[ "$(count_journal '"step-start"')" -eq 1 ] || die "a silent rank must not cost a relaunch"
[ ! -e "/proc/$rank" ] || die "the stopped rank $rank is still there"
bed_wait 10 no_jobs || die "a job is left"

step "the rank of n3 is killed"
measure_slowly
kill -KILL "$rank" || die "no rank on n3"
code_is 13
assert_n3_missed
[ "$(count_journal '"step-start"')" -eq 2 ] || die "expected one relaunch"
in_journal '"step-end".*"cause":"program-failure".*"node":"n3"' || die "the cause is not told"
! in_journal '"connected".*"attempt":2.*"host":"n3"' || die "n3 was started again"

step "the step is cancelled by somebody else"
# On a busy host slurmstepd may be gone before it said why: that is no answer yet.
for _ in 1 2 3; do
	old=$(run_dir)
	# shellcheck disable=SC2119  # no options
	measure_in_background
	wait_journal "$old" 60 '"job-end"'
	scancel "$(squeue -h -s -o %i | grep -E '\.[0-9]+$' | tail -n 1)"
	code_is 13
	! in_journal '"step-end".*"cause":"cancelled"' || break
done
in_journal '"step-end".*"cause":"cancelled"' || die "the cause is not told"
[ "$(count_journal '"step-start"')" -eq 1 ] || die "who cancels a step means it"

step "the job is cancelled by somebody else"
old=$(run_dir)
# shellcheck disable=SC2119  # no options
measure_in_background
wait_journal "$old" 60 '"job-end"'
scancel --name="hpcbench-$(basename "$(run_dir)")"
code_is 13
in_journal '"step-end".*"cause":"cancelled"' || die "the cause is not told"
step "done"
