# Disks that are full, fail to sync, or cannot be written; descriptors that run out.
choose_sweep tiny '[1, 2]' 8 8
db=$dir/disk.db

# Status 0 is right where nothing that counts was lost, as the name of the holder in the lock file.
room='open mkdir write sync rename'
fail_everywhere "the disk is full from a call on" "$room" "FAULT_DO=ENOSPC FAULT_LASTS=1" \
    "no space|full" 5 0 75
fail_everywhere "one call finds the disk full" "$room" "FAULT_DO=ENOSPC" "no space|full" 3 0 75
fail_everywhere "a quota is used up from a call on" "$room" "FAULT_DO=EDQUOT FAULT_LASTS=1" \
    "quota|full" 2 0 75
fail_everywhere "a sync fails" sync "FAULT_DO=EIO" "input/output error|I/O error|durable" 5 0 1 3
fail_everywhere "all syncs fail" sync "FAULT_DO=EIO FAULT_LASTS=1" \
    "input/output error|I/O error|durable" 3 1 3
fail_everywhere "a read-only file system from a call on" "open mkdir write rename unlink truncate" \
    "FAULT_DO=EROFS FAULT_LASTS=1" "read-only|readonly|I/O error" 3 0 1 3
fail_everywhere "no permission from a call on" "open mkdir rename unlink" \
    "FAULT_DO=EACCES FAULT_LASTS=1" "permission denied|unable to open|readonly|I/O error" 3 0 1 3
fail_everywhere "no descriptor is left from a call on" open "FAULT_DO=EMFILE FAULT_LASTS=1" \
    "too many open files|unable to open" 3 0 1 3

# Some file systems know no sync of a folder, and say so with one errno or another.
folders_without_sync() {
    name="folders cannot be synced: the same results"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fault_calls=sync
    for nfs in 0 1; do
        for errno in EINVAL EOPNOTSUPP ENOSYS EBADF; do
            fresh "$db"
            faulty FAULT_NFS=$nfs FAULT_FOLDERS=1 FAULT_AT=1 FAULT_LASTS=1 FAULT_DO=$errno -- \
                run "$sweep" --db "$db" --quiet -j 1
            label="$errno, NFS=$nfs"
            [ $fired = 1 ] || trouble "$label: did not happen"
            status_in "$label" 0
            whole "$label" "$db"
        done
    done
    verdict "$name"
}
folders_without_sync

# A failed sync is not simply tried again: the kernel may have dropped the pages and say that all is
# well. (SQLite's rollback writes the pages anew before it syncs them.)
sync_is_not_retried() {
    name="after a failed sync the same file is not synced again"
    if ! can_strace; then
        skip "$name" "strace"
        return
    fi
    fresh "$db"
    for n in $(long && seq 1 22 || echo 4 15); do
        fresh "$db"
        limited strace -y -o "$dir/trace" -e trace=fsync,fdatasync,write,pwrite64,ftruncate \
            -e inject=fdatasync:error=EIO:when="$n" \
            "$headcount" run "$sweep" --db "$db" --quiet -j 1
        code=$?
        # SQLite does not look at the sync of the folder its journal is in.
        grep INJECTED "$dir/trace" | grep -qF "<$db" || continue
        injected=$((injected + 1))
        status_in "fdatasync $n" 3
        again=$(awk -F'[<>]' '/INJECTED/ { bad = $2; next }
            bad == "" || $2 != bad { next }
            /sync/ { print } { bad = "" }' "$dir/trace")
        [ -z "$again" ] || trouble "fdatasync $n: synced again: $again"
        whole "fdatasync $n" "$db"
    done
    verdict "$name"
}
sync_is_not_retried

# The real thing: a file system of 1 MiB with less and less room.
small_disk() {
    name="a disk of 1 MiB that fills up"
    if ! can_mount; then
        skip "$name" "the right to mount a tmpfs"
        return
    fi
    step=$(long && echo 4 || echo 160)
    hits=0 free=0
    while [ $free -le 900 ]; do
        mount -t tmpfs -o size=1m none "$dir/disk" || return
        dd if=/dev/zero of="$dir/disk/ballast" bs=1k count=$((1024 - free)) 2>/dev/null
        full_db=$dir/disk/full.db
        run "$full_db" -j 1
        code=$?
        label="$free KiB free"
        status_in "$label" 0 75
        if [ $code -ne 0 ]; then
            hits=$((hits + 1))
            tells "$label" "no space|full"
        fi
        rm "$dir/disk/ballast"
        whole "$label" "$full_db"
        umount "$dir/disk"
        free=$((free + step))
    done
    injected=$((injected + hits))
    [ $hits -gt 0 ] || trouble "it never filled up"
    verdict "$name: $hits times, status 75, it goes on once there is room"
}
small_disk

few_descriptors() {
    hits=0
    for n in $(long && seq 4 40 || echo 5 12 18); do
        fresh "$db"
        limited sh -c "ulimit -n $n; exec \"\$@\"" sh "$headcount" run "$sweep" --db "$db" --quiet -j 1
        code=$?
        # 127: not even the loader can open its libraries
        status_in "$n descriptors" 0 1 3 127
        if [ $code -ne 0 ]; then
            hits=$((hits + 1))
            [ -s "$dir/said" ] || trouble "$n descriptors: nothing is said"
        fi
        whole "$n descriptors" "$db"
    done
    injected=$((injected + hits))
    verdict "EMFILE: too few descriptors ($hits times), said and survived"
}
few_descriptors

# As an ordinary user would meet it; root may write everywhere.
read_only_folder() {
    name="a folder that cannot be written"
    if ! can_be_ordinary; then
        skip "$name" "a program that others than root can reach"
        return
    fi
    chmod 755 "$dir"
    mkdir -p "$dir/closed"
    chmod 555 "$dir/closed"
    for where in "$dir/closed/new.db" "$dir/closed/deeper/new.db"; do
        limited $as_user "$headcount" run "$sweep" --db "$where" --quiet
        code=$?
        status_in "$where" 3
        tells "$where" "permission denied"
    done
    fresh "$db"
    run "$db" || trouble "status $?"
    mkdir -p "$dir/archive"
    cp "$db" "$dir/archive/old.db"
    chmod 444 "$dir/archive/old.db"
    chmod 555 "$dir/archive"
    limited $as_user "$headcount" report --db "$dir/archive/old.db" ||
        trouble "a results file that can only be read: $(tail -n 3 "$dir/said")"
    limited $as_user "$headcount" run "$sweep" --db "$dir/archive/old.db" --quiet
    code=$?
    status_in "run on a file that can only be read" 3
    tells "run on a file that can only be read" "permission|cannot be written"
    chmod 755 "$dir/closed" "$dir/archive"
    verdict "$name"
}
read_only_folder
