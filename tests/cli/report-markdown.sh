# A report for a merge request: a verdict, a run that lost things, and names that would be markup.
fixture_runs 6
try hpcbench baseline record night latest~5,latest~4,latest~3,latest~2,latest~1,latest --quiet
fixture_run 20010120-010000-0014 seed=20 slow_node=n3 slow_bench=bandwidth slow=1.6 label="night 20" \
	mpi=4.1.6
try hpcbench report latest --baseline night --format markdown
try hpcbench report latest --baseline night --format markdown --quiet
fixture_run 20010121-010000-0015 seed=21 benches=memory nodes=n1 partial=true extra='"losses":[
 {"subject":"n3","bench":"mpi.latency","reason":"rank 2 on n3 was silent for 10 s","status":"timeout"},
 {"subject":"n4","reason":"hpcbench-mpi: libmpi.so.40 not found","status":"skipped"}]'
try hpcbench report latest --format markdown
try hpcbench report latest --format markdown --json
echo '--- names that would be markup'
fixture_json 20010122-010000-0016 benches=memory nodes=NODE label=LABEL >made
mkdir -p store/runs/20010122-010000-0016
# shellcheck disable=SC2016
sed 's/NODE/n1 | <script>`x` @root\\n| a |/g; s#LABEL#![x](http://a.b) *b* _c_ ~d~ \&lt; ops@a.b \#12#' made \
	>store/runs/20010122-010000-0016/summary.json
try hpcbench report latest --format markdown
