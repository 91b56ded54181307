#!/bin/sh
# A claim that was made after trials like its own had ended: the sentence counts them and says in what they
# differ, wherever the verdict is told. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
not_sanitized "claims made late are counted"
cd "$dir" || exit 1
sql() { sqlite3 r.db "$1"; }
run() { # name, arguments...
    "$headcount" run s.yaml --db r.db -j 2 --set "name=$@" >report.txt 2>said </dev/null || { cat said; return 1; }
}
says() { # file, words: on one line or several, and as Markdown has them
    tr -d '\\' <"$1" | tr -s ' \n' '  ' | grep -qF -- "$2" || { cat "$1"; return 1; }
}
json() { # path
    sql "SELECT readfile('report.json') ->> '\$.settings[0].verdict.$1'"
}

cat >s.yaml <<'Y'
task: {name: copy, length: 8, vocab: 4}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 8, batch: 4, eval_every: 4, val_examples: 8, test_examples: 8}
seeds: 4
Y
check "a sweep without a claim runs" run first
cp -r r.db.d kept.d && cp r.db kept
echo 'claim: {best: 2, over: [1]}' >>s.yaml
for change in test_examples=7 eval_every=8 steps=9; do
    key=${change%=*}
    rm -rf r.db*
    cp -r kept.d r.db.d && cp kept r.db
    check "the sweep runs again with a claim and train.$change" run again --set "train.$change"
    # What training came to in so few steps is not what this is about.
    sql "UPDATE trial SET (test_acc, val_acc) = (SELECT .4 * heads + heads * seed / 100.0, .4 * heads FROM config
        WHERE config.config_id = trial.config_id)"
    there="8 trials like these had ended, which differ in train.$key"
    for format in text markdown json html; do
        case $format in
        text) "$headcount" report again --db r.db >report.text ;;
        html) "$headcount" report again --db r.db --html report.html ;;
        *) "$headcount" report again --db r.db "--$format" >"report.$format" ;;
        esac
        check "... and its $format report counts the earlier trials" says "report.$format" "as predicted before its first trial; $there"
    done
    check "... and the claim is still confirmed as a prediction" [ "$(json kind) $(json prediction) $(json claim_proof.status)" = \
        'claim_confirmed 1 first' ]
    check "... and JSON has their number and the key that differs" [ "$(json claim_proof.similar) $(json claim_proof.similar_differ)" = \
        "8 [\"train.$key\"]" ]
done
check "a sweep with a claim about other seeds runs" run fresh --set 'seeds=[7, 8]' --set train.steps=10
check "... and its report counts no earlier trials" fails grep -q 'like these' report.txt
check "sweeps with earlier trials can be deleted" sh -c "'$headcount' sweep delete first --yes --db r.db &&
    '$headcount' sweep delete again --yes --db r.db"
check "... and the sweep with the claim runs after that" run again --set train.steps=10
"$headcount" report again --db r.db --json >report.json
check "... and still counts the deleted trials" [ "$(json claim_proof.similar)" = 16 ]
finish
