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
# Not files that end, or names that mean runs.
mkfifo pipe.json
try hpcbench baseline show ./pipe.json
try hpcbench run --suite ./pipe.json --dry-run
try hpcbench baseline show /dev/zero
try hpcbench baseline record latest ./store/runs/20010101-010000-0001
try hpcbench baseline record 2001 ./store/runs/20010101-010000-0001
# One writer at a time.
mkdir store/baselines
touch store/baselines/night.json.lock
try hpcbench baseline record night ./store/runs/20010101-010000-0001
rm store/baselines/night.json.lock
try hpcbench baseline record night ./store/runs/20010101-010000-0001
try hpcbench run --label "$(head -c 300 /dev/zero | tr '\0' a)" --dry-run
