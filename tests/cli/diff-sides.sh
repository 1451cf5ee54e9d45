# Rows that only one side has are shown and are no failure; a side may be a baseline.
fixture_run 20010101-010000-0001 seed=1 benches="latency memory" nodes="n1 n2" sizes="8 1024"
fixture_run 20010102-010000-0002 seed=2 benches="latency bandwidth" nodes="n1 n2" sizes="8 1024"
try hpcbench diff latest~1 latest
fixture_run 20010103-010000-0003 seed=3 benches=bandwidth nodes="n1 n2" sizes="4096"
try hpcbench diff 20010101 20010103
try hpcbench baseline record one 20010101
try hpcbench diff one 20010102
try hpcbench diff 20010102 one
try hpcbench diff one one
try hpcbench diff one store/baselines/one.json
try hpcbench diff one absent.json
try hpcbench diff 20010101 20010102 --baseline absent
try hpcbench diff 20010101 20010102 --baseline one
# Two clusters: their nodes are one line; a node that changed its class is another.
fixture_run 20010104-010000-0004 seed=4 benches=bandwidth nodes="m1 m2 m3" sizes="8"
fixture_run 20010105-010000-0005 seed=5 benches=bandwidth nodes="n1 n2 m3" sizes="8"
sed -i 's/"m3":"cpu"/"m3":"cpu and card"/' store/runs/20010105*/summary.json
try hpcbench diff 20010104 20010105
fixture_run 20010106-010000-0006 seed=6 benches=bandwidth nodes="n1 n2" sizes="8"
fixture_run 20010107-010000-0007 seed=6 benches=bandwidth nodes="m1 m2" sizes="8"
sed -i 's/"fingerprint":{/&"env.OMPI_MCA_btl":["self,tcp"],/' store/runs/20010107*/summary.json
try hpcbench diff 20010106 20010107
