# Whatever raises the exit code stands in the first line, in run, check and diff alike.
echo '{"schema":1,"nodes":"n[1-4]"}' >cluster.json
echo '{"schema":1,"name":"short","benches":[{"bench":"mpi.latency","deadline":"2s","max_time":"0.2s",
	"options":{"sizes":"8,1Ki,64Ki"}}]}' >short.json
sim() { hpcbench run --launcher "sim:$1.json" --suite ./short.json --seed "$2" "${@:3}" 2>/dev/null; }
runs=
for seed in 1 2 3 4 5 6; do
	sim cluster $seed --quiet
	runs=$runs,latest~$((seed - 1))
done
hpcbench baseline record night "${runs#,}" --quiet
ends() { # how a diff ends: what stands below its table, and the exit code
	printf '$ hpcbench diff %s %s\n...\n' "$1" "$2"
	hpcbench diff "$1" "$2" >out
	local code=$?
	awk '/^$/ { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' out
	printf '[exit %d]\n\n' $code
}
for kind in wrong-data dead-node silent-rank; do
	echo "=== $kind"
	echo '{"schema":1,"nodes":"n[1-4]","faults":[{"kind":"'$kind'","node":"n3"}]}' >$kind.json
	try sim $kind 9 --baseline night
	try hpcbench check latest --baseline night --quiet
	hpcbench report latest | head -2
	ends night latest
	ends latest night
	try hpcbench baseline record night latest --extend
done
echo "=== a good run again"
sim cluster 10 --quiet
try hpcbench baseline record both latest latest~1
try hpcbench list runs
