#!/bin/sh
# Makes the files that a config of `task.name: text` learns from in a folder, and says how they are given there:
#
#   given=$(sh results/reference/data.sh places build/evidence)
#   (cd build/evidence && ../../headcount run ../../configs/places.yaml $given)
#
# Nothing for other configs. Every file is held to its SHA-256. With a third argument a small file stands in for the
# C headers, which are taken out of packages of Debian 12 (amd64) that lie in FOLDER/debs or that apt-get finds.
set -eu
export LC_ALL=C # the order of file names
fail() {
    echo "data.sh: $*" >&2
    exit 2
}
holds() { # file, SHA-256
    echo "$2  $1" | sha256sum --check --status 2>/dev/null
}
places() { # how many, SHA-256
    awk -v places="$1" -f results/reference/places.awk >"$folder/places-$1.csv"
    holds "$folder/places-$1.csv" "$2" || fail "places-$1.csv is not what places.awk writes elsewhere; use another awk"
}
places_1() { places 1 4a48dfb6bef036a173f1b0d88fe113bad1a61cde4b37eab141e782c1e1d3ea01; }
places_2() { places 2 0341a6c23a1bebbf5c45b04669ff2ef9c2a24ddf464156a3e39af054faefa03f; }
places_4() { places 4 0682a1593e3df48d9ac805d348792f38917dbc384a2848d4076090ed5a835921; }
package() { # name, version, SHA-256: its files of /usr/include, but for those in folders
    for deb in "$folder/debs/$1"_*.deb; do
        [ -e "$deb" ] || (cd "$folder/debs" && apt-get -qq -o APT::Sandbox::User=root download "$1=$2" >&2) ||
            fail "apt-get has no $1 $2: put its file for amd64 (https://snapshot.debian.org/package/) into $folder/debs"
    done
    for deb in "$folder/debs/$1"_*.deb; do
        holds "$deb" "$3" || fail "$deb is not $1 $2 for amd64, SHA-256 $3"
        dpkg-deb --fsys-tarfile "$deb" |
            tar -x -C "$folder/debs" --wildcards --no-wildcards-match-slash './usr/include/*.h'
    done
}
headers() {
    sum=6c3d24c3fe475579eadc2a5b55725d66547b4e2e69bf9e6f039cb98488a70aa7
    ! holds "$folder/headers.txt" $sum || return 0
    rm -rf "$folder/debs/usr"
    mkdir -p "$folder/debs"
    package libc6-dev 2.36-9+deb12u14 0218fc2befcd784c1b0c6292c0a137ce89fad054efaa579ad083bee0f2c01aae
    package libcmocka-dev 1.1.5-2.1 9fce50ae4bde8cd63599641b365db7432004b1d266839f1f4de8d6cc623dde52
    package libcrypt-dev 1:4.4.33-2 81ccd29130f75a9e3adabc80e61921abff42f76761e1f792fa2d1bb69af7f52f
    package libsqlite3-dev 3.40.1-2+deb12u2 afb550eb103e717000a2c7adae2e06e3eebd2952bf7d243ae2f1ca8594307563
    package libyaml-dev 0.2.5-1 429a3853453346d971b7a6abc3a9dde4a7bb37ead65685de0eb031871b33b8e2
    cat "$folder"/debs/usr/include/*.h >"$folder/headers.txt"
    holds "$folder/headers.txt" $sum || fail "$folder/headers.txt is not the text that was learnt"
}
jargon() {
    sh configs/corpora.sh "$folder" jargon >/dev/null
}
folder=$2
case $1 in
prose | shape | width | head-width | kv-text | prune-text | depth-text)
    if [ $# -gt 2 ]; then
        places_1
        echo "--set task.file=places-1.csv"
    else
        jargon
        echo "--set task.file=jargon.txt"
    fi
    ;;
corpora)
    if [ $# -gt 2 ]; then
        sh "$0" places "$folder"
    else
        sh configs/corpora.sh "$folder/corpora" >/dev/null
        (cd "$folder" && echo "--set task.file=[$(echo corpora/*.txt | tr ' ' ,)]")
    fi
    ;;
text)
    if [ $# -gt 2 ]; then
        places_1
        echo "--set task.file=places-1.csv"
    else
        headers
        echo "--set task.file=headers.txt"
    fi
    ;;
classify)
    places_4
    echo "--set task.file=places-4.csv"
    ;;
places)
    places_1
    places_2
    places_4
    echo "--set task.file=[places-1.csv,places-2.csv,places-4.csv]"
    ;;
esac
