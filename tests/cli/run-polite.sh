# Where others run jobs on the cluster fewer pairs are measured at once; a Slurm of the case's own.
mkdir bin
cat >bin/scontrol <<'END'
#!/bin/sh
case "$*" in
*"show node"*) for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16; do
	echo "NodeName=n$i NodeAddr=n$i State=IDLE"
done ;;
*) exit 1 ;;
esac
END
cat >bin/sinfo <<'END'
#!/bin/sh
[ "$*" = '-h -N -o %N|%T' ] && cat sinfo.txt
END
chmod +x bin/scontrol bin/sinfo
PATH=$PWD/bin:$PATH
plan() { hpcbench plan --launcher srun --nodes 'n[01-16]' --suite pairs --seed 1 "$@" | grep -E 'pairs at once|other nodes|predicted'; }
for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16; do echo "n$i|allocated"; done >mine
cat mine - >sinfo.txt <<'END'
m1|allocated
m1|allocated
m2|mixed
m3|idle
m4|drained
END
plan
plan --nodes 'n[01-03]'
plan --max-pairs 5
plan --max-pairs 0
hpcbench plan --launcher srun --nodes 'n[01-16]' --suite pairs --seed 1 --json | grep -E '"(max_pairs|allocates)"'
echo "{\"schema\":1,\"name\":\"said\",\"max_pairs\":7,\"benches\":[{\"bench\":\"mpi.latency\"}]}" >said.json
plan --suite ./said.json
hpcbench plan --launcher srun --nodes 'n[01-16]' --bench node.memory | grep -c 'other nodes'
# Nobody else, and nobody who knows.
echo 'm1|idle' | cat mine - >sinfo.txt
plan
: >sinfo.txt
plan
rm bin/sinfo
plan
# What means nothing where nothing is allocated.
echo '{"schema":1,"nodes":"n[1-2]"}' >cluster.json
try hpcbench run --launcher sim:cluster.json --max-wait 5s
try hpcbench run --alloc partition=gpu
try hpcbench plan --launcher mpirun --alloc=partition=gpu
SLURM_JOB_ID=12 try hpcbench run --launcher srun --max-wait=5s --nodes n01
HPCBENCH_MAX_WAIT=5s hpcbench plan --launcher sim:cluster.json --bench mpi.latency >/dev/null && echo fine
try hpcbench run --launcher sim:cluster.json --records files
ls -A store/runs
