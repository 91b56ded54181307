# Whose a folder is (sweep/db/store_folder.c): wherever a command is killed that makes or adopts one,
# the same command goes on, and the folder is that of its file.
choose_sweep small '[1, 2, 4]' 120 16

owned=$dir/owned.db adopted=$dir/adopted.db
# The folder says id and inode of its file; nothing is left of what was killed; all weights are sound.
is_owner() { # label, db
    owner=$(cat "$2.d/owner" 2>&1)
    [ "$(echo "$owner" | cut -d ' ' -f 2,4)" = "$(sqlite3 "$2" 'SELECT id FROM results_file') $(printf %x "$(stat -c %i "$2")")" ] ||
        trouble "$1: the folder says: $owner"
    ls "$2.d" | grep '\.tmp$' >"$dir/left" && trouble "$1: $(cat "$dir/left")"
    limited "$headcount" check --db "$2" || trouble "$1: $(tail -n 3 "$dir/said")"
}
copied() { # as `cp -a` makes it
    fresh "$adopted"
    cp -a "$owned" "$adopted" && cp -a "$owned.d" "$adopted.d"
}
nothing() {
    fresh "$adopted"
}
killed_everywhere() { # name, before, points, command...
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    name=$1 before=$2 of=$3 fault_calls="open mkdir write sync rename link unlink truncate"
    shift 3
    $before
    faulty FAULT_AT=0 -- "$@"
    status_in "$name, undisturbed" 0
    is_owner "$name, undisturbed" "$adopted"
    total=$(matched)
    hits=0
    for at in $(points "$total" "$of"); do
        $before
        faulty FAULT_AT="$at" FAULT_DO=kill -- "$@"
        label="$name $at of $total ($(head -n 1 "$count.fired" 2>/dev/null))"
        [ "$fired" = 1 ] || trouble "$label: did not happen"
        hits=$((hits + fired))
        limited "$headcount" "$@" || trouble "$label: again: $(tail -n 3 "$dir/said")"
        limited "$headcount" gc --db "$adopted" || trouble "$label: gc: $(tail -n 3 "$dir/said")"
        is_owner "$label" "$adopted"
    done
    verdict "$name: $hits of $total calls"
}
run "$owned" || trouble "$(tail -n 3 "$dir/said")"
killed_everywhere "adopting a copied folder, killed at a call that changes a file" copied 6 gc --db "$adopted"
killed_everywhere "making a folder, killed at a call that changes a file" nothing 6 merge --into "$adopted" "$owned"
is_owner "the one that was copied" "$owned"
verdict "... and the one that was copied is as it was"

# ---- exports leave nothing that the next one does not remove ----
export_killed() { # name, points, command...: into $dir/out
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    name=$1 of=$2 fault_calls="open write sync rename"
    shift 2
    rm -rf "$dir/out" && mkdir "$dir/out"
    faulty FAULT_AT=0 -- "$@"
    status_in "$name, undisturbed" 0
    find "$dir/out" | sort >"$dir/whole"
    total=$(matched)
    hits=0
    for at in $(points "$total" "$of"); do
        rm -rf "$dir/out" && mkdir "$dir/out"
        faulty FAULT_AT="$at" FAULT_DO=kill -- "$@"
        hits=$((hits + fired))
        limited "$headcount" "$@" || trouble "$name $at of $total: again: $(tail -n 3 "$dir/said")"
        find "$dir/out" | sort | cmp -s - "$dir/whole" || trouble "$name $at of $total: $(ls -R "$dir/out")"
    done
    verdict "$name, killed at a call that changes a file: $hits of $total calls, the next one leaves nothing else"
}
export_killed "export weights" 3 export weights 1 "$dir/out/w.safetensors" --db "$owned"
export_killed "export curves" 3 export curves small "$dir/out/c.csv" --db "$owned"
export_killed "export tensorboard" 4 export tensorboard small "$dir/out" --db "$owned"
export_killed "report --html" 3 report small --html "$dir/out/page.html" --db "$owned"
