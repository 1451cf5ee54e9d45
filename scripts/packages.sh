# shellcheck shell=bash
# Which Debian/Ubuntu packages hpcbench needs, and one function that sees to it that they are there.
# Sourced by quickstart and test.

# shellcheck disable=SC2034  # used by the scripts that source this file
PACKAGES_BUILD="build-essential cmake pkg-config libjson-c-dev libhwloc-dev libopenmpi-dev openmpi-bin"
# shellcheck disable=SC2034
PACKAGES_TEST="libcmocka-dev libfuse3-dev libgsl-dev mpich libmpich-dev libcmark-gfm-dev libcmark-gfm-extensions-dev clang-format clang-tidy cppcheck shellcheck procps util-linux groff-base mandoc zsh fish locales"
# A real Slurm, for the tests of label cluster alone. They start what they need by themselves.
# shellcheck disable=SC2034
PACKAGES_CLUSTER="slurmctld slurmd slurm-client munge iproute2 nftables libfaketime util-linux"

# libFuzzer and the sanitizers of clang.
# shellcheck disable=SC2034
PACKAGES_FUZZ="clang libclang-rt-dev"

# need_packages NAME...: installs what is missing; as an ordinary user prints the command and stops.
need_packages() {
	local missing=() name
	for name in "$@"; do
		if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
			missing+=("$name")
		fi
	done
	[ ${#missing[@]} -eq 0 ] && return 0
	if [ "$(id -u)" -ne 0 ]; then
		echo "Some packages are missing. Install them, then run this again:" >&2
		echo "  sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
		exit 69
	fi
	echo "Installing: ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
