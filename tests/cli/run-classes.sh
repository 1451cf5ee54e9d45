# Two hardware classes: the first run cannot know, the next one keeps them apart.
echo '{"schema":1,"nodes":"n[1-8]","hw":"old","node_hw":{"n5":"new","n6":"new","n7":"new","n8":"new"}}' >cluster.json
sim() { hpcbench run --launcher sim:cluster.json --bench mpi.latency --sizes 8 --seed "$1" 2>/dev/null; }
sim 1 | grep -e classes -e 'cluster '
sim 2 | grep -e classes -e 'cluster '
hpcbench run --launcher sim:cluster.json --bench mpi.latency --sizes 8 --seed 3 --dry-run | grep 'n[0-9]-n' | sort -k3n -k2
