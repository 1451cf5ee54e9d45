# Nothing changed: few lines, exit 0, and what could have been seen.
fixture_runs 12
try hpcbench diff latest~1 latest
try hpcbench diff latest~1 latest --all
try hpcbench diff latest~3,latest~2 latest~1,latest
