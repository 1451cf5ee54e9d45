#!/usr/bin/env bash
# A store without room, or that cannot be written: before a run and in the middle of one.
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

model 40
mkdir "$WORK/disk"
mount -t tmpfs -o size=4m none "$WORK/disk" || skip "tmpfs cannot be mounted here"
run() {
	hpcbench run --launcher "sim:$WORK/cluster.json" --suite pairs --seed 3 \
		--store "$WORK/disk/store" "$@"
}
fill() { dd if=/dev/zero of="$WORK/disk/fill" bs=4k oflag=append conv=notrunc 2>/dev/null; }
# shellcheck disable=SC2317  # called by ok
nothing_half() { [ -z "$(find "$WORK/disk" -name '*.tmp*' -o -name '*.lock*')" ]; }

# Before.
fill
run >"$WORK/out" 2>"$WORK/err"
ok "a full disk is an error before anything is measured" has "No space left" "$WORK/err"
ok "it says what to do" has "make room or choose another store" "$WORK/err"
rm -rf "$WORK/disk/store" "$WORK/disk/fill"
dd if=/dev/zero of="$WORK/disk/fill" bs=1k count=3800 2>/dev/null
run >"$WORK/out" 2>"$WORK/err"
ok "too little room is an error too" [ $? -eq 20 ]
ok "it names both figures" has "will write about .* kB, and the store .* has room for .* kB" "$WORK/err"
ok "no run was begun" [ -z "$(ls "$WORK/disk/store/runs")" ]
rm -f "$WORK/disk/fill"
dd if=/dev/zero of="$WORK/disk/fill" bs=1k count=3000 2>/dev/null
run --quiet >"$WORK/out" 2>"$WORK/err"
ok "room for one run, not for two, is enough" [ $? -eq 0 ]
ok "and is told" has "has room for" "$WORK/err"
rm -rf "$WORK/disk/store" "$WORK/disk/fill"

# In the middle.
run >"$WORK/out" 2>"$WORK/err" &
pid=$!
pids+=("$pid")
until_true 30 at_least_units "$WORK/disk/store" 3
fill
wait "$pid"
ok "a disk that fills up ends the run with 20" [ $? -eq 20 ]
dir=$(rescued)
ok "why is told" has "No space left" "$WORK/err"
ok "and where the run is" has "the whole run is in $dir" "$WORK/err"
ok "no line in the store is cut" whole_lines "$WORK"/disk/store/runs/*/*.jsonl
ok "nothing half-written is left" nothing_half
ok "no line of what was saved is cut" whole_lines "$dir"/*.jsonl
hpcbench report "$dir" --store "$WORK/disk/store" --json >"$WORK/saved.json"
ok "what was measured is reported" [ "$(grep -c '"value"' "$WORK/saved.json")" -gt 0 ]
store_units=$(units_ended "$WORK/disk/store")
saved_units=$(grep -c '"type":"unit-end"' "$dir/journal.jsonl")
ok "what was saved is no less than what is in the store" [ "$saved_units" -ge "$store_units" ]
rm -rf "$WORK/disk/store" "$WORK/disk/fill" "$dir"

# Read-only: before, and in the middle.
mkdir -p "$WORK/disk/store"
mount -o remount,ro "$WORK/disk"
run >"$WORK/out" 2>"$WORK/err"
ok "a read-only store is an error before anything is measured" has "Read-only file system" "$WORK/err"
hpcbench list runs --store "$WORK/disk/store" >"$WORK/out" 2>"$WORK/err"
ok "it can be read" [ $? -eq 0 ]
mount -o remount,rw "$WORK/disk"
verdict
