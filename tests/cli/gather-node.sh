# A captured node says the same elsewhere; without names it says nothing of where it came from.
gather() {
	"$CASES/../../scripts/gather-node" "$@"
}
# ENDPOINT KEY VALUE of all facts, but those that change by the second and those of this process
told() {
	awk -F '"' '$2 == "endpoint" { e = $4 } $2 == "key" { k = $4 }
		$2 == "value" { v = NF > 3 ? $4 : "null" } $2 == "source" { print e, k, v }' |
		grep -vE ' (lib\.|sw\.(libc|kernel)|node\.uptime_s|cpu\.(hz|throttles)|mem\.available|mem\.swap|fs\.free|time\.max|cgroup\.throttled_s|net\.irq_cpus|net\.carrier|net\.state|net\.speed)' |
		LC_ALL=C sort
}
helper=$(dirname "$(command -v hpcbench)")/hpcbench-node
export HPCBENCH_NODE=thishost
try gather --helper
try gather --anonymus
gather --helper "$helper" -o node.tar.gz
mkdir tree && tar -C tree -xzf node.tar.gz
"$helper" --facts | told >here
HPCBENCH_SYSFS_ROOT=$PWD/tree "$helper" --facts | told >there
try diff here there
[ "$(wc -l <here)" -gt 60 ] && echo "enough of them"
echo "files of more than 64 KiB but the facts: $(find tree -size +64k ! -name facts.json ! -name interrupts | wc -l)"

echo "- the same as a text"
gather --helper "$helper" -o node.txt
grep -c '^# A node' node.txt
grep -q '^/proc/self/limits$' node.txt && echo "limits"

echo "- without names"
gather --anonymous --helper "$helper" -o anonymous.txt
gather --anonymous --helper "$helper" -o anonymous.tar.gz
{
	echo thishost
	uname -n
	cat /sys/class/net/*/address /proc/sys/kernel/random/boot_id
	"$helper" --facts | told | awk '$2 == "net.addresses" || $2 == "name.own" { print $3 }' |
		tr ',' '\n' | sed 's:/.*::'
	echo "$PWD"
} | grep -vxE '00:00:00:00:00:00|127\..*|::1|null' >words
[ "$(wc -l <words)" -ge 4 ] && echo "words to look for"
# A host called as a folder of /proc is found in paths, which come from the kernel.
sed -E 's:^/proc/[^ ]*::; s:^/sys/[^ ]*::; /"(source|key)": /d' anonymous.txt | grep -nwF -f words
mkdir other && tar -C other -xzf anonymous.tar.gz
HPCBENCH_SYSFS_ROOT=$PWD/other "$helper" --facts | told >elsewhere
mask() { grep -vE ' (node\.|net\.(mac|addresses)|name\.|user\.name|fs\.|rdma\.guid)' "$1"; }
mask here >here.masked
mask elsewhere >elsewhere.masked
try diff here.masked elsewhere.masked

echo "- files alone"
gather --helper none -o files.tar.gz
mkdir files && tar -C files -xzf files.tar.gz
HPCBENCH_SYSFS_ROOT=$PWD/files "$helper" --facts | told | grep -cE ' (cpu\.cores|mem\.installed_bytes|limit\.nofile) '
HPCBENCH_SYSFS_ROOT=$PWD/files "$helper" --facts | told | grep -E ' (name\.own|time\.synchronized|fs\.)'
