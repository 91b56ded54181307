#!/bin/sh
# Makes the files that a config of `task.name: text` learns from in a folder, and says how they are given there:
#
#   given=$(sh results/reference/data.sh places build/evidence)
#   (cd build/evidence && ../../headcount run ../../configs/places.yaml $given)
#
# Nothing for other configs. The C headers are the machine's own; with a third argument a file that is the same
# everywhere stands in for them.
set -eu
places() { # how many...
    for n; do
        awk -v places="$n" -f results/reference/places.awk >"$folder/places-$n.csv"
    done
}
folder=$2
case $1 in
text)
    if [ $# -gt 2 ]; then
        places 1
        echo "--set task.file=places-1.csv"
    else
        [ -e "$folder/headers.txt" ] || cat /usr/include/*.h >"$folder/headers.txt"
        echo "--set task.file=headers.txt"
    fi
    ;;
classify)
    places 4
    echo "--set task.file=places-4.csv"
    ;;
places)
    places 1 2 4
    echo "--set task.file=[places-1.csv,places-2.csv,places-4.csv]"
    ;;
esac
