# usage: awk -v want=statements|shared -f statements.awk [FILE.sql...] FILE.sql
#
# The SQL of a floor as C. In a file,
#
#   -- name: end_attempt     begins a statement: STATEMENT(end_attempt, "UPDATE ...")
#   -- name: of_trial, TITLE one of a list: STATEMENT(of_trial, "TITLE", "SELECT ...")
#   -- part: fence           begins a part of statements, which stands in them as {fence}
#   -- shared: now           a part that C has too: #define NOW "..."
#
# Statements are those of the last file; parts may be of those before it. Other comments stay behind.
function quoted(text,    i, c, out) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        out = out (c == "\n" ? "\\n\"\n\"" : index("\\\"?", c) ? "\\" c : c)
    }
    return "\"" out "\""
}
function end_text(    part) {
    while (match(body, /\{[a-z_]+\}/)) {
        part = substr(body, RSTART + 1, RLENGTH - 2)
        if (!(part in text)) {
            print FILENAME ": there is no part {" part "}" > "/dev/stderr"
            failed = 1
            exit 1
        }
        body = substr(body, 1, RSTART - 1) text[part] substr(body, RSTART + RLENGTH)
    }
    if (name != "")
        text[name] = body
    if (name != "" && file == ARGV[ARGC - 1] && kind == "name" && want == "statements")
        print "STATEMENT(" name ", " (title == "" ? "" : quoted(title) ", ") quoted(body) ")"
    if (name != "" && file == ARGV[ARGC - 1] && kind == "shared" && want == "shared") {
        body = quoted(" " body " ")
        gsub(/\n/, " \\\n", body)
        print "#define " toupper(name) " " body
    }
    name = body = ""
}
/^-- (name|part|shared): / {
    end_text()
    kind = substr($2, 1, length($2) - 1)
    name = $3
    title = ""
    if (sub(/,$/, "", name))
        title = substr($0, index($0, ",") + 2)
    file = FILENAME
    next
}
/^--/ || /^$/ { next }
{ body = body (body == "" ? "" : "\n") $0 }
END {
    if (!failed)
        end_text()
}
