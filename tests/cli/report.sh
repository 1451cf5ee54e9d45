# A run alone, and a run that is held against a baseline.
fixture_runs 6
try hpcbench report latest
try hpcbench baseline record night latest~5,latest~4,latest~3,latest~2,latest~1 --quiet
try hpcbench report latest --baseline night
try hpcbench report latest --baseline absent
fixture_run 20010120-010000-0014 seed=20 slow_node=n3 slow_bench=bandwidth slow=1.6 label="night 20" \
	mpi=4.1.6
try hpcbench report latest --baseline night
try hpcbench report latest --baseline night --quiet
# Pairs of all benchmarks together, the slowest first; one within 5 % of the median is none of them.
pair() { # BENCH METRIC A B RATIO
	printf '{"key":{"bench":"%s","metric":"%s","opts":{},"bytes":8,"nodes":2,"rpn":1,"class":"remote","hw":"cpu"},
		"a":"%s","b":"%s","dir":"both","value":1e3,"ratio":%s}' "$@"
}
worst=$(for r in 0.97 0.93 0.9; do pair mpi.latency lat_p50_ns n1 n2 $r && echo ,; done
	for r in 0.71 0.72 0.73; do pair mpi.bandwidth algbw_Bps n2 n3 $r && echo ,; done
	pair mpi.bandwidth algbw_Bps n3 n4 0.94)
fixture_run 20010121-010000-0015 seed=21 benches=memory nodes=n1 extra="\"worst\":[$worst]"
sed -i 's/"hi":[0-9.e+]*/"hi":9e11/' store/runs/20010121*/summary.json
try hpcbench report latest
