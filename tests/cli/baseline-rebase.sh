# A new reference after a renewal, and one without a node that is known to be slow.
# (--force: its runs have a slow node.)
model() { printf '{"schema":1,"nodes":"n[1-10]"%s}\n' "$1"; }
model '' >cluster.json
model ',"hw":"renewed","faults":[{"kind":"slow-node","node":"n3","factor":1.5}]' >renewed.json
echo '{"schema":1,"name":"short","benches":[{"bench":"mpi.latency","deadline":"2s","max_time":"0.2s",
	"options":{"sizes":"8,1Ki,64Ki"}}]}' >short.json
sim() { hpcbench run --launcher "sim:$1.json" --suite ./short.json --seed "$2" "${@:3}" 2>/dev/null; }
days() { sed -E 's/\b20[2-9][0-9]-[0-9]{2}-[0-9]{2}\b/DAY/g; s/\(by [^)]*\)/(by WHO)/; s/("by": ").*"/\1WHO"/'; }
tell() { try "$@" 2>&1 | days; }
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet; done
tell hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5
old=$(cksum store/baselines/night.json)
for seed in 21 22 23 24 25; do sim renewed $seed --quiet; done
new=latest,latest~1,latest~2,latest~3,latest~4
echo "=== rebase"
tell hpcbench baseline rebase --from night --to renewed --force $new
tell hpcbench baseline rebase --from none --to renewed --force --reason x $new
tell hpcbench baseline rebase --from night --to night --force --reason x $new
tell hpcbench baseline rebase --from night --to renewed --force --reason x latest~5,$new
tell hpcbench baseline rebase --from night --to renewed --force --reason 'new switches' $new
tell hpcbench baseline show renewed
[ "$old" = "$(cksum store/baselines/night.json)" ] && echo "night is as it was"
tell sim renewed 30 --baseline renewed --quiet
hpcbench check latest --baseline renewed | head -2 | days
tell hpcbench baseline rebase --from night --to again --force --reason 'of a baseline' renewed --json
echo "=== exclude"
tell hpcbench baseline record healthy $new --exclude n3 --reason 'slow cable'
tell hpcbench baseline show healthy
tell hpcbench check latest --baseline healthy
hpcbench check latest --baseline healthy --json | grep -c '"excluded from the baseline"'
sim renewed 31 --quiet
tell hpcbench baseline record healthy latest --extend
tell hpcbench baseline record healthy latest --extend --exclude n4
tell hpcbench baseline record other latest --exclude 'n['
echo "=== without records only what the node had no part in can be kept"
fixture_run 20010101-010000-0001 seed=1 benches="latency memory"
tell hpcbench baseline record old 20010101 --exclude n3
tell hpcbench baseline show old
