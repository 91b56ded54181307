#!/bin/sh
# Draws the front page's figure: gather-tuned beside a sweep of a text, a panel each, out of the results files that
# make.sh has left. Run from the repository's root:
#
#   sh results/reference/front.sh TEXT       # the text's sweep: text, say; makes results/reference/front.svg
#
# HEADCOUNT and EVIDENCE are those of make.sh.
set -eu
[ $# -eq 1 ] || {
    echo "usage: sh results/reference/front.sh TEXT" >&2
    exit 2
}
headcount=${HEADCOUNT:-./headcount}
work=${EVIDENCE:-build/evidence}
both=$(mktemp -d)
trap 'rm -rf "$both"' EXIT
"$headcount" merge --into "$both/front.db" --no-weights --quiet "$work/gather-tuned.db" "$work/$1.db"
"$headcount" report gather-tuned "$1" --db "$both/front.db" --svg results/reference/front.svg
