#!/usr/bin/env bash
# A store that two users share by a group: both measure, both see what they may see.
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

model 0
chmod 755 "$WORK"
chmod 1777 "$TMPDIR"
mkdir "$WORK/store"
chown 4200001:4200004 "$WORK/store"
chmod 2770 "$WORK/store"
# as UID COMMAND...
as() { (umask 007; setpriv --reuid "$1" --regid 4200003 --groups 4200004 -- "${@:2}"); }
as 4200001 hpcbench --version >/dev/null 2>&1 || skip "other users cannot read $BUILD"
run() {
	as "$1" hpcbench run --launcher "sim:$WORK/cluster.json" --suite pairs --quiet --seed "$2" \
		--store "$WORK/store" >"$WORK/out" 2>"$WORK/err"
}
run 4200001 1
ok "one member measures" [ $? -eq 0 ]
run 4200002 2
ok "so does another" [ $? -eq 0 ]
as 4200001 hpcbench baseline record night latest --store "$WORK/store" >"$WORK/out" 2>"$WORK/err"
ok "one records a baseline of the other's run" [ $? -eq 0 ]
as 4200002 hpcbench baseline record night latest~1 --extend --force --store "$WORK/store" \
	>"$WORK/out" 2>"$WORK/err"
ok "the other extends it" [ $? -eq 0 ]
ok "everything belongs to the group" [ -z "$(find "$WORK/store" ! -group 4200004)" ]
ok "and its members may write" [ -z "$(find "$WORK/store" ! -perm -060)" ]

# A run that somebody keeps to himself, and one that lacks its end.
ids=("$WORK"/store/runs/*)
chmod 700 "${ids[0]}"
as 4200002 hpcbench list runs --store "$WORK/store" >"$WORK/out" 2>"$WORK/err"
ok "a run that may not be read does not stop the list" [ $? -eq 0 ]
ok "it is a line" has "$(basename "${ids[0]}").*unreadable.*Permission denied" "$WORK/out"
ok "the other run is one too" has "$(basename "${ids[1]}").*pairs" "$WORK/out"
rm "${ids[1]}/summary.json"
as 4200002 hpcbench list runs --store "$WORK/store" >"$WORK/out" 2>"$WORK/err"
ok "a run that was killed is told as such" has "$(basename "${ids[1]}").*it was killed" "$WORK/out"
printf '{"host":"elsewhere","pid":7,"start":1,"boot_id":"x"}\n' >"${ids[1]}/run.lock"
as 4200002 hpcbench list runs --store "$WORK/store" >"$WORK/out" 2>"$WORK/err"
ok "one that is being measured too, with who does it" \
	has "is being measured by pid 7 on elsewhere" "$WORK/out"
verdict
