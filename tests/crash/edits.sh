# A confirmed sweep whose file is edited at random: other values, axes, tasks, texts and tuned options, and back; run
# with --replace, killed at a random instant now and then, and edited again before it is done. What a claim is about
# is told here by the trials that explored when it was first there, and kept in a file of the test's own.
edits=${CRASH_EDITS:-500}
long || edits=8
sweep=$dir/edited.yaml
ledger=$dir/claims.db

# Each key of the file has few values, so that most files come again. Data that change keep their name.
draw() { # variable, value...
    name=$1
    shift
    random $#
    shift "$drawn"
    eval "$name=\$1"
}
edit() {
    draw part task task task length d_ff heads lr seeds confirm text
    case $part in
    task) draw task copy 'gather, slots: 1' 'gather, slots: [1, 2]' 'gather, slots: [2, 1]' 'gather, slots: 2' many text ;;
    length) draw length 4 5 '[4, 5]' '[5, 4]' ;;
    d_ff) draw d_ff 8 16 '[16, 8]' ;;
    heads) draw heads '[1, 2]' '[1, 2, 4]' '[2, 4]' ;;
    lr) draw lr 2e-2 3e-2 '[2e-2, 3e-2]' '[1e-2, 2e-2, 3e-2]' && draw extend '' ', extend: 1' ;;
    seeds) draw seeds 'seeds: 2' 'seeds: 3' 'looks: [2, 3]' ;;
    confirm) draw confirm 6 6 7 none ;;
    text) draw text cat dog ;;
    esac
}
write_edited() {
    mask='' replicated='' tuned=''
    words="length: $length, vocab: 4"
    fresh_ones="confirm: $confirm"
    case $task in
    text) words="file: words.txt, mode: lm, length: $length" mask=', mask: causal' ;;
    many)
        words="slots: 1, instance: [1, 2], length: 6, vocab: 4" replicated='replicate: [task.instance]'
        fresh_ones='confirm: {instances: [3, 4, 5, 6, 7, 8]}'
        ;;
    esac
    case $lr in '['*) tuned="tune: {axes: [train.lr], seeds: 1$extend}" ;; esac
    [ "$confirm" != none ] || fresh_ones=
    yes "the $text sat on the mat and the $text sat on the log" | head -n 60 >"$dir/words.txt"
    cat >"$sweep" <<Y
name: edited
task: {name: $(echo "$task" | sed s/many/gather/), $words}
model: {d_model: 8, heads: $heads, layers: 1, d_ff: $d_ff$mask}
train: {steps: 8, batch: 8, lr: $lr, eval_every: 8, val_examples: 32, test_examples: 32}
$seeds
$replicated
$tuned
$fresh_ones
Y
}

# The findings in the report against the trials: `claim` has what was claimed, in the order in which it came, with
# what the report said once its trials had ended.
judge_edited() { # label, 1: the run is done
    "$headcount" report edited --db "$db" --json >"$dir/edited.json" 2>"$dir/said" ||
        trouble "$1: report: $(cat "$dir/said")"
    found=$(sqlite3 "$ledger" "ATTACH '$db' AS r" "
CREATE TABLE IF NOT EXISTS claim (n INTEGER PRIMARY KEY, about TEXT UNIQUE, said TEXT);
CREATE TEMP VIEW trained AS SELECT t.*, heads, iif(replicate = '{}', config_sha256,
    json_remove(config_json, '\$.task.options.instance')) AS kind
    FROM r.trial AS t JOIN r.config USING (config_id) WHERE in_plan;
CREATE TEMP TABLE explored AS SELECT DISTINCT setting, heads, kind FROM trained
    WHERE NOT confirms AND NOT is_tuning AND choice <> 'eliminated';
CREATE TEMP TABLE shown AS SELECT value ->> '\$.setting' AS setting, value -> '\$.verdict.confirmation' AS says
    FROM json_each(readfile('$dir/edited.json'), '\$.settings')
    WHERE value -> '\$.verdict.confirmation.claim' IS NOT NULL;
ALTER TABLE shown ADD said; -- whether a choice is at an edge is another list's to say
UPDATE shown SET said = (SELECT says -> '\$.claim' || (says ->> '\$.claim_proof.seen') || group_concat(value ->> '\$.n'
    || ' ' || (value ->> '\$.mean_diff') || ' ' || (value ->> '\$.p')) FROM json_each(says, '\$.comparisons'));
CREATE TEMP TABLE named AS SELECT setting, says ->> '\$.claim.best' AS heads FROM shown
    UNION SELECT setting, value FROM shown, json_each(says, '\$.claim.over');
CREATE TEMP TABLE shown_claim AS SELECT setting, said, about, configs FROM shown JOIN (SELECT setting,
    json_group_array(kind) AS about, count(*) AS configs FROM (SELECT * FROM named
     JOIN explored USING (setting, heads) ORDER BY kind) GROUP BY setting) USING (setting);
-- Only what was trained is confirmed, and on nothing else.
SELECT 'a trial confirms what was not explored: ' || trial_id FROM trained WHERE confirms AND choice = 'chosen'
    AND (setting, heads, kind) NOT IN (SELECT * FROM explored);
SELECT 'a trial confirms what no claim names: ' || trial_id FROM trained WHERE confirms AND choice = 'chosen'
    AND (setting, heads) NOT IN (SELECT * FROM named);
SELECT 'the claim of ' || setting || ' names what was not explored' FROM named
    WHERE (setting, heads) NOT IN (SELECT setting, heads FROM explored);
SELECT 'the claim of ' || setting || ' has other trials than it says' FROM shown AS s
    WHERE says ->> '\$.planned' <> (SELECT count(*) FROM trained AS t WHERE confirms AND choice = 'chosen'
     AND t.setting = s.setting);
SELECT 'trials of ' || setting || ' have not ended' FROM shown
    WHERE $2 AND says ->> '\$.planned' <> says ->> '\$.ended';
-- What was claimed first counts wherever all of it is explored, and says what it said.
CREATE TEMP TABLE due AS SELECT setting, min(n) AS n FROM (SELECT DISTINCT setting FROM explored) AS e, claim AS c
    WHERE NOT EXISTS (SELECT 1 FROM json_each(about)
     WHERE (e.setting, value) NOT IN (SELECT setting, kind FROM explored)) GROUP BY setting;
SELECT 'lost in ' || due.setting || ': ' || c.about FROM due JOIN claim AS c USING (n)
    JOIN r.sweep ON name = 'edited' LEFT JOIN shown_claim AS shown ON shown.setting = due.setting
    WHERE confirm IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(c.about) WHERE shown.about IS NULL
     OR value NOT IN (SELECT value FROM json_each(shown.about)));
SELECT 'other words in ' || setting || ': ' || shown.said || ' for ' || c.said FROM due
    JOIN shown USING (setting) JOIN claim AS c USING (n) WHERE $2 AND c.said <> shown.said;
INSERT OR IGNORE INTO claim (about) SELECT about FROM shown_claim
    WHERE configs = (SELECT count(*) FROM named WHERE named.setting = shown_claim.setting) AND setting NOT IN
    (SELECT setting FROM due) ORDER BY (SELECT min(plan_change_id) FROM r.confirmations AS w
     WHERE w.setting = shown_claim.setting);
UPDATE claim SET said = shown_claim.said FROM shown_claim WHERE claim.about = shown_claim.about AND $2;
" 2>&1)
    [ -z "$found" ] || trouble "$1: $found"
}

