# --budget leaves nodes for later, those whose turn is the longest ago come first, and the coverage
# ledger tells: 64 nodes, 17 a run, one of them broken; each has its turn within 4 runs.
echo '{"schema":1,"nodes":"n[01-64]","faults":[{"kind":"dead-node","node":"n07"}]}' >cluster.json
sim() { hpcbench run --launcher sim:cluster.json --bench mpi.latency --sizes 8 --max-pairs 4 "$@"; }
try sim --dry-run --seed 1 --budget 1
sim --dry-run --seed 1 --budget 13 --nodes 'n[01-24]' | sed '/^Step/,$d'
sim --dry-run --seed 1 --budget 11 | sed '/^Step/,$d'
sim --seed 1 --budget 11 2>/dev/null | grep later
known() { grep -c '"n[0-9]*": *{' store/coverage.json; }
known
for seed in 2 3; do sim --quiet --seed $seed --budget 11 >/dev/null 2>&1; done
known
sim --seed 4 --budget 11 2>/dev/null | grep -c later
known
hpcbench list coverage | awk '$3 == "never" { print }' | sed 's/  */ /g'
hpcbench list coverage | awk '$3 ~ /Z$/ { n += $4 } END { print n, "measured" }'
hpcbench list coverage --suite other
echo 'no json' >store/coverage.json
sim --quiet --seed 5 --budget 11 2>&1 | grep coverage
known
cat store/coverage.json.broken-*
