# A node that is slow only where it sends: nobody is blamed for receiving from it.
echo '{"schema":1,"nodes":"n[1-6]"}' >cluster.json
echo '{"schema":1,"nodes":"n[1-6]","faults":[{"kind":"slow-node","node":"n3","factor":1.4,"dir":"out","bench":"mpi.bandwidth"}]}' >slow.json
sim() { hpcbench run --launcher "sim:$1.json" --suite pairs --bench mpi.bandwidth --seed "$2" "${@:3}" 2>/dev/null; }
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet; done
try hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5
try sim slow 8 --baseline night --quiet