# What is chosen and what looks come to is what they come to where nothing was before.
judge_decisions() { # label
    fresh "$dir/anew.db"
    limited "$headcount" run "$sweep" --db "$dir/anew.db" --quiet -j 2 || trouble "$1, anew: $(tail -n 3 "$dir/said")"
    for view in chosen look; do
        decided="SELECT DISTINCT setting, $([ $view = look ] && echo 'look, kind, decided' || echo 'heads, tuning') FROM $view
            WHERE sweep_id = (SELECT sweep_id FROM sweep WHERE name = 'edited') ORDER BY 1, 2, 3"
        [ "$(sqlite3 "$db" "$decided")" = "$(sqlite3 "$dir/anew.db" "$decided")" ] ||
            trouble "$1: $view is $(sqlite3 "$db" "$decided"), anew $(sqlite3 "$dir/anew.db" "$decided")"
    done
    limited "$headcount" check --db "$db" || trouble "$1: check: $(cat "$dir/said")"
}

# The new file is run and, maybe, killed on the way; then it is run to its end, or edited again.
run_edited() { # label
    random 3
    if [ "$drawn" = 0 ] && [ "$n" -gt 0 ]; then
        begin "$db" --replace -j 2
        random 400
        pause "$drawn"
        kill -KILL "$pid" 2>/dev/null && hits=$((hits + 1))
        await "$1" "$pid"
        no_orphans "$1" "$pid"
        judge_edited "$1, killed" 0
        random 2
        [ "$drawn" = 0 ] || return 0
    fi
    limited "$headcount" run "$sweep" --db "$db" --quiet --replace -j 2
    code=$?
    if [ "$code" = 2 ] && grep -q 'which cannot change; put the old' "$dir/said"; then
        confirm=$((13 - confirm)) refused=$((refused + 1))
        write_edited
        limited "$headcount" run "$sweep" --db "$db" --quiet --replace -j 2
        code=$?
    fi
    status_in "$1" 0
    judge_edited "$1" 1
    random 4
    [ "$drawn" != 0 ] || judge_decisions "$1"
}
edit_at_random() {
    db=$dir/edits.db
    task='gather, slots: 1' length=4 d_ff=8 heads='[1, 2]' lr=2e-2 extend= seeds='seeds: 2' confirm=6 text=cat
    hits=0 refused=0 n=0
    while [ $n -lt "$edits" ] && [ ! -s "$dir/.trouble" ]; do
        write_edited
        run_edited "edit $n ($task, length $length, d_ff $d_ff, heads $heads, lr $lr$extend, $seeds, confirm $confirm, $text)"
        edit
        n=$((n + 1))
    done
    injected=$((injected + hits))
    claims=$(sqlite3 "$ledger" "SELECT count(*) FROM claim")
    [ "$claims" -gt 0 ] || trouble "nothing was claimed"
    verdict "$n edits of a confirmed sweep, $hits kills, $claims claims, $refused changes refused: no claim lost, none of another task"
}
edit_at_random
