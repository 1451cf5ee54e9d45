# Runs on their way from store to store; tar itself reads and writes the archives.
echo '{"schema": 1, "nodes": "n[1-2]"}' >two.json
hpcbench run -q --suite pairs --launcher sim:two.json --seed 1
hpcbench run -q --suite pairs --launcher sim:two.json --seed 2
hpcbench baseline record house latest~1,latest --force >/dev/null
say() { # as try, sizes left out: they depend on figures' digits
	printf '$'
	printf ' %q' "$@"
	printf '\n'
	"$@" 2>&1 | sed -E 's/[0-9.]+ (B|KiB|MiB)/SIZE/'
	printf '[exit %d]\n\n' "${PIPESTATUS[0]}"
}
say hpcbench store export latest latest~1 --baseline house --to all.tar
tar -tf all.tar
mkdir unpacked
tar -C unpacked -xf all.tar
diff -r -x coverage.json -x acks.json store unpacked && echo the same
say hpcbench store import all.tar --store other
diff -r -x coverage.json -x acks.json store other && echo the same
say hpcbench store import all.tar --store other
hpcbench diff latest~1 latest --store other >/dev/null && echo it can be compared
# What a store knows beside runs and baselines is its own: it is passed over.
ls store/coverage.json
echo '{"schema": 1, "acks": []}' >store/acks.json
tar -C store -cf gnu.tar .
say hpcbench store import ./gnu.tar --store third
diff -r -x coverage.json -x acks.json store third && echo the same
ls third
say hpcbench store export latest --no-samples --to folder
say hpcbench store import folder --store fourth
ls fourth/runs/*
# Nothing is overwritten.
say hpcbench store export latest --to all.tar
say hpcbench store export latest --to folder
say hpcbench store export latest latest
say hpcbench store export --baseline nosuch --to x.tar
say hpcbench store export ./folder/runs/*
say hpcbench store export
ls x.tar 2>&1
# Archives that nobody should have made.
bad() { # NAME FILE...: an archive of these, which must be refused and leave nothing
	rm -rf victim
	tar -cPf "$1.tar" "${@:2}" 2>/dev/null
	say hpcbench store import "$1.tar" --store victim
	find victim -type f
}
id=20010101-010000-0001
mkdir -p runs/$id baselines
echo x >runs/$id/notes.txt
echo '{}' >runs/$id/plan.json
ln -s /etc/passwd runs/$id/run.json
ln runs/$id/plan.json runs/$id/summary.json
mkdir runs/nonsense
echo '{}' >runs/nonsense/plan.json
echo '{}' >baselines/latest.json
bad unknown runs/$id/plan.json runs/$id/notes.txt
bad link runs/$id/run.json
bad hard runs/$id/plan.json runs/$id/summary.json
bad absolute --transform "s,^,/," runs/$id/plan.json
bad climb "runs/../runs/$id/plan.json"
bad strange runs/nonsense/plan.json
bad reserved baselines/latest.json
bad twice runs/$id/plan.json ./runs/$id/plan.json
bad device /dev/null
bad nothing -T /dev/null
tar -cf cut.tar runs/$id/plan.json
for n in 0 100 512 513 600 1024; do
	head -c $n cut.tar >short.tar
	say hpcbench store import short.tar --store victim
done
sed 's/plan/plam/' cut.tar >sum.tar
say hpcbench store import sum.tar --store victim
say hpcbench store import /dev/zero --store victim
say hpcbench store import nosuch.tar --store victim
mkdir -p linked/runs
ln -s "$PWD/runs/$id" linked/runs/$id
say hpcbench store import linked --store victim
find victim -type f
