#!/bin/sh
# usage: dist.sh FILE.tar.gz COMMIT SOURCES   Packs the tree: the tracked files as they are in the working tree, in
# a folder named as the file; .commit, by which a build without a repository knows its commit; and .files, the names
# of those files, each ended by a null byte. Equal trees give equal bytes, wherever they lie. What a tar was unpacked
# to packs itself again: what .files names, and is still there. Run from the root of the tree.
set -eu
file=$1
name=$(basename "$file" .tar.gz)
stage=$file.$$
unset GZIP TAR_OPTIONS
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage"

if [ -e .git ]; then
    date=$(git log -1 --format=%ct)
    git ls-files -z
elif [ -e .files ] && read -r _ _ date 2>/dev/null <.commit; then
    cat .files
else
    echo "make dist: neither .git nor .commit and .files tell what to pack; clone the repository, or unpack its tar" >&2
    exit 1
fi >"$stage/tracked"
xargs -0 sh -c 'for file; do [ ! -f "$file" ] || printf "%s\0" "$file"; done' sh <"$stage/tracked" |
    LC_ALL=C sort -zu >"$stage/.files"
# The commit, a hash of what is compiled (as in build_id.h), the time of the commit.
echo "$2 $3 $date" >"$stage/.commit"
tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$date" \
    --transform="flags=r;s,^,$name/," -cf "$stage/tar" --null --no-recursion -T "$stage/.files" -C "$stage" .commit .files
gzip -9n <"$stage/tar" >"$stage/gz"
mv "$stage/gz" "$file"
