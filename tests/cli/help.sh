# The help of everything.
try hpcbench help
for command in run diff check report baseline list selftest version help; do
	try hpcbench help "$command"
done
hpcbench diff --help | head -1
hpcbench -h diff | head -1
hpcbench --help | head -1
try hpcbench --version
