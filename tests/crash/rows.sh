# Rows that are well-formed and absurd: every column of every table set to values that nobody wrote, also
# to those that the schema forbids, against every command. None hangs, grows or lets a byte through that
# a terminal would obey; and `check` tells of it or `run` refuses, unless it is a column that may hold
# anything. The short form takes those that failed once and draws some more: CRASH_SEED repeats them.
rows=$dir/rows
mkdir "$rows"
long || [ -n "${CRASH_SEED:-}" ] || seed=$(date +%s)

# SQLite's shell lets nobody change the schema unless it is told to.
unguarded() { # arguments of sqlite3
    sqlite3 -cmd ".output /dev/null" -cmd ".dbconfig defensive off" -cmd ".output stdout" "$@"
}
# Every table has rows: trials that completed, one that waits for its second attempt, one that is new.
cat >"$rows/s.yaml" <<'Y'
# Which?
name: rows
task: {name: copy, length: 8, vocab: 4}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 8, batch: 4, eval_every: 4, val_examples: 8, test_examples: 8}
claim: {best: 2, over: [1]}
seeds: 3
Y
row_file() {
    sed 's/best: 2, over: .1./best: 1, over: [2]/' "$rows/s.yaml" >"$rows/old.yaml"
    for file in old s; do
        limited "$headcount" run "$rows/$file.yaml" --db "$rows/r.db" --quiet --set seeds=2 ||
            trouble "the sweep: $(cat "$dir/said")"
    done
    # test_exact is 0 in all trials, so that 0 is no change.
    sqlite3 -bail "$rows/r.db" "
        UPDATE attempt SET outcome = 'requeued', cause = 'lost', error = 'e', note = 'n' WHERE trial_id = 4;
        UPDATE trial SET state = 'queued', steps_done = 0, best_step = NULL, train_acc = NULL,
            val_acc = NULL, val_loss = NULL, test_acc = NULL, test_acc_by_slot = NULL, test_exact = 0,
            test_loss = NULL, train_s = NULL, checkpoint = NULL, checkpoint_sha256 = NULL
            WHERE trial_id = 4;
        DELETE FROM curve WHERE trial_id = 4;
        INSERT INTO deleted VALUES (99, 1, 1, 'other', 'then', 'now', 1);
        UPDATE trial SET look = 2 WHERE trial_id = 4;
        INSERT INTO look SELECT sweep_id, '{}', 1, 'now', 'edge', 0 FROM sweep;
        INSERT INTO study SELECT 1, 'heads', '{}', 'now', 1, 1, checkpoint_sha256 FROM trial WHERE trial_id = 1;
        INSERT INTO head_metric (trial_id, step, split, layer, head, confidence) VALUES (1, 4, 'val', 0, 0, .5);
        INSERT INTO layer_metric (trial_id, step, split, layer) VALUES (1, 4, 'val', 0);
        INSERT INTO head_slot VALUES (1, 4, 'val', 0, 0, 0, .5);
        INSERT INTO pruning (trial_id, method, kept, test_acc) VALUES (1, 'none', 1, .5);
        INSERT INTO ensemble (sweep_id, setting, heads, members, trials) SELECT sweep_id, setting, 1, 1, '[1]'
            FROM trial WHERE trial_id = 1;
        INSERT INTO evaluation VALUES (1, 'noisy', '{}', .5, .5, .5);
        INSERT INTO data_file VALUES ('/a.txt', '{}', '$(printf %064d 0)', 9, 9, '{}', 9);
        UPDATE trial SET checkpoint = NULL, checkpoint_sha256 = NULL WHERE trial_id = 3;
        INSERT INTO block_loss SELECT 3, 0, test_loss FROM trial WHERE trial_id = 3;
        INSERT INTO label_acc SELECT 3, 'a label', 8, test_acc FROM trial WHERE trial_id = 3;
        UPDATE trial SET remark = 'r'; UPDATE sweep SET remark = 'r'" || trouble "preparing the rows"
    # The same without what would refuse a value.
    sqlite3 "$rows/r.db" ".backup $rows/loose.db"
    unguarded -bail "$rows/loose.db" "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql =
        replace(replace(replace(replace(sql, 'IS NOT NULL', 'NOTNULL'), 'NOT NULL', ''), 'STRICT,', ''),
            'STRICT', '') WHERE type = 'table'"
    sqlite3 "$rows/loose.db" "SELECT m.name || '.' || c.name FROM sqlite_schema AS m,
        pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'" >"$rows/columns"
    [ "$(wc -l <"$rows/columns")" -ge 90 ] || trouble "only $(wc -l <"$rows/columns") columns"
    sqlite3 "$rows/r.db" "SELECT name FROM sqlite_schema WHERE type = 'table'" | while read -r table; do
        [ "$(sqlite3 "$rows/r.db" "SELECT count(*) FROM $table")" -gt 0 ] || trouble "no row in $table"
    done
    cp "$rows/r.db" "$rows/f.db" && cp -r "$rows/r.db.d" "$rows/f.db.d"
    for command in check 'run s.yaml --quiet' check; do
        told "as it was" "$command"
        [ $code -eq 0 ] || trouble "as it was, $command: status $code: $(tail -n 3 "$dir/said")"
    done
}
evil="'a' || char(27) || '[31m' || char(155) || '2J' || char(127, 8238, 13, 7) || CAST(x'9b' AS TEXT)"
value_of() { # name: the SQL
    case $1 in
    zero) echo 0 ;;
    minus) echo -1 ;;
    huge) echo '1 << 62' ;;
    infinite) echo 9e999 ;;
    null) echo NULL ;;
    word) echo "'word'" ;;
    bytes) echo "x'00ff1b'" ;;
    long) echo "replace(hex(zeroblob(500000)), '0', 'x')" ;;
    escape) echo "$evil" ;;
    json) echo "'{\"k\":\"' || $evil || '\"}'" ;;
    list) echo "'[\"' || $evil || '\"]'" ;;
    esac
}
values='zero minus huge infinite null word bytes long escape json list'

