# Foreign load: a job that it disturbs is measured once more; where it stays, its figures do not
# count, the run ends with 13, and nobody is blamed.
echo '{"schema":1,"nodes":"n[1-4]"}' >quiet.json
load() { # NAME MEMBERS
	echo '{"schema":1,"nodes":"n[1-4]","faults":[{"kind":"load","node":"n3",'"$2"'}]}' >"$1.json"
}
load passing '"cores":3,"factor":2,"tries":1'
load lasting '"cores":3,"factor":2'
load traffic '"Bps":4e9,"factor":2,"bench":"mpi.bandwidth"'
load little '"cores":0.4,"Bps":1e9'
suite() { # NAME DISTURBED
	echo '{"schema":1,"name":"'"$1"'","rounds":3,'"$2"'"benches":[
		{"bench":"mpi.latency","options":{"sizes":"8"},"max_time":"0.1s","deadline":"2s"},
		{"bench":"mpi.bandwidth","options":{"sizes":"1Mi"},"max_time":"0.1s","deadline":"2s"}]}' >"$1.json"
}
suite short ''
suite deaf '"disturbed":null,'
sim() { hpcbench run --launcher "sim:$1.json" --suite "./$2.json" --seed "$3" "${@:4}" 2>err; }
journal() { # of the newest run: how often jobs were disturbed, measured once more, given up
	local all=(store/runs/*)
	local file=${all[-1]}/journal.jsonl
	echo "disturbed: $(grep -c '"disturbed":' "$file"), measured once more:" \
		"$(grep -c '"again":true' "$file"), for good: $(grep -c '"again":false' "$file")"
	echo
}
for seed in 1 2 3 4 5 6; do sim quiet short $seed --quiet; done
hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5 --force --quiet
echo "=== it passes: measured once more, and fine"
try sim passing short 7 --baseline night
journal
echo "=== it lasts: the pairs of n3 do not count, and n3 is not to blame"
try sim lasting short 8 --baseline night
journal
try hpcbench check latest --baseline night
echo "=== without a baseline, and what is said meanwhile"
try sim lasting short 8
grep -E "disturbed|n3: " err
echo "=== traffic, in one benchmark alone"
try sim traffic short 9 --baseline night
journal
echo "=== what nobody would notice"
try sim little short 10 --baseline night --quiet
journal
echo "=== a suite that does not mind: whoever is slow is slow"
try sim lasting deaf 11 --baseline night --no-confirm --quiet
journal
