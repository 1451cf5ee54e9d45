# The configuration: what counts and where it comes from. The program lies in a folder of its own,
# so that it has an installation's etc; /etc/hpcbench.json of the machine is left out of the output.
mkdir -p prefix/bin prefix/etc .config/hpcbench
cp "$(command -v hpcbench)" prefix/bin/
HPCBENCH_DATA_PATH=$(dirname "$(command -v hpcbench)")/../share/hpcbench
export HPCBENCH_DATA_PATH
export PATH=$PWD/prefix/bin:$PATH
unset HPCBENCH_STORE
config() {
	"$@" | grep -v '^  /etc/hpcbench.json ' | sed -E 's/ (this is) \S+/ \1 ARCH/; s/([^ ]) {2,}/\1  /g'
}

try config hpcbench config
cat >prefix/etc/hpcbench.json <<'END'
{ "schema": 1, "store": "/data/hpcbench",
  "run": { "launcher": "srun", "suite": "nightly", "alloc": ["account=x", "time=30"] },
  "partitions": { "gpu": { "alloc": ["account=gpu"], "step": ["gres=gpu:4"] } },
  "profiles": [ { "name": "here", "wrap": ["/usr/bin/env", "A=1"], "mpi_type": "pmix" },
                { "name": "elsewhere", "arch": "pdp11" } ] }
END
cat >.config/hpcbench/hpcbench.json <<'END'
{ "schema": 1, "comment": "mine", "run": { "suite": "mine", "max-time": "500ms", "json": true } }
END
export HPCBENCH_BASELINE=prod HPCBENCH_STOR=x
try config hpcbench config
unset HPCBENCH_STOR
try eval "hpcbench config --verbose | grep 'list.all .*default' | wc -l"
try eval "hpcbench config --json | grep -A4 '\"option\": \"suite\"'"
try hpcbench config now
unset HPCBENCH_BASELINE

echo '# --no-NAME takes a value back; a partition brings its options'
sim() { hpcbench run --launcher sim:model.json --no-json --dry-run "$@"; }
echo '{"schema": 1, "nodes": "n[1-2]"}' >model.json
try sim
try eval "sim --no-suite --no-max-time | sed -n 1,3p"
