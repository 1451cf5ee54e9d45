# A store that is whole, and every kind of damage: file, line, what.
echo '{"schema": 1, "nodes": "n[1-2]"}' >two.json
hpcbench run -q --suite pairs --launcher sim:two.json --seed 1
run=$(echo store/runs/*)
cp -r store whole
again() { # restores the run, applies the words to it, verifies
	rm -rf "$run"
	cp -r whole/runs/* store/runs/
	(cd "$run" && eval "$1")
	echo "# $1"
	# How many records there are is not the matter here.
	hpcbench store verify | sed -E "s#${run##*/}#ID#; s#(records.jsonl):[0-9]+#\1:LINE#"
	echo "[exit ${PIPESTATUS[0]}]"
	echo
}
try hpcbench store verify
hpcbench store verify --json | grep -c '"problems": \[\]'
again ': nothing'
again 'rm plan.json'
again 'echo "{" >plan.json'
again 'rm records.jsonl'
again "sed -i '/\"type\":\"end\"/{0,//d}' records.jsonl"
again "sed -n '/\"type\":\"pair\"/{p;q}' records.jsonl >one; cat one >>records.jsonl"
again 'echo nonsense >>records.jsonl; printf "{\"type\":\"end\"" >>records.jsonl'
again 'printf "\n" >>records.jsonl; echo "{\"type\":\"end\",\"step\":9,\"unit\":1}" >>records.jsonl'
again 'echo "{\"type\":\"fact\",\"step\":77,\"attempt\":1}" >>records.jsonl'
again 'head -c 70000 /dev/zero | tr "\0" a >>records.jsonl; echo >>records.jsonl'
again 'tail -n 1 samples.jsonl >one; cat one >>samples.jsonl'
again "sed -i 's/\"code\": *[0-9]*/\"code\": 13/' run.json"
again "sed -i 's/\"partial\": *false/\"partial\": 3/' run.json"
again "sed -i 's/\"suite\": *\"pairs\"/\"suite\": \"other\"/' summary.json"
again 'echo "[1]" >verdicts.json'
again 'rm run.json summary.json; printf "{\"ty" >>journal.jsonl'
again 'yes x | head -n 40 >>journal.jsonl'
again 'rm records.jsonl; mkfifo records.jsonl'
rm -rf store
cp -r whole store
# Baselines: damaged, or of runs that are gone.
hpcbench baseline record house latest --force >/dev/null 2>&1
rm -rf "$run"
try hpcbench store verify
echo '{"schema": 1}' >store/baselines/house.json
try hpcbench store verify
try hpcbench store verify 2001
