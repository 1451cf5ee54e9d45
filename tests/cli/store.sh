# A store that is not there, cannot be read, or cannot be written.
try hpcbench list runs --store nowhere
try hpcbench baseline list --store nowhere
fixture_runs 1 benches=memory nodes=n1
echo text >file
try hpcbench list runs --store file
try hpcbench baseline record night latest --store file
try hpcbench --store '' list runs
mkdir other
rmdir other/baselines 2>/dev/null
echo text >other/baselines
try hpcbench baseline record night ./store/runs/20010101-010000-0001 --store other
mkdir -p full/runs full/baselines/night.json
try hpcbench baseline record night ./store/runs/20010101-010000-0001 --store full
try hpcbench check ./store/runs/20010101-010000-0001 --baseline night --store full
(cd store/runs/20010101-010000-0001 && HPCBENCH_STORE=../../../store hpcbench report . | head -1)
try hpcbench report ./other
try hpcbench report ..
