# Old runs go, those that are needed stay, and nothing outside the store is touched.
ids() { (cd store/runs && echo *); }
fixture_runs 6 benches=memory nodes=n1
for id in store/runs/*; do
	echo '{"type":"samples"}' >"$id/samples.jsonl"
	echo "{\"finished\":\"2001-01-01T01:00:00Z\",\"label\":\"${id: -1}\"}" >"$id/run.json"
done
hpcbench baseline record night 20010103 >/dev/null
try hpcbench store prune
try hpcbench store prune --keep 2 --dry-run
try hpcbench store prune --samples-only --keep-days 30 --label 2
ls store/runs/20010102-010000-0002
# Being measured: a lock, or a journal that grows and no end.
touch store/runs/20010104-010000-0004/run.lock
echo '{"label":null}' >store/runs/20010102-010000-0002/run.json
touch store/runs/20010102-010000-0002/journal.jsonl
# What is no folder of the store's own.
mkdir -p outside/deep
touch outside/deep/precious
ln -s "$PWD/outside" store/runs/20000101-010000-0000
ln -s "$PWD/outside" store/runs/20010101-010000-0001/link
touch -d 2001-01-01 store/runs/records.jsonl.00000000.tmp store/baselines/night.json.lock
touch store/baselines/new.json.lock
# What the store knows beside runs and baselines stays, however old.
touch -d 2001-01-01 store/coverage.json store/acks.json
try hpcbench store prune --keep 1
ids
find outside -type f
ls -A store/baselines
ls -A store
# A baseline that was made of merged runs needs all of them, also one that does not say which.
fixture_runs 4 benches=memory nodes=n1
part() { echo "{\"finished\":\"2001-01-01T01:00:00Z\",\"array\":\"7\",\"shard\":{\"i\":$2,\"n\":3,\"of\":\"n[1-3]\"}}" >"store/runs/$1/run.json"; }
part 20010101-010000-0001 1
part 20010102-010000-0002 2
part 20010104-010000-0004 3
mv store/baselines/night.json night.json
sed -e 's/"20010103-010000-0003"/"20010101-010000-0001+2"/' night.json >store/baselines/old.json
try hpcbench store prune --keep 0 --dry-run
sed -e 's/"runs": *\[/"merged":{"20010101-010000-0001+2":["20010101-010000-0001","20010103-010000-0003"]},&/' \
	store/baselines/old.json >store/baselines/new.json
rm store/baselines/old.json
try hpcbench store prune --keep 0 --dry-run
rm store/baselines/new.json
mv night.json store/baselines/night.json
# A baseline that cannot be read might name any run.
echo '{' >store/baselines/broken.json
try hpcbench store prune --keep 0
rm store/baselines/broken.json
try hpcbench store prune --keep -1
try hpcbench store prune --keep-days soon
try hpcbench store prune 20010106
mv store/runs store/elsewhere
ln -s elsewhere store/runs
try hpcbench store prune --keep 0
try hpcbench --store nowhere store prune --keep 0
try hpcbench store
try hpcbench store tidy
