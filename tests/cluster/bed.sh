# shellcheck shell=bash
# A real Slurm cluster of network namespaces on this machine. Sourced by a scenario that enter runs
# as the first process of its own namespaces: whatever way the scenario ends, the kernel ends every
# process of the bed and takes its links and mounts away. The scenario itself is on the controller.
#
#	bed_up N		controller and nodes n1 .. nN, each behind a shaped link
#	bed_on NODE CMD...	runs CMD on a node: its network, name, /sys, /tmp and /dev/shm
#	bed_rate NODE MBIT	shapes both directions of a node's link
#	bed_kill NODE		the node loses its power: link down, every process of it killed
#	bed_start NODE		it is back
#	bed_ranks NODE [NAME]	pids of the hpcbench-mpi (or NAME) processes on that node
#	as_user CMD...		runs CMD as the ordinary user tester, in that user's home
# Faults besides: faults.sh.
#
# Everything lies in a tmpfs over /run, which all nodes see: $BED/bin has the programs under test
# ($BED/share beside them), $BED/mpich those for MPICH where test mpi_mpich has built them, $BED/home
# the homes. The host's files are not written.
BED=/run/bed
BED_NET=10.77.0
BED_MBIT=${BED_MBIT:-800}
BED_USER=tester
BED_UID=7001
BED_NODES=0
BED_PACKET_BYTES=0 # that a packet costs beside its own (bed_packet_cost)
# shellcheck source=tests/cluster/faults.sh
. "$BED_SOURCE/tests/cluster/faults.sh"

bed_skip() {
	echo "skipped: $*"
	exit 77
}

bed_need() { # WHAT CMD...: what the kernel or the tools of this machine may lack
	local what=$1 why
	shift
	why=$("$@" 2>&1) || bed_skip "$what: ${why:-$* failed}"
}

bed_wait() { # SECONDS CMD...: until CMD succeeds
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -le "$end" ] || return 1
		sleep 0.05
	done
}

# ---- nodes ----

bed_on() { # NODE CMD...
	local node=$1
	shift
	nsenter --target "$(cat "$BED/run/$node.ns.pid")" --net --mount --uts -- "$@"
}

bed_pids() { # NODE: every process on it but the one that holds its namespaces
	local holder net p
	holder=$(cat "$BED/run/$1.ns.pid")
	net=$(readlink "/proc/$holder/ns/net")
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/net")" = "$net" ] && [ "${p#/proc/}" != "$holder" ] && echo "${p#/proc/}"
	done 2>/dev/null
}

bed_ranks() { # NODE [NAME]
	local p
	for p in $(bed_pids "$1"); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = "${2:-hpcbench-mpi}" ] && echo "$p"
	done
}

# The queue is long enough to drop nothing: what TCP may have in flight fits. The bucket holds a
# few frames, so that messages of 256 KiB wait for the shaper and not for its leftovers.
bed_shape() { # MBIT
	local cost=
	[ "$BED_PACKET_BYTES" -eq 0 ] || cost="stab overhead $BED_PACKET_BYTES linklayer ethernet"
	echo "$cost tbf rate ${1}mbit burst 32k limit 32m"
}

bed_rate() { # NODE MBIT
	local shape
	shape=$(bed_shape "$2")
	# shellcheck disable=SC2086  # words
	tc qdisc replace dev "to-$1" root $shape
	# shellcheck disable=SC2086
	bed_on "$1" tc qdisc replace dev eth0 root $shape
}

# Slurm only asks what kind of thing is mounted there. A hierarchy without controllers, of a name of
# our own, answers that on every host, with cgroup v1 or v2, and leaves the host's groups alone.
bed_sys() {
	mount -t sysfs sys /sys || return
	mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup || return
	mkdir /sys/fs/cgroup/systemd
	mount -t cgroup -o none,name=hpcbench-bed cgroup /sys/fs/cgroup/systemd || return
	[ ! -e "$1/cpu.cfs_quota_us" ] || {
		mkdir /sys/fs/cgroup/cpu && mount --bind "$1" /sys/fs/cgroup/cpu
	}
}

# Figures must come from the shaper alone, also where few cores serve all nodes and others work on
# them. Measured at 256 KiB on two cores with a busy loop on one:
# - half a round trip takes 2.4 to 4.0 ms (a rank that spins waits for its time slice), with
#   real-time ranks 2.38 to 2.40 ms; a sum over four ranks, which then have to give way to each
#   other, 60 to 70 ms against 5.8 to 6.7 ms;
# - a handshake before large messages lets a sum over two ranks fall into one of two rhythms, 2.6 or
#   3.7 ms, and a sum over four vary by 15 %; without it both stay within 3 %;
# - a congestion control that probes for bandwidth (bbr) leaves nothing steady (see bed_node).
bed_steady() {
	local limit
	for limit in eager_limit rndv_eager_limit max_send_size; do
		export "OMPI_MCA_btl_tcp_$limit=1048576"
	done
	BED_FIRST=()
	if chrt --rr 1 true 2>/dev/null; then
		BED_FIRST=(chrt --rr 1)
		export OMPI_MCA_mpi_yield_when_idle=1
	else
		echo "note: no real-time priority here; figures depend on what else runs"
	fi
}

