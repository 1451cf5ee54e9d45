#compdef hpcbench
# Completion of hpcbench for zsh: the program itself knows the words.
_hpcbench() {
	local -a found open
	found=(${(f)"$(${words[1]} __complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
	if (( ! $#found )); then
		compset -P '*='
		_files
		return
	fi
	# A word that ends in a sign wants more behind it, not a space.
	open=(${(M)found:#*[=:]})
	found=(${found:#*[=:]})
	(( $#open )) && compadd -S '' -- $open
	(( $#found )) && compadd -- $found
	return 0
}
if [[ $funcstack[1] == _hpcbench ]]; then
	_hpcbench "$@"
else
	compdef _hpcbench hpcbench
fi
