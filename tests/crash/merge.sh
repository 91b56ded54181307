# Shards are merged in one transaction, behind their files, and taken over by a run in one for each:
# whoever is killed or runs into an error has changed nothing, and the same command comes to the file of a
# single run.
choose_sweep small '[1, 2, 4]' 120 16

merge=$dir/merge
mkdir "$merge"
for shard in 1 2 3; do
    limited "$headcount" run "$sweep" --db "$merge/$shard.db" --quiet -j 1 --shard $shard/3 ||
        trouble "shard $shard: $(tail -n 3 "$dir/said")"
done

# What is merged into: shard 1, so that what is lost would show.
first_merged() { # db
    fresh "$1"
    limited "$headcount" merge --into "$1" "$merge/1.db" || trouble "the first shard: $(tail -n 3 "$dir/said")"
}
# All or nothing is there; the same command makes it whole; no file is left that nothing needs.
merged_whole() { # label, db
    rows=$(sqlite3 "$2" "SELECT count(*) FROM trial WHERE state = 'completed'")
    [ "$rows" = "$first_rows" ] || [ "$rows" = "$all_rows" ] || trouble "$1: $rows results are there"
    limited "$headcount" check --db "$2" || trouble "$1: $(tail -n 3 "$dir/said")"
    limited "$headcount" merge --into "$2" "$merge/2.db" "$merge/3.db" "$merge/1.db" || trouble "$1: merging again gave status $?: $(tail -n 3 "$dir/said")"
    same_results "$1" "$2"
    limited "$headcount" check --db "$2" || trouble "$1: $(tail -n 3 "$dir/said")"
    "$headcount" gc --db "$2" >"$dir/said" 2>&1
    [ "$(ls "$2.d" | grep -vx owner | wc -l)" = "$all_rows" ] || trouble "$1: files in the folder: $(ls "$2.d")"
}
merge_everywhere() { # name, calls, FAULT_ settings, pattern of the message ('': it is killed), points
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    db=$dir/merged.db fault_calls=$2
    first_merged "$db"
    faulty FAULT_AT=0 -- merge --into "$db" "$merge/2.db" "$merge/3.db"
    status_in "$1, undisturbed" 0
    total=$(matched)
    hits=0
    for at in $(points "$total" "$5"); do
        first_merged "$db"
        faulty FAULT_AT="$at" $3 -- merge --into "$db" "$merge/2.db" "$merge/3.db"
        label="$1 $at of $total ($(head -n 1 "$count.fired" 2>/dev/null))"
        [ "$fired" = 1 ] || trouble "$label: did not happen"
        hits=$((hits + fired))
        [ -z "$4" ] || { status_in "$label" 0 3 75 && tells_failure "$label" "$4|unable to open"; }
        merged_whole "$label" "$db"
    done
    verdict "$1: $hits of $total calls, nothing lost, the same in the end"
}
first_merged "$dir/merged.db"
first_rows=$(sqlite3 "$dir/merged.db" "SELECT count(*) FROM trial WHERE state = 'completed'")
all_rows=$(sqlite3 "$dir/merged.db" "SELECT count(*) FROM trial")

changes="open mkdir write sync rename link unlink truncate"
merge_everywhere "merging, killed at a call that changes a file" "$changes" FAULT_DO=kill '' 10
merge_everywhere "merging, a call that changes a file finds the disk full" "write link" FAULT_DO=ENOSPC 'full|No space' 5
merge_everywhere "merging, a sync fails" "sync" FAULT_DO=EIO 'sync|disk I/O|Input/output' 6

# As between file systems.
no_links() {
    name="merging where no file can be linked: they are copied"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/merged.db fault_calls=link
    fresh "$db"
    faulty FAULT_AT=1 FAULT_LASTS=1 FAULT_DO=EACCES -- merge --into "$db" "$merge/1.db" "$merge/2.db" "$merge/3.db"
    status_in "$name" 0
    [ "$fired" = 1 ] || trouble "no link was tried"
    find "$db.d" -type f -links +1 | grep . && trouble "there are links"
    merged_whole "$name" "$db"
    verdict "$name"
}
no_links

# A run that takes over all there is, and trains nothing, however often it begins.
from="--from $merge/1.db --from $merge/2.db --from $merge/3.db"
taken_whole() { # label, db
    limited "$headcount" run "$sweep" --db "$2" --quiet $from || trouble "$1: the run gave status $?: $(tail -n 3 "$dir/said")"
    same_results "$1" "$2"
    limited "$headcount" check --db "$2" || trouble "$1: $(tail -n 3 "$dir/said")"
    [ "$(sqlite3 "$2" 'SELECT count(*) FROM attempt')" = "$all_rows" ] || trouble "$1: something was trained again"
    "$headcount" gc --db "$2" >"$dir/said" 2>&1
    [ "$(ls "$2.d" | grep -vx owner | wc -l)" = "$all_rows" ] || trouble "$1: files in the folder: $(ls "$2.d")"
}
take_everywhere() { # name, calls, FAULT_ settings, pattern of the message ('': it is killed), points
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    db=$dir/taken.db fault_calls=$2
    fresh "$db"
    faulty FAULT_AT=0 -- run "$sweep" --db "$db" --quiet $from
    status_in "$1, undisturbed" 0
    total=$(matched)
    hits=0
    for at in $(points "$total" "$5"); do
        fresh "$db"
        faulty FAULT_AT="$at" $3 -- run "$sweep" --db "$db" --quiet $from
        label="$1 $at of $total ($(head -n 1 "$count.fired" 2>/dev/null))"
        [ "$fired" = 1 ] || trouble "$label: did not happen"
        hits=$((hits + fired))
        [ -z "$4" ] || { status_in "$label" 0 3 75 && tells_failure "$label" "$4|unable to open"; }
        taken_whole "$label" "$db"
    done
    verdict "$1: $hits of $total calls, nothing lost, the same in the end"
}
take_everywhere "taking over, killed at a call that changes a file" "$changes" FAULT_DO=kill '' 10
take_everywhere "taking over, a call that changes a file finds the disk full" "write link" FAULT_DO=ENOSPC 'full|No space' 5
take_everywhere "taking over, a sync fails" "sync" FAULT_DO=EIO 'sync|disk I/O|Input/output' 6
