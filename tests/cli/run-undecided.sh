# Nodes that met one partner each: the slow one, its partner and the link between them exclude each
# other. What the run asks for then decides it, and without it the run says that it is undecided.
model() { # NAME FAULTS
	echo '{"schema":1,"nodes":"n[1-16]","run_spread":0.004,"faults":['"$2"']}' >"$1.json"
}
sim() {
	hpcbench run --launcher "sim:$1.json" --suite pairs --bench mpi.latency --sizes 8 --rounds 1 \
		--seed 1 "${@:2}" 2>/dev/null
}
who() {
	rm -rf store
	sim "$@" | sed -n '/^SLOW\|^UNDECIDED\|^Who is slow/p; /^  - /p; /^nobody:\|^tested/p'
	return "${PIPESTATUS[0]}"
}
# What was asked for besides the round.
asked() {
	grep -h '"phase":"extra"' store/runs/*/journal.jsonl |
		sed -n 's/.*"type":"job-start".*"what":"\([^"]*\)".*/  \1/p' | LC_ALL=C sort | uniq -c
}
slow() { printf '{"kind":"slow-node","node":"%s","factor":1.3}' "$1"; }
model one "$(slow n3)"
partner=$(sim one --no-confirm --quiet | sed -n 's/^UNDECIDED: \([^ ]*\) or \([^ :]*\).*/\1 \2/p' |
	tr -s ' ' '\n' | grep -v '^n3$' | head -1)
echo "n3 met $partner alone"
model both "$(slow n3),$(slow "$partner")"
model link '{"kind":"slow-link","a":"n3","b":"'"$partner"'","factor":1.3}'

echo "== without the pairs that decide"
try who one --no-confirm
echo "== with them"
for what in one both link; do
	try who $what
	asked
done
echo "== the stored run ends alike, and its findings as a file"
sim one --no-confirm --quiet >out
echo "exit $?"
found
hpcbench report latest --json >json
echo "report: exit $?"
grep -c '"undecided"' json
