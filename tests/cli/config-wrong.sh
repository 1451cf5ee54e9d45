# What is wrong in a configuration: one line with file, place and the nearest word; exit 64.
mkdir -p .config/hpcbench
file=.config/hpcbench/hpcbench.json
wrong() {
	printf '%s\n' "$1" >"$file"
	printf '%s\n' "$1"
	hpcbench list suites
	printf '[exit %d]\n\n' $?
}
wrong '{"store": "/data"}'
wrong '{"schema": 2}'
wrong '{"schema": 1, "stor": "/data"}'
wrong '{"schema": 1, "launcher": "srun"}'
wrong '{"schema": 1, "run": {"precison": "1%"}}'
wrong '{"schema": 1, "run": {"precision": 9}}'
wrong '{"schema": 1, "run": {"records": "telepathy"}}'
wrong '{"schema": 1, "run": {"alloc": [{"account": "x"}]}}'
wrong '{"schema": 1, "partitions": {"gpu": {"aloc": []}}}'
wrong '{"schema": 1, "profiles": [{"name": "a", "env": ["HPCBENCH_TOKEN=x"]}]}'
wrong '{"schema": 1,'
echo '# Help and version answer all the same, and a wrong word on the line is told first'
try eval "hpcbench version | sed 's/ .*//'"
try eval "hpcbench list --help | sed 1q"
try hpcbench list --al
rm "$file"

echo '# Files that could be somebody else'"'"'s'
echo '{"schema": 1}' >"$file"
chmod 666 "$file"
try hpcbench list suites
rm "$file"
mkfifo "$file"
try hpcbench list suites
rm "$file"

echo '# The environment'
HPCBENCH_COLOR=blue try hpcbench list suites
HPCBENCH_PRECISION=9 try hpcbench run --dry-run
HPCBENCH_RUN=x HPCBENCH_STEP=1 try eval "hpcbench list launchers | sed -n 2p"

echo '# Profiles'
cat >"$file" <<'END'
{"schema": 1, "profiles": [{"name": "ompi5"}, {"name": "elsewhere", "arch": "pdp11"}]}
END
try hpcbench run --profile omp5
try hpcbench run --profile ompi5,elsewhere 2>&1 | sed 's/this is .*/this is ARCH/'
try hpcbench run --profile ompi5,ompi5
try hpcbench run --profile ,
try hpcbench run --resume latest --profile default,ompi5
try hpcbench build-profile
try hpcbench build-profile default
try hpcbench build-profile ../x
try hpcbench build-profile x --mpicc no-such-mpicc
