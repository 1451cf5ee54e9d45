# Fills a manual page. Lines of the page that stand for something else:
#	.\" @description@	the prose of PROSE up to its first .SH
#	.\" @sections@		the rest of PROSE
#	.\" @markdown FILE HEADING@	what stands in FILE under this heading ("## X"), to the next one
#	.\" @schema FILE@	the members that a JSON schema describes
# Of Markdown: paragraphs, lists of one level, tables, indented code, `code`, **bold**, links.
# Variables: date, top (the source folder), prose (a file, may be empty).

function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/"/, "\\(dq", text)
	gsub(/'/, "\\(aq", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	gsub("→", "\\(->", text)
	gsub("±", "\\(+-", text)
	gsub("×", "\\(mu", text)
	gsub("≤", "\\(<=", text)
	gsub("≥", "\\(>=", text)
	return text
}

# Words between signs in bold; a link is its text.
function inline(text,    out, i, n, parts) {
	while (match(text, /\[[^]]*\]\([^)]*\)/)) {
		n = substr(text, RSTART + 1, index(substr(text, RSTART), "](") - 2)
		text = substr(text, 1, RSTART - 1) n substr(text, RSTART + RLENGTH)
	}
	gsub(/\*\*/, "`", text)
	n = split(text, parts, "`")
	out = ""
	for (i = 1; i <= n; i++)
		out = out (i % 2 ? roff(parts[i]) : "\\fB" roff(parts[i]) "\\fR")
	return out
}

# One output line may not begin like a request, and should not be long.
function put(text,    line, words, i, n) {
	n = split(text, words, / +/)
	line = ""
	for (i = 1; i <= n; i++) {
		if (words[i] == "")
			continue
		if (line != "" && length(line) + length(words[i]) > 76) {
			print line
			line = ""
		}
		if (line == "" && words[i] ~ /^[.']/)
			words[i] = "\\&" words[i]
		line = line (line == "" ? "" : " ") words[i]
	}
	if (line != "")
		print line
}

function flush_text() {
	if (pending != "")
		put(inline(pending))
	pending = ""
}

function end_code() {
	if (in_code)
		print ".fi\n.RE"
	in_code = 0
}

# A table's row: the first cell is the term, the others say what it means.
function table_row(line,    cells, i, n, text) {
	gsub(/^\| *| *\|$/, "", line)
	gsub(/\\\|/, "\001", line)
	n = split(line, cells, / *\| */)
	text = ""
	for (i = 2; i <= n; i++)
		if (cells[i] != "")
			text = text (text == "" ? "" : ": ") cells[i]
	gsub(/\001/, "|", text)
	gsub(/\001/, "|", cells[1])
	print ".TP"
	print inline(cells[1])
	put(inline(text == "" ? "(none)" : text))
}

function markdown_line(line) {
	if (line ~ /^    / && pending == "") {
		if (!in_code)
			print ".PP\n.RS 4\n.nf"
		in_code = 1
		print "\\&" roff(substr(line, 5))
	} else if (line ~ /^\|/) {
		flush_text()
		if (line ~ /^\|[-| ]*$/) # what stood above it were titles
			in_table = 1
		else if (in_table)
			table_row(line)
	} else if (line == "") {
		flush_text()
		in_table = 0
		if (!in_code)
			fresh = 1
	} else {
		end_code()
		if (line ~ /^- /) {
			flush_text()
			print ".IP \\(bu 2"
			line = substr(line, 3)
		} else if (fresh) {
			print ".PP"
		}
		fresh = 0
		gsub(/^ +/, "", line)
		pending = pending (pending == "" ? "" : " ") line
	}
}

function markdown(file, heading,    line, inside, seen, level) {
	level = heading
	sub(/ .*/, "", level)
	pending = ""
	fresh = in_code = in_table = inside = seen = 0
	while ((getline line < (top "/" file)) > 0) {
		if (line == heading) {
			inside = seen = 1
			continue
		}
		if (inside && line ~ /^#/ && index(line " ", level " ") == 1)
			inside = 0
		else if (inside && line !~ /^#/ && (line != "" || seen > 1)) {
			markdown_line(line)
			seen = 2
		}
	}
	close(top "/" file)
	flush_text()
	end_code()
	if (!seen) {
		print "pages.awk: no \"" heading "\" in " file > "/dev/stderr"
		exit 1
	}
}

function schema(file,    line, name, text) {
	while ((getline line < (top "/" file)) > 0) {
		if (match(line, /"[a-z_]+": \{/))
			name = substr(line, RSTART + 1, RLENGTH - 5)
		if (name == "" || !match(line, /"description": "([^"\\]|\\.)*"/))
			continue
		text = substr(line, RSTART + 16, RLENGTH - 17)
		gsub(/\\"/, "\"", text)
		print ".TP"
		print "\\fB" roff(name) "\\fR"
		put(inline(text))
		name = ""
	}
	close(top "/" file)
}

function prose_part(last,    line, below) {
	if (prose == "")
		return
	below = 0
	while ((getline line < prose) > 0) {
		if (line ~ /^\.SH/)
			below = 1
		if (below == last)
			print line
	}
	close(prose)
}

/^\.TH / {
	sub(/""/, "\"" date "\"")
	print
	next
}
/^\.\\" @description@$/ {
	prose_part(0)
	next
}
/^\.\\" @sections@$/ {
	prose_part(1)
	next
}
/^\.\\" @markdown .*@$/ {
	sub(/@$/, "")
	file = $3
	heading = $0
	sub(/^\.\\" @markdown [^ ]+ /, "", heading)
	markdown(file, heading)
	next
}
/^\.\\" @schema .*@$/ {
	sub(/@$/, "")
	schema($3)
	next
}
{ print }