# A lost packet is sent again after 5 ms and not after 200: loss costs a factor, and no test minutes.
bed_node() { # I: network, name, private folders; a sleeper holds the namespaces
	local node=n$1 holder
	unshare --net --mount --uts -- sleep infinity &
	holder=$!
	echo "$holder" >"$BED/run/$node.ns.pid"
	bed_wait 5 bed_apart "$holder" || return
	ip link add "to-$node" mtu 9000 type veth peer name eth0 mtu 9000 netns "$holder" || return
	ip link set "to-$node" master bed up
	bed_on "$node" bash -ec "$(declare -f bed_sys)
		hostname $node
		bed_sys $BED/cpu
		echo reno >/proc/sys/net/ipv4/tcp_congestion_control
		mount -t tmpfs -o mode=1777 tmp /tmp
		mount -t tmpfs -o mode=1777 shm /dev/shm
		ip link set lo up
		ip link set eth0 up
		ip address add $BED_NET.$1/24 dev eth0
		ip route change $BED_NET.0/24 dev eth0 proto kernel src $BED_NET.$1 rto_min 5ms" || return
	bed_rate "$node" "$BED_MBIT"
}

bed_apart() { # PID: sleep runs, so unshare has done its work
	[ "$(cat "/proc/$1/comm")" = sleep ]
}

bed_start() { # NODE
	bed_on "$1" ip link set eth0 up
	ip link set "to-$1" up
	bed_on "$1" "${BED_FIRST[@]}" slurmd -N "$1"
}

bed_kill() { # NODE: the link goes first, as no dying process says goodbye
	ip link set "to-$1" down
	bed_on "$1" ip link set eth0 down
	local p
	for p in $(bed_pids "$1"); do
		kill -KILL "$p" 2>/dev/null
	done
	return 0
}

bed_state() { # NODE: as sinfo says it
	sinfo -h -N -n "$1" -o %T
}

bed_is() { # NODE STATE
	[ "$(bed_state "$1")" = "$2" ]
}

# All nodes are up and free; "-t idle" would also find those that still clean up after a job.
bed_idle() {
	[ "$(sinfo -h -N -o '%N %T' | grep ' idle$' | sort -u | wc -l)" -eq "$BED_NODES" ]
}

# ---- the ordinary user ----

as_user() { # CMD...
	(
		cd "$BED/home/$BED_USER" || exit
		exec setpriv --reuid="$BED_UID" --regid="$BED_UID" --clear-groups --inh-caps=-all \
			env HOME="$BED/home/$BED_USER" USER="$BED_USER" LOGNAME="$BED_USER" "$@"
	)
}

# ---- the whole ----

bed_slurm_conf() { # N
	local i
	cat <<-END
		ClusterName=bed
		SlurmctldHost=controller($BED_NET.254)
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$BED/run/munge.sock
		CredType=cred/munge
		StateSaveLocation=$BED/state
		SlurmctldPidFile=$BED/run/slurmctld.pid
		SlurmctldLogFile=$BED/log/slurmctld.log
		SlurmdSpoolDir=$BED/spool/%n
		SlurmdPidFile=$BED/run/slurmd-%n.pid
		SlurmdLogFile=$BED/log/slurmd-%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		MpiDefault=none
		MailProg=/bin/true
		ReturnToService=2
		SlurmdParameters=config_overrides
		SlurmdTimeout=${BED_SLURMD_TIMEOUT:-6}
		KillWait=5
		TaskProlog=$BED/etc/prolog
	END
	for i in $(seq "$1"); do
		echo "NodeName=n$i NodeAddr=$BED_NET.$i CPUs=4 RealMemory=2000"
	done
	echo "PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP"
	[ -z "${BED_SLURM_MORE:-}" ] || echo "$BED_SLURM_MORE"
}

# Names and users of the bed alone: no name server is asked, no directory service of the host.
bed_etc() { # N
	local i file
	printf '127.0.0.1 localhost\n%s.254 controller\n' "$BED_NET" >"$BED/etc/hosts"
	for i in $(seq "$1"); do
		echo "$BED_NET.$i n$i"
	done >>"$BED/etc/hosts"
	printf '%s: files\n' passwd group shadow hosts services protocols >"$BED/etc/nsswitch.conf"
	cat >"$BED/etc/passwd" <<-END
		root:x:0:0:root:$BED/home/root:/bin/bash
		$BED_USER:x:$BED_UID:$BED_UID::$BED/home/$BED_USER:/bin/bash
		nobody:x:65534:65534::/nonexistent:/bin/false
	END
	printf 'root:x:0:\n%s:x:%s:\nnogroup:x:65534:\n' "$BED_USER" "$BED_UID" >"$BED/etc/group"
	bed_slurm_conf "$1" >"$BED/etc/slurm.conf"
	mkdir -p "$BED/etc/prolog.d"
	cat >"$BED/etc/prolog" <<-END
		#!/bin/sh
		[ ! -e "$BED/etc/prolog.d/\$SLURMD_NODENAME" ] || cat "$BED/etc/prolog.d/\$SLURMD_NODENAME"
	END
	chmod 755 "$BED/etc/prolog"
	for file in hosts passwd group nsswitch.conf; do
		[ ! -e "/etc/$file" ] || mount --bind "$BED/etc/$file" "/etc/$file" || return
	done
}

