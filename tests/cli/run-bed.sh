# The suite of slow test machines: five runs, a baseline, a clean night, then n3 at a quarter.
echo '{"schema":1,"nodes":"n[1-8]"}' >cluster.json
echo '{"schema":1,"nodes":"n[1-8]","faults":[{"kind":"slow-node","node":"n3","factor":4}]}' >slow.json
bed() { hpcbench run --launcher "sim:$1.json" --suite bed --nodes 'n[1-8]' --seed "$2" "${@:3}" 2>/dev/null; }
# Without the figures, which stand in run-sim.
judged() {
	bed "$@" | sed '/^mpi\./,$d'
	return "${PIPESTATUS[0]}"
}
for seed in 1 2 3 4 5; do bed cluster $seed --quiet; done
try hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4
try judged cluster 6 --baseline night
try judged slow 7 --baseline night
# All that was suspect shared one step.
grep -h '"append"' store/runs/*/journal.jsonl | grep -o '"steps":[0-9]*'
