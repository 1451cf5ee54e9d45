# shellcheck shell=bash
# Functions for the cases. Everything here is the same on every machine and at every hour.

# Prints a command, runs it, prints how it ended: the form of most cases.
try() {
	printf '$'
	printf ' %q' "$@"
	printf '\n'
	"$@"
	printf '[exit %d]\n\n' $?
}

# Writes a run's summary into the store: fixture_run ID [NAME=VALUE...]
#	seed=N	moves every figure by the noise of this run
#	noise=R	between-run spread (0.01); sizes of one run move half together
#	nodes="n1 n2 ..."	(n1 .. n4)
#	benches="latency bandwidth memory"
#	slow_node=NAME slow_bench=NAME slow=FACTOR	that subject's figures get so much worse
#	whole_bench=NAME whole=FACTOR	everybody's do
#	mpi=VERSION	of the fingerprint
#	partial=true injected=true label=TEXT extra=JSON (members added at the top)
fixture_run() {
	local id=$1
	shift
	mkdir -p "store/runs/$id"
	fixture_json "$id" "$@" >"store/runs/$id/summary.json"
}

# The text of such a summary.
fixture_json() {
	local id=$1 a args=()
	shift
	for a in "$@"; do args+=(-v "$a"); done
	LC_ALL=C awk -v id="$id" "${args[@]}" -f "$CASES/fixture.awk" /dev/null
}

# fixture_runs N [NAME=VALUE...]: runs 20010101-010000-0001 and on, one a day, seeds 1 to N.
fixture_runs() {
	local n=$1 i
	shift
	for ((i = 1; i <= n; i++)); do
		fixture_run "$(printf '200101%02d-010000-%04x' "$i" "$i")" "seed=$i" "$@"
	done
}

# found: subject, kind and state of all that the newest run blames
found() {
	tr -d '\n' <"$(printf '%s\n' store/runs/* | tail -1)/findings.json" |
		grep -o '"subject": *"[^"]*", *"kind": *"[^"]*", *"state": *"[^"]*"' |
		sed 's/"subject": *//; s/, *"kind": */ /; s/, *"state": */ /; s/"//g; s/^/  /' | LC_ALL=C sort
}
