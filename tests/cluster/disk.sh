#!/usr/bin/env bash
# The store's disk is full or read-only, before a run and in the middle of one: told in one line, no
# job is left, what was measured is not lost, and the run is completed when the disk is well again.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
DISK=$BED/disk
pairs=(--bench 'mpi.latency,mpi.bandwidth')
fill() { ! dd if=/dev/zero of="$DISK/fill" bs=4k 2>/dev/null; }
errors_are() { # N
	local got
	got=$(grep -cE '^hpcbench( run)?: (error: )?cannot ' "$OUT")
	[ "$got" -eq "$1" ] || die "$got error lines, expected $1"
}

# The run that was saved elsewhere can be read there.
assert_saved() {
	local saved
	saved=$(sed -nE 's/.*the whole run is in ([^:]*):.*/\1/p' "$OUT")
	[ -d "$saved" ] || die "it is not told where the run was saved"
	[ "$(grep -c '"type":"pair"' "$saved/records.jsonl")" -gt 0 ] || die "nothing was saved in $saved"
	hpcbench report "$saved" >"$BED/log/report" 2>&1
	grep -q 'MEASURED: ' "$BED/log/report" || die "what was saved cannot be reported"
	bed_wait 20 no_jobs || die "a job is left"
}

begin "a full disk"
mkdir "$DISK"
mount -t tmpfs -o size=8m,mode=755 disk "$DISK" || exit
export HPCBENCH_STORE=$DISK/store
mkdir "$HPCBENCH_STORE"
fill || die "the disk is not full"
measure 20 "${pairs[@]}"
said "No space left on device"
errors_are 1
[ -z "$(squeue -h)" ] || die "a job was asked for"
rm "$DISK/fill"

step "it fills up while pairs are measured"
old=$(run_dir)
measure_in_background "${pairs[@]}" --max-time 0.7s --precision 0.01%
wait_journal "$old" 60 '"job-end"'
fill || die "the disk is not full"
code_is 20
said "No space left on device"
errors_are 2
assert_saved

step "and has room again"
rm "$DISK/fill"
hp 0 run --resume latest
said "MEASURED: 20 figures"

step "a read-only store"
mount -o remount,ro "$DISK" || exit
measure 20 "${pairs[@]}"
said "Read-only file system"
errors_are 1
mount -o remount,rw "$DISK" || exit

# What is open can still be written: nothing more can be made, renamed or removed.
step "it becomes read-only while pairs are measured"
old=$(run_dir)
measure_in_background "${pairs[@]}"
wait_journal "$old" 60 '"job-end"'
mount --bind "$DISK" "$DISK" || exit
mount -o remount,bind,ro "$DISK" || exit
code_is 20
said "Read-only file system"
assert_saved

step "and can be written again"
umount "$DISK" || exit
hp 0 run --resume latest
said "MEASURED: 20 figures"
step "done"
