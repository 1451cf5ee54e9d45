# shellcheck shell=bash
# Completion of hpcbench for bash: the program itself knows the words.
_hpcbench() {
	local line=${COMP_LINE:0:COMP_POINT} words current cut
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	current=${words[-1]}
	mapfile -t COMPREPLY < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace
	# readline replaces only what stands behind the last '=' or ':'.
	cut=${current%"${current##*[=:]}"}
	[[ $COMP_WORDBREAKS == *[=:]* ]] && COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}
complete -o default -F _hpcbench hpcbench
