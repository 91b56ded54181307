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
first_merged() {
    fresh "$db"
    limited "$headcount" merge --into "$db" "$merge/1.db" || trouble "the first shard: $(tail -n 3 "$dir/said")"
}
completed() {
    sqlite3 "$db" "SELECT count(*) FROM trial WHERE state = 'completed'"
}
# All or nothing is there; the same command makes it whole.
merged_whole() { # label
    rows=$(completed)
    [ "$rows" = "$first_rows" ] || [ "$rows" = "$all_rows" ] || trouble "$1: $rows results are there"
    limited "$headcount" check --db "$db" || trouble "$1: $(tail -n 3 "$dir/said")"
    limited "$headcount" merge --into "$db" "$merge/2.db" "$merge/3.db" "$merge/1.db" ||
        trouble "$1: merging again gave status $?: $(tail -n 3 "$dir/said")"
    same_files "$1"
}
# The results of a single run, and no file that nothing needs.
same_files() { # label
    same_results "$1" "$db"
    limited "$headcount" check --db "$db" || trouble "$1: $(tail -n 3 "$dir/said")"
    "$headcount" gc --db "$db" >"$dir/said" 2>&1
    [ "$(ls "$db.d" | grep -vx owner | wc -l)" = "$all_rows" ] || trouble "$1: files in the folder: $(ls "$db.d")"
}
db=$dir/merged.db
first_merged
first_rows=$(completed)
all_rows=$(sqlite3 "$db" "SELECT count(*) FROM trial")
change_fails_everywhere merging first_merged merged_whole "" merge --into "$db" "$merge/2.db" "$merge/3.db"

# A run that takes over all there is, and trains nothing, however often it begins.
from="--from $merge/1.db --from $merge/2.db --from $merge/3.db"
taken_whole() { # label
    limited "$headcount" run "$sweep" --db "$db" --quiet $from ||
        trouble "$1: the run gave status $?: $(tail -n 3 "$dir/said")"
    [ "$(sqlite3 "$db" 'SELECT count(*) FROM attempt')" = "$all_rows" ] || trouble "$1: something was trained again"
    same_files "$1"
}
db=$dir/taken.db
change_fails_everywhere "taking over" all_fresh taken_whole "" run "$sweep" --db "$db" --quiet $from
