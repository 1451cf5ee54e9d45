# New nodes beside controls: each accepted, rejected, not decided or not measured, with the reason.
suite='{"schema":1,"name":"a","rounds":5,"benches":[
 {"bench":"node.memory","options":{"sizes":"64Mi","op":"triad"},"floor":"5%","tolerance":"15%","deadline":"2s"},
 {"bench":"mpi.latency","options":{"sizes":"64Ki"},"deadline":"2s"},
 {"bench":"mpi.bandwidth","options":{"sizes":"1Mi"},"deadline":"2s"},
 {"bench":"mpi.allreduce","options":{"sizes":"1Mi"},"groups":[2,"all"],"deadline":"2s"}]}'
echo "$suite" >a.json
model() { # NAME MEMBERS
	printf '{"schema":1,"nodes":"n[1-20]","run_spread":0.004%s}\n' "$2" >"$1.json"
}
fault() { model "$1" ',"faults":['"$2"']'; }
model clean ''
fault slow '{"kind":"slow-node","node":"n20","bench":"mpi.bandwidth","factor":1.5}'
fault control '{"kind":"slow-node","node":"n3","factor":1.5}'
fault silent '{"kind":"silent-rank","node":"n19"}'
fault memory '{"kind":"slow-node","node":"n18","bench":"node.memory","factor":1.5}'
fault link '{"kind":"slow-link","a":"n18","b":"n3","factor":2}'
model class ',"hw":"sim 4 DIMMs","node_hw":{"n18":"sim 2 DIMMs"}'
# Without the run's figures, which stand in run-sim, and ids that differ.
accept() {
	hpcbench accept "$@" --suite ./a.json --seed 1 2>/dev/null |
		sed -e '/^Who is slow/,$d' -e 's/HPCBENCH: [^:]*:/HPCBENCH: RUN:/'
	return "${PIPESTATUS[0]}"
}
for what in clean slow control silent memory link class; do
	try accept 'n[17-20]' --controls 'n[1-6]' --launcher "sim:$what.json"
done
# Collectives ran over the accepted nodes and the healthy controls alone.
grep -ho 'mpi.allreduce [^"]*' store/runs/*/journal.jsonl | grep -c -e 'n\[.*n18' -e '9 ranks'
last=$(printf '%s\n' store/runs/* | tail -1)
grep -o 'mpi.allreduce [^"]*' "$last/journal.jsonl" | sort -u
