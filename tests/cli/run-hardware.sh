# A node that lost memory: its hardware class is a finding by itself, and only its own.
model() { printf '{"schema":1,"nodes":"n[1-10]","hw":"sim 4 DIMMs"%s}\n' "$1"; }
model '' >cluster.json
model ',"node_hw":{"n3":"sim 2 DIMMs"}' >less.json
model ',"node_hw":{"n3":"sim 2 DIMMs"},"faults":[{"kind":"slow-node","node":"n3","factor":1.4}]' >slow.json
sim() { hpcbench run --launcher "sim:$1.json" --suite pairs --bench mpi.bandwidth --seed "$2" "${@:3}" 2>/dev/null; }
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet; done
try hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5
try sim less 7 --baseline night --quiet
try hpcbench check latest --baseline night --quiet
try hpcbench diff night latest
try sim less 8 --quiet
try sim slow 9 --baseline night --quiet
cat store/runs/*/verdicts.json | grep -c hardware-changed
