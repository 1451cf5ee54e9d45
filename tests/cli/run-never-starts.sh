# A node on which no process ever runs while the others wait for it is named, and the rest measured.
# A pair that gets no answer although both ends answer others is measured again by itself.
sim() { # NAME FAULT
	echo '{"schema":1,"nodes":"n[1-8]","faults":['"$2"']}' >"$1.json"
	try hpcbench run --launcher "sim:$1.json" --suite pairs --bench mpi.latency --seed 3 2>/dev/null
}
sim never-starts '{"kind":"never-starts","node":"n3"}'
sim silent-link '{"kind":"silent-link","a":"n3","b":"n7"}'
grep -c '"instead"' store/runs/*/plan.json | sed 's/.*://' | sort -n | tail -n 1
