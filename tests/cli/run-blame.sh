# Who is slow, without a baseline: the right subject and kind, and nobody in a clean cluster.
model() { # NAME NODES FAULTS
	echo '{"schema":1,"nodes":"'"$2"'","run_spread":0.004,"faults":['"$3"']}' >"$1.json"
}
sim() { hpcbench run --launcher "sim:$1.json" --suite pairs --seed "$2" "${@:3}" 2>/dev/null; }
# The first lines, and the section.
who() { sim "$@" | sed -n '/^SLOW\|^UNDECIDED\|^NOT MEASURED\|^Who is slow/p; /^  - n\|^  - the link\|^nobody:\|^tested/p'; }
model clean 'n[1-16]' ''
model slow 'n[1-16]' '{"kind":"slow-node","node":"n3","factor":1.15}'
model sends 'n[1-16]' '{"kind":"slow-node","node":"n3","factor":1.4,"dir":"out","bench":"mpi.bandwidth"}'
model link 'n[1-6]' '{"kind":"slow-link","a":"n2","b":"n5","factor":1.5}'
model two 'n[1-2]' '{"kind":"slow-node","node":"n2","factor":2}'
model silent 'n[1-6]' '{"kind":"dead-node","node":"n4"}'

echo "== slow node"
try who slow 1 --bench mpi.latency
echo "== what it sends"
try who sends 1 --bench mpi.bandwidth
echo "== link"
try who link 1 --bench mpi.latency
echo "== two nodes cannot be told apart"
try who two 1 --bench mpi.latency
echo "== a node that never came is a loss"
try who silent 1 --bench mpi.latency
echo "== clean"
for seed in 1 2 3 4 5 6 7 8 9 10; do
	sim clean $seed --bench mpi.bandwidth --sizes 4Mi --quiet >out.txt
	echo "seed $seed: exit $?, $(grep -c '^SLOW\|^UNDECIDED' out.txt) named"
done
echo "== the stored run says the same, and so does its file once the records are gone"
sim slow 1 --bench mpi.latency --quiet >run.txt
hpcbench report latest | grep '^SLOW\|^  - n' >report.txt
grep '^SLOW\|^  - n' run.txt >before.txt
rm store/runs/*/records.jsonl
hpcbench report latest | grep '^SLOW\|^  - n' >file.txt
cmp report.txt file.txt && grep -c '^SLOW' report.txt
try hpcbench run --launcher sim:slow.json --suite pairs --bench mpi.latency --seed 1 --no-confirm --quiet >plain.txt 2>/dev/null
grep -h '"phase":"extra"' store/runs/*/journal.jsonl | grep -c append

echo "=== a damaged run.json costs what it describes, not the report"
dir=$(ls -d store/runs/* | tail -1)
echo '{"schema":1,"run":7' >"$dir/run.json"
rm -f "$dir/summary.json" "$dir/findings.json"
try hpcbench report "$dir" | grep -c 'run.json'
