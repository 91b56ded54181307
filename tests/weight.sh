#!/bin/sh
# usage: weight.sh [TABLE]
# How heavy the house is: files, lines and lines of code (by cloc, of the languages that it knows) of each folder, those
# below it included, without Markdown, fixtures and what others wrote; and the change in lines since TABLE, which this
# said of an earlier release.
set -eu
then=$(realpath "${1:-/dev/null}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files | grep / | grep -vE '\.md$|^tests/data/|^results/reference/|\.min\.js$' >"$work/files"
cloc --quiet --by-file --csv --skip-uniqueness --force-lang=C,def --list-file="$work/files" |
    sed -n 's/^[^,]*,\([^,]*\),[0-9]*,[0-9]*,\([0-9]*\)$/code \2 \1/p' >"$work/code"
tr '\n' '\0' <"$work/files" | xargs -0 wc -l | sed -n 's/^ *\([0-9]*\) \(.*\/.*\)$/lines \1 \2/p' |
    awk -v then="$then" '
    {
        for (of = $3; sub("/[^/]*$", "", of);) {
            files[of] += $1 == "lines"
            sum[of, $1] += $2
        }
    }
    END {
        while ((getline line <then) > 0)
            if (split(line, word, " ") >= 4 && word[2] + 0 > 0) {
                before[word[1]] = word[3]
                files[word[1]] += 0
            }
        printf "%-22s %6s %8s %8s %8s\n", "folder", "files", "lines", "code", "change"
        for (of in files)
            printf "%-22s %6d %8d %8d %+8d\n", of, files[of], sum[of, "lines"], sum[of, "code"],
                sum[of, "lines"] - before[of] | "sort"
    }' "$work/code" -
