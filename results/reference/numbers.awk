# Prints a Markdown file with its marked tables and numbers filled in from the tables of this folder:
#
#   awk -v folder=results/reference -f results/reference/numbers.awk README.md
#
# A mark is a comment, which readers do not see, right before what it fills in. NAME is a sweep, or NAME.STUDY
# what its trained models answered:
#
#   <!-- table:NAME rows -->        the table below it: a line per head count, with the learning rate if it was tuned
#   <!-- table:NAME grid -->        the table below it: a line per setting, a column per head count
#   <!-- table:NAME.heads heads --> the table below it: what `headcount heads` measured, a line per head count
#   <!-- table:NAME bits -->        the table below it: bits per byte of a text, a line per head count; of several
#                                   settings a line per setting, a column per head count
#   <!-- NAME interval heads=8 slots=4 -->    the number behind it. Instead of `interval` (mean and interval):
#       `difference` (and interval) of NAME.between, which setting=kv_heads=1 against=kv_heads=8 both=d_ff=64 tell, or of
#       a study whose means are differences;
#       `bits` (per byte, mean and interval), `mean`, `n`, `solved`, `min`, `max`, `exact` (mean), `params`; `least`, `most` (of the means of all rows that are meant); of
#       runs.csv `trials`, and `minutes` of CPU time; or any column of the table, with two decimals
#
# A mark that fits no row, or several where one is meant, is an error: status 1. POSIX awk.

function fail(what) {
    print FILENAME ":" FNR ": " what > "/dev/stderr"
    broken = 1
    return "?"
}

# ---- the tables ----

# The fields of a line of CSV in cell[1..]; a quoted field may hold commas and doubled quotes.
function split_csv(line, cell,    n, field) {
    n = 0
    line = line ","
    while (line != "") {
        if (match(line, /^"([^"]|"")*",/)) {
            field = substr(line, 2, RLENGTH - 3)
            gsub(/""/, "\"", field)
        } else {
            match(line, /^[^,]*,/)
            field = substr(line, 1, RLENGTH - 1)
        }
        cell[++n] = field
        line = substr(line, RLENGTH + 1)
    }
    return n
}
# Reads NAME.csv once: rows[name] lines, and value[name, row, column]. Whether there is such a file.
function load(name,    file, line, cell, head, n, i) {
    if (name in rows)
        return 1
    file = folder "/" name ".csv"
    if ((getline line < file) <= 0)
        return 0
    rows[name] = 0
    n = split_csv(line, head)
    while ((getline line < file) > 0) {
        split_csv(line, cell)
        rows[name]++
        for (i = 1; i <= n; i++)
            value[name, rows[name], head[i]] = cell[i]
    }
    close(file)
    return 1
}
# The first of two columns that the table has.
function either(name, row, a, b) {
    return value[name, row, (name, row, a) in value ? a : b]
}

# ---- as people read it ----

function short(x) {
    x += 0
    x = sprintf("%.3f", x < 0 ? 0 : x > 1 ? 1 : x)
    sub(/^0/, "", x)
    return x
}
# A number that need not lie between 0 and 1; "-" where there is none.
function plain(x, decimals) {
    if (x == "")
        return "-"
    x = sprintf("%." decimals "f", x)
    if (x + 0 == 0)
        sub(/^-/, "", x)
    return x
}
function thousands(n) {
    return n < 1000 ? n : substr(n, 1, length(n) - 3) "," substr(n, length(n) - 2)
}
function mean(name, row) { return short(either(name, row, "mean_all", "mean_acc")) }
function low(name, row) { return short(either(name, row, "all_low", "ci95_low")) }
function high(name, row) { return short(either(name, row, "all_high", "ci95_high")) }
# Trials, bad ones too; of a sweep that is replicated, the instances whose means were taken.
function number(name, row,    n) {
    n = value[name, row, "n"]
    return (name, row, "n_trials") in value && value[name, row, "n_trials"] + 0 != n + 0 ? n : n + value[name, row, "n_bad"]
}
# Where both ends round to the mean, the mean says it.
function interval(name, row) {
    if (low(name, row) == mean(name, row) && high(name, row) == mean(name, row))
        return mean(name, row)
    return mean(name, row) " [" low(name, row) ", " high(name, row) "]"
}

# "+.159", for a difference.
function signed(x) {
    x = sprintf("%+.3f", x)
    sub(/0\./, ".", x)
    return x
}
function difference(name, row) {
    return signed(either(name, row, "mean_diff", "mean_acc")) " [" signed(either(name, row, "ci_low", "ci95_low")) ", " \
        signed(either(name, row, "ci_high", "ci95_high")) "]"
}

