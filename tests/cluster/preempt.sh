#!/usr/bin/env bash
# hpcbench in a job that a better partition pushes away, requeued or cancelled, at once or with time
# to go: it ends before Slurm kills it, and what it measured is stored and can be reported.
# shellcheck disable=SC2034  # for the bed
BED_SLURM_MORE='PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=again Nodes=ALL MaxTime=60 State=UP PriorityTier=0 PreemptMode=REQUEUE
PartitionName=gone Nodes=ALL MaxTime=60 State=UP PriorityTier=0 PreemptMode=CANCEL
PartitionName=grace Nodes=ALL MaxTime=60 State=UP PriorityTier=0 PreemptMode=CANCEL GraceTime=30'
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
begin "a job"

cat >"$BED/home/root/job" <<-'END'
	#!/bin/bash
	exec hpcbench run --launcher srun --suite bed --no-confirm --max-time 0.7s --precision 0.01%
END

# preempt PARTITION CODE: another job takes the nodes while this one measures.
preempt() {
	local old job
	old=$(run_dir)
	job=$(sbatch --parsable -N4 -p "$1" --exclusive -t 10 -o "$OUT" "$BED/home/root/job") || exit
	wait_journal "$old" 60 '"job-end"'
	timeout 60 salloc -Q -N4 --exclusive -p all -t 1 true || die "the better job did not get the nodes"
	bed_wait 30 in_journal '"type":"end"' || die "hpcbench did not come to its end"
	in_journal "\"type\":\"end\".*\"code\":$2}" || die "expected code $2: $(tail -n 1 "$(run_dir)/journal.jsonl")"
	[ -s "$(run_dir)/summary.json" ] || die "no summary is stored"
	scontrol show job "$job" >"$BED/log/job"
	scancel "$job"
	bed_wait 20 no_jobs || die "a job is left"
	hpcbench report latest >"$OUT" 2>&1
	said "mpi.latency"
	said "NOT MEASURED"
}

step "requeued at once"
preempt again 143
grep -q 'Restarts=1' "$BED/log/job" || die "the job was not requeued: $(cat "$BED/log/job")"

step "cancelled at once"
preempt gone 143
grep -q 'JobState=PREEMPTED' "$BED/log/job" || die "the job was not preempted: $(cat "$BED/log/job")"

# Its steps are ended first, hpcbench is left to finish.
step "cancelled with 30 s to go"
preempt grace 13
in_journal '"step-end".*"cause":"cancelled"' || die "the cause is not told"
[ "$(count_journal '"step-start"')" -eq 1 ] || die "a step that Slurm cancelled was started again"

step "the allocation that hpcbench made itself"
old=$(run_dir)
measure_in_background --alloc partition=gone --no-confirm --max-time 0.7s --precision 0.01%
wait_journal "$old" 60 '"job-end"'
timeout 60 salloc -Q -N4 --exclusive -p all -t 1 true || die "the better job did not get the nodes"
code_is 13
in_journal '"step-end".*"cause":"preempted"' || die "the cause is not told: $(grep step-end "$(run_dir)/journal.jsonl")"
bed_wait 10 no_jobs || die "a job is left"
step "done"
