# shellcheck shell=bash
# What scenarios share: a bed of four nodes or as many as they say, runs of hpcbench in it, and what is expected of them.
# shellcheck source=tests/cluster/bed.sh
. "$BED_SOURCE/tests/cluster/bed.sh"

NODES='n[1-4]'
export HPCBENCH_STORE=$BED/store
OUT=$BED/log/hpcbench.out

begin() { # WHAT [N]: on n1 .. nN, 4 without
	bed_up "${2:-4}" || exit
	NODES="n[1-$BED_NODES]"
	mkdir -p "$HPCBENCH_STORE"
	trap 'finish $?' EXIT
	STEP=$1
	echo "-- $STEP"
}

step() { # WHAT
	STEP=$1
	echo "-- $STEP ($SECONDS s)"
}

finish() { # STATUS
	[ "$1" -eq 0 ] || [ "$1" -eq 77 ] || {
		echo "FAILED in: $STEP"
		echo "---- what hpcbench said last"
		tail -n 90 "$OUT" 2>/dev/null
		echo "---- its journal"
		tail -n 40 "$(run_dir)/journal.jsonl" 2>/dev/null
		echo "---- Slurm"
		squeue 2>/dev/null
		sinfo -N 2>/dev/null
		grep -hiE "error|fatal|fail" "$BED"/log/slurm*.log | tail -n 15
	}
}

die() {
	echo "$*"
	exit 1
}

# The newest run; HPCBENCH_STORE says whose.
run_dir() {
	local all=("$HPCBENCH_STORE"/runs/*)
	echo "${all[-1]}"
}

# hp CODES ARGUMENT...: hpcbench must exit with one of these codes ("0" or "10|11").
hp() {
	local codes=$1 code
	shift
	hpcbench "$@" >"$OUT" 2>&1
	code=$?
	eval "case $code in $codes) ;; *) die \"hpcbench \$*: exit $code, expected $codes\" ;; esac"
	return 0
}

measure() { # CODES [OPTION...]: from outside of any job
	local codes=$1
	shift
	hp "$codes" run --launcher srun --suite bed --nodes "$NODES" "$@"
}

measure_in_background() { # [OPTION...]: its pid in $PID
	hpcbench run --launcher srun --suite bed --nodes "$NODES" "$@" >"$OUT" 2>&1 &
	PID=$!
}

code_is() { # CODE: of the run in the background
	wait "$PID"
	local code=$?
	[ "$code" -eq "$1" ] || die "hpcbench run: exit $code, expected $1"
}

said() { # TEXT: somewhere in what hpcbench printed last
	grep -qF -- "$1" "$OUT" || die "hpcbench did not say: $1"
}

in_journal() { # PATTERN: of the newest run
	grep -qE -- "$1" "$(run_dir)/journal.jsonl" 2>/dev/null
}

# The newest run gets a line like this in its journal; the run must be newer than OLD.
wait_journal() { # OLD SECONDS PATTERN
	bed_wait "$2" is_newer_with "$1" "$3" || die "no line in the journal like $3"
}

is_newer_with() { # OLD PATTERN
	[ "$(run_dir)" != "$1" ] && in_journal "$2"
}

# The pid of a node's first rank, from the journal: its processes are also ours.
rank_on() { # NODE
	grep '"type":"connected"' "$(run_dir)/journal.jsonl" | grep "\"host\":\"$1\"" |
		sed -nE 's/.*"pid":([0-9]+).*/\1/p' | tail -n 1
}

# The rank of the newest run on that node stands still.
stop_rank() { # NODE
	local rank
	rank=$(rank_on "$1")
	[ -n "$rank" ] && kill -STOP "$rank"
}

count_journal() { # PATTERN
	grep -cE -- "$1" "$(run_dir)/journal.jsonl"
}

# Subjects with a verdict among the rows that were printed last.
with_verdict() { # VERDICT
	awk -v v="$1" '$NF == v && match($0, / (n[1-9]|cluster) /) {
		print substr($0, RSTART + 1, RLENGTH - 2)
	}' "$OUT" | sort -u | xargs
}

# ---- findings ----

# Who is blamed in the newest run: "SUBJECT KIND STATE" a line, the worst first.
blamed() {
	tr -d ' \n' <"$(run_dir)/findings.json" |
		grep -oE '"subject":"[^"]*","kind":"[^"]*","state":"[^"]*"' |
		sed -E 's/"[a-z]+":"([^"]*)",?/\1 /g; s/ $//'
}

# Exactly these, in any order: "n3 slow-node slow"; without an argument nobody.
blamed_are() { # [BLAME...]
	local got want
	[ -s "$(run_dir)/findings.json" ] || die "the run has no findings.json"
	got=$(blamed | sort)
	want=$(printf '%s\n' "$@" | sort)
	[ "$got" = "$want" ] || die "blamed: ${got:-nobody}; expected ${want:-nobody}"
}