# Copies: build and source may lie where only root can read, or under /tmp, which is private from
# here on.
bed_programs() {
	local folder
	mkdir -p "$BED/source/tests" "$BED/source/scripts" || return
	cp -r "$BED_SOURCE/tests/cluster" "$BED/source/tests/" || return
	cp "$BED_SOURCE"/scripts/*.sbatch "$BED/source/scripts/" || return
	export BED_SOURCE=$BED/source
	cp "$BED_BUILD"/bin/hpcbench* "$BED/bin/" || return
	[ ! -x "$BED_BUILD/mpich/bin/hpcbench-mpi" ] || cp -r "$BED_BUILD/mpich/bin" "$BED/mpich" || return
	mkdir -p "$BED/share/hpcbench" || return
	for folder in "$BED_BUILD"/share/hpcbench/*; do # but for the source tree
		[ "${folder##*/}" = src ] || cp -rL "$folder" "$BED/share/hpcbench/" || return
	done
	chmod -R u=rwX,go=rX "$BED/bin" "$BED/share" "$BED/source"
	[ ! -d "$BED/mpich" ] || chmod -R u=rwX,go=rX "$BED/mpich"
	PATH=$BED/bin:$PATH
	mount -t tmpfs -o mode=1777 tmp /tmp
}

bed_mounts() {
	mount -t tmpfs -o mode=755 bed /run || return
	mkdir -m 755 "$BED" "$BED"/{bin,etc,run,log,state,spool,home}
	mkdir -m 700 "$BED/home/root" "$BED/home/$BED_USER"
	chown "$BED_UID:$BED_UID" "$BED/home/$BED_USER"
	bed_cpu
}

# The host's hierarchy of the controller cpu, before /sys is hidden; without one nobody is starved.
bed_cpu() {
	local there
	there=$(awk '$3 == "cgroup" && $2 ~ "^/sys/fs/cgroup/" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/self/mounts)
	mkdir "$BED/cpu"
	[ -z "$there" ] || mount --bind "$there" "$BED/cpu"
}

bed_munge() {
	head -c 128 /dev/urandom >"$BED/etc/munge.key"
	chmod 600 "$BED/etc/munge.key"
	munged --force --key-file="$BED/etc/munge.key" --socket="$BED/run/munge.sock" \
		--pid-file="$BED/run/munged.pid" --log-file="$BED/log/munged.log" \
		--seed-file="$BED/run/munge.seed" --origin="$BED_NET.254"
}

bed_daemons() { # N
	local i
	bed_munge && slurmctld || return
	for i in $(seq "$1"); do
		mkdir -p "$BED/spool/n$i"
		bed_start "n$i" || return
	done
	bed_wait 20 bed_idle
}

# slurmd may refuse what this host offers as cgroups: that is no fault of what is tested.
bed_excuse() {
	local line
	line=$(grep -hiE '(error|fatal):.*cgroup|hybrid mode' "$BED"/log/slurmd-*.log 2>/dev/null | head -n 1)
	[ -z "$line" ] || bed_skip "slurmd $(slurmd -V 2>/dev/null) does not start on this host: ${line#*] }"
	tail -n 20 "$BED"/log/*.log
	echo "the bed did not come up"
	return 1
}

bed_up() { # N
	local i
	BED_NODES=$1
	bed_need "no tmpfs over /run" bed_mounts
	bed_programs && bed_etc "$1" || return
	export PATH SLURM_CONF=$BED/etc/slurm.conf HOME=$BED/home/root USER=root
	cd "$HOME" || return
	hostname controller
	ip link set lo up
	bed_need "no cgroup hierarchy of a name of its own" bed_sys "$BED/cpu"
	bed_need "no bridge" ip link add bed type bridge
	# Set by hand, its MTU does not follow the smallest of what is plugged in.
	ip link set bed mtu 9000 up && ip address add "$BED_NET.254/24" dev bed || return
	bed_need "no veth" ip link add probe0 type veth peer name probe1
	# shellcheck disable=SC2046  # words
	bed_need "no token bucket (tc tbf)" tc qdisc add dev probe0 root $(bed_shape 100)
	ip link del probe0
	bed_steady
	for i in $(seq "$1"); do
		bed_node "$i" || return
	done
	bed_daemons "$1" || bed_excuse
}
