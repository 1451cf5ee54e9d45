# The words that completion offers for the last of the words given.
words() {
	printf '$ hpcbench'
	printf ' %q' "$@"
	printf '\n'
	hpcbench __complete "$@"
	printf '[exit %d]\n\n' $?
}
words
words ''
words ru
words nosuch ''
words --st
words --color ''
words --store=elsewhere ba
words run ''
words run --s
words run --suite ''
words run --suite=q
words run --records=
words run --launcher=s
words run --bench=mpi.latency,no
words run --no-su x --
words run -- --s
words list ''
words help r
words baseline ''
words baseline show ''
fixture_runs 3 benches=memory nodes=n1
mkdir store/baselines
touch store/baselines/night.json store/baselines/house.json store/baselines/.hidden.json
words baseline show ''
words baseline show night ''
words baseline record night 20010102
words report --format=m
words report l
words report latest ''
words diff ''
words diff latest,2001
words --store elsewhere report ''
words --store=store -q report 20010103
words check latest --baseline n
# A store that is no folder, a list that never ends, words that are no text.
echo text >file
words report --store file ''
words report "$(printf '\377\001')"
hpcbench __complete "$(head -c 20000 /dev/zero | tr "\0" a)" "" && echo ended
