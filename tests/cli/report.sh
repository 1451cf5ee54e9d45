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
