# Runs by id, by the beginning of one, by folder, latest, latest~N; and names that lead nowhere.
try hpcbench report latest
fixture_runs 3 benches=memory
try hpcbench list runs
try hpcbench report lates
try hpcbench report 2001
try hpcbench report latest~3
try hpcbench report latest~x
try hpcbench report ./store/runs/none
try hpcbench diff latest,latest~1,latest latest~2
for name in 20010102 latest~1 store/runs/20010102-010000-0002; do
	hpcbench report "$name" --json | grep '"run"'
done
