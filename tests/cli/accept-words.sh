# What an acceptance is asked for: words that cannot be, controls that are chosen, a baseline.
cat >a.json <<'END'
{"schema":1,"name":"a","rounds":5,"benches":[
 {"bench":"mpi.bandwidth","options":{"sizes":"1Mi"},"tolerance":"15%"},
 {"bench":"mpi.allreduce","options":{"sizes":"1Mi"},"groups":[2,"all"]}]}
END
model() { printf '{"schema":1,"nodes":"n[1-12]"%s}\n' "$2" >"$1.json"; }
model clean ''
model classes ',"hw":"old","node_hw":{"n7":"new","n8":"new","n9":"new","n10":"new","n11":"new","n12":"new"}'
model slow ',"faults":[{"kind":"slow-node","node":"n12","factor":1.5}]'
sim() { # MODEL WORDS...
	hpcbench accept "${@:2}" --suite ./a.json --seed 1 --launcher "sim:$1.json"
}
try hpcbench accept
try sim clean n1 n2
try sim clean ''
try sim clean 'n[1'
try sim clean n1 --controls 'n[1-4]'
try sim clean 'n[1-2]' --controls 'n[3-4]'
try sim clean 'n[1-2]' --controls 'n[3'
try sim clean 'n[1-3]' --controls none
try sim clean 'n[1-10]'
try sim clean 'n[1-4]' --drain
try hpcbench accept 'n[1-4]' --drain --profile a,b --launcher srun
try sim clean 'n[1-4]' --resume nobody
# Controls are idle nodes with good figures first, of the same class where that is known.
first() { grep -e '^ACCEPTED' -e '^without' -e ' controls: ' -e 'controls are'; }
short() { sim "$@" 2>&1 | first | sed -E 's/(since|until) 20[0-9-]*/\1 DAY/'; }
short clean 'n[1-4]'
short clean 'n[5-8]' --controls 'n[9-12]'
short clean 'n[1-2]'
hpcbench run --launcher sim:classes.json --suite ./a.json --seed 1 --quiet 2>/dev/null
short classes 'n[7-8]'
# New nodes among themselves; what all of them have in common cannot be seen.
short clean 'n[1-6]' --controls none
# Against a baseline, which also says who is a good control.
for seed in 1 2 3 4 5; do
	hpcbench run --launcher sim:clean.json --suite ./a.json --nodes 'n[1-8]' --seed $seed --quiet 2>/dev/null
done
hpcbench baseline record night latest,latest~1,latest~2,latest~3,latest~4 --quiet
short slow 'n[11-12]' --baseline night
try sim slow 'n[11-12]' --controls 'n[1-4]' --baseline no-such
# The decisions again, and for programs.
hpcbench report latest | first
hpcbench report latest --json | tr ',{' '\n\n' | grep -e '"node": "n1[12]"' -e '"decision"' | head -4
# A node that is known trouble is rejected, and the exit code is silent about it.
hpcbench ack n12 --until 2w --reason 'cable is ordered' --quiet
short slow 'n[11-12]'
sim slow 'n[11-12]' >/dev/null 2>&1
echo "exit $?"
