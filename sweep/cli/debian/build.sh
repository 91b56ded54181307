#!/bin/sh
# usage: build.sh TAR FOLDER   Builds the Debian package of what `make dist` has packed, in FOLDER.
set -eu
name=$(basename "$1" .tar.gz)
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
tar -C "$folder" -xf "$1"
cd "$folder/$name"
cp -r sweep/cli/debian debian
rm debian/build.sh
read -r commit _ date <.commit
cat >debian/changelog <<C
headcount (${name#headcount-}) unstable; urgency=medium

  * Commit $commit.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -Ru -d "@$date")
C
dpkg-buildpackage --build=binary --no-sign >../log 2>&1 || {
    tail -n 40 ../log >&2
    exit 1
}
cd ..
ls "$PWD"/*.deb
