# Every verdict once, with its reason.
fixture_runs 10 benches="bandwidth memory"
hpcbench baseline record night "$(cd store/runs && echo 20010* | tr ' ' ,)" --quiet
fixture_run 20010112-010000-000c seed=12 benches="bandwidth latency" \
	slow_node=n3 slow_bench=bandwidth slow=1.6
sed -i '0,/"n":40/s//"n":40,"quality":"invalid","reason":"3 bytes wrong"/' store/runs/20010112*/summary.json
sed -i '0,/"value":[^,]*,"lo":[^,]*,"hi":[^,]*,"n":40,"pairs"/s//"quality":"not-measured","reason":"rank was silent","pairs"/' \
	store/runs/20010112*/summary.json
try hpcbench diff night latest
fixture_run 20010113-010000-000d seed=13 benches=bandwidth slow_node=n3 slow_bench=bandwidth slow=1.6
fixture_run 20010114-010000-000e seed=14 benches=bandwidth slow_node=n3 slow_bench=bandwidth slow=1.6
try hpcbench diff night latest,latest~1
fixture_run 20010115-010000-000f seed=15 benches=bandwidth slow_node=n2 slow_bench=bandwidth slow=0.6
fixture_run 20010116-010000-0010 seed=16 benches=bandwidth slow_node=n2 slow_bench=bandwidth slow=0.6
try hpcbench diff night latest,latest~1
