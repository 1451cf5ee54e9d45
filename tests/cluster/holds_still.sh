#!/usr/bin/env bash
# A bed with a run in it, for whoever wants to interrupt it.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
bed_up 4 || exit
mkdir -p "$HPCBENCH_STORE"
# shellcheck disable=SC2119  # no options
measure_in_background
bed_wait 60 in_journal '"job-start"' || die "nothing is measured"
echo up
wait "$PID"
sleep 300
