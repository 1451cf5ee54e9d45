# One node is slow in one benchmark: it stands first, the rest is a line each.
fixture_runs 12
fixture_run 20010120-010000-0014 seed=20 slow_node=n3 slow_bench=bandwidth slow=1.6 mpi=4.1.6
fixture_run 20010121-010000-0015 seed=21 slow_node=n3 slow_bench=bandwidth slow=1.6 mpi=4.1.6
try hpcbench diff latest~2 latest
try hpcbench diff latest~4,latest~3,latest~2 latest,latest~1
try hpcbench diff latest latest~2
