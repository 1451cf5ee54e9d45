# Everything behind a verdict: the rule with its numbers, the pairs, the rerun, all samples.
model() { printf '{"schema":1,"nodes":"n[1-10]"%s}\n' "$1"; }
model '' >cluster.json
model ',"faults":[{"kind":"slow-node","node":"n3","factor":1.5}]' >slow.json
model ',"faults":[{"kind":"dead-node","node":"n3"}]' >dead.json
echo '{"schema":1,"name":"short","benches":[{"bench":"mpi.latency","deadline":"2s","max_time":"0.2s",
	"options":{"sizes":"8,1Ki,64Ki"}},{"bench":"node.memory","max_time":"0.2s"}]}' >short.json
sim() { hpcbench run --launcher "sim:$1.json" --suite ./short.json --seed "$2" "${@:3}" 2>/dev/null; }
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet; done
hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5 --quiet
sim slow 9 --baseline night --quiet
try hpcbench explain latest n3 --bench mpi.latency --bytes 1Ki
# Every sample that was stored is told, once: of all pairs with cluster, of each node what it did alone, of the rerun.
count() { grep -o "\"$1\":\[[^]]*\]" | grep -v '\[\]' | tr -cd ',\n' | wc -c; }
stored=$(count v <"$(ls -d store/runs/* | tail -1)/samples.jsonl")
told=$({
	hpcbench explain latest cluster --json --bench mpi.latency
	for n in 1 2 3 4 5 6 7 8 9 10; do hpcbench explain latest n$n --json --bench node.memory; done
	hpcbench explain latest n3 --json --bench mpi.latency | tr '{' '\n' | awk '/"unit":/ { rerun = /"phase":"con/ } rerun'
} | count samples)
# The rerun of memory is told twice: with the suspect and with its control.
twice=$(hpcbench explain latest n3 --json --bench node.memory | tr '{' '\n' | awk '/"unit":/ { on = /"phase":"con/ } on' | count samples)
[ "$stored" -gt 1000 ] && [ $((told - twice)) -eq "$stored" ] && echo "all samples are told"
try hpcbench explain latest n3-n9 --bytes 8
try hpcbench explain latest n9 --bench node.memory
try hpcbench explain latest~1 cluster --bench mpi.latency --bytes 8 | head -20
sim dead 10 --baseline night --quiet
try hpcbench explain latest n3
rm store/baselines/night.json
try hpcbench explain latest n1 --bytes 8
echo "=== words"
try hpcbench explain latest
try hpcbench explain latest n33
try hpcbench explain latest,latest~1 n3
try hpcbench explain latest n3 --bench mpi.latencies
try hpcbench explain latest n3 --bytes 4Ki
try hpcbench explain nothing n3
echo "=== broken"
dir=$(ls -d store/runs/* | tail -1)
printf 'junk\n{"type":"samples","unit":1}\n' >>"$dir/samples.jsonl"
try hpcbench explain latest n1 --bytes 8 | head -8
echo '{"rows":[{"subject":"n1","key":{"bench":"mpi.latency","metric":"lat_p50_ns","class":"remote","hw":"sim","opts":{"buffers":"hot","datatype":"byte"},"bytes":8,"nodes":2,"rpn":1},"verdict":7}]}' >"$dir/verdicts.json"
try hpcbench explain latest n1 --bytes 8
