#!/bin/sh
# usage: bare.sh BUILD TAR full|short|deb SUITE   Tries both commands of the README on a bare Debian (bookworm,
# trixie, sid): a system of debootstrap's smallest kind with make, git and certificates, in which what `make dist`
# packed into TAR lies under /root (mode 700) and once as an ordinary user's. In the full form the former is a
# repository instead, where the tree here is one. The short form makes a short sweep as root and runs the tests that
# use other programs. The form `deb` makes the Debian package there, and installs and uses it in a second such system.
# What debootstrap made and the packages that were fetched are kept in BUILD/bare. Mounts are in a namespace of their
# own, which goes with its processes.
set -eu

# ---- in the new system, as root ----

step() { # name, directory's owner, command: run there; its output stands in /var/log/step
    began=$(date +%s) code=0
    case $2 in
    root) (cd /root/headcount && sh -c "$3") >/var/log/step 2>&1 </dev/null || code=$? ;;
    *) su "$2" -c "cd ~/headcount && $3" >/var/log/step 2>&1 </dev/null || code=$? ;;
    esac
    if [ $code -ne 0 ]; then
        echo "not ok - $1: status $code"
        tail -n 60 /var/log/step | sed 's/^/    /'
        exit 1
    fi
    echo "ok - $1 ($(($(date +%s) - began)) s)"
    grep -E '^[0-9]+ passed|# *skip|^not ok' /var/log/step | sed 's/^ */    /' || :
}
inside() { # form
    case $1 in
    deb)
        step "make deb, as root" root 'make deb'
        return
        ;;
    installed)
        quick=/usr/share/headcount/configs/quick.yaml
        step "the package is installed, where there is no compiler" root 'apt-get update -qq && ! command -v gcc &&
            apt-get install -y -qq --no-install-recommends ./headcount_*.deb && dpkg --verify headcount'
        step "... and finds the best head count, as a user" guest "headcount run $quick --db quick.db &&
            headcount report quick --db quick.db | grep -q heads"
        step "... built of this commit" guest 'read -r commit rest <.commit &&
            headcount --version | grep "^commit  *$commit"'
        return
        ;;
    esac
    few='--set train.steps=20 --set train.schedule.warmup=5 --set train.eval_every=10'
    for goal in sweep all; do
        step "a user who may not install is told what to by make $goal, and nothing else" guest \
            "! make $goal >said 2>&1 && cat said && grep -q '^as root: apt-get install gcc' said &&
            [ \$(wc -l <said) -lt 8 ] && [ ! -e results/headcount.db ]"
    done
    if [ "$1" = full ]; then
        for user in root guest; do
            step "make sweep, as $user" $user 'make sweep'
            step "make test, as $user" $user 'make test'
        done
        return
    fi
    step "make sweep, as root" root "make sweep ARGS='$few' && ./headcount report gather | grep -q 'heads'"
    step "gnuplot is installed" root 'apt-get install -y -qq --no-install-recommends gnuplot-nox'
    programs='build/tests/unit/test_blas build/tests/sweep/test_store_sums build/tests/sweep/test_report
        build/tests/sweep/test_serve build/tests/sweep/test_serve_bad'
    step "tests that use other programs, as root" root "make deps && make -s $(echo $programs) &&
        HEADCOUNT=./headcount BUILD=build sh tests/run.sh '' $(echo $programs) tests/cli/test_figure.sh"
    step "limits and absurd rows, as root" root 'CRASH_FORM=short sh tests/crash/run.sh limits rows'
}
if [ "$1" = inside ]; then
    trap 'exit 130' INT
    trap 'exit 143' TERM
    inside "$2"
    exit
fi

# ---- outside ----

place=$PWD/$1/bare dist=$2 form=$3 suite=$4
root=$place/$suite.root tar=$place/$suite.tar debs=$place/$suite.debs
skip() { # what it needs
    echo "ok - both commands on a bare $suite # skip needs $1"
    exit 0
}
# What this machine's own apt is told of networks, and the address of Debian that it uses.
network_of_apt() {
    apt-config dump | grep -Ei '^Acquire::(http|https|ftp|retries|forceipv|check)' | grep -v '"";$' || :
}
mirror_of_apt() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian|Debian|//p' | sed 1q
}
# In the background, where signals reach this shell at once; in a namespace, where no mount outlives it.
apart() { # command...: its status
    setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child --mount-proc \
        "$@" 9>&- </dev/null &
    child=$! code=0
    wait $child || code=$?
    return $code
}
bootstrap() {
    apart debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" "$root" $(mirror_of_apt) \
        >"$place/$suite.log" 2>&1 ||
        { tail -n 5 "$place/$suite.log"; return 1; }
    rm -rf "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" --one-file-system -cf "$tar.new" . && mv "$tar.new" "$tar"
}
# It sees the network as this machine does. Packages that were fetched before are there already.
furnish() {
    network_of_apt >"$root/etc/apt/apt.conf.d/90host"
    for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
        [ ! -e $file ] || cp -L $file "$root$file"
    done
    find "$debs" -name '*.deb' -exec cp -t "$root/var/cache/apt/archives" {} +
    chroot "$root" useradd -m -s /bin/sh guest
    chmod 700 "$root/root"
    for home in root home/guest; do
        mkdir "$root/$home/headcount"
        tar -C "$root/$home/headcount" --strip-components=1 --no-same-owner -xf "$dist"
    done
    # Where .git is a file (a worktree), the repository lies elsewhere.
    if [ "$form" = full ] && [ -d .git ]; then
        rm "$root/root/headcount/.commit" "$root/root/headcount/.files"
        cp -r .git "$root/root/headcount"
    fi
    chroot "$root" chown -R guest: /home/guest/headcount
}

[ "$(id -u)" = 0 ] || skip root
unshare --mount --pid --fork true 2>/dev/null || skip "the right to mount"
PATH=$PATH:/usr/sbin:/sbin
sh tests/deps.sh bare || skip debootstrap
mkdir -p "$debs"
exec 9>"$place/$suite.lock"
flock -n 9 || { echo "another test-bare of $suite is at work"; exit 1; }
child= # unshare hears no other signal, and all in its namespace go with it
trap 'kill -KILL $child 2>/dev/null || :; wait; rm -rf --one-file-system "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
rm -rf --one-file-system "$root" # of one that was killed
[ -e "$tar" ] || bootstrap || skip "a mirror of Debian that has $suite"
unpack() {
    rm -rf --one-file-system "$root"
    mkdir "$root"
    tar -C "$root" -xf "$tar"
    furnish
}
within() { # form: its status
    apart sh -c '
        mount -t proc proc "$1/proc" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" &&
            mkdir -p "$1/dev/shm" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" || exit
        exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            ${no_proxy:+no_proxy="$no_proxy"} chroot "$1" sh /root/headcount/tests/bare.sh inside "$2"' \
        sh "$root" "$1" || :
    find "$root/var/cache/apt/archives" -name '*.deb' -exec cp -ut "$debs" {} +
    return $code
}
unpack
echo "# $suite, $form form"
within "$form"
[ "$form" = deb ] || exit 0
rm -f "$place"/headcount_*.deb
cp "$root"/root/headcount/build/deb/headcount_*.deb "$place"
unpack
cp "$place"/headcount_*.deb "$root/root/headcount"
within installed
