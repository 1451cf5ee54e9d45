# Causes in reports: with evidence below who is slow, alone where nobody is, known, suppressed.
mkdir rules
cat >rules/a.json <<'EOF'
{"schema": 1, "rules": [
  {"id": "mtu", "title": "another MTU than its peers", "scope": "device", "severity": "error",
   "confidence": "certain", "when": [{"test": "differs", "key": "net.mtu"}],
   "explains": {"bench": ["mpi.*"]}, "message": "mtu is {value}, {count} of {of} peers have {peers}",
   "next": "set the MTU of {device} on {node}", "refute": "small messages are as slow",
   "source": "test"},
  {"id": "governor", "title": "another governor", "scope": "node", "severity": "warning",
   "confidence": "possible", "when": [{"test": "differs", "key": "cpu.governor"}],
   "explains": {"bench": ["mpi.*"]}, "message": "governor is {value}, peers have {peers}",
   "next": "cpupower frequency-set", "refute": "node.compute is as fast", "source": "test"}]}
EOF
export HPCBENCH_RULES_PATH=$PWD/rules
peers='"*":{"eth0/net.kind":"physical","eth0/net.state":"up","eth0/net.mtu":"9000","cpu.governor":"performance"}'
slow='{"kind":"slow-node","node":"n3","factor":1.5}'
model() { # NAME FACTS FAULTS
	echo '{"schema":1,"nodes":"n[1-8]","run_spread":0.004,"facts":{'"$peers$2"'},"faults":['"$3"']}' >"$1.json"
}
sim() { hpcbench run --launcher "sim:$1.json" --suite pairs --bench mpi.latency --sizes 8 --seed 1 --no-confirm "${@:2}" 2>run.err; }
# The first lines, who is slow and what is misconfigured.
why() { sed -n '1,/^tested/{/^tested/!p};/^Misconfigured/,/^$/p;/^Noticed/,/^$/p;/^next:/p'; }
both=',"n3":{"eth0/net.mtu":"1500","cpu.governor":"powersave"}'
model clean '' ''
model slow "$both" "$slow"
model unknown '' "$slow"
model fast ',"n[5-6]":{"eth0/net.mtu":"1500"},"n7":{"cpu.governor":"powersave"}' ''

echo "== slow, and why"
sim slow >out.txt
echo "exit $?"
why <out.txt
cp out.txt first.txt
echo "== the stored run says the same"
hpcbench report latest >again.txt
diff first.txt again.txt && echo same
echo "== explain has all"
hpcbench explain latest n3 | sed -n '/^Why/,/^$/p'
hpcbench explain latest n4 | grep '^no cause'
hpcbench report latest --format markdown | grep -A4 '^- n3'
echo "== slow, and nothing explains it"
sim unknown >out.txt
echo "exit $?"
why <out.txt
echo "== misconfigured, and nobody is slow"
sim fast >out.txt
echo "exit $?"
why <out.txt
try hpcbench baseline record house latest
echo "== acknowledged, it is told and does not count"
hpcbench ack n5 --until 7d --reason "new cable" --quiet
hpcbench ack n6 --until 7d --reason "new cable" --quiet
sim fast >out.txt
echo "exit $?"
why <out.txt | sed -E 's/until [0-9-]+/until DAY/g'
rm -f store/acks.json
echo "== suppressed by the site, likewise; its own rule takes the place of ours"
cat >site.json <<'EOF'
{"schema": 1, "rules": [
  {"id": "governor", "title": "ours", "scope": "node", "severity": "note", "confidence": "likely",
   "when": [{"test": "differs", "key": "cpu.governor"}], "message": "governor {value} is meant here",
   "next": "nothing", "refute": "nothing", "source": "site"}],
 "suppress": [{"rule": "mtu", "subject": "n[56]*", "until": "2999-12-31", "reason": "being moved"}]}
EOF
sim fast --rules site.json >out.txt
echo "exit $?"
why <out.txt
echo "== clean"
sim clean >out.txt
echo "exit $?"
why <out.txt
echo "== rules that are wrong stop everything before it is measured; rules that are gone nothing"
echo '{"schema":1,"rules":[{"id":"x"}]}' >broken.json
runs=$(ls store/runs | wc -l)
try hpcbench run --launcher sim:clean.json --suite pairs --rules broken.json
try hpcbench report latest --rules broken.json
[ "$(ls store/runs | wc -l)" = "$runs" ] && echo "nothing was measured"
HPCBENCH_RULES_PATH=$PWD/none sim fast >out.txt
echo "exit $?"
grep diagnosed run.err
why <out.txt
