#!/usr/bin/env bash
# The nightly script through sbatch: two nights, then a fault, which the third report names and the
# job's exit code tells.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
begin "runs to make a baseline of"
NIGHTLY=$BED_SOURCE/scripts/nightly.sbatch
for _ in 1 2 3; do
	measure 0
	bed_wait 10 no_jobs || die "a job is left"
done

# One night: its report in $OUT, the job's exit code in $CODE.
night() { # [ARGUMENT...]: of the script, which submits itself
	local job
	(cd "$BED/log" && "$NIGHTLY" "$@") >"$OUT" 2>&1 || die "nightly.sbatch: $(cat "$OUT")"
	job=$(sed -nE 's/^nightly: job ([0-9]+) on .*/\1/p' "$OUT")
	[ -n "$job" ] || die "no job was submitted: $(cat "$OUT")"
	bed_wait 120 no_jobs || die "the night does not end"
	CODE=$(scontrol show job "$job" | sed -nE 's/.*ExitCode=([0-9]+):.*/\1/p')
	cp "$BED/log/hpcbench-nightly-$job.out" "$OUT" || die "the night left no report"
	[ "$CODE" -eq 12 ] || grep -q "\"job\": $job" "$(run_dir)/run.json" || die "the run is not job $job's"
	bed_wait 20 bed_idle || die "the nodes are not idle again"
}

step "a baseline that is not there is told before anything is measured"
night -t 5 -- --suite bed --baseline bed
[ "$CODE" -eq 12 ] || die "exit code $CODE, expected 12"

step "two nights, and a baseline"
night -t 5 -- --suite bed
[ "$CODE" -eq 0 ] || die "exit code $CODE, expected 0"
said "MEASURED: 26 figures"
night -t 5 -- --suite bed
[ "$CODE" -eq 0 ] || die "exit code $CODE, expected 0"
for _ in 1 2 3 4; do
	hpcbench baseline record bed latest~4,latest~3,latest~2,latest~1,latest >"$OUT" 2>&1 && break
	measure 0
done
hp 0 baseline show bed

step "a night after n3's link fell to a quarter"
bed_rate n3 $((BED_MBIT / 4))
night -t 5 -- --suite bed --baseline bed
[ "$CODE" -eq 10 ] || die "exit code $CODE, expected 10"
said REGRESSED
bad=$(with_verdict regressed)
case " $bad " in *" n3 "*) ;; *) die "regressed: $bad; expected n3" ;; esac
case " $bad " in *" n1 "* | *" n2 "* | *" n4 "*) die "regressed: $bad; expected n3 alone" ;; esac

step "all that is behind it"
hp 0 explain latest n3 --bench mpi.bandwidth --json
want=$(grep '"type":"samples"' "$(run_dir)/samples.jsonl" | grep -c .)
[ "$want" -gt 0 ] || die "no samples were stored"
hp 0 explain latest n3 --bench mpi.bandwidth
said "confirm"
said "n3"

step "known until a date it is shown and silent"
hp 10 check latest --baseline bed
for subject in n3 cluster; do
	hp 0 ack "$subject" --until 7d --reason "cable ordered"
done
hp 0 check latest --baseline bed
said "cable ordered"
grep -qE ' n3 .* regressed \(known until' "$OUT" || die "the row of n3 is not shown any more"
hp 0 ack --remove n3
hp 10 check latest --baseline bed

step "when fewer than two nodes are idle nothing is measured"
three_taken() {
	[ "$(sinfo -h -N -t alloc -o %N | wc -l)" -eq 3 ]
}
salloc -Q -N3 --exclusive -t 5 sleep 60 &
SALLOC=$!
bed_wait 20 three_taken || die "three nodes are not taken"
if "$NIGHTLY" -- --suite bed >"$OUT" 2>&1; then
	die "one idle node was measured"
fi
said "fewer than two nodes are idle"
kill "$SALLOC"
step "done"
