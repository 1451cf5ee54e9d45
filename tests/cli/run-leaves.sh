# Leaf switches known: rounds within and across them, rows of both kinds, and what one side lacks.
echo '{"schema":1,"nodes":"n[1-11]"}' >cluster.json
echo '{"schema":1,"nodes":"n[1-11]","faults":[{"kind":"slow-node","node":"n3","factor":1.5}]}' >slow.json
printf 'SwitchName=sw%d Nodes=%s\n' 1 'n[1-4]' 2 'n[5-8]' 3 'n[9-11]' >topology.conf
sim() { hpcbench run --launcher "sim:$1.json" --bench mpi.latency --sizes 8 --seed "$2" "${@:3}" 2>&1 | grep -v "^hpcbench: step "; return "${PIPESTATUS[0]}"; }
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet --topology topology.conf; done
try hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5
try sim cluster 7 --topology topology.conf --dry-run
try sim slow 8 --topology topology.conf --baseline night
try sim cluster 9 --topology none --baseline night
try sim cluster 3 --controls 'n[1-3]' --shape star --rounds 2 --dry-run
try sim cluster 3 --shape star
try sim cluster 3 --controls 'n[1-3]' --shape ring
try sim cluster 3 --controls 'n[1-3]' --shard 1/2
try sim cluster 3 --topology cluster.json
