# The whole way on an imaginary cluster: measure, record, find the slow node, look again.
echo '{"schema":1,"nodes":"n[1-4]"}' >cluster.json
echo '{"schema":1,"nodes":"n[1-4]","faults":[{"kind":"slow-node","node":"n3","factor":1.5}]}' >slow.json
sim() { hpcbench run --launcher "sim:$1.json" --suite pairs --seed "$2" "${@:3}" 2>/dev/null; }
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet; done
try hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5
try sim cluster 7 --baseline night
try sim slow 8 --baseline night
try hpcbench check latest --baseline night --quiet
try hpcbench diff night latest
try sim slow 9 --baseline night --no-confirm --label "as it was" --quiet
try hpcbench diff night latest,latest~1
hpcbench report latest | head -1
hpcbench list runs | awk 'NR == 1 || NR == 8'
try hpcbench check latest,latest~1 --baseline night --quiet
hpcbench check latest,latest~1 --baseline night | grep ' run '
