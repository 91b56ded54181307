# Whose a folder is (sweep/db/store_folder.c): wherever a command is killed that makes or adopts one,
# the same command goes on, and the folder is that of its file.
choose_sweep small '[1, 2, 4]' 120 16

owned=$dir/owned.db adopted=$dir/adopted.db
# The folder says id and inode of its file; nothing is left of what was killed; all weights are sound.
is_owner() { # label, db
    owner=$(cat "$2.d/owner" 2>&1)
    [ "$(echo "$owner" | cut -d ' ' -f 2,4)" = "$(sqlite3 "$2" 'SELECT id FROM results_file') $(printf %x \
        "$(stat -c %i "$2")")" ] ||
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
adopts() { # label, command...
    label=$1
    shift
    limited "$headcount" "$@" || trouble "$label: again: $(tail -n 3 "$dir/said")"
    limited "$headcount" gc --db "$adopted" || trouble "$label: gc: $(tail -n 3 "$dir/said")"
    is_owner "$label" "$adopted"
}
fault_calls=$changes
run "$owned" || trouble "$(tail -n 3 "$dir/said")"
everywhere "adopting a copied folder, killed at a call that changes a file" 6 copied adopts "" \
    FAULT_DO=kill gc --db "$adopted"
everywhere "making a folder, killed at a call that changes a file" 6 nothing adopts "" FAULT_DO=kill merge \
    --into "$adopted" "$owned"
is_owner "the one that was copied" "$owned"
verdict "... and the one that was copied is as it was"

# ---- exports leave nothing that the next one does not remove ----
export_killed() { # name, points, command...: into $dir/out
    export_name=$1 export_points=$2 fault_calls="open write sync rename"
    shift 2
    no_export
    limited "$headcount" "$@" || trouble "$export_name: $(tail -n 3 "$dir/said")"
    find "$dir/out" | sort >"$dir/whole"
    everywhere "$export_name, killed at a call that changes a file: the next one leaves nothing else" "$export_points" \
        no_export exports "" FAULT_DO=kill "$@"
}
no_export() {
    rm -rf "$dir/out" && mkdir "$dir/out"
}
exports() { # label, command...
    label=$1
    shift
    limited "$headcount" "$@" || trouble "$label: again: $(tail -n 3 "$dir/said")"
    find "$dir/out" | sort | cmp -s - "$dir/whole" || trouble "$label: $(ls -R "$dir/out")"
}
export_killed "export weights" 3 export weights 1 "$dir/out/w.safetensors" --db "$owned"
export_killed "export curves" 3 export curves small "$dir/out/c.csv" --db "$owned"
export_killed "report --html" 3 report small --html "$dir/out/page.html" --db "$owned"