# ---- tables ----

# What tuning chose for a row: {"train.lr":0.01} is .01.
function chosen(name, row,    i, of, words, word) {
    of = name ".chosen"
    for (i = 1; i <= rows[of]; i++)
        if (value[of, i, "setting_label"] == value[name, row, "setting_label"] && value[of, i, "heads"] == value[name, row, "heads"]) {
            words = split(value[of, i, "tuning"], word, /[:}]/)
            return word[words - 1]
        }
    return fail(of " has no " value[name, row, "heads"] " heads")
}
# Losses are in nats.
function bits(name, row, column) { return sprintf("%.3f", value[name, row, column] / log(2)) }
function bits_interval(name, row) {
    return bits(name, row, "mean_loss") " [" bits(name, row, "loss_low") ", " bits(name, row, "loss_high") "]"
}
function print_bits(name,    i, rate) {
    if (value[name, 1, "setting_label"] != "") {
        print_grid(name, 1)
        return
    }
    rate = load(name ".chosen")
    print "| heads |" (rate ? " lr |" : "") " n | bits per byte | 95% interval |"
    print "|---:|" (rate ? "---:|" : "") "---:|---:|---|"
    for (i = 1; i <= rows[name]; i++)
        print "| " value[name, i, "heads"] " |" (rate ? " " chosen(name, i) " |" : "") " " number(name, i) " | " \
            bits(name, i, "mean_loss") " | " bits(name, i, "loss_low") " to " bits(name, i, "loss_high") " |"
}
function print_rows(name,    i, rate) {
    rate = load(name ".chosen")
    print "| heads |" (rate ? " lr |" : "") " n | mean test accuracy | 95% interval | solved |"
    print "|---:|" (rate ? "---:|" : "") "---:|---:|---|---:|"
    for (i = 1; i <= rows[name]; i++)
        print "| " value[name, i, "heads"] " |" (rate ? " " chosen(name, i) " |" : "") " " number(name, i) " | " \
            mean(name, i) " | " low(name, i) " to " high(name, i) " | " value[name, i, "n_solved"] " |"
}
# A cell is a mean accuracy, or with `text` bits per byte, and its interval.
function print_grid(name, text,    i, label, labels, line, counts, heads, n, at, k, h, settings, cells, row) {
    settings = counts = 0
    for (i = 1; i <= rows[name]; i++) {
        label = value[name, i, "setting_label"]
        if (!((name, label) in labels)) {
            labels[name, label] = ++settings
            line[settings] = label
        }
        h = value[name, i, "heads"]
        for (k = counts; k > 0 && heads[k] > h + 0; k--)
            ;
        if (k == 0 || heads[k] != h + 0) {
            for (n = counts++; n > k; n--)
                heads[n + 1] = heads[n]
            heads[k + 1] = h + 0
        }
        at[label, h + 0] = i
    }
    head = "|" (settings > 1 ? " setting |" : "") " n |"
    rule = "|" (settings > 1 ? "---|" : "") "---:|"
    for (k = 1; k <= counts; k++) {
        head = head " " heads[k] (heads[k] == 1 ? " head |" : " heads |")
        rule = rule "---|"
    }
    print head
    print rule
    for (i = 1; i <= settings; i++) {
        least = most = ""
        cells = ""
        for (k = 1; k <= counts; k++) {
            if (!((line[i], heads[k]) in at)) {
                cells = cells " |"
                continue
            }
            n = number(name, at[line[i], heads[k]])
            least = least == "" || n < least ? n : least
            most = most == "" || n > most ? n : most
            row = at[line[i], heads[k]]
            cells = cells " " (text ? bits_interval(name, row) : interval(name, row)) " |"
        }
        print "|" (settings > 1 ? " " line[i] " |" : "") " " (least == most ? least : least " to " most) " |" cells
    }
}
function print_heads(name,    i, settings) {
    for (i = 1; i <= rows[name]; i++)
        settings = settings || value[name, i, "setting_label"] != ""
    print "|" (settings ? " setting |" : "") " heads | n | sharp heads | places | duplicates | mass on a place | D_pos | D_out | effective rank |"
    print "|" (settings ? "---|" : "") "---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (i = 1; i <= rows[name]; i++)
        print "|" (settings ? " " value[name, i, "setting_label"] " |" : "") " " value[name, i, "heads"] " | " \
            value[name, i, "n"] " | " plain(value[name, i, "sharp"], 1) " | " plain(value[name, i, "places"], 1) " | " \
            plain(value[name, i, "duplicates"], 1) " | " plain(value[name, i, "main_mass"], 2) " | " \
            plain(value[name, i, "disagreement_position"], 2) " | " plain(value[name, i, "disagreement_output"], 2) " | " \
            plain(value[name, i, "effective_rank"], 1) " |"
}
function minutes(run) {
    return sprintf("%.1f", value["runs", run, "cpu_s"] / 60)
}
function print_table(name, form) {
    if (!load(name))
        fail("there is no " folder "/" name ".csv")
    else if (form == "rows")
        print_rows(name)
    else if (form == "grid")
        print_grid(name)
    else if (form == "heads")
        print_heads(name)
    else if (form == "bits")
        print_bits(name)
    else
        fail("a table has rows, a grid, heads or bits, not '" form "'")
}

