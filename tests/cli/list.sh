# What there is.
try hpcbench list benches
try hpcbench list suites
try hpcbench list launchers
try hpcbench list formats
try hpcbench list formats --json
try hpcbench list runs
fixture_run 20010101-010000-0001 seed=1 label="before the update"
fixture_run 20010102-010000-0002 seed=2 partial=true
mkdir store/runs/20010103-010000-0003
try hpcbench list runs
