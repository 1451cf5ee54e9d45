#!/usr/bin/env bash
# Runs beside the bed, not in it: a bed that is interrupted in whatever way leaves nothing behind.
#	leaves_nothing.sh BUILD
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d) || exit 70
trap 'rm -rf "$work"' EXIT

links() { ip -o link | awk -F': ' '{ print $2 }' | sort; }
mounts() { sort /proc/self/mounts; }
start_of() { # PID: when it began; empty when it is gone
	sed -E 's/^.*\) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}

# Every descendant of a process, with its start, so that a number that is used again is no other.
descendants() { # PID
	local child
	# shellcheck disable=SC2013  # numbers in one line
	for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		echo "$child $(start_of "$child")"
		descendants "$child"
	done
}

all_gone() {
	local pid start
	while read -r pid start; do
		[ -n "$start" ] && [ "$(start_of "$pid")" = "$start" ] && return 1
	done <"$work/pids"
	return 0
}

wait_for() { # SECONDS CMD...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -le "$end" ] || return 1
		sleep 0.05
	done
}

is_up() { grep -q '^up$' "$work/out" || ! kill -0 "$enter" 2>/dev/null; }

links >"$work/links"
mounts >"$work/mounts"
for signal in KILL TERM INT; do
	: >"$work/out"
	# A job of its own: a shell without job control would hide SIGINT from what it starts.
	set -m
	"$here/enter" "$1" "$here/holds_still.sh" >"$work/out" 2>&1 &
	enter=$!
	set +m
	wait_for 60 is_up || exit 1
	if grep '^skipped:' "$work/out"; then
		exit 77
	fi
	descendants "$enter" >"$work/pids"
	count=$(wc -l <"$work/pids")
	[ "$count" -ge 8 ] || { cat "$work/out"; echo "only $count processes in the bed"; exit 1; }
	kill "-$signal" "$enter"
	wait "$enter" 2>/dev/null
	wait_for 15 all_gone || { echo "processes are left after SIG$signal"; cat "$work/pids"; exit 1; }
	links | cmp "$work/links" - || { echo "links are left after SIG$signal"; exit 1; }
	mounts | cmp "$work/mounts" - || { echo "mounts are left after SIG$signal"; exit 1; }
	echo "SIG$signal: $count processes ended, nothing is left"
done
