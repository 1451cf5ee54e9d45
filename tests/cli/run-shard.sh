# The tasks of a job array measure a part each; --merge makes one run of them.
export SLURM_ARRAY_JOB_ID=77 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=3
echo '{"schema":1,"nodes":"n[01-16]","run_spread":0.004}' >cluster.json
sim() { hpcbench run --launcher sim:cluster.json --bench mpi.latency,mpi.allreduce --sizes 8 --seed 3 --quiet "$@" 2>&1; }
try sim --shard auto
for task in 0 1 3; do SLURM_ARRAY_TASK_ID=$task sim --shard auto --label night; done
try hpcbench report latest
try hpcbench report --merge array:77
SLURM_ARRAY_TASK_ID=2 sim --shard auto --label night
SLURM_ARRAY_TASK_ID=2 sim --shard auto --label night
try hpcbench report --merge label:night
try hpcbench baseline record parts latest latest~2 --force
try hpcbench baseline record whole --merge array:77
try hpcbench check --merge array:77 --baseline whole --quiet
try hpcbench baseline record less --merge array:77 --exclude n16 --reason "its cable is known"
grep -c n15 store/baselines/less.json
grep -o '"n16":[^,}]*' store/baselines/less.json
try hpcbench baseline rebase --from whole --to again --merge label:night --reason "new cables"
try hpcbench report --merge latest,latest --quiet
try hpcbench report --merge label:day
try hpcbench report --merge latest latest
try sim --shard 1/9
try sim --shard 0/4
try sim --shard x
hpcbench run --launcher sim:cluster.json --bench mpi.latency --sizes 8 --quiet >/dev/null 2>&1
try hpcbench report --merge latest,latest~1
