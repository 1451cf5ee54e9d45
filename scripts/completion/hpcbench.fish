# Completion of hpcbench for fish: the program itself knows the words.
function __hpcbench_words
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    $program __complete $words (commandline -ct) 2>/dev/null
end
function __hpcbench_knows
    set -l words (__hpcbench_words)
    test (count $words) -gt 0
end
complete -c hpcbench -f -n __hpcbench_knows -a '(__hpcbench_words)'
complete -c hpcbench -F -n 'not __hpcbench_knows'
