# Two profiles are two runs, each with its name, and the command that compares them.
mkdir -p .config/hpcbench
echo '{"schema": 1, "profiles": [{"name": "one", "env": ["A=1"]}, {"name": "two"}]}' \
	>.config/hpcbench/hpcbench.json
echo '{"schema": 1, "nodes": "n[1-3]"}' >model.json
run() { hpcbench run --suite pairs --launcher sim:model.json --seed 7 --quiet "$@"; }
try run --profile one,two
hpcbench list runs --json | grep -c '"suite": "pairs"'
for r in latest~1 latest; do
	hpcbench report $r | grep -F 'measured with profile'
	grep '"profile"' "store/runs/$(hpcbench list runs --json | sed -n 's/.*"name": "\(.*\)".*/\1/p' |
		tail -n "$([ $r = latest ] && echo 1 || echo 2)" | sed 1q)/run.json"
done
hpcbench diff latest~1 latest | grep -A4 -i profile
try run --profile default,one --json | grep -A14 '"kind": "profiles"'
hpcbench report latest~1 | grep -c 'measured with profile'
exit 0
