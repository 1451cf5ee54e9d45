#!/usr/bin/env bash
# Nodes that cannot connect to the host of hpcbench: one clear line says so; records by files measure.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
PORTS=45000-45009
begin "connections from nodes are refused"
bed_need "nft" nft add table inet hpcbench
bed_need "nft chains" nft 'add chain inet hpcbench in { type filter hook input priority 0 ; policy accept ; }'
bed_need "nft reject" nft "add rule inet hpcbench in iifname bed tcp dport $PORTS reject with tcp reset"

measure 20 --port-range "$PORTS"
said "Connection refused"
said "--records files"
[ "$(grep -c 'hpcbench: error:' "$OUT")" -eq 1 ] || die "more than one error line"
bed_wait 10 no_jobs || die "a job is left"

step "records by files"
measure 0 --port-range "$PORTS" --records files
said "MEASURED: 26 figures"
assert_pairs_without none
[ -e "$(run_dir)/files-1.1/rank-3.jsonl" ] || die "no file of rank 3"

step "ports that are not refused"
nft delete table inet hpcbench
measure 0 --port-range "$PORTS" --bench mpi.latency
said "MEASURED"

step "Slurm's own range is kept"
echo "SrunPortRange=45100-45199" >>"$BED/etc/slurm.conf"
scontrol reconfigure
old=$(run_dir)
# shellcheck disable=SC2119  # no options
measure_in_background
wait_journal "$old" 60 '"connected"'
ss -Hltn | grep -qE ':451[0-9][0-9] ' || die "hpcbench does not listen in SrunPortRange"
code_is 0
step "done"
