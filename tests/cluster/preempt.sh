#!/usr/bin/env bash
# hpcbench inside a job that a better partition pushes away, requeued or cancelled: it ends before
# Slurm kills it, its report is written, and the cause is told.
BED_PARTITIONS='PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=low Nodes=ALL MaxTime=60 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=20
PartitionName=gone Nodes=ALL MaxTime=60 State=UP PriorityTier=1 PreemptMode=CANCEL GraceTime=20
PartitionName=high Nodes=ALL Default=YES MaxTime=60 State=UP PriorityTier=10 PreemptMode=OFF'
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
