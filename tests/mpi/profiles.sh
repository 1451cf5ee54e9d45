#!/usr/bin/env bash
# Profiles on this host, for real: build-profile with Open MPI and with MPICH, a run of both that
# can be compared, a failing build that says where its log is, and chroot as a wrapper.
#
#	tests/mpi/profiles.sh BUILD
set -u

build=$(cd "$1" && pwd) || exit 64
for program in mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich cmake; do
	command -v "$program" >/dev/null || { echo "skipped: no $program" && exit 77; }
done
tmp=$(mktemp -d) || exit 64
trap 'rm -rf "$tmp"' EXIT
export PATH=$build/bin:$PATH HOME=$tmp XDG_CONFIG_HOME=$tmp/etc TMPDIR=$tmp/tmp LC_ALL=C
export HPCBENCH_STORE=$tmp/store
unset XDG_DATA_HOME HPCBENCH_EXEC_PATH LD_LIBRARY_PATH
mkdir -p "$tmp/etc/hpcbench" "$tmp/tmp"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}
# expect CODE WORDS...: runs them, output into $tmp/out
expect() {
	local want=$1 code=0
	shift
	"$@" >"$tmp/out" 2>&1 || code=$?
	[ $code -eq "$want" ] || { cat "$tmp/out" && fail "exit $code, not $want: $*"; }
}
says() {
	grep -qe "$1" "$tmp/out" || { cat "$tmp/out" && fail "says nothing like: $1"; }
}

echo "# A compiler that is none: the log stays, and is named"
printf '#!/bin/sh\necho "this is no mpicc" >&2\nexit 1\n' >"$tmp/mpicc" && chmod +x "$tmp/mpicc"
expect 20 hpcbench build-profile none --mpicc "$tmp/mpicc" --prefix "$tmp/none"
log=$(sed -n 's/.*; see //p' "$tmp/out")
[ -s "$log" ] || fail "no log: $(cat "$tmp/out")"
[ ! -e "$tmp/none" ] || fail "a failed build left a helper"
rm -rf "$tmp/tmp" && mkdir "$tmp/tmp"

echo "# One helper an MPI, into the folder named, else at home"
expect 0 hpcbench build-profile mpich --mpicc mpicc.mpich --prefix "$tmp/mpich" --json
says '"mpi": "MPICH'
says '"mpirun": ".*/mpirun.mpich"'
says "\"helpers\": \"$tmp/mpich\""
expect 0 hpcbench build-profile ompi --mpicc mpicc.openmpi --prefix "$tmp/ompi"
says 'Open MPI v'
says '"mpirun":".*/mpirun.openmpi"'
[ -z "$(ls "$tmp/tmp")" ] || fail "left behind: $(ls "$tmp/tmp")"
# The profile as printed is the configuration; the second helper is found at home by its name.
profile=$(sed -n 's/^ *- \({.*}\)$/\1/p' "$tmp/out" | sed 's/.*"profiles":\[//; s/\]}$//')
mkdir -p "$tmp/.local/share/hpcbench/helpers"
mv "$tmp/mpich" "$tmp/.local/share/hpcbench/helpers/mpich"
cat >"$tmp/etc/hpcbench/hpcbench.json" <<END
{ "schema": 1, "profiles": [ $profile,
  { "name": "mpich", "arch": "$(uname -m)", "mpirun": "mpirun.mpich", "env": ["HELLO=1"] } ] }
END
expect 0 hpcbench config --json
says "\"helper\": \"$tmp/.local/share/hpcbench/helpers/mpich/hpcbench-mpi\""
says "\"helper\": \"$tmp/ompi/hpcbench-mpi\""
grep -q '"runs": false' "$tmp/out" && fail "a profile does not run: $(cat "$tmp/out")"

echo "# Both are measured, each with its MPI, and told apart"
expect 0 hpcbench run --launcher local --bench mpi.latency --sizes 8 --max-time 0.1s \
	--profile ompi,mpich
says 'compare them: hpcbench diff'
diff=$(sed -n 's/.*compare them: //p' "$tmp/out")
# shellcheck disable=SC2086  # a command in words
$diff >"$tmp/out" 2>&1
says 'changed: profile: ompi -> mpich'
says 'changed: mpi: Open MPI.* -> MPICH'

[ "$(id -u)" -eq 0 ] || { echo "the rest needs root" && exit 0; }
echo "# chroot as a wrapper: the helper's path is the same inside, and only that one works"
root=$tmp/root helpers=$tmp/inside
mkdir -p "$helpers" "$root$helpers" "$root/dev/shm" "$root/tmp"
printf '#!/bin/sh\nexit 9\n' >"$helpers/hpcbench-node" && chmod +x "$helpers/hpcbench-node"
cp "$build/bin/hpcbench-node" "$root$helpers/"
for library in $(ldd "$build/bin/hpcbench-node" | grep -o '/[^ ]*'); do
	mkdir -p "$root$(dirname "$library")"
	cp -L "$library" "$root$library"
done
cat >"$tmp/etc/hpcbench/hpcbench.json" <<END
{ "schema": 1, "profiles": [
  { "name": "box", "helpers": "$helpers", "wrap": ["$(command -v chroot)", "$root"] },
  { "name": "outside", "helpers": "$helpers" } ] }
END
set -- --launcher local --bench node.memory --sizes 64Ki --max-time 0.1s
expect 0 hpcbench run "$@" --profile box
says 'measured with profile box'
expect 20 hpcbench run "$@" --profile outside
echo "all profiles work"
