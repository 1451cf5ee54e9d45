# Many slow nodes: against a baseline each is named; without one the run says no more than it knows.
slow() {
	local n
	for n in "$@"; do printf '%s{"kind":"slow-node","node":"n%d","factor":1.15}' "$comma" "$n" && comma=,; done
}
model() { # NAME NODES...
	local comma=''
	printf '{"schema":1,"nodes":"n[1-20]","run_spread":0.004,"faults":[%s]}\n' "$(slow "${@:2}")" >"$1.json"
}
sim() {
	hpcbench run --launcher "sim:$1.json" --suite pairs --bench mpi.latency --sizes 8 --seed "$2" \
		"${@:3}" 2>/dev/null
}
who() {
	sim "$@" | sed -n '/^nobody:\|^tested/p'
	local code=${PIPESTATUS[0]}
	found
	return "$code"
}
model clean
model third 2 5 8 11 14 17
model most 1 2 4 5 7 8 10 11 13 14 16 17
for seed in 1 2 3 4 5 6; do sim clean $seed --quiet; done
try hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5 >out
echo "== 6 of 20, with and without a baseline"
try who third 7 --baseline night
try who third 7
echo "== 12 of 20"
try who most 8 --baseline night
try who most 8
echo "== nobody"
try who clean 9 --baseline night
