# A change that moves all nodes is told as one, and apart from the node that moved against the rest.
nodes="n01 n02 n03 n04 n05 n06 n07 n08 n09 n10 n11 n12 n13 n14 n15 n16"
pairs() { fixture_run "$@" nodes="$nodes" benches="latency bandwidth" noise=0.003; }
pairs 20010101-010000-0001 seed=1
pairs 20010102-010000-0002 seed=2
pairs 20010103-010000-0003 seed=3
pairs 20010104-010000-0004 seed=4 whole_bench=bandwidth whole=1.08 slow_node=n07 slow_bench=bandwidth slow=1.25
try hpcbench diff 20010103 20010104
hpcbench diff 20010103 20010104 --all | grep -c ' n[0-9]* '
hpcbench diff 20010103 20010104 --json | grep -c '"whole": true'
try hpcbench diff 20010104 20010103
# One node alone.
pairs 20010105-010000-0005 seed=5 slow_node=n03 slow_bench=latency slow=1.3
try hpcbench diff 20010103 20010105
# Five nodes have a shift, and none of them is tested against the others.
nodes="n1 n2 n3 n4 n5"
pairs 20010106-010000-0006 seed=6
pairs 20010107-010000-0007 seed=7 whole_bench=latency whole=1.10 slow_node=n2 slow_bench=latency slow=1.2
try hpcbench diff 20010106 20010107
