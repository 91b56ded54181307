#!/bin/sh
# The man page against the program: commands, their options, the keys of a sweep file, environment
# variables, exit statuses; that it renders; and what its maker refuses. Speaks TAP. HEADCOUNT is the
# program; run from the repository's root.
. tests/tap.sh
not_sanitized "the man page is that of the program"
manual() { # program, page's prose: the whole page into $dir/page, without what is for troff
    sh sweep/cli/manual.sh "$1" "$2" >"$dir/headcount.1" || return 1
    sed 's/\\f[A-Z]//g; s/\\//g' "$dir/headcount.1" >"$dir/page"
}
# The lines from one heading (SH or SS) of these first words to the next.
part() { sed -n "/^\.S[HS] \"\{0,1\}$1\( .*\)\{0,1\}\"\{0,1\}$/,/^\.S[HS]/p" "$dir/page"; }
# Whether the part has a paragraph for this word.
explains() { part "$1" | grep -A1 '^\.TP' | grep -qw -e "$2" || { echo "nothing of $2 under $1"; return 1; }; }
refuses() { ! manual "$1" "$2" 2>"$dir/said" && grep -qF -e "$3" "$dir/said"; }

check "the man page is made" manual "$headcount" sweep/cli/headcount.1
for c in $("$headcount" complete commands); do
    check "the man page has a section for $c" sh -c "[ -n \"\$0\" ]" "$(part "$c")"
    "$headcount" "$c" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' | grep -v '^--help$' >"$dir/options"
    while read -r option; do
        check "the man page explains $c $option" explains "$c" "$option"
    done <"$dir/options"
    "$headcount" complete options "$c" | grep -v '^--help$' | sed 's/=$//' | sort >"$dir/there"
    part "$c" | sed -n 's/^\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort >"$dir/told"
    check "... and no option that $c does not have" cmp "$dir/there" "$dir/told"
done
for key in task model train $("$headcount" complete keys | grep -v '[.]'); do
    check "the man page explains the key $key" explains "THE SWEEP FILE" "$key"
done
"$headcount" complete terms | cut -f1 >"$dir/terms"
while read -r term; do
    check "the man page explains the term $term" explains TERMS "$term"
done <"$dir/terms"
for variable in $(grep -rhoE 'getenv\("[A-Z_]+"\)' engine datasets sweep | grep -oE '[A-Z_]{2,}' | sort -u); do
    check "the man page explains the variable $variable" explains ENVIRONMENT "$variable"
done
for status in $(sed -n 's/^ *EXIT_[A-Z_]* = \([0-9]*\).*/\1/p' sweep/cli/command.h); do
    check "the man page explains exit status $status" explains "EXIT STATUS" "$status"
done
if command -v groff >/dev/null; then
    check "the man page renders without warnings" sh -c '[ -z "$(groff -man -ww -z -Tutf8 "$0" 2>&1)" ]' "$dir/headcount.1"
else
    skip "the man page renders without warnings" groff
fi

# Of a program that digs.
cat >"$dir/digger" <<'E'
#!/bin/sh
case "$*" in
"complete commands") printf 'dig\nfill\n' ;;
"complete help") printf 'depth\thow deep, in `feet`\n' ;;
"complete terms") printf 'hole\tA hole is what `dig` leaves.\n' ;;
*) cat <<H
Usage: headcount $1 HOLE [options]

A hole.

It stays one.

Options:
  -d, --deeper=N[%M]         by so much
                             each time
  -h, --help                 print this and exit

Examples:
  headcount dig
H
    ;;
esac
E
chmod +x "$dir/digger"
page() { printf '%s\n' "$@" >"$dir/prose"; }
page ".SH COMMANDS" ".SS dig" "Digs." ".TP" '.B \-\-deeper' 'And \fBdeeper\fR.' \
    ".SH THE SWEEP FILE" "Keys:" ".TP" ".B depth" "Or less." ".SH TERMS" "Words:" ".SH FILES"
check "a page is made of a few words" manual "$dir/digger" "$dir/prose"
cat >"$dir/expected" <<'E'
.SH COMMANDS
.SS "dig HOLE"
Digs.
.TP
-d, --deeper=N[%M]
By so much each time.
And deeper.
.SS "fill HOLE"
A hole.
It stays one.
.TP
-d, --deeper=N[%M]
By so much each time.
.SH THE SWEEP FILE
Keys:
.TP
depth
How deep, in feet.
Or less.
.SH TERMS
Words:
.TP
hole
A hole is what dig leaves.
.SH FILES
E
check "... and completed from the program's tables" diff "$dir/expected" "$dir/page"
page ".SH COMMANDS" ".SS dig" ".TP" '.B \-\-wider' "And wider." ".SH FILES"
check "a page that explains an option that is gone is refused" refuses "$dir/digger" "$dir/prose" \
    "the page speaks of wider, which dig does not have"
page ".SH COMMANDS" ".SS drain" "Drains." ".SH FILES"
check "a page that explains a command that is gone is refused" refuses "$dir/digger" "$dir/prose" "the page speaks of the command drain"
page ".SH THE SWEEP FILE" ".TP" ".B width" "Wide." ".SH FILES"
check "a page that explains a key that is gone is refused" refuses "$dir/digger" "$dir/prose" \
    "the page speaks of width, which a sweep file does not have"
finish
