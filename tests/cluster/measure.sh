#!/usr/bin/env bash
# A cluster is measured from inside sbatch, inside salloc and from outside; five runs make a baseline;
# a clean run passes; a link at a quarter of its rate is found and named, by run and by diff.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
begin "inside sbatch"

cat >"$BED/home/root/job" <<-'END'
	#!/bin/bash
	exec hpcbench run --launcher srun --suite bed
END
job=$(sbatch --parsable -N4 --exclusive -t 5 -o "$BED/log/job.out" "$BED/home/root/job") || exit
bed_wait 90 no_jobs || die "the batch job does not end"
cp "$BED/log/job.out" "$OUT"
said "MEASURED: 26 figures"
# The node that the script ran on has its pairs last, one at a time.
last=$(grep -oE '"what":"mpi.(latency|bandwidth) [^"]*' "$(run_dir)/journal.jsonl" | tail -n 12 | grep -c 'n1')
[ "$last" -eq 12 ] || die "the batch host n1 was not measured last"
grep -q "\"job\": $job" "$(run_dir)/run.json" || die "run.json does not name job $job"

step "inside salloc"
salloc -Q -N4 --exclusive -t 5 hpcbench run --launcher srun --suite bed >"$OUT" 2>&1 || die "salloc: exit $?"
said "MEASURED: 26 figures"
bed_wait 10 no_jobs || die "a job is left"

step "from outside, and a baseline"
for _ in 1 2 3; do
	measure 0
	bed_wait 10 no_jobs || die "a job is left"
done
# Runs of a busy moment are refused by name; others take their place.
for _ in 1 2 3 4; do
	hpcbench baseline record bed latest~4,latest~3,latest~2,latest~1,latest >"$OUT" 2>&1 && break
	measure 0
done
hp 0 baseline show bed

step "a clean run"
# A host that is too busy to tell says so (11); a false finding is a failure at once.
for _ in 1 2 3; do
	measure '0|11' --baseline bed
	[ -z "$(with_verdict regressed)" ] || die "regressed on a clean cluster: $(with_verdict regressed)"
	! grep -qE '^(SUSPECT|INCONCLUSIVE)' "$OUT" && break
done
hp 0 check latest --baseline bed
clean=$(basename "$(run_dir)")

step "n3's link at a quarter"
bed_rate n3 $((BED_MBIT / 4))
measure 10 --baseline bed
said "REGRESSED"
bad=$(with_verdict regressed)
case " $bad " in *" n3 "*) ;; *) die "regressed: $bad; expected n3" ;; esac
case " $bad " in *" n1 "* | *" n2 "* | *" n4 "*) die "regressed: $bad; expected n3 alone" ;; esac
said "the confirming rerun finds"
grep -q '"phase":"control"' "$(run_dir)/records.jsonl" || die "the rerun has no control"
[ "$(count_journal '"type":"append"')" -eq 2 ] || die "extra pairs and the rerun are not one appended step each"
slow=$(basename "$(run_dir)")

step "diff"
hp '10|11' diff "$clean" "$slow"
said n3
first=$(awk '/^ *mpi\./ && match($0, / (n[1-4]) /) { print substr($0, RSTART + 1, RLENGTH - 2); exit }' "$OUT")
[ "$first" = n3 ] || die "diff names $first first, expected n3"
hp '10|11' diff "$clean" "$slow" --baseline bed
first=$(awk '/^ *mpi\./ && match($0, / (n[1-4]) /) { print substr($0, RSTART + 1, RLENGTH - 2); exit }' "$OUT")
[ "$first" = n3 ] || die "diff against the baseline's spread names $first first, expected n3"
step "done"
