#!/bin/sh
# Texts of seven kinds out of packages of Debian 12, of which `replicate: [task.file]` asks what holds for all:
#
#   given=$(configs/corpora.sh build/corpora)
#   ./headcount run configs/text.yaml $given --set 'replicate=[task.file]' --set claim=null
#
# usage: corpora.sh FOLDER [NAME...]   makes FOLDER/NAME.txt (all seven without names; FOLDER has no space in it) and
#                                      prints the words that give them to a sweep
#
# Each is the first 1,400,000 bytes of some files of its packages, in the order of their names, cut at a line. Packages
# are taken from FOLDER/debs, else fetched by apt-get. A text is held to its SHA-256. Where it is another because
# a package has another version, that is said, with status 0: it is another instance, whose results stand apart
# by themselves. Status 2: no text, or another one of the same versions.
set -eu
export LC_ALL=C # the order of file names; awk counts bytes
BYTES=1400000
fail() {
    echo "corpora.sh: $*" >&2
    exit 2
}
holds() { # file, SHA-256
    echo "$2  $1" | sha256sum --check --status 2>/dev/null
}
has_deb() { # package: leaves its file in $deb
    deb=
    for file in "$debs/$1"_*.deb; do
        [ ! -e "$file" ] || [ ! "$deb" ] || fail "$deb and $file are two versions of $1: remove one"
        deb=$file
    done
    [ -e "$deb" ]
}
unpack() { # package=version, pattern: its files of that pattern into $unpacked; another version into $others
    name=${1%%=*}
    has_deb "$name" || (cd "$debs" && apt-get -qq -o APT::Sandbox::User=root download "$name" >&2) ||
        fail "apt-get has no $name: put its file (https://snapshot.debian.org/package/) into $debs"
    has_deb "$name" || fail "apt-get brought no file of $name"
    dpkg-deb --fsys-tarfile "$deb" >"$debs/data.tar" || fail "$deb cannot be unpacked"
    tar -x -f "$debs/data.tar" -C "$unpacked" --wildcards --no-wildcards-match-slash "$2" ||
        fail "$deb has no $2"
    version=$(dpkg-deb -f "$deb" Version)
    [ "$version" = "${1#*=}" ] || others="$others${others:+, }$name $version (not ${1#*=})"
}
corpus() { # name, SHA-256, files of the packages, what reads them, package=version...
    text=$folder/$1.txt sum=$2 pattern=$3 reads=$4 others='' unpacked=$debs/unpacked
    shift 4
    ! holds "$text" "$sum" || return 0
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    for package; do
        unpack "$package" "$pattern"
    done
    find "$unpacked" -type f | sort | xargs -d '\n' cat | $reads |
        awk -v most=$BYTES '(n += length($0) + 1) <= most' >"$text"
    rm -rf "$unpacked" "$debs/data.tar"
    holds "$text" "$sum" || other_instance
}
other_instance() {
    sum=$(sha256sum <"$text")
    if [ ! -s "$text" ] || [ ! "$others" ]; then
        rm -f "$text"
        fail "$text is not the text of these versions: SHA-256 ${sum%% *}"
    fi
    echo "corpora.sh: $text is of $others: another instance, SHA-256 ${sum%% *}" >&2
}
headers() {
    corpus headers 771bd5fd3677eed93c748ace118d3eda32d9940661bf5fd2a8a5eb8d4287384d './usr/include/*.h' cat \
        libc6-dev=2.36-9+deb12u14 libcmocka-dev=1.1.5-2.1 libcrypt-dev=1:4.4.33-2 \
        libsqlite3-dev=3.40.1-2+deb12u2 libyaml-dev=0.2.5-1
}
manual() {
    corpus manual 05aaf75c03ac7569c4ad668c9781a870e6ddaf69e0c84d3bffa03dffb7507801 './usr/share/man/man2/*.gz' zcat \
        manpages-dev=6.03-2
}
python() {
    corpus python 1358db578d3192cc19eda9d995b79940ed13dea3a2c818489f4f2d025677fdbb './usr/lib/python3.11/[a-z]*.py' \
        cat libpython3.11-stdlib=3.11.2-6+deb12u9
}
dictionary() { # name, SHA-256, package=version
    corpus "$1" "$2" './usr/share/dictd/*.dz' zcat "$3"
}
gcide() {
    dictionary gcide 91a4ac04327b62601c7da070ab1ddd833ef09036506f79cf62fa55ba6a382db9 dict-gcide=0.48.5+nmu2
}
foldoc() {
    dictionary foldoc 409dbb30bd12bd9eb75abddd1daa43df9dbceb8516b3a5d20807794f8a67a238 dict-foldoc=20230119-1
}
jargon() {
    dictionary jargon 9a669f423330af51ca0aea054be67ae0d4247f4dca9890cd7c9b7dbda881fb81 dict-jargon=4.4.7-3.1
}
german() {
    corpus german 13088d3c4fd22132504600132213736e18a8e1c615da0572a87b145d2fc8ce91 \
        './usr/share/games/fortunes/de/zitate' cat fortunes-de=0.35-1
}
all='headers manual python gcide foldoc jargon german'
[ $# -gt 0 ] || fail "usage: corpora.sh FOLDER [NAME...], with names of $all"
folder=$1 debs=$1/debs list=
shift
case $folder in *[[:space:]]*) fail "a folder without spaces, please: $folder" ;; esac
mkdir -p "$debs"
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $all
for wanted; do
    case " $all " in
    *" $wanted "*) "$wanted" ;;
    *) fail "no corpus $wanted; there are $all" ;;
    esac
    list=$list${list:+,}$folder/$wanted.txt
done
echo "--set task.file=[$list]"
