# One summary.json of a made-up run; see fixture_run in lib.sh.

# Approximately normal, the same everywhere: sum of twelve uniform numbers of a small generator.
function uniform() {
	state = (state * 16807) % 2147483647
	return state / 2147483647
}
function normal(  i, s) {
	s = 0
	for (i = 0; i < 12; i++)
		s += uniform()
	return s - 6
}
function quote(text) {
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}
# worse > 1: slower, in the direction of the metric.
function figure(base, higher, bench, node,  y) {
	y = noise * (0.7071 * common[bench] + 0.7071 * normal())
	if (bench == whole_bench)
		y += log(whole)
	if (node == slow_node && bench == slow_bench)
		y += log(slow)
	return base * exp(higher ? -y : y)
}
function row(subject, value, more) {
	return sprintf("{\"subject\":%s,\"value\":%.9g,\"lo\":%.9g,\"hi\":%.9g,\"n\":40%s}",
		quote(subject), value, value * 0.996, value * 1.004, more)
}
function group(bench, metric, opts, bytes, class, n, unit, better, floor, rows) {
	printf "%s{\"key\":{\"bench\":%s,\"metric\":%s,\"opts\":%s,\"bytes\":%d,\"nodes\":%d,\"rpn\":1,", \
		(groups++ ? ",\n  " : ""), quote(bench), quote(metric), opts, bytes, n
	printf "\"class\":%s,\"hw\":\"cpu\"},\"unit\":%s,\"better\":%s,\"judged\":true,\"floor\":%s,\n   \"rows\":[%s]}", \
		quote(class), quote(unit), quote(better), floor, rows
}
function each_node(bench, base, higher, more,  i, s) {
	s = ""
	for (i = 1; i <= n_nodes; i++)
		s = s (i > 1 ? "," : "") row(node[i], figure(base, higher, bench, node[i]), more)
	return s
}

BEGIN {
	if (nodes == "") nodes = "n1 n2 n3 n4"
	if (benches == "") benches = "latency bandwidth memory"
	if (noise == "") noise = 0.01
	if (slow == "") slow = 1
	if (whole == "") whole = 1
	if (mpi == "") mpi = "4.1.4"
	n_nodes = split(nodes, node, " ")
	n_benches = split(benches, bench, " ")
	n_sizes = split(sizes == "" ? "8 1024 1048576" : sizes, size, " ")
	state = (seed + 1) * 7919 + 17
	for (i = 0; i < 5; i++)
		uniform()
	for (i = 1; i <= n_benches; i++)
		common[bench[i]] = normal()

	printf "{\"schema\":1,\"run\":%s,\"suite\":\"pairs\",%s\"started\":%s,\n", quote(id), \
		(label == "" ? "" : "\"label\":" quote(label) ","), \
		quote(substr(id, 1, 4) "-" substr(id, 5, 2) "-" substr(id, 7, 2) "T01:00:00Z")
	printf " \"cluster\":\"made-up\",\"user\":\"tester\",\"partial\":%s,\"injected\":%s,\n", \
		(partial == "" ? "false" : partial), (injected == "" ? "false" : injected)
	printf " \"fingerprint\":{\"mpi\":[%s],\"kernel\":[\"6.1\"]},\n \"hw\":{", quote("Open MPI " mpi)
	for (i = 1; i <= n_nodes; i++)
		printf "%s%s:\"cpu\"", (i > 1 ? "," : ""), quote(node[i])
	printf "},\n"
	if (extra != "")
		printf " %s,\n", extra
	printf " \"rows\":[\n  "
	for (b = 1; b <= n_benches; b++)
		for (i = 1; i <= n_sizes; i++) {
			if (bench[b] == "latency")
				group("mpi.latency", "lat_p50_ns", "{\"datatype\":\"byte\"}", size[i], "remote", 2, \
					"ns", "lower", 0.05, each_node("latency", 1500 + size[i] / 10, 0, ",\"pairs\":3"))
			if (bench[b] == "bandwidth")
				group("mpi.bandwidth", "algbw_Bps", "{\"datatype\":\"byte\",\"window\":64}", size[i], "remote", 2, \
					"Bps", "higher", 0.03, each_node("bandwidth", 12e9 * size[i] / (size[i] + 4096), 1, ",\"pairs\":3"))
			if (bench[b] == "memory" && i == n_sizes)
				for (o = 1; o <= 2; o++)
					group("node.memory", "algbw_Bps", "{\"op\":\"" (o == 1 ? "copy" : "triad") "\"}", 67108864, "local", 1, \
						"Bps", "higher", 0.03, each_node("memory", 2e11 + o * 1e10, 1, ""))
		}
	printf "\n ]}\n"
}
