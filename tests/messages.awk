# usage: awk -f messages.awk [-v all=1] FILE.c...   Every text that the sources have for a person who is refused,
# warned or advised: a line "file:line  text" for each, so that all can be read at once (`make messages`). A text is
# taken where it is an argument of a function whose name says so (fail, refuse, note, ...), or of one that gets stderr
# or a STATUS. all=1: every text of two words or more, reports and help too.
function is_message(name) {
    return tolower(name) ~ /(^|_)(fail|failed|fault|refuse|usage|missing|note|notes|warn|warning|say|says|complain|trouble|advise|hint|remark|why|reason|told|tell|lose|lost|stop)(_|$)/
}
function is_prose(s) {
    return s ~ /[a-z]+[^ ]* [^ ]*[a-z]/ && s !~ /^ *(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|FROM|WHERE|AND|ORDER|GROUP|JOIN|LEFT|BEGIN|ATTACH|DROP|SAVEPOINT|REPLACE|UNION) /
}
function end_text(    i) {
    if (text == "") return
    sub(/ +$/, "", text)
    if (is_prose(text)) held[++count] = FILENAME ":" at "  " text
    text = ""
}
# Of a call that ends: its texts are a message's, or may still be of the call around it.
function end_call(    i) {
    end_text()
    if (depth == 0) return
    if (all || message[depth] || prints[depth]) {
        for (i = first[depth]; i <= count; i++) print held[i]
        count = first[depth] - 1
    }
    depth--
    if (depth == 0) count = 0
}
FNR == 1 { depth = count = 0; text = word = ""; comment = 0 }
/^ *#/ { next }
{
    n = length($0)
    for (i = 1; i <= n; i++) {
        c = substr($0, i, 1)
        if (comment) { if (c == "*" && substr($0, i + 1, 1) == "/") { comment = 0; i++ } continue }
        if (c == "/" && substr($0, i + 1, 1) == "*") { comment = 1; i++; continue }
        if (c == "'") { for (i++; i <= n && (c = substr($0, i, 1)) != "'"; i++) if (c == "\\") i++; word = ""; continue }
        if (c == "\"") {
            if (text == "") at = FNR
            for (i++; i <= n && (c = substr($0, i, 1)) != "\""; i++) {
                if (c == "\\") { c = substr($0, ++i, 1); c = c == "n" ? " " : c }
                text = text c
            }
            word = ""
            continue
        }
        if (c ~ /[A-Za-z0-9_]/) { word = word c; if (depth && name[depth] !~ /^(if|while|for|return|switch)?$/ && word ~ /^(stderr|STATUS_.)/) prints[depth] = 1; continue }
        if (text != "" && word ~ /^PRI/) { text = text "d"; word = "" } # "%" PRId64 " trials"
        if (c == "(") { end_text(); name[++depth] = word; message[depth] = is_message(word); prints[depth] = 0; first[depth] = count + 1 }
        else if (c == ")") end_call()
        else if (c != " ") end_text()
        if (c != " ") word = ""
        else if (text != "" && word != "") word = ""
    }
    if (text != "" && word ~ /^PRI/) text = text "d"
    word = ""
}
