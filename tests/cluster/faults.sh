# shellcheck shell=bash
# Faults that a scenario plants in a bed, each of a factor 2 or more at 256 KiB. Sourced by bed.sh.
# bed_heal NODE takes all of them back but a lost slurmd (bed_start).
#
#	bed_slow NODE		the node's link at a quarter, both directions
#	bed_slow_out NODE	only what the node sends
#	bed_slow_in NODE	only what the node receives
#	bed_slow_link A B	only what goes between these two
#	bed_lossy NODE		a fifth of the long packets that the node sends or receives is lost
#	bed_starve NODE		its steps get a twentieth of a core (what starts from now on)
#	bed_kill_slurmd NODE	the node lives on without its slurmd
# How a node is set up: faults_settings.sh.
# shellcheck source=tests/cluster/faults_settings.sh
. "$BED_SOURCE/tests/cluster/faults_settings.sh"
BED_FAULT_MBIT=$((BED_MBIT / 4))

bed_slow() { # NODE
	bed_rate "$1" "$BED_FAULT_MBIT"
}

bed_rate_out() { # NODE MBIT
	# shellcheck disable=SC2046  # words
	bed_on "$1" tc qdisc replace dev eth0 root $(bed_shape "$2")
}

bed_rate_in() { # NODE MBIT
	# shellcheck disable=SC2046
	tc qdisc replace dev "to-$1" root $(bed_shape "$2")
}

bed_slow_out() { # NODE
	bed_rate_out "$1" "$BED_FAULT_MBIT"
}

bed_slow_in() { # NODE
	bed_rate_in "$1" "$BED_FAULT_MBIT"
}

# A class of its own for one destination; all else has the usual rate. Same bucket and queue as
# bed_shape's.
bed_slow_to() { # FROM TO
	local class
	bed_on "$1" tc qdisc del dev eth0 root
	bed_on "$1" tc qdisc add dev eth0 root handle 1: htb default 1 || return
	for class in "1 $BED_MBIT" "2 $BED_FAULT_MBIT"; do
		# shellcheck disable=SC2086  # two words
		set -- "$1" "$2" $class
		bed_on "$1" tc class add dev eth0 parent 1: classid "1:$3" htb rate "${4}mbit" \
			burst 32k cburst 32k quantum 9014 || return
		bed_on "$1" tc qdisc add dev eth0 parent "1:$3" handle "1$3:" bfifo limit 32m || return
	done
	bed_on "$1" tc filter add dev eth0 parent 1: protocol ip u32 \
		match ip dst "$BED_NET.${2#n}/32" flowid 1:2
}

bed_slow_link() { # A B
	bed_slow_to "$1" "$2" && bed_slow_to "$2" "$1"
}

# Of what comes in and what goes out, but for what the node and the controller say to each other.
# Long packets alone, as bit errors would have it.
bed_lossy() { # NODE [PER MILLE]
	local lose="meta length > 1000 numgen random mod 1000 < ${2:-200} drop"
	bed_on "$1" nft -f - <<-END || return
		table inet bed_lossy {
			chain in {
				type filter hook input priority 0; policy accept;
				iifname "eth0" ip saddr != $BED_NET.254 $lose
			}
		}
	END
	nft -f - <<-END
		table netdev bed_lossy_$1 {
			chain in {
				type filter hook ingress device "to-$1" priority 0; policy accept;
				ip daddr != $BED_NET.254 $lose
			}
		}
	END
}

# The quota of a group of this bed in the host's hierarchy, where the host has cgroup v1 (enter
# removes it when the bed is gone). It does not bind real-time processes, so slurmd, and what it
# starts, lose that too. The period is rather short: a median over round trips of a few milliseconds never
# sees pauses that come once in ten of them. It is longer than a window of four messages takes
# (measured at 2 of 20 ms: bandwidth falls by 1.9 and half a round trip by 4; at 2 of 40 ms by 3.7
# and 7).
bed_starve() { # NODE; 77 and the reason where this host cannot
	local group=$BED/cpu/${BED_GROUP:-none}-$1 pid
	mkdir -p "$group" 2>/dev/null
	[ -w "$group/cpu.cfs_quota_us" ] || {
		echo "note: this host has no cgroup v1 of cpu that can be written, so nobody is starved"
		return 77
	}
	echo 40000 >"$group/cpu.cfs_period_us" && echo 2000 >"$group/cpu.cfs_quota_us" || return
	pid=$(cat "$BED/run/slurmd-$1.pid")
	chrt --all-tasks --other --pid 0 "$pid" && echo "$pid" >"$group/cgroup.procs"
}

bed_fed() { # NODE: no longer starved
	local pid
	[ -d "$BED/cpu/${BED_GROUP:-none}-$1" ] || return 0
	pid=$(cat "$BED/run/slurmd-$1.pid")
	echo "$pid" >"$BED/cpu$(sed -nE 's/^[0-9]+:([a-z_]+,)*cpu(,[a-z_]+)*://p' /proc/self/cgroup)/cgroup.procs"
	[ ${#BED_FIRST[@]} -eq 0 ] || chrt --all-tasks --rr --pid 1 "$pid"
}

bed_kill_slurmd() { # NODE
	local pid
	pid=$(cat "$BED/run/slurmd-$1.pid")
	kill -KILL "$pid" && bed_wait 5 test ! -e "/proc/$pid"
}

bed_heal() { # NODE
	bed_on "$1" tc qdisc del dev eth0 root 2>/dev/null
	bed_on "$1" nft delete table inet bed_lossy 2>/dev/null
	nft delete table netdev "bed_lossy_$1" 2>/dev/null
	bed_fed "$1"
	bed_rate "$1" "$BED_MBIT"
	bed_heal_settings "$1"
}