# Runs a command of the program on f.db, in 400 MB of address space where there is no sanitizer.
told() { # label, command
    (
        cd "$rows" || exit 1
        plain && ulimit -v 400000
        exec timeout -s KILL "$(seconds 5)" "$headcount" $2 --db f.db >"$dir/said" 2>&1 </dev/null
    )
    code=$?
    [ $code -lt 100 ] || [ $code -eq 127 ] || trouble "$1, $2: status $code"
    ! grep -qi 'no memory\|out of memory\|cannot allocate' "$dir/said" || trouble "$1, $2: $(tail -n 3 "$dir/said")"
    case $2 in *--csv) return ;; esac # exact, for programs
    ! LC_ALL=C grep -aPn -e "$obeyed" "$dir/said" >"$dir/.found" || trouble "$1, $2: $(head -n 3 "$dir/.found")"
}
# For people, or measured, or of another time: nothing else in the file says what would be right.
may_hold_anything() { # table.column
    case $1 in
    sweep.name | sweep.question | sweep.yaml* | sweep.plan_sha256 | sweep.claim | sweep.tune) ;;
    sweep.created | sweep.last_run | sweep.overrides | *.remark | plan_change.* | look.* | deleted.*) ;;
    sweep.replicate | sweep.looks | sweep.equivalence | sweep.rungs | sweep.extend) ;;
    trial.replicate | trial.look | trial.until | trial.limit_hit) ;;
    trial.setting* | trial.tuning | trial.plan_order | trial.checkpoint | config.chance) ;;
    trial.in_plan | trial.is_tuning | trial.resume_step | trial.retries_used) ;;
    config.flops_per_step) ;;
    build.* | attempt.host | attempt.job | attempt.pid | attempt.started | attempt.ended | attempt.note | attempt.error) ;;
    attempt.resumed_from_step | attempt.exit_code | attempt.signal | attempt.cpu_s | attempt.max_rss_kib) ;;
    sweep.shards | trial.in_shard) ;;
    sweep.eval | sweep.measure | sweep.drawn | study.* | pruning.* | ensemble.* | evaluation.*) ;;
    data_file.* | block_loss.* | label_acc.*) ;;
    head_metric.* | layer_metric.* | head_slot.*) ;;
    *) return 1 ;;
    esac
}
mutate() { # table.column, value's name
    table=${1%.*} column=${1#*.}
    rm -rf "$rows"/f.db*
    cp "$rows/loose.db" "$rows/f.db" && cp -r "$rows/r.db.d" "$rows/f.db.d"
    value=$(value_of "$2")
    # The schema is put back in the same breath.
    changed=$(unguarded "$rows/f.db" "PRAGMA ignore_check_constraints = ON; ATTACH '$rows/r.db' AS good;
        UPDATE OR IGNORE main.$table SET $column = $value WHERE $column IS NOT $value;
        SELECT changes();
        PRAGMA writable_schema = ON;
        UPDATE main.sqlite_master SET sql = (SELECT sql FROM good.sqlite_master AS g
            WHERE g.name = sqlite_master.name) WHERE type = 'table'" 2>&1)
    case $changed in
    [1-9]*) ;;
    0 | *mismatch* | *"malformed JSON"*) return ;; # a key, or what other columns are read from
    *) trouble "$1 = $2: $changed" ;;
    esac
    mutations=$((mutations + 1))
    noticed=
    while read -r command <&3; do
        told "$1 = $2" "$command"
        case $command:$code in check:3 | run*:[23]) noticed=1 ;; esac
    done 3<<'C'
status
status --json
report
report --json
report --markdown
report --csv
show 1
show 1 --json
show 4
export results
export weights 1 w.st
export testset 1 t.st
gc --dry-run
plan s.yaml
check
run s.yaml --quiet
C
    [ "$noticed" ] || may_hold_anything "$1" || trouble "$1 = $2: neither check nor run says anything"
}
failed_once='curve.step=huge curve.val_acc=huge curve.lr=zero trial.test_acc=zero trial.train_s=zero
    config.config_sha256=null config.config_json=null trial.setting=null sweep.name=null sweep.goal=word'
mutate_all() {
    mutations=0
    row_file
    if long; then
        while read -r pair <&4; do
            for kind in $values; do mutate "$pair" "$kind"; done
        done 4<"$rows/columns"
    else
        first=$seed
        for pair in $failed_once; do
            mutate "${pair%=*}" "${pair#*=}"
        done
        for draw in $(seq 8); do
            random "$(wc -l <"$rows/columns")"
            pair=$(sed -n "$((drawn + 1))p" "$rows/columns")
            random "$(echo "$values" | wc -w)"
            mutate "$pair" "$(echo "$values" | cut -d ' ' -f $((drawn + 1)))"
        done
        echo "# CRASH_SEED=$first"
    fi
    injected=$((injected + mutations))
    verdict "$mutations absurd values in columns of every table: every command ends, check or run tells"
}
mutate_all
