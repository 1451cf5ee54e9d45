# What a run would start, how long it takes, and with a baseline what it would find.
echo '{"schema":1,"seed":3,"nodes":"n[01-08]","run_spread":0.005}' >cluster.json
sim() { hpcbench "$1" --launcher sim:cluster.json --suite pairs --max-time 0.1s "${@:2}"; }
head_of() { sed '/^Step/,$d'; }
sim plan --seed 1 >plan.txt
sim run --dry-run --seed 1 | diff plan.txt - && head_of <plan.txt
ls store 2>/dev/null
for seed in 1 2 3 4 5 6; do sim run --quiet --seed $seed >/dev/null 2>&1; done
hpcbench baseline record b latest~5,latest~4,latest~3,latest~2,latest~1,latest | sed 's/,.*//'
# The figures follow from the runs' seeds; only their form is of interest here.
figures() { sed -E 's/[0-9.]+ %(\.\.[0-9.]+ %)?/P/g; s/ +/ /g'; }
sim plan --seed 1 --baseline b | head_of | figures
sim plan --seed 1 --baseline b --no-confirm | grep predicted
sim plan --seed 1 --baseline b --json |
	grep -oE '"(detectable|predicted_s|predicted_most_s|alpha|power|rounds|unknown|new_nodes)": [^,]*'
sim plan --seed 1 --baseline b --bench mpi.latency --sizes 4096 | head_of | tail -n 2
try hpcbench plan --baseline absent
try hpcbench plan this
hpcbench help plan | head -n 1
