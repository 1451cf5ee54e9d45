#!/usr/bin/env bash
# The launcher local with MPICH's mpirun and an hpcbench-mpi that was built for it.
#	mpich.sh SOURCE BUILD COMPILER MPIRUN [COMPILER_LAUNCHER]
set -eu
source=$1 build=$2 compiler=$3 mpirun=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
# No link: it looks for its proxy beside the name it was called by.
printf '#!/bin/sh\nexec %s "$@"\n' "$mpirun" >"$work/bin/mpirun"
chmod 755 "$work/bin/mpirun"

die() {
	echo "$*"
	tail -n 40 "$work/out"
	exit 1
}

cmake -S "$source" -B "$build/mpich" -DMPI_C_COMPILER="$compiler" -DBUILD_TESTING=OFF \
	-DCMAKE_C_COMPILER_LAUNCHER="${5:-}" -DHPCBENCH_WITH_CUDA=OFF >"$work/out" 2>&1 || die "no configuration with $compiler"
cmake --build "$build/mpich" --target hpcbench-mpi hpcbench-node >"$work/out" 2>&1 ||
	die "hpcbench-mpi is not built"

export PATH=$work/bin:$PATH HPCBENCH_EXEC_PATH=$build/mpich/bin HPCBENCH_STORE=$work/store
run=("$build/bin/hpcbench" run --launcher local --bench mpi.latency --sizes 8 --max-time 0.2s)
"${run[@]}" --dry-run >"$work/out" 2>&1 || die "--dry-run: exit $?"
grep -q 'mpirun -launcher fork -n 2 -hosts localhost -ppn 2' "$work/out" || die "other words"
"${run[@]}" >"$work/out" 2>&1 || die "exit $?"
grep -q '^MEASURED: ' "$work/out" || die "nothing was measured"
records=$(echo "$work"/store/runs/*/records.jsonl)
grep -q 'MPICH' "$records" || die "the records do not name MPICH"
grep -q '"type":"pair"' "$records" || die "no pair in the records"
cat "$work/out"
