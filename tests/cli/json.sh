# The names that programs rely on.
fixture_runs 6 benches=memory nodes="n1 n2"
hpcbench baseline record night latest~5,latest~4,latest~3,latest~2,latest~1 --quiet
try hpcbench diff latest~1 latest --json
try hpcbench check latest --baseline night --json
try hpcbench baseline list --json
try hpcbench list runs --json
try hpcbench version --json
