# Known trouble: shown everywhere, silent in exit codes until its date, and nothing is measured again for it.
model() { printf '{"schema":1,"nodes":"n[1-10]"%s}\n' "$1"; }
model '' >cluster.json
model ',"faults":[{"kind":"slow-node","node":"n3","factor":1.5}]' >slow.json
model ',"faults":[{"kind":"dead-node","node":"n3"}]' >dead.json
echo '{"schema":1,"name":"short","benches":[{"bench":"mpi.latency","deadline":"2s","max_time":"0.2s",
	"options":{"sizes":"8,1Ki,64Ki"}}]}' >short.json
sim() { hpcbench run --launcher "sim:$1.json" --suite ./short.json --seed "$2" "${@:3}" 2>/dev/null; }
# Days of today and ids of acknowledgements differ from run to run.
days() { sed -E -e 's/\b20[2-9][0-9]-[0-9]{2}-[0-9]{2}\b/DAY/g' -e 's/^(  )?[0-9a-f]{8}  /\1ACKID  /' \
	-e 's/(--remove )[0-9a-f]{8}/\1ACKID/' -e 's/"[0-9a-f]{8}"/"ACKID"/'; }
tell() { try "$@" 2>&1 | days; }
reruns() { # how many steps a run has: one more with a confirming rerun
	printf 'steps of the last run: %s\n\n' "$(grep -c step-start "$(ls -d store/runs/* | tail -1)/journal.jsonl")"
}
for seed in 1 2 3 4 5 6; do sim cluster $seed --quiet; done
hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4,latest~5 --quiet
echo "=== words"
tell hpcbench ack
tell hpcbench ack n3 --reason x
tell hpcbench ack n3 --until 14d
tell hpcbench ack n3 --until 2001-01-01 --reason x
tell hpcbench ack n3 --until 400d --reason x
tell hpcbench ack n3 --until tomorrow --reason x
tell hpcbench ack 'n 3' --until 1d --reason x
tell hpcbench ack lea:sw3 --until 1d --reason x
tell hpcbench ack n3 --until 1d --reason x --bench mpi.latence
tell hpcbench ack --remove n3
tell hpcbench ack --list
echo "=== a slow node"
tell sim slow 9 --baseline night --quiet
reruns
tell hpcbench ack n3 --until 14d --reason 'cable ordered, ticket 4711' --by ops
tell hpcbench check latest --baseline night
tell hpcbench check latest --baseline night --quiet
tell hpcbench diff night latest
tell hpcbench report latest --baseline night --format markdown
hpcbench check latest --baseline night --json | grep -A8 '"known"' | head -9 | days
tell sim slow 10 --baseline night --quiet
reruns
echo "=== a missing node"
tell sim dead 11 --baseline night --quiet
tell sim dead 12 --quiet
echo "=== only one benchmark"
tell hpcbench ack --remove n3
tell hpcbench ack 'n[3,5]' --until 1w --reason 'slow since the move' --by ops --bench 'node.*'
tell hpcbench ack --list
tell hpcbench check latest~2 --baseline night --quiet
tell hpcbench ack --remove n5
tell hpcbench ack --list
echo "=== after the date"
cat >store/acks.json <<'END'
{"schema":1,"acks":[{"id":"00000001","subject":"n3","until":"2001-01-20","made":"2001-01-01","reason":"long ago","by":"ops"}]}
END
tell hpcbench check latest~2 --baseline night --quiet
tell sim slow 13 --baseline night --quiet
tell hpcbench ack --list
echo "=== a broken list silences nothing and stops nothing"
sed -i s/2001-01-20/2999-01-20/ store/acks.json
tell hpcbench check latest --baseline night --quiet
tell hpcbench ack --list
tell hpcbench ack n3 --until 1d --reason x
# A name that nothing in the store knows is probably misspelt.
rm store/acks.json
for who in n99 'n1>n98' n1-n97 n1-n2 n1/mlx5_0:1 'n[1,96]' leaf:sw1 cluster; do
	echo "$who: $(hpcbench ack "$who" --until 14d --reason x --by me | grep -o '^n.* is in no .*')"
done
