# shellcheck shell=bash
# A real Slurm cluster of network namespaces on this machine. Sourced by a script that runs as the
# first process of its own pid, mount, network and UTS namespace (see enter): whatever way that
# script ends, the kernel ends every process of the bed and takes its links and mounts away.
#
#	bed_up N		controller and nodes n1 .. nN, each behind a shaped link
#	bed_on NODE CMD...	runs CMD on a node: its network, name, /tmp and /dev/shm
#	bed_rate NODE MBIT	shapes both directions of a node's link
#	bed_kill NODE		ends a node's slurmd, as a crashed node would be seen
#	bed_start NODE		starts it again
BED=/mnt
BED_NET=10.77.0
BED_MBIT=${BED_MBIT:-800}

bed_pid() { cat "$BED/run/$1.pid"; }

bed_on() { # NODE CMD...
	local node=$1
	shift
	nsenter --target "$(bed_pid "$node.ns")" --net --mount --uts -- "$@"
}

bed_rate() { # NODE MBIT
	local shape="tbf rate ${2}mbit burst 64k latency 400ms"
	# shellcheck disable=SC2086  # words
	tc qdisc replace dev "to-$1" root $shape
	# shellcheck disable=SC2086
	bed_on "$1" tc qdisc replace dev eth0 root $shape
}

bed_wait() { # SECONDS CMD...: until CMD succeeds
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

bed_config() { # N
	local i
	for i in $(seq "$1"); do
		echo "$BED_NET.$i n$i"
	done >"$BED/etc/hosts"
	printf '127.0.0.1 localhost\n%s.254 controller\n' "$BED_NET" >>"$BED/etc/hosts"
	cat >"$BED/etc/slurm.conf" <<-END
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
		ReturnToService=2
		SlurmdParameters=config_overrides
		SlurmdTimeout=${BED_SLURMD_TIMEOUT:-10}
		TreeWidth=2
		NodeName=n[1-$1] CPUs=4 RealMemory=2000
		PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
	END
	sed -i "s/^NodeName=.*//" "$BED/etc/slurm.conf"
	for i in $(seq "$1"); do
		echo "NodeName=n$i NodeAddr=$BED_NET.$i CPUs=4 RealMemory=2000"
	done >>"$BED/etc/slurm.conf"
}

bed_node() { # I: network, name, private folders; a sleeper holds the namespaces
	local node=n$1
	unshare --net --mount --uts -- sleep infinity &
	echo $! >"$BED/run/$node.ns.pid"
	bed_wait 5 test "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)"
	ip link add "to-$node" mtu 9000 type veth peer name eth0 mtu 9000 netns "$!"
	ip link set "to-$node" master bed up
	bed_on "$node" sh -c "
		hostname $node
		mount --bind $BED/etc/hosts /etc/hosts
		mount -t tmpfs -o mode=1777 tmp /tmp
		mount -t tmpfs -o mode=1777 shm /dev/shm
		ip link set lo up
		ip link set eth0 up
		ip address add $BED_NET.$1/24 dev eth0"
	bed_rate "$node" "$BED_MBIT"
}

bed_start() { # NODE
	mkdir -p "$BED/spool/$1"
	SLURM_CONF=$BED/etc/slurm.conf bed_on "$1" slurmd -N "$1"
}

bed_up() { # N
	local i
	mount -t tmpfs -o mode=755 bed "$BED"
	mkdir -m 755 "$BED"/{etc,run,log,state,spool}
	export SLURM_CONF=$BED/etc/slurm.conf
	bed_config "$1"
	hostname controller
	mount --bind "$BED/etc/hosts" /etc/hosts
	ip link set lo up
	ip link add bed mtu 9000 type bridge
	ip link set bed up
	ip address add "$BED_NET.254/24" dev bed
	dd if=/dev/urandom of="$BED/etc/munge.key" bs=128 count=1 status=none
	chmod 600 "$BED/etc/munge.key"
	munged --force --key-file="$BED/etc/munge.key" --socket="$BED/run/munge.sock" \
		--pid-file="$BED/run/munged.pid" --log-file="$BED/log/munged.log" \
		--seed-file="$BED/run/munge.seed" --origin="$BED_NET.254" || return
	slurmctld || return
	for i in $(seq "$1"); do
		bed_node "$i" && bed_start "n$i" || return
	done
	bed_wait 30 bed_idle "$1"
}

bed_idle() { # N
	[ "$(sinfo -h -N -t idle -o %N | wc -l)" -eq "$1" ]
}
