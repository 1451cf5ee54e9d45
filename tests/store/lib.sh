# shellcheck shell=bash
# Functions for the scenarios of a store in trouble. They run as root in a mount namespace of their
# own (enter), so that every mount goes with it, whatever happens.

fails=0
# shellcheck disable=SC2034  # used by the scenarios
WORK=$(mktemp -d /tmp/hpcbench-store-XXXXXX)
BUILD=$1
export PATH=$BUILD/bin:$PATH
export TMPDIR=$WORK/tmp
unset HPCBENCH_STORE XDG_DATA_HOME
mkdir "$TMPDIR"
pids=()

finish() {
	local p
	for p in "${pids[@]}"; do kill -KILL "$p" 2>/dev/null; done
	while read -r p; do
		umount -l "$p"
	done < <(awk -v w="$WORK/" 'index($2, w) == 1 {print $2}' /proc/self/mounts | sort -r)
	rm -rf --one-file-system "$WORK"
}
trap finish EXIT

skip() {
	echo "skipped: $*"
	exit 77
}

# ok "what must hold" COMMAND...
ok() {
	local what=$1
	shift
	if "$@"; then
		echo "ok: $what"
	else
		echo "FAILED: $what ($*)"
		fails=$((fails + 1))
	fi
}

verdict() {
	[ "$fails" -eq 0 ] || { echo "$fails failed"; exit 1; }
	exit 0
}

# until_true SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

has() { grep -q -e "$1" "$2"; }
has_not() { ! grep -q -e "$1" "$2"; }
ended() { ! kill -0 "$1" 2>/dev/null; }

# mirror FOLDER MOUNTPOINT: mounts it; its process is $mirror_pid.
mirror() {
	[ -x "$BUILD/tests/mirrorfs" ] || skip "libfuse3-dev is not installed"
	[ -c /dev/fuse ] || skip "there is no /dev/fuse"
	mkdir -p "$1" "$2"
	# A session of its own: a stopped process whose shell goes away would be woken and hung up.
	setsid "$BUILD/tests/mirrorfs" "$1" "$2" >"$WORK/mirrorfs.log" 2>&1 &
	mirror_pid=$!
	pids+=("$mirror_pid")
	until_true 10 mountpoint -q "$2" || skip "FUSE cannot be mounted here: $(cat "$WORK/mirrorfs.log")"
}

# The run that was saved elsewhere.
rescued() { find "$TMPDIR" -maxdepth 1 -name 'hpcbench-*' | head -1; }

# whole_lines FILE...: every line is an object, and the last one ends.
whole_lines() {
	local f
	for f in "$@"; do
		[ ! -s "$f" ] || [ "$(tail -c 1 "$f" | od -An -tx1 | tr -d ' ')" = 0a ] || return 1
		[ "$(grep -c -v '^{.*}$' "$f")" = 0 ] || return 1
	done
}

# model SECONDS_A_UNIT_IN_MS: cluster.json in $WORK
model() { echo "{\"schema\":1,\"nodes\":\"n[1-4]\",\"delay_ms\":$1}" >"$WORK/cluster.json"; }
units_ended() { grep -c '"type":"unit-end"' "$1"/runs/*/journal.jsonl 2>/dev/null; }
at_least_units() { [ "$(units_ended "$1")" -ge "$2" ] 2>/dev/null; }
