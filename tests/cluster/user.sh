#!/usr/bin/env bash
# An ordinary user measures; whatever ends hpcbench, no job of it is left.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
nobody_there() { ! pgrep -u "$BED_UID" >/dev/null; }
someone_runs() { squeue -h -t running | grep -q .; }
someone_waits() { squeue -h -t pending | grep -q .; }
nobody_waits() { ! someone_waits; }
said_waits() { grep -qi "wait" "$OUT"; }

begin "an ordinary user"
chmod 755 "$BED/log"
touch "$OUT"
export HPCBENCH_STORE=$BED/home/$BED_USER/store
run=(hpcbench run --launcher srun --suite bed --nodes "$NODES")

as_user "${run[@]}" >"$OUT" 2>&1 || die "exit $?"
said "MEASURED: 26 figures"
bed_wait 10 no_jobs || die "a job is left"
[ "$(stat -c %U "$(run_dir)/records.jsonl")" = "$BED_USER" ] || die "the run is not the user's"

step "records by files, for the same user"
as_user "${run[@]}" --records files >"$OUT" 2>&1 || die "exit $?"
said "MEASURED: 26 figures"

# What ends hpcbench while it measures, and how soon its job is gone.
for signal in KILL TERM; do
	step "hpcbench gets SIG$signal"
	old=$(run_dir)
	as_user "${run[@]}" >"$OUT" 2>&1 &
	PID=$!
	wait_journal "$old" 60 '"job-end"'
	pkill "-$signal" -u "$BED_UID" -x hpcbench
	wait "$PID"
	code=$?
	bed_wait 15 no_jobs || die "a job is left after SIG$signal"
	bed_wait 10 nobody_there || die "processes are left after SIG$signal: $(pgrep -lu "$BED_UID")"
	[ "$signal" = KILL ] || [ "$code" -eq 143 ] || die "exit $code after SIGTERM, expected 143"
	hpcbench report latest >"$OUT" 2>&1
done
said "mpi.latency"

step "hpcbench is killed while its job waits for nodes"
salloc -Q -N4 --exclusive -t 5 -J holder --no-shell || die "salloc: exit $?"
bed_wait 10 someone_runs || die "nobody holds the nodes"
as_user "${run[@]}" >"$OUT" 2>&1 &
PID=$!
bed_wait 20 someone_waits || die "no job waits"
bed_wait 10 said_waits || die "nothing was said about waiting"
pkill -KILL -u "$BED_UID" -x hpcbench
wait "$PID"
bed_wait 15 nobody_waits || die "a job still waits"
scancel --name=holder
step "done"
