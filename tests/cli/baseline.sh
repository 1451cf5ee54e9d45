# A baseline is made from chosen runs, never overwritten, and refuses what would spoil it.
fixture_runs 6
try hpcbench baseline list
try hpcbench baseline show night
try hpcbench baseline record night latest~5 latest~4,latest~3 --reason "after the cable was changed"
try hpcbench baseline record night latest~2
try hpcbench baseline record night latest~5 --extend
try hpcbench baseline record night latest~2,latest~1 --extend
try hpcbench baseline record other latest --extend
try hpcbench baseline show night
fixture_run 20010120-010000-0014 seed=20 slow_node=n3 slow_bench=bandwidth slow=1.6
try hpcbench baseline record night latest --extend
fixture_run 20010121-010000-0015 seed=21 injected=true
try hpcbench baseline record night latest --extend
try hpcbench baseline record night latest --extend --force
fixture_run 20010122-010000-0016 seed=22 benches=none
try hpcbench baseline record empty latest --force
try hpcbench baseline record ./night.json 20010101
try hpcbench baseline show ./night.json
echo '{"schema":' >store/baselines/broken.json
try hpcbench baseline list
try hpcbench baseline show broken
# A benchmark that joins later has fewer runs than the baseline.
fixture_run 20010123-010000-0017 seed=23 benches="latency bandwidth memory" sizes="8 1024 1048576 4096"
try hpcbench baseline record night latest --extend
