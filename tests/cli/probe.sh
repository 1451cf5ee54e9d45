# Facts alone: who differs, what is wrong between hosts, what a baseline knows better.
model() { # NAME GROUPS: facts of nodes beside those of all
	cat >"$1.json" <<END
{"schema":1,"nodes":"n[1-8]","facts":{"*":{"eth0/net.kind":"physical","eth0/net.mtu":"9000",
 "eth0/net.speed_bps":"25000000000","cpu.model":"EPYC","cpu.governor":"performance",
 "mem.installed_bytes":"549755813888","peer:n1/peer.connect":"ok"}$2}}
END
}
model same ''
model odd ',"n7":{"eth0/net.mtu":"1500"},"n[2-3]":{"cpu.governor":null},
 "n5":{"ib0/net.kind":"ipoib","cpu.model":"EPYC \u001b[31m\u202e\n'"$(printf '%0900d' 0)"'"}'
model hosts ',"n2":{"eth0/net.addresses":"10.0.0.2/24","eth0/net.mac":"02:00:00:00:00:02","node.boot_id":"b2"},
 "n3":{"eth0/net.addresses":"10.0.0.2/24","eth0/net.mac":"02:00:00:00:00:03","node.boot_id":"b3"},
 "n4":{"peer:n1/peer.address":"10.0.0.1"},
 "n5":{"peer:n1/peer.address":"10.9.0.1","peer:n1/peer.connect":"Connection refused"},
 "n6":{"name.own_loopback":"yes","name.own":"127.0.1.1"}'
model small ',"n[1-8]":{"eth0/net.mtu":"1500"}'
echo '{"schema":1,"name":"s","benches":[{"bench":"mpi.latency","options":{"sizes":"8"},"max_time":"0.1s"}]}' >s.json
# What rules say of it is told on top; their words are theirs.
probe() { # MODEL WORDS...
	try hpcbench probe 'n[1-8]' --launcher "sim:$1.json" "${@:2}" 2>/dev/null |
		sed -E 's/^(MISCONFIGURED): .*/\1/; /^Misconfigured/,/^$/d; /^Noticed/,/^$/d'
}
probe same
probe odd
hpcbench explain latest n7 | sed -n '/^Facts/,/^$/p' | head -3
probe hosts
probe hosts --json | sed -n '/"hosts"/,/^  ]/p' | grep -e '"kind"' -e '"error"' | head -12
# A baseline of another suite knows the facts of then; so do two runs.
hpcbench run --suite ./s.json --launcher sim:same.json --quiet 2>/dev/null
hpcbench baseline record night latest --quiet
probe small --baseline night | sed '/^The nodes/,$d'
hpcbench run --suite ./s.json --launcher sim:small.json --quiet 2>/dev/null
hpcbench diff latest~2 latest | grep changed
# The stored run reads as it was printed.
hpcbench probe 'n[1-8]' --launcher sim:odd.json --baseline night >printed 2>/dev/null
hpcbench report latest | cmp - printed && echo "the stored probe reads the same"
# Words that cannot be.
try hpcbench probe n1 n2
try hpcbench probe n1 --format nope
