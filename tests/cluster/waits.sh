#!/usr/bin/env bash
# A job that must wait says why and until when; --max-wait ends it; a limit that no time mends is told
# at once; nothing is left in the queue.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
someone_runs() { squeue -h -t running | grep -q .; }
only_holder() { [ "$(squeue -h -o %j)" = holder ]; }

begin "no node is free"
salloc -Q -N4 --exclusive -t 5 -J holder --no-shell || die "salloc: exit $?"
bed_wait 10 someone_runs || die "nobody holds the nodes"
start=$SECONDS
measure 20 --max-wait 6s
[ $((SECONDS - start)) -lt 20 ] || die "--max-wait 6s took $((SECONDS - start)) s"
said "is pending: Resources"
said "still waits after"
said "(--max-wait): Resources; Slurm"
bed_wait 10 only_holder || die "the waiting job is still there"

step "the nodes become free in time"
measure_in_background --max-wait 5m
bed_wait 20 grep -q "is pending" "$OUT" || die "nothing was said about waiting"
scancel --name=holder
code_is 0
said "MEASURED: 26 figures"
[ "$(grep -c 'is pending' "$OUT")" -le 2 ] || die "the reason was told again and again"

step "more time than the partition gives"
start=$SECONDS
measure 20 --alloc time=120
said "PartitionTimeLimit"
said "--alloc time=MINUTES"
[ $((SECONDS - start)) -lt 15 ] || die "it took $((SECONDS - start)) s to say so"
bed_wait 10 no_jobs || die "a job is left"
step "done"