# ---- single numbers ----

# ", setting=form=cut" for each part of a setting's name.
function named(kind, parts) {
    gsub(/, /, ", " kind "=", parts)
    return parts == "" ? "" : ", " kind "=" parts
}
# Whether a row is of a head count and of a setting: word[from..to] are heads=8, slots=4, ...
function meant(name, row, word, from, to,    i, label) {
    label = ", " value[name, row, "setting_label"] ", heads=" value[name, row, "heads"] \
        named("setting", value[name, row, "a"]) named("against", value[name, row, "b"]) \
        named("both", value[name, row, "same"]) ", "
    for (i = from; i <= to; i++)
        if (index(label, ", " word[i] ", ") == 0)
            return 0
    return 1
}
function of_runs(name, what,    i) {
    load("runs")
    for (i = 1; i <= rows["runs"]; i++)
        if (value["runs", i, "name"] == name)
            return what == "minutes" ? minutes(i) : value["runs", i, what]
    return fail("runs.csv has no " name)
}
function lookup(mark,    word, words, name, what, i, row, found, x) {
    words = split(mark, word, " ")
    name = word[1]
    what = word[2]
    if (what ~ /^(trials|minutes)$/)
        return of_runs(name, what)
    if (!load(name))
        return fail("there is no " folder "/" name ".csv")
    found = 0
    for (i = 1; i <= rows[name]; i++)
        if (meant(name, i, word, 3, words)) {
            found++
            if (found == 1 || (what == "least" && mean(name, i) + 0 < x + 0) || (what == "most" && mean(name, i) + 0 > x + 0))
                x = mean(name, i)
            row = i
        }
    if (found == 0 || (found > 1 && what != "least" && what != "most"))
        return fail("'" mark "' means " found " rows")
    if (what == "least" || what == "most" || what == "mean")
        return x
    if (what == "interval")
        return interval(name, row)
    if (what == "bits")
        return bits_interval(name, row)
    if (what == "difference")
        return difference(name, row)
    if (what == "n")
        return number(name, row)
    if (what == "min" || what == "max")
        return short(value[name, row, what "_acc"])
    if (what == "exact")
        return short(value[name, row, "mean_exact"])
    if (what == "params")
        return thousands(value[name, row, "n_params"])
    if (what == "solved")
        return value[name, row, "n_solved"]
    if ((name, row, what) in value)
        return plain(value[name, row, what], 2)
    return fail("'" what "' is no number of a table")
}
function fill_in(line,    done, mark, behind) {
    done = ""
    while (match(line, /<!-- [a-z0-9.-]+ [a-z0-9_]+( [a-z0-9_]+=[^ ]+)* -->/)) {
        mark = substr(line, RSTART + 5, RLENGTH - 9)
        behind = RSTART + RLENGTH
        done = done substr(line, 1, behind - 1) lookup(mark)
        line = substr(line, behind)
        if (!match(line, /^[-+]?[0-9?,]*\.?[0-9?]+( \[[-+0-9., ]+\])?/))
            fail("no number behind <!-- " mark " -->")
        line = substr(line, RLENGTH > 0 ? RLENGTH + 1 : 1)
    }
    return done line
}

below_mark && /^(\|.*)?$/ { next }
below_mark { below_mark = 0; print "" }
/^<!-- table:[a-z0-9.-]+( [a-z]+)? -->$/ {
    print $0 "\n"
    split(substr($2, 7) " " $3, asked, " ")
    print_table(asked[1], asked[2])
    below_mark = 1
    next
}
{ print fill_in($0) }
END { exit broken }
