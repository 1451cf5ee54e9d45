# The help of everything.
try hpcbench help
for command in run diff check report baseline list store selftest version help; do
	try hpcbench help "$command"
done
hpcbench diff --help | head -1
hpcbench -h diff | head -1
hpcbench --help | head -1
try hpcbench --version
# A manual page; the tests of man-pages look at all of them.
hpcbench help --roff check | head -24
