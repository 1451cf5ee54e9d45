# Ctrl-C in the middle of a run: what was measured is kept and usable, exit 130.
echo '{"schema":1,"nodes":"n[1-4]","delay_ms":40}' >cluster.json
# A job in the background of a script ignores SIGINT, and so would hpcbench: bash undoes that only
# with job control.
set -m
hpcbench run --launcher sim:cluster.json --suite pairs --seed 3 >out 2>err &
# Wait for the third unit that has ended, not for a time.
until [ "$(grep -c unit-end store/runs/*/journal.jsonl 2>/dev/null)" -ge 3 ] 2>/dev/null; do
	kill -0 $! 2>/dev/null || break
	sleep 0.02
done
kill -INT $!
wait $!
echo "run: exit $?"
grep -c PARTIAL out
figures=$(hpcbench report latest --json | grep -c '"value"')
[ "$figures" -gt 0 ] && echo "there are figures"
hpcbench baseline record night latest >out 2>&1
echo "baseline: exit $?"
sed 's/run .* refused/run RUN refused/' out
