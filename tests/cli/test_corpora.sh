#!/bin/sh
# Texts out of Debian packages (configs/corpora.sh), from stand-ins for these and without a network: what a text is made
# of, a later version is named and used, whatever else is wrong stops it with status 2. Speaks TAP. Run from the
# repository's root.
. tests/tap.sh
cd "$dir" || exit 1
if ! command -v dpkg-deb >/dev/null; then
    skip_all "texts are made out of Debian packages" dpkg-deb
fi
mkdir -p net texts/debs
PATH=$dir/net:$PATH
printf '#!/bin/sh\necho "E: no network" >&2\nexit 100\n' >net/apt-get
chmod +x net/apt-get

standin() { # package, version: texts/debs/PACKAGE_VERSION_all.deb of what lies in tree/
    mkdir -p tree/DEBIAN
    printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <a@b>\nDescription: a stand-in\n' \
        "$1" "$2" >tree/DEBIAN/control
    dpkg-deb --root-owner-group -b tree "texts/debs/$1_${2#*:}_all.deb" >/dev/null
    rm -rf tree
}
corpora() {
    "$root/configs/corpora.sh" "$@" >out 2>err
}
refused() { # what it says, words of corpora...
    said=$1
    shift
    corpora "$@"
    [ $? -eq 2 ] && [ ! -s out ] && grep -qF -- "corpora.sh: $said" err || { cat out err; return 1; }
}

check "a call without a folder is refused" refused "usage: corpora.sh FOLDER [NAME...]"
check "a folder with a space in its name is refused" refused "a folder without spaces, please: a b" "a b"
check "an unknown corpus is refused, with those that there are" refused "no corpus frisian; there are headers manual" texts frisian
check "a package that apt-get cannot get is refused with its name" refused "apt-get has no dict-foldoc: put its file" texts foldoc

# ---- what a text is made of ----

for package in libc6-dev libcmocka-dev libcrypt-dev libsqlite3-dev libyaml-dev; do
    mkdir -p tree/usr/include/sys
    echo "of $package" >"tree/usr/include/$package.h"
    echo deeper >tree/usr/include/sys/deeper.h
    echo other >tree/usr/include/other.txt
    standin "$package" 1:0
done
check "a text is made of the headers of several packages" corpora texts headers
printf 'of %s\n' libc6-dev libcmocka-dev libcrypt-dev libsqlite3-dev libyaml-dev >expected
check "... in the order of the packages, without headers in subfolders" cmp texts/headers.txt expected
check "... and the words for a sweep are printed" [ "$(cat out)" = "--set task.file=[texts/headers.txt]" ]
check "... and all packages of other versions are named" \
    grep -qF 'corpora.sh: texts/headers.txt is of libc6-dev 1:0 (not 2.36-9+deb12u14), libcmocka-dev 1:0 (not' err
check "... and the text is called another instance, with its hash" grep -q ': another instance, SHA-256 [0-9a-f]\{64\}$' err
check "... and nothing is left of the unpacking" [ -z "$(find texts/debs -mindepth 1 ! -name "*.deb")" ]

mkdir -p tree/usr/share/dictd
yes 'a line of twenty-one' | head -n 70000 | gzip >tree/usr/share/dictd/foldoc.dict.dz
standin dict-foldoc 20990101-1
mkdir -p tree/usr/share/man/man2 tree/usr/share/man/man3
echo first | gzip >tree/usr/share/man/man2/a.2.gz
echo second | gzip >tree/usr/share/man/man2/b.2.gz
ln -s a.2.gz tree/usr/share/man/man2/c.2.gz
echo third | gzip >tree/usr/share/man/man3/a.3.gz
standin manpages-dev 7-1
check "two texts are made at once" corpora texts foldoc manual
check "... and their names are printed as a list" [ "$(cat out)" = "--set task.file=[texts/foldoc.txt,texts/manual.txt]" ]
check "... and a long text is cut at a line" [ "$(wc -c <texts/foldoc.txt)" = 1399986 ]
check "... and compressed files are joined, without links" \
    [ "$(cat texts/manual.txt)" = "$(printf 'first\nsecond')" ]
check "a sweep can be planned on such a text" "$headcount" plan "$root/configs/text.yaml" --set "task.file=[texts/foldoc.txt]" --set claim=null

# ---- what is wrong ----

cp texts/debs/manpages-dev_7-1_all.deb texts/debs/manpages-dev_8-1_all.deb
check "two versions of a package are refused" refused "texts/debs/manpages-dev_7-1_all.deb and texts/debs/manpages-dev_8-1_all.deb" \
    texts manual
rm texts/debs/manpages-dev_*
mkdir -p tree/usr/share/dictd
echo 'not what it was' | gzip >tree/usr/share/dictd/jargon.dict.dz
standin dict-jargon 4.4.7-3.1
check "another text of the same version is refused" refused "texts/jargon.txt is not the text of these versions" texts jargon
check "... and not left there" [ ! -e texts/jargon.txt ]
mkdir -p tree/usr/share/doc
echo text >tree/usr/share/doc/text
standin fortunes-de 9
check "a package without the files is refused" refused "texts/debs/fortunes-de_9_all.deb has no ./usr/share/games" texts german
head -c 300 texts/debs/dict-foldoc_20990101-1_all.deb >texts/debs/dict-gcide_1_all.deb
check "a package that was cut off is refused" refused "texts/debs/dict-gcide_1_all.deb cannot be unpacked" texts gcide
rm texts/debs/dict-gcide_1_all.deb
printf '#!/bin/sh\nexit 0\n' >net/apt-get
check "a download that brings nothing is refused" refused "apt-get brought no file of dict-gcide" texts gcide
cat >net/apt-get <<'S'
#!/bin/sh
cp dict-foldoc_20990101-1_all.deb dict-gcide_1_all.deb
S
check "what apt-get brings is used" corpora texts gcide
finish
