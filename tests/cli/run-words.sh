# What `run` refuses before anything starts, and what a dry run shows.
echo '{"schema":1,"nodes":"n[1-4]"}' >cluster.json
sim() { try hpcbench run --launcher sim:cluster.json "$@"; }
sim --suite nope
sim --bench mpi.latncy
sim --nodes 'n[3-1]'
sim --nodes 'n[1-99999999]'
sim --nodes 'n1,n1'
sim --sizes 8..x
sim --rounds 0
sim --baseline night
sim --precision 2
sim --precision 0%
sim --precision=-1%
sim --precision nan
sim --max-time 0
sim --max-time 1e300
sim --inject mpi.latency
sim extra
try hpcbench run --launcher slrum
try hpcbench run --launcher sim:absent.json
echo '{"schema":1,"name":"mine","benches":[{"bench":"mpi.latency","sizs":"8"}]}' >mine.json
sim --suite ./mine.json
echo '{"schema":1,"nodes":"n[1-4]","speed":1}' >bad.json
try hpcbench run --launcher sim:bad.json --suite pairs
sim --suite pairs --seed 3 --dry-run
ls store 2>&1
hpcbench run --launcher sim:cluster.json --sizes 8,64Ki --dry-run | grep sizes
hpcbench run --launcher sim:cluster.json --sizes 8..1Mi --dry-run | grep sizes
sim --bench node.memory --sizes 8
