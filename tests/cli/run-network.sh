# What an imaginary network shows, pair by pair: an up-link, a direction, dips, a device.
still='"schema":1,"nodes":"n[1-4]","node_spread":0,"run_spread":0,"noise":0'
leaves='"leaves":{"sw1":"n[1-2]","sw2":"n[3-4]"}'
# shows TEXT BENCH MEMBERS: the times of all pairs at 64 KiB, the least as 1; a>b is one direction
shows() {
	echo "$1"
	echo "{$still,$3}" >net.json
	rm -rf store
	hpcbench run --launcher sim:net.json --suite pairs --bench "$2" --sizes 64Ki --rounds all \
		--seed 7 --no-confirm --quiet >/dev/null 2>&1
	grep -h '"type":"pair"' store/runs/*/records.jsonl |
		sed -E 's/.*"a":"([^"]*)","b":"([^"]*)","dir":"([^"]*)".*"(lat_p50_ns|algbw_Bps)":\{"n":31,"p50":([0-9.e+]*).*/\1 \2 \3 \4 \5/' |
		awk '{
			t = $4 == "algbw_Bps" ? 1 / $5 : $5
			lo = $1 < $2 ? $1 : $2; hi = $1 < $2 ? $2 : $1
			name = $3 == "both" ? lo "-" hi : $3 == "ab" ? $1 ">" $2 : $2 ">" $1
			time[name] = t
			if (!least || t < least) least = t
		}
		END { for (p in time) printf "  %s %.3f\n", p, time[p] / least }' | sort
}
shows "slow leaf" mpi.latency "$leaves,\"faults\":[{\"kind\":\"slow-leaf\",\"leaf\":\"sw2\",\"factor\":2}]"
shows "slow leaf, what leaves it" mpi.bandwidth \
	"$leaves,\"faults\":[{\"kind\":\"slow-leaf\",\"leaf\":\"sw2\",\"factor\":2,\"dir\":\"out\"}]"
shows "slow link, one way" mpi.bandwidth \
	'"faults":[{"kind":"slow-link","a":"n2","b":"n3","factor":2,"dir":"ab"}]'
shows "slow rail, which every pair uses, and another" mpi.latency \
	'"rails":2,"rail_spread":0,"faults":[{"kind":"slow-rail","rail":1,"factor":2},{"kind":"slow-node","node":"n2/rail0","factor":3}]'
shows "dips" mpi.latency '"dips":{"rate":0.3,"low":0.5,"high":0.5}'
shows "noise of pairs" mpi.latency '"pair_noise":0.02' >once
shows "noise of pairs" mpi.latency '"pair_noise":0.02' >twice
cat once
cmp once twice && echo "the same again"
