# Killed while the extra pairs are measured, and gone on with: who is slow is what it would have
# been, and nothing is asked for or measured twice.
model() {
	echo '{"schema":1,"nodes":"n[1-16]","run_spread":0.004,"delay_ms":'"$1"',"faults":[
 {"kind":"slow-node","node":"n3","factor":1.15}]}' >cluster.json
}
words=(run --launcher sim:cluster.json --suite pairs --bench mpi.latency --sizes 8 --seed 1)
run() { printf '%s\n' store/runs/*; }
# Extra pairs that were begun, and that ended.
begun() { grep -hc '"type":"job-start".*"phase":"extra"' "$(run)/journal.jsonl" 2>/dev/null; }

model 0
hpcbench "${words[@]}" >out 2>err
echo "whole: exit $?, $(begun) extra pairs"
found | tee whole
rm -rf store

model 300
for signal in KILL INT; do
	set -m
	hpcbench "${words[@]}" >out 2>err &
	# Wait for the second extra pair that begins, not for a time.
	until [ "$(begun || true)" -ge 2 ] 2>/dev/null; do
		kill -0 $! 2>/dev/null || break
		sleep 0.02
	done
	kill -$signal $!
	wait $! 2>/dev/null
	echo "$signal: exit $?"
	set +m
	hpcbench run --resume latest >resumed 2>err
	echo "resumed: exit $?"
	found | diff whole - && echo "the same is slow"
	grep -c '"type":"append".*"phase":"extra"' "$(run)/journal.jsonl"
	# Every unit has ended well once.
	ended=$(grep -h '"type":"end"' "$(run)/records.jsonl" | grep '"status":"ok"' | grep -o '"unit":[0-9]*')
	[ "$(sort -u <<<"$ended" | wc -l)" = "$(wc -l <<<"$ended")" ] && echo "nothing was measured twice"
	rm -rf store
done
