# The names that programs rely on. Figures are left out: their last digits belong to the machine.
names() {
	printf '$'
	printf ' %q' "$@"
	printf '\n'
	"$@" --json | sed -E 's/("[a-z_0-9]+": )-?[0-9]+\.[-+.0-9e]+/\1F/
		s/("(old|new|value|lo|hi|delta|loss|p|p_family|mde|s|df|detectable)": )-?[0-9][-+.0-9e]*/\1F/'
	printf '[exit %d]\n\n' "${PIPESTATUS[0]}"
}
fixture_runs 6 benches=memory nodes="n1 n2"
hpcbench baseline record night latest~5,latest~4,latest~3,latest~2,latest~1 --quiet
names hpcbench diff latest~1 latest
names hpcbench check latest --baseline night
names hpcbench baseline list
names hpcbench list runs
hpcbench report latest --json | cmp - <(hpcbench report latest --format json) && echo "the same as --format json"
hpcbench version --json | grep '"kind"'
