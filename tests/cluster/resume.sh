#!/usr/bin/env bash
# A real run is killed at ten moments and resumed each time; one is ended by its job's time limit, and
# resumed; one loses a slurmd half way.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
UNITS=27
begin "killed ten times"

# Units that ended well, as the journal tells.
told() {
	grep '"type":"unit-end"' "$(run_dir)/journal.jsonl" | grep '"status":"ok"' |
		sed -nE 's/.*"unit":([0-9]+).*/\1/p' | sort -un
}

# Every unit ended well, and once.
assert_whole() {
	local ok
	ok=$(grep '"type":"end"' "$(run_dir)/records.jsonl" | grep '"status":"ok"' |
		sed -nE 's/.*"unit":([0-9]+).*/\1/p' | sort -n)
	[ "$(echo "$ok" | wc -l)" -eq $UNITS ] || die "$(echo "$ok" | wc -l) ends, expected $UNITS"
	[ "$(echo "$ok" | sort -un | wc -l)" -eq $UNITS ] || die "a unit ended twice: $ok"
}

kills=0
RANDOM=20261130
measure_in_background
wait_journal none 30 '"type":"start"'
while [ $kills -lt 10 ]; do
	sleep "$((RANDOM % 3)).$((RANDOM % 10))"
	kill -KILL "$PID" 2>/dev/null
	wait "$PID"
	code=$?
	case $code in 0 | 137) ;; *) die "exit $code" ;; esac
	kills=$((kills + 1))
	if [ "$code" -eq 0 ]; then
		assert_whole
		echo "   whole after $kills kills in all"
		measure_in_background
	else
		told >"$BED/log/told.$kills"
		hpcbench run --resume latest >"$OUT" 2>&1 &
		PID=$!
	fi
done
code_is 0
assert_whole
told >"$BED/log/told"
[ "$(wc -l <"$BED/log/told")" -eq $UNITS ] || die "the journal tells of $(wc -l <"$BED/log/told") units"
hp 0 report latest
said "MEASURED: 26 figures"
bed_wait 20 no_jobs || die "a job is left"

step "the job's time limit comes first"
cat >"$BED/home/root/job" <<-'END'
	#!/bin/bash
	exec hpcbench run --launcher srun --suite bed --precision 0.01% --max-time 2s
END
sbatch --parsable -N4 --exclusive --no-kill -t 1 -o "$BED/log/job.out" "$BED/home/root/job" >/dev/null || exit
bed_wait 120 no_jobs || die "the batch job does not end"
cp "$BED/log/job.out" "$OUT"
said "the time limit of the job is near"
said "MEASURED:"
! grep -q "CANCELLED\|DUE TO TIME LIMIT" "$OUT" || die "Slurm ended it: it did not end in time by itself"
grep -q '"code": 13' "$(run_dir)/run.json" || die "the run was not finished with 13"
before=$(told | wc -l)
case $before in 0 | "$UNITS") die "$before units were measured" ;; esac

step "and --resume completes it ($before of $UNITS were measured)"
hp 0 run --resume latest
assert_whole
bed_wait 20 no_jobs || die "a job is left"

step "TERM from Slurm"
cat >"$BED/home/root/job" <<-'END'
	#!/bin/bash
	exec hpcbench run --launcher srun --suite bed --precision 0.01% --max-time 1.2s
END
old=$(run_dir)
job=$(sbatch --parsable -N4 --exclusive --no-kill -t 5 -o "$BED/log/job.out" "$BED/home/root/job") || exit
wait_journal "$old" 60 '"job-end"'
scancel --batch --signal=TERM "$job"
bed_wait 60 no_jobs || die "the batch job does not end"
cp "$BED/log/job.out" "$OUT"
said "MEASURED:"
said "SIGTERM"
grep -q '"code": 143' "$(run_dir)/run.json" || die "the run was not finished with 143"
hp 0 run --resume latest
assert_whole

step "the slurmd of n3 is killed half way"
old=$(run_dir)
measure_in_background --precision 0.01% --max-time 0.7s
wait_journal "$old" 60 '"job-end"'
kill -KILL "$(cat "$BED/run/slurmd-n3.pid")" || die "no slurmd on n3"
wait "$PID"
code=$?
case $code in 0 | 13) ;; *) die "exit $code, expected 0 or 13" ;; esac
assert_pairs_without n3
[ "$code" -eq 0 ] || said n3
bed_wait 60 no_jobs || die "a job is left"
bed_start n3
bed_wait 60 bed_idle || die "n3 does not come back"

step "and what it cost is measured later"
[ "$code" -eq 0 ] || hp 0 run --resume latest
assert_whole
step "done"
