# shellcheck shell=bash
# Faults of how a node is set up, for a bed. Sourced by faults.sh, whose bed_heal NODE takes them back.
#
#	bed_mtu NODE [MTU]		MTU of the node's link, 1500 without (9000 elsewhere)
#	bed_packet_cost			every packet costs links as much as so many bytes more: MTU matters
#	bed_second [MBIT]		a second network of all nodes, eth1, a quarter as fast without MBIT
#	bed_wrong_route NODE		the node's traffic with other nodes goes over eth1, both ways
#	bed_duplicate NODE PEER		the node's eth1 gets the address of PEER's
#	bed_own_loopback NODE		the node's own name is 127.0.0.1 to it
#	bed_prolog NODE [EXPORTS]	what Slurm's TaskProlog prints there: "export NAME=value" lines
#	bed_other_mpi NODE		programs load another copy of libmpi there
#	bed_clock NODE SECONDS		their clock is off by so much
#	bed_memlock NODE BYTES		slurmd, and so its steps, may lock no more memory (not root's)
BED_NET2=10.78.0 # as BED_NET of bed.sh for eth0
BED_FAKETIME=${BED_FAKETIME:-/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketime.so.1}

bed_mtu() { # NODE [MTU]
	ip link set "to-$1" mtu "${2:-1500}" && bed_on "$1" ip link set eth0 mtu "${2:-1500}"
}

# Hosts that are busy with packets and not with bytes. The kernel cuts large sends late, behind what
# counts them here; so nothing is sent that must be cut. Measured: 256 KiB take 2.9 times as long with
# MTU 1500 as with 9000.
# shellcheck disable=SC2034  # bed_shape reads it
bed_packet_cost() {
	local i
	BED_PACKET_BYTES=4500
	for i in $(seq "$BED_NODES"); do
		bed_on "n$i" ip link set eth0 gso_max_segs 1 && bed_rate "n$i" "$BED_MBIT" || return
	done
}

# shellcheck disable=SC2120  # mostly without
bed_second() { # [MBIT]
	local i node shape
	shape=$(bed_shape "${1:-$((BED_MBIT / 4))}")
	ip link add bed2 type bridge && ip link set bed2 mtu 9000 up || return
	for i in $(seq "$BED_NODES"); do
		node=n$i
		ip link add "to2-$node" mtu 9000 type veth peer name eth1 mtu 9000 \
			netns "$(cat "$BED/run/$node.ns.pid")" || return
		ip link set "to2-$node" master bed2 up && bed_on "$node" ip link set eth1 up || return
		bed_on "$node" ip address add "$BED_NET2.$i/24" dev eth1 || return
		# shellcheck disable=SC2086  # words
		tc qdisc replace dev "to2-$node" root $shape || return
		# shellcheck disable=SC2086
		bed_on "$node" tc qdisc replace dev eth1 root $shape || return
	done
}

# Addresses and names stay those of eth0: MPI asks for eth0, and the kernel takes eth1.
bed_wrong_route() { # NODE
	local i
	for i in $(seq "$BED_NODES"); do
		[ "n$i" != "$1" ] || continue
		bed_route "$1" "n$i" && bed_route "n$i" "$1" || return
	done
	touch "$BED/run/route-$1"
}

# shellcheck disable=SC2153  # bed.sh's
bed_route() { # FROM TO: over eth1; a lost packet is sent again as soon as on eth0
	bed_on "$1" ip route replace "$BED_NET.${2#n}/32" dev eth1 src "$BED_NET.${1#n}" rto_min 5ms
}

bed_right_route() { # NODE
	local i
	for i in $(seq "$BED_NODES"); do
		bed_on "$1" ip route del "$BED_NET.$i/32" dev eth1
		bed_on "n$i" ip route del "$BED_NET.${1#n}/32" dev eth1
	done 2>/dev/null
	rm "$BED/run/route-$1"
}

bed_second_address() { # NODE I
	bed_on "$1" ip address flush dev eth1 && bed_on "$1" ip address add "$BED_NET2.$2/24" dev eth1
}

bed_duplicate() { # NODE PEER
	bed_second_address "$1" "${2#n}" && touch "$BED/run/duplicate-$1"
}

bed_own_loopback() { # NODE
	# shellcheck disable=SC2153  # bed.sh's
	sed "s/^$BED_NET\.[0-9]* $1\$/127.0.0.1 $1/" "$BED/etc/hosts" >"$BED/etc/hosts-$1" &&
		bed_on "$1" mount --bind "$BED/etc/hosts-$1" /etc/hosts
}

# Lines are added to those that are there; without an argument all go.
bed_prolog() { # NODE [EXPORTS]
	if [ -n "${2:-}" ]; then
		printf '%s\n' "$2" >>"$BED/etc/prolog.d/$1"
	else
		rm -f "$BED/etc/prolog.d/$1"
	fi
}

# The folder of the MPI library that hpcbench-mpi names is a RUNPATH: LD_LIBRARY_PATH goes before it.
bed_other_mpi() { # NODE
	local lib
	lib=$(ldd "$BED/bin/hpcbench-mpi" | awk '$1 ~ /^libmpi\.so/ { print $3; exit }')
	[ -n "$lib" ] || return
	mkdir -p "$BED/other/lib" && cp -L "$lib" "$BED/other/lib/" || return
	bed_prolog "$1" "export LD_LIBRARY_PATH=$BED/other/lib"
}

# Without FAKETIME_FORCE_MONOTONIC_FIX=0 some waits for a condition end at once (seen in one of three
# probes).
bed_clock() { # NODE SECONDS; 77 and the reason where there is no libfaketime
	[ -e "$BED_FAKETIME" ] || {
		echo "note: no libfaketime (Debian: libfaketime), so no clock is off"
		return 77
	}
	bed_prolog "$1" "export LD_PRELOAD=$BED_FAKETIME
export FAKETIME=$(printf %+d "$2")
export DONT_FAKE_MONOTONIC=1
export FAKETIME_DONT_RESET=1
export FAKETIME_FORCE_MONOTONIC_FIX=0
export NO_FAKE_STAT=1"
}

# Only a lowered hard limit reaches a step: of the soft one srun hands on the caller's.
bed_memlock() { # NODE BYTES
	bed_kill_slurmd "$1" && touch "$BED/run/memlock-$1" || return
	bed_on "$1" prlimit "--memlock=$2:$2" "${BED_FIRST[@]}" slurmd -N "$1" && bed_wait 60 bed_idle
}

bed_heal_settings() { # NODE
	[ "$(cat "/sys/class/net/to-$1/mtu")" = 9000 ] || bed_mtu "$1" 9000
	[ ! -e "$BED/etc/hosts-$1" ] || {
		bed_on "$1" umount /etc/hosts && rm "$BED/etc/hosts-$1"
	}
	bed_prolog "$1"
	[ ! -e "$BED/run/route-$1" ] || bed_right_route "$1"
	[ ! -e "$BED/run/duplicate-$1" ] || {
		bed_second_address "$1" "${1#n}" && rm "$BED/run/duplicate-$1"
	}
	[ ! -e "$BED/run/memlock-$1" ] || {
		rm "$BED/run/memlock-$1"
		bed_kill_slurmd "$1" && bed_start "$1" && bed_wait 60 bed_idle
	}
}
