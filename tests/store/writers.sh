#!/usr/bin/env bash
# Many writers of one store at once: baselines that are extended, runs that are made; nothing is
# lost and no file is torn.
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

model 0
export HPCBENCH_STORE=$WORK/store
run() { hpcbench run --launcher "sim:$WORK/cluster.json" --suite pairs --quiet --seed "$1"; }

# Runs, eight at a time.
waiting=()
for i in 1 2 3 4 5 6 7 8; do
	run "$i" >"$WORK/out.$i" 2>"$WORK/err.$i" &
	waiting+=($!)
done
bad=0
for p in "${waiting[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok "eight runs at once end well" [ "$bad" -eq 0 ]
mapfile -t ids < <(ls "$HPCBENCH_STORE/runs")
ok "each has a folder of its own" [ "${#ids[@]}" -eq 8 ]
ok "no line is cut" whole_lines "$HPCBENCH_STORE"/runs/*/*.jsonl
run 9 >/dev/null 2>&1
hpcbench baseline record night latest --quiet >"$WORK/out" 2>&1
ok "a baseline of one run" [ $? -eq 0 ]

# One baseline, extended by eight processes at once, while others read it.
waiting=()
for i in "${!ids[@]}"; do
	hpcbench baseline record night "${ids[$i]}" --extend --force >"$WORK/out.$i" 2>"$WORK/err.$i" &
	waiting+=($!)
	hpcbench baseline show night --json >"$WORK/show.$i" 2>&1 &
	waiting+=($!)
done
bad=0
for p in "${waiting[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok "every writer and every reader ends well" [ "$bad" -eq 0 ]
ok "no run is missing" has '"runs": *9\b' <(hpcbench baseline list --json 2>&1)
ok "nothing is left behind" [ -z "$(find "$HPCBENCH_STORE" -name '*.tmp' -o -name '*.lock*')" ]

# A writer that was killed leaves a lock: the next one takes it over.
lock=$HPCBENCH_STORE/baselines/night.json.lock
sleep 1000 &
dead=$!
printf '{"host":"%s","pid":%d,"start":1,"boot_id":"%s","pid_ns":"%s","time":"2001-01-01T00:00:00Z","what":"file"}\n' \
	"$(hostname -s)" "$dead" "$(cat /proc/sys/kernel/random/boot_id)" \
	"$(readlink /proc/self/ns/pid)" >"$lock"
run 10 >/dev/null 2>&1
ok "a lock whose process has another start time is taken over" \
	hpcbench baseline record night latest --extend --force
kill "$dead"
printf '{"host":"elsewhere","pid":1,"start":1,"boot_id":"x","time":"2001-01-01T00:00:00Z","what":"file"}\n' >"$lock"
start=$SECONDS
hpcbench baseline record night "${ids[0]}" --extend --force >"$WORK/out" 2>"$WORK/err"
ok "one of another host is waited for, and then named" \
	has "is being written by pid 1 on elsewhere since 2001-01-01T00:00:00Z; remove $lock" "$WORK/err"
ok "for 10 s" [ $((SECONDS - start)) -ge 9 ]
verdict
