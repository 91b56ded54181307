#!/bin/sh
# Makes what a config of `task.name: text` learns from in a folder, and says how it is given, a word a line:
#
#   sh results/reference/data.sh NAME FOLDER
#
# Nothing for other configs. The C headers are the machine's own and differ from one to the next.
set -eu
places() { # folder, how many...
    where=$1
    shift
    for n; do
        awk -v places="$n" -f results/reference/places.awk >"$where/places-$n.csv"
    done
}
case $1 in
text)
    [ -e "$2/headers.txt" ] || cat /usr/include/*.h >"$2/headers.txt"
    printf '%s\n' --set "task.file=$2/headers.txt"
    ;;
classify)
    places "$2" 4
    printf '%s\n' --set "task.file=$2/places-4.csv"
    ;;
places)
    places "$2" 1 2 4
    printf '%s\n' --set "task.file=[$2/places-1.csv,$2/places-2.csv,$2/places-4.csv]"
    ;;
esac
