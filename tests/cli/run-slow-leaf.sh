# An up-link is slow: the leaf is named and not its nodes, where routes are static and leaves known.
leaves='"leaves":{"sw1":"n[1-6]","sw2":"n[7-12]","sw3":"n[13-18]","sw4":"n[19-24]"}'
model() { # NAME FAULTS
	echo '{"schema":1,"nodes":"n[1-24]","run_spread":0.004,'"$leaves"',"faults":['"$2"']}' >"$1.json"
}
topo() { echo '{"schema":1,"routing":"'"$1"'",'"$leaves"'}' >"$1.topo"; }
sim() {
	hpcbench run --launcher "sim:$1.json" --suite pairs --bench "$2" --seed 1 "${@:3}" 2>/dev/null
}
who() {
	sim "$@" | sed -n '/^SLOW\|^UNDECIDED\|^Who is slow/p; /^  - n\|^  - leaf\|^  - the /p; /^nobody:\|^tested/p'
	return "${PIPESTATUS[0]}"
}
topo static
topo adaptive
model leaf '{"kind":"slow-leaf","leaf":"sw2","factor":1.4}'
model node '{"kind":"slow-node","node":"n8","factor":1.4}'
model clean ''
for bench in mpi.latency mpi.bandwidth; do
	try who leaf $bench --topology static.topo
	found
done
try who node mpi.latency --topology static.topo
try who clean mpi.latency --topology static.topo
echo "== routes that change are nobody's up-link"
try who leaf mpi.latency --topology adaptive.topo >out
tail -2 out
found
