# A dead node and wrong data cost themselves only, and the exit code says so.
sim() { # KIND
	echo '{"schema":1,"nodes":"n[1-4]","faults":[{"kind":"'"$1"'","node":"n3"}]}' >"$1.json"
	try hpcbench run --launcher "sim:$1.json" --suite pairs --seed 3 2>/dev/null
}
sim dead-node
sim wrong-data
sim missing-records
