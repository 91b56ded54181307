#!/bin/sh
# manual.sh PROGRAM PAGE: the man page, on standard output. PAGE has its prose; from the program's own
# tables come the options of every command and the keys of a sweep file, each with what is said of it
# there and behind that what PAGE adds under its name, the commands that PAGE has no section for, and, at the end of
# its section TERMS, the glossary.
# PAGE must not speak of a command, an option or a key that there is not.
program=$1
page=$2
{
    for command in $("$program" complete commands); do
        "$program" "$command" --help | sed "s/^/$command /"
    done
    "$program" complete help | sed 's/^/. /'
    "$program" complete terms | sed 's/^/: /'
} | awk '
function fail(message) { print "manual.sh: " message >"/dev/stderr"; failed = 1; exit 1 }
# A word before a comma or a colon is a name.
function upper(s) { return s ~ /^[^ ]*[,:] / ? s : toupper(substr(s, 1, 1)) substr(s, 2) }
# As troff takes it; what stands between backticks is bold.
function roff(s,    i, c, out, bold) {
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "`") { bold = !bold; c = bold ? "\\fB" : "\\fR" }
        else if (c == "-") c = "\\-"
        else if (c == "\\") c = "\\e"
        out = out c
    }
    return (out ~ /^[.\047]/ ? "\\&" : "") out
}
# Of "-j, --workers=N" the names bold, the words of its argument, which are not brackets, italic.
function heading(left,    name, i, c, out, italic) {
    name = match(left, /[[=]/) ? substr(left, 1, RSTART - 1) : left
    out = "\\fB" roff(name) "\\fR"
    sub(/, /, "\\fR, \\fB", out)
    for (i = length(name) + 1; i <= length(left); i++) {
        c = substr(left, i, 1)
        if ((c !~ /[][%]/ && (c != "=" || italic)) != italic) { italic = !italic; out = out (italic ? "\\fI" : "\\fR") }
        out = out c
    }
    return out (italic ? "\\fR" : "")
}
# The options of the section that ends.
function end_section(    i, name) {
    for (i = 1; i <= options[command]; i++) {
        name = left[command, i]
        sub(/.*--/, "", name)
        sub(/[[=].*/, "", name)
        printf ".TP\n%s\n%s.\n%s", heading(left[command, i]), roff(upper(help[command, i])), more[name]
        delete more[name]
    }
    for (name in more)
        fail("the page speaks of " name ", which " (command == "." ? "a sweep file" : command) " does not have")
    command = told = ""
}
# The commands that the page has no section for.
function the_others(    i) {
    for (i = 1; i <= commands; i++)
        if (!(order[i] in explained)) {
            command = order[i]
            printf ".SS \"%s\"\n%s", roff(usage[command]), prose[command]
            end_section()
        }
}

# ---- what the program says ----
FNR == NR && $1 == ":" {
    sub(/^: /, "")
    terms = terms ".TP\n\\fB" roff(substr($0, 1, index($0, "\t") - 1)) "\\fR\n" \
        roff(substr($0, index($0, "\t") + 1)) "\n"
    next
}
FNR == NR && $1 == "." {
    sub(/^\. /, "")
    left[".", ++options["."]] = substr($0, 1, index($0, "\t") - 1)
    help[".", options["."]] = substr($0, index($0, "\t") + 1)
    next
}
FNR == NR {
    c = $1
    sub(/^[^ ]* ?/, "")
    if (/^Usage: /) {
        sub(/ \[options\]/, "")
        order[++commands] = c
        usage[c] = substr($0, 18)
        at = "prose"
    }
    else if (/^Options:$/) at = "options"
    else if (/^Examples:$/) at = ""
    else if (at == "prose" && $0 != "") prose[c] = prose[c] roff($0) "\n"
    else if (at == "options" && /^  (-.,|   ) --/) {
        at_option = ++options[c]
        match($0, /--[^ ]*/)
        left[c, at_option] = substr($0, 3, RSTART + RLENGTH - 3)
        sub(/^ */, "", left[c, at_option])
        line = substr($0, RSTART + RLENGTH)
        sub(/^ */, "", line)
        help[c, at_option] = line
        if (left[c, at_option] ~ /--help$/) options[c]--
    } else if (at == "options" && $0 != "") { sub(/^ */, " "); help[c, at_option] = help[c, at_option] $0 }
    next
}
# ---- the page ----
/^\.SH/ && inside { end_section() }
/^\.SH/ && inside == "commands" { the_others() }
/^\.SH/ && section == "TERMS" { printf "%s", terms }
/^\.SH/ { section = $2 }
/^\.SH/ { inside = /COMMANDS/ ? "commands" : /SWEEP FILE/ ? "keys" : ""; command = inside == "keys" ? "." : "" }
inside && /^\.SS/ {
    end_section()
    command = $2
    gsub(/"/, "", command)
    if (!(command in usage)) fail("the page speaks of the command " command ", which there is not")
    explained[command] = 1
    if (NF == 2) $0 = ".SS \"" roff(usage[command]) "\""
}
inside && /^\.TP$/ { getline told; gsub(/^\.B |\\/, "", told); sub(/^--/, "", told); next }
inside && told != "" { more[told] = more[told] $0 "\n"; next }
{ print }
' - "$page"
