#!/bin/sh
# The man page against the program: commands, their options, the keys of a sweep file, environment
# variables, exit statuses; and that it renders. Speaks TAP. HEADCOUNT is the program; run from the
# repository's root.
. tests/tap.sh
sed 's/\\f[A-Z]//g; s/\\//g' sweep/cli/headcount.1 >"$dir/page"
# The lines from one heading (SH or SS) of these first words to the next.
part() { sed -n "/^\.S[HS] \"\{0,1\}$1\( .*\)\{0,1\}\"\{0,1\}$/,/^\.S[HS]/p" "$dir/page"; }
# Whether the part has a paragraph for this word.
explains() { part "$1" | grep -A1 '^\.TP' | grep -qw -e "$2" || { echo "nothing of $2 under $1"; return 1; }; }

for c in $("$headcount" complete commands); do
    check "$c" sh -c "[ -n \"\$0\" ]" "$(part "$c")"
    "$headcount" "$c" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' | grep -v '^--help$' >"$dir/options"
    while read -r option; do
        check "$c $option" explains "$c" "$option"
    done <"$dir/options"
    "$headcount" complete options "$c" | grep -v '^--help$' | sed 's/=$//' | sort >"$dir/there"
    part "$c" | sed -n 's/^\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort >"$dir/told"
    check "... and no option that $c does not have" cmp "$dir/there" "$dir/told"
done
for key in task model train $("$headcount" complete keys | grep -v '[.]'); do
    check "the key $key" explains "THE SWEEP FILE" "$key"
done
for variable in $(grep -rhoE 'getenv\("[A-Z_]+"\)' engine datasets sweep | grep -oE '[A-Z_]{2,}' | sort -u); do
    check "the variable $variable" explains ENVIRONMENT "$variable"
done
for status in $(sed -n 's/^ *EXIT_[A-Z_]* = \([0-9]*\).*/\1/p' sweep/cli/command.h); do
    check "exit status $status" explains "EXIT STATUS" "$status"
done
if command -v groff >/dev/null; then
    check "it renders without warnings" sh -c '[ -z "$(groff -man -ww -z -Tutf8 sweep/cli/headcount.1 2>&1)" ]'
else
    skip "it renders without warnings" groff
fi
finish
