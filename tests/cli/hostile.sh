# Files that nobody should have written: one line with file and place, never a crash.
put() { # the newest run's summary becomes this text
	mkdir -p store/runs/20010101-010000-0001
	printf '%s' "$1" >store/runs/20010101-010000-0001/summary.json
	try hpcbench report latest
}
good=$(fixture_json 20010101-010000-0001 benches=memory nodes=n1)
put ''
put '[]'
put '{"schema":1,"run":"x","rows":['
put "${good:0:300}"
put '{"schema":2,"run":"x","rows":[]}'
put '{"schema":1,"run":7,"rows":[]}'
put '{"schema":1,"run":"x","rows":{}}'
put '{"schema":1,"run":"x","rows":[],"rows":[]}'
put '{"schema":1,"run":"x","rows":[],"label":NaN}'
put '{"schema":1,"run":"x","rows":[],"label":'"'y'"'}'
put "{\"schema\":1,\"run\":\"x\",\"rows\":[],\"deep\":$(printf '[%.0s' {1..100})$(printf ']%.0s' {1..100})}"
put "${good/\"op\":\"copy\"/\"op\":\"copy\",\"op\":\"add\"}"
put "${good/\"bytes\":67108864/\"bytes\":-1}"
put "${good/\"bytes\":67108864/\"bytes\":1e400}"
put "${good/\"unit\":\"Bps\"/\"unit\":\"furlongs\"}"
put "${good/\"value\":/\"value\":0,\"was\":}"
put "${good/\"subject\":\"n1\"/\"subject\":7}"
put $'{"schema":1,"run":"x\x1b[2J","rows":[]}'

echo '--- names that would drive a terminal'
# shellcheck disable=SC1003
put "$(fixture_json 20010101-010000-0001 benches=memory nodes=NODE label=LABEL |
	sed 's/NODE/n1\\u001b]0;owned\\u0007\\u202egnp/g; s/LABEL/line\\nbreak\\u009b31m/')"
hpcbench report latest | LC_ALL=C grep -c '[[:cntrl:]]'
hpcbench report latest --json | LC_ALL=C grep -c '[[:cntrl:]]'
try hpcbench list runs
put '{"schema":1,"run":"x; rm -rf .","rows":[]}'

echo '--- baselines'
fixture_run 20010101-010000-0001 benches=memory nodes=n1
hpcbench baseline record good latest >made
for text in '' '{"schema":1}' '{"schema":99,"name":"x"}' '[1]'; do
	printf '%s' "$text" >bad.json
	try hpcbench check latest --baseline ./bad.json
done
head -c 200 store/baselines/good.json >bad.json
try hpcbench diff bad.json latest
try hpcbench report latest --baseline bad.json
