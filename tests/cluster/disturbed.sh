#!/usr/bin/env bash
# Foreign traffic through n3's link: what is measured with n3 is measured once more, or does not count;
# nobody is blamed, the others' figures stand. Without it nothing is ever called disturbed.
# shellcheck source=tests/cluster/lib.sh
. "$BED_SOURCE/tests/cluster/lib.sh"
command -v perl >/dev/null || bed_skip "no perl, which sends the foreign traffic"
begin "nothing foreign, nothing disturbed"
for _ in 1 2 3 4 5; do
	measure 0
	! grep -E '"code":"(disturbed|busy)"' "$(run_dir)/records.jsonl" || die "a quiet run is called disturbed"
	! in_journal '"disturbed"' || die "a quiet job is called disturbed"
	bed_wait 10 no_jobs || die "a job is left"
done
grep -q '"type":"load"' "$(run_dir)/records.jsonl" || die "nobody told what the nodes did"

step "a stream to n3 as long as the run takes"
cat >"$BED/bin/sink" <<'END'
use Socket;
my ($l, $c, $b);
socket($l, PF_INET, SOCK_STREAM, 0) and setsockopt($l, SOL_SOCKET, SO_REUSEADDR, 1)
	and bind($l, sockaddr_in(7777, INADDR_ANY)) and listen($l, 1) or die "sink: $!";
while (accept($c, $l)) { 1 while sysread($c, $b, 1 << 18); close $c }
END
# A small buffer: the stream takes its share of the link and does not fill the queue before it.
cat >"$BED/bin/source" <<'END'
use Socket;
my ($s, $b) = (undef, "x" x (1 << 16));
socket($s, PF_INET, SOCK_STREAM, 0) and setsockopt($s, SOL_SOCKET, SO_SNDBUF, 1 << 18)
	and connect($s, sockaddr_in(7777, inet_aton($ARGV[0]))) or die "source: $!";
1 while syswrite($s, $b);
END
bed_on n3 "${BED_FIRST[@]}" perl "$BED/bin/sink" &
sink=$!
stream() {
	"${BED_FIRST[@]}" perl "$BED/bin/source" "$BED_NET.3" &
	stream=$!
}
listens() { bed_on n3 bash -c ': </dev/tcp/127.0.0.1/7777'; }
bed_wait 5 listens || die "the sink does not listen"
stream
measure 13
disturbed=$(grep '"disturbed"' "$(run_dir)/journal.jsonl")
for word in true false; do
	echo "$disturbed" | grep -q "\"again\":$word" || die "no job was disturbed with again $word"
done
! echo "$disturbed" | grep -vE '"disturbed":"n3: eth0 carried foreign traffic of [^;]*"' ||
	die "somebody else than n3 is said to have foreign traffic"
assert_pairs_without n3
said "NOT MEASURED"
said "foreign traffic"
[ -z "$(with_verdict regressed)$(with_verdict suspect)" ] || die "somebody is blamed"
lost=$(awk '$2 ~ /^mpi/ && ($NF == "disturbed" || $(NF - 1) == "disturbed") { print $1 }' "$OUT" | sort -u | xargs)
for who in $lost; do
	case $who in n3 | n3-* | *-n3 | cluster) ;; *) die "$who does not count; expected n3's pairs" ;; esac
done

step "a stream that ends"
old=$(run_dir)
# shellcheck disable=SC2119  # no options
measure_in_background
wait_journal "$old" 40 '"again":true'
kill "$stream"
wait "$PID"
code=$?
if in_journal '"again":false'; then
	[ "$code" -eq 13 ] || die "figures do not count, but exit $code"
else
	[ "$code" -eq 0 ] || die "all was measured once more, but exit $code"
fi
last=$(grep '"type":"job-end"' "$(run_dir)/journal.jsonl" | tail -n 1)
case $last in *disturbed*) die "the last job is called disturbed, long after the stream" ;; esac

kill "$sink"
step "done"