# ---- causes ----

# Of the newest run: "SUBJECT RULE SEVERITY" a line, in the order in which they are told.
causes() {
	awk '/^ *"causes": *\[/ { on = 1; next }
		on && /^  ?\]/ { exit }
		on && match($0, /^ *"(subject|rule|severity)": *"/) {
			split($0, part, "\"")
			is[part[2]] = part[4]
			if (part[2] == "severity") print is["subject"], is["rule"], is["severity"]
		}' "$(run_dir)/findings.json"
}

# Exactly these errors and warnings, in any order: "n3/eth0 mtu-differs"; without an argument none.
caused_are() { # [CAUSE...]
	local got want
	[ -s "$(run_dir)/findings.json" ] || die "the run has no findings.json"
	got=$(causes | sed -n 's/ \(error\|warning\)$//p' | sort)
	want=$(printf '%s\n' "$@" | sort)
	[ "$got" = "$want" ] || die "causes: ${got:-none}; expected ${want:-none}"
}

# What is told first of all, and to be the matter with this node or a device of it.
first_cause_of() { # NODE RULE
	local first
	first=$(causes | grep -v ' note$' | head -n 1)
	case "$first" in
	"$1 $2 "* | "$1/"*" $2 "*) ;;
	*) die "the first cause is ${first:-none}; expected $2 of $1" ;;
	esac
}

# In what hpcbench printed last, below a cause.
has_evidence() { # PATTERN
	grep -E "^ *evidence: " "$OUT" | grep -qE -- "$1" || die "no evidence like $1"
}

# ---- networks, for scenarios of causes ----

# eth0 for MPI, on which packets cost something, and eth1 for nobody.
PAIRS=(--bench 'mpi.latency,mpi.bandwidth')
two_networks() {
	bed_second || die "no second network"
	bed_packet_cost || die "packets cannot be made to cost anything"
	export OMPI_MCA_btl_tcp_if_include=eth0
}

# What it prints, and behind it the report with the evidence.
probe() { # CODES [OPTION...]
	local codes=$1
	shift
	hp "$codes" probe --launcher srun --nodes "$NODES" "$@"
	hpcbench report latest >>"$OUT" 2>&1
}

# This is blamed, and nothing else. What else works on this host may spoil a run: hpcbench then says
# disturbed, or that it cannot tell. That is no answer, and the run is made again; any other wrong
# answer is a failure at once.
find_fault() { # BLAME [OPTION...]
	local blame=$1 try
	shift
	for try in 1 2 3; do
		measure '10|11|13' "${PAIRS[@]}" "$@"
		[ "$(blamed)" = "$blame" ] && return
		spoilt || break
		echo "   run $try was disturbed: $(blamed | xargs -d '\n')"
	done
	blamed_are "$blame"
}

# One node is slow, nobody else is blamed, and this is told to be why.
find_cause() { # NODE RULE [OPTION...]
	local node=$1 rule=$2
	shift 2
	find_fault "$node slow-node slow" "$@"
	first_cause_of "$node" "$rule"
}

spoilt() {
	grep -qE '"code":"(busy|disturbed)"' "$(run_dir)/records.jsonl" || in_journal '"disturbed"'
}

# Of the newest run, an acceptance: "NODE DECISION" of the new nodes; no control is rejected.
decided_are() { # DECISION...
	local got want all
	all=$(hpcbench report latest --format json 2>/dev/null | tr -d ' \n' |
		grep -oE '"node":"[^"]*","role":"[^"]*","decision":"[^"]*"')
	got=$(echo "$all" | sed -nE 's/"node":"(.*)","role":"new","decision":"(.*)"/\1 \2/p' | sort)
	want=$(printf '%s\n' "$@" | sort)
	[ "$got" = "$want" ] || die "decided: ${got:-nothing}; expected $want"
	! echo "$all" | grep '"role":"control"' | grep -v '"decision":"accepted"' || die "a control is not well"
}

# Pairs without NODE were all measured: latency of 8 B and of 256 KiB, bandwidth there and back.
assert_pairs_without() { # NODE
	local a b bench want got records
	records=$(run_dir)/records.jsonl
	for a in $(seq "$BED_NODES"); do
		for b in $(seq "$BED_NODES"); do
			if [ "$a" -ge "$b" ] || [ "n$a" = "$1" ] || [ "n$b" = "$1" ]; then
				continue
			fi
			for bench in latency bandwidth; do
				want=2
				got=$(grep '"type":"pair"' "$records" | grep "\"bench\":\"mpi.$bench\"" |
					grep -cE "\"a\":\"n($a\",\"b\":\"n$b|$b\",\"b\":\"n$a)\"")
				[ "$got" -ge "$want" ] || die "n$a-n$b mpi.$bench: $got figures, expected $want"
			done
		done
	done
}

no_jobs() {
	[ -z "$(squeue -h)" ]
}
