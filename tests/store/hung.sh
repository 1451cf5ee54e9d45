#!/usr/bin/env bash
# A file system that hangs: before a run, as somebody's HOME, and in the middle of a run.
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

model 40
mirror "$WORK/back" "$WORK/mnt"
run() { hpcbench run --launcher "sim:$WORK/cluster.json" --suite pairs --seed 3 "$@"; }

# HOME hangs and the store lies elsewhere: nothing is wrong.
mkdir "$WORK/mnt/home"
kill -STOP "$mirror_pid"
HOME=$WORK/mnt/home timeout -s KILL 60 hpcbench run --launcher "sim:$WORK/cluster.json" \
	--suite pairs --seed 3 --store "$WORK/store" >"$WORK/out" 2>"$WORK/err"
ok "with HOME hung a run elsewhere is complete" [ $? -eq 0 ]
ok "and says nothing of a store" has_not "does not answer\|not answered" "$WORK/err"

# The store hangs before the run.
start=$SECONDS
run --store "$WORK/mnt/store" >"$WORK/out" 2>"$WORK/err"
ok "a store that hangs is an error before anything is measured" [ $? -ne 0 ]
ok "it says so" has "the store $WORK/mnt/store does not answer" "$WORK/err"
ok "and what to do" has "choose another with --store" "$WORK/err"
ok "within its 10 s" [ $((SECONDS - start)) -lt 20 ]
timeout -s KILL 30 hpcbench list runs --store "$WORK/mnt/store" >"$WORK/out" 2>"$WORK/err"
ok "reading it is the same error" has "does not answer" "$WORK/err"
kill -CONT "$mirror_pid"

# It hangs in the middle and comes back.
run --store "$WORK/mnt/store" >"$WORK/out" 2>"$WORK/err" &
pid=$!
pids+=("$pid")
until_true 30 at_least_units "$WORK/back/store" 3
kill -STOP "$mirror_pid"
until_true 30 has "has not answered for 2 s" "$WORK/err"
before=$(units_ended "$WORK/back/store")
kill -CONT "$mirror_pid"
wait "$pid"
ok "a run whose store came back ends well" [ $? -eq 0 ]
ok "it told once that the store was silent" [ "$(grep -c 'has not answered' "$WORK/err")" -eq 1 ]
ok "and once that it answers" [ "$(grep -c 'answers again' "$WORK/err")" -eq 1 ]
ok "what was measured meanwhile is there" at_least_units "$WORK/back/store" $((before + 1))
ok "no line is cut" whole_lines "$WORK"/back/store/runs/*/*.jsonl
ok "the lock is gone" [ -z "$(find "$WORK/back/store" -name '*.lock')" ]
hpcbench report latest --store "$WORK/store" --json >"$WORK/one.json"
hpcbench report latest --store "$WORK/mnt/store" --json >"$WORK/two.json"
ok "it has all the figures of a run without trouble" \
	[ "$(grep -c '"value"' "$WORK/one.json")" -eq "$(grep -c '"value"' "$WORK/two.json")" ]

# It hangs in the middle and stays so.
rm -rf "$WORK/mnt/store"
run --store "$WORK/mnt/store" >"$WORK/out" 2>"$WORK/err" &
pid=$!
pids+=("$pid")
until_true 30 at_least_units "$WORK/back/store" 3
kill -STOP "$mirror_pid"
start=$SECONDS
wait "$pid"
ok "a run whose store is gone ends with 20" [ $? -eq 20 ]
ok "after a minute of waiting" [ $((SECONDS - start)) -lt 110 ]
dir=$(rescued)
ok "the run is elsewhere" [ -n "$dir" ]
ok "the error names the place" has "the whole run is in $dir" "$WORK/err"
ok "only its owner can read it" [ "$(stat -c %a "$dir")" = 700 ]
ok "no line of it is cut" whole_lines "$dir"/*.jsonl
timeout -s KILL 30 hpcbench report "$dir" --store "$WORK/store" --json >"$WORK/three.json"
ok "report reads it there, all figures" \
	[ "$(grep -c '"value"' "$WORK/one.json")" -eq "$(grep -c '"value"' "$WORK/three.json")" ]
kill -CONT "$mirror_pid"
sleep 0.5
run_dir=$(echo "$WORK"/back/store/runs/*)
ok "nothing was written to the store after all" [ ! -e "$run_dir/summary.json" ]
cp -a "$dir/." "$run_dir/"
hpcbench report latest --store "$WORK/mnt/store" >"$WORK/out" 2>"$WORK/err"
ok "copied over the run in the store it is whole there" [ $? -eq 0 ]
verdict
