# Wrong words: one line that says what is wrong and what to type instead, exit 64.
try hpcbench
try hpcbench reprot
try hpcbench frobnicate
try hpcbench --stroe x report latest
try hpcbench report latest --formt text
try hpcbench report
try hpcbench report a b
try hpcbench report latest --format yaml
try hpcbench --color=sometimes report latest
try hpcbench diff latest
try hpcbench check latest
try hpcbench check
try hpcbench list
try hpcbench list bench
try hpcbench baseline
try hpcbench baseline rebase
try hpcbench baseline record night
try hpcbench baseline record ../x latest
try hpcbench baseline record -- -x latest
try hpcbench help frobnicate
try hpcbench version now
try hpcbench report latest --format text --json
