#!/bin/sh
# The page that `report --html` writes, looked at as a file: what it holds, how large it is, that it
# asks nothing of any network, and that nothing in the results file becomes a part of it. How it
# looks in a browser is tests/page. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
settle

run() {
    "$headcount" "$@" >said 2>&1 || trouble "$*: $(cat said)"
}
run run configs/quick.yaml --db r.db --quiet --set train.steps=40 --set train.eval_every=10 --set \
    train.val_examples=64 --set train.test_examples=64
run heads --db r.db --quiet
run prune --db r.db --quiet
run report --db r.db --html page.html
verdict "a sweep that was measured has its page"

# What the browser allows: the two hashes are those of what stands there.
element() { # name: the content of the only such element without attributes
    awk -v open="<$1>" -v close_="</$1>" 'found && index($0, close_) == 1 { exit }
        found { print }
        index($0, open) == 1 { found = 1; $0 = substr($0, length(open) + 1); print }' page.html
}
hash() {
    for pair in $(sha256sum | cut -c1-64 | sed 's/../& /g'); do
        printf "\\$(printf %03o "0x$pair")"
    done | base64
}
policy=$(sed -n 's/.*Content-Security-Policy" content="\([^"]*\)".*/\1/p' page.html)
for part in script style; do
    case $policy in
    *"$part-src 'sha256-$(element $part | hash)'"*) ;;
    *) trouble "$part: $(element $part | hash) is not in $policy" ;;
    esac
done
case $policy in "default-src 'none'; "*) ;; *) trouble "$policy" ;; esac
case $policy in *unsafe* | *http* | *'*'*) trouble "$policy" ;; esac
verdict "the policy allows one script and one style, by their hashes"

# Addresses are those of namespaces, which are names; nothing names a file or an event handler.
grep -o 'https*://[^"'\'' ]*' page.html | sort -u | grep -v '^http://www.w3.org/2000/svg$' >found &&
    trouble "$(cat found)"
grep -oE '(src|href|srcset|action)="[^"#]*"' page.html | sort -u | grep -v '^href="data:,"$' >found &&
    trouble "$(cat found)"
grep -nE \
    -e '@import|url\(|fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import\(|innerHTML' \
    -e 'document\.write|eval\(|new Function' page.html >found && trouble "$(cut -c1-200 found)"
grep -nE '<[a-z][^>]* (on[a-z]+|style)=' page.html >found && trouble "$(cut -c1-200 found)"
grep -n "$dir" page.html >found && trouble "$(cut -c1-200 found)"
verdict "the page has no address, no event handler and no path"

"$headcount" report --db r.db --json >report.json
"$headcount" heads --db r.db --json >heads.json
"$headcount" prune --db r.db --json >prune.json
for piece in report heads prune; do
    # In the page & < > are escaped; none of these has such a character here but in sentences.
    sed -e 's/&/\\u0026/g' -e 's/</\\u003c/g' -e 's/>/\\u003e/g' $piece.json >wanted
    grep -qF -f wanted page.html || trouble "$piece --json is not in the page"
done
verdict "the numbers of the page are those of report, heads and prune --json"

grep -q '"attention":{"trial":' page.html || trouble "no maps"
run report --db r.db --html other.html --attention 3
grep -q '"attention":{"trial":3,' other.html || trouble "maps of another trial"
cp r.db w.db && mkdir w.db.d
run report --db w.db --html without.html
grep -q '"attention":{"missing":[1-9]' without.html || trouble "weights that are gone are not told"
verdict "attention maps are of the trial asked for, and weights that are gone are told"

# ---- foreign text ----
cp r.db f.db && cp -r r.db.d f.db.d
sqlite3 f.db "PRAGMA ignore_check_constraints = ON;
    CREATE TEMP TABLE evil AS SELECT '</script><script>alert(1)</script><!--' || 
        char(34, 39, 38, 27, 155, 8232, 8238, 8207, 10) || '{{data}}<img src=x onerror=alert(2)>' AS e;
    UPDATE sweep SET name = (SELECT e FROM evil), question = (SELECT e FROM evil), remark = (SELECT e
        FROM evil), yaml = (SELECT e FROM evil);
    UPDATE trial SET setting_label = (SELECT e FROM evil), remark = (SELECT e FROM evil);
    UPDATE attempt SET error = (SELECT e FROM evil), note = (SELECT e FROM evil), host = (SELECT e FROM evil);
    UPDATE build SET cpu = (SELECT e FROM evil), compiler = (SELECT e FROM evil);"
run report --db f.db --html evil.html
[ "$(grep -c '<script' evil.html)" = "$(grep -c '<script' page.html)" ] || trouble "a script came in"
[ "$(grep -o '</script' evil.html | wc -l)" = 2 ] || trouble "a script was ended"
grep -nE '<(img|!--)' evil.html | cut -c1-200 >found && [ -s found ] && trouble "$(cat found)"
LC_ALL=C grep -aPn -e "$obeyed" evil.html | cut -c1-200 >found && [ -s found ] && trouble "$(cat found)"
grep -q '{{' evil.html && grep -o '.\{20\}{{[a-z]*}}' evil.html | grep -vF '{{data}}' >found && trouble "$(cat found)"
verdict "names, questions and errors stay text in the page"

sqlite3 f.db "UPDATE attempt SET error = 'cannot open $dir/f.db.d/x: no', note = '$dir/y';
    UPDATE sweep SET yaml = 'file: $dir/z.csv'"
rm -r f.db.d
"$headcount" report --db "$dir/f.db" --html "$dir/apart.html" >said 2>&1 || trouble "$(cat said)"
grep -nF "$dir" apart.html | cut -c1-200 >found && [ -s found ] && trouble "$(cat found)"
grep -q 'cannot open x: no' apart.html || trouble "no error"
verdict "the page shows of a path only the last name"

# ---- sweeps side by side ----
cp r.db s.db
run run configs/quick.yaml --db s.db --quiet --set name=other --set train.steps=20 --set train.val_examples=64 --set \
    train.test_examples=64
run report quick other --db s.db --html both.html
"$headcount" report quick other --db s.db --json >both.json
"$headcount" report quick --db s.db --json >quick.json
"$headcount" report other --db s.db --json >other.json
for piece in both quick other; do
    sed -e 's/&/\\u0026/g' -e 's/</\\u003c/g' -e 's/>/\\u003e/g' $piece.json >wanted
    grep -qF -f wanted both.html || trouble "$piece.json is not in the page"
done
grep -q '<title>quick, other' both.html || trouble "no title"
grep -q 'A is quick, B is other' both.html || trouble "no words without a script"
grep -qF '"test":"paired"' both.json || trouble "no test is named: $(cut -c1-300 both.json)"
sqlite3 s.db "PRAGMA ignore_check_constraints = ON; UPDATE sweep SET name = '</script><script>' || name"
run report '</script><script>quick' '</script><script>other' --db s.db --html evil.html
[ "$(grep -o '<script' evil.html | wc -l)" = "$(grep -o '<script' both.html | wc -l)" ] || trouble "a script came in"
sqlite3 s.db "UPDATE sweep SET name = substr(name, 18); UPDATE sweep SET metric = 'val_loss', goal = 'minimize' WHERE name = 'other'"
"$headcount" report quick other --db s.db --html x.html >said 2>&1
{ [ $? = 2 ] && grep -q 'sweeps of one metric' said && [ ! -e x.html ]; } || trouble "another metric: $(cat said)"
verdict "several sweeps have a page, with the numbers of report --json"

# ---- size ----
cp r.db l.db
sqlite3 l.db "
    INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
            is_tuning, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss, chance,
            train_s)
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        SELECT sweep_id, config_id, i, state, 1, plan_order + 6 * i, setting, setting_label, tuning,
            0, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss, chance, train_s
          FROM trial, n WHERE seed = 1;
    DELETE FROM curve;
    INSERT INTO curve WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        SELECT trial_id, i, 1.23456789 / i, .87654321 / i, 1.3456789 / i, .98765432 / i, 1.1234567, .003,
            i * 1.37, i * 1.3
          FROM trial, n;"
run report --db l.db --html large.html
size=$(wc -c <large.html)
[ "$(sqlite3 l.db 'SELECT count(*) FROM trial')" = 300 ] || trouble "not 300 trials"
[ "$size" -lt 1500000 ] || trouble "$size bytes"
grep -q '"total":300,"next":null' large.html || trouble "not all trials"
grep -q '"of":200,"step":\[' large.html || trouble "no curves"
verdict "a page of 300 trials with 200 evaluations each takes less than 1.5 MB"

sqlite3 l.db "
    DELETE FROM curve;
    INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
            is_tuning, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss, chance,
            train_s)
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 7665)
        SELECT sweep_id, config_id, i, state, 1, plan_order + 6 * i, setting, setting_label, tuning,
            0, best_step, steps_done, abs(random()) / 9.3e18, abs(random() % 8193) / 8192.0, abs(random()) / 3e18,
            abs(random() % 8193) / 8192.0, abs(random() % 513) / 512.0, abs(random()) / 3e18, chance, abs(random()) / 1e17
          FROM trial, n WHERE seed = 1"
run report --db l.db --html large.html
size=$(wc -c <large.html)
grep -q '"total":20298,"next":null,"trials":"' large.html || trouble "not all trials"
[ "$size" -lt 5000000 ] || trouble "$size bytes"
verdict "a page of 20,000 different trials takes less than 5 MB"

# ---- usage ----
refused() { # status, words, arguments...
    wanted=$1 words=$2
    shift 2
    "$headcount" "$@" >said 2>&1
    code=$?
    { [ $code = "$wanted" ] && grep -qe "$words" said; } || trouble "$*: status $code, $(cat said)"
}
refused 2 'give only one of' report --db r.db --html x.html --json
refused 2 'shows one sweep, and 2 are named' report --db r.db --html x.html --attention 1 a b
refused 2 'needs --html' report --db r.db --attention 1
refused 2 'the results file itself' report --db r.db --html r.db
refused 2 'among the files of' report --db r.db --html r.db.d/x.html
refused 2 'not a regular file' report --db r.db --html /dev/full
refused 3 'no/such' report --db r.db --html no/such/folder/x.html
refused 2 'names no file' report --db r.db --html ''
refused 3 'copy them back' report --db w.db --html x.html --attention 1
refused 2 '999' report --db r.db --html x.html --attention 999
run run configs/quick.yaml --db r.db --quiet --set name=other --set train.steps=20 --set seeds=1 --set \
    train.val_examples=64 --set train.test_examples=64
refused 2 'trial 1 is one of sweep quick' report other --db r.db --html x.html --attention 1
[ -e x.html ] && trouble "a page was written nevertheless"
"$headcount" report quick --db r.db --html - >piped.html 2>said
grep -v '"written":' page.html | sed '/^<script type/d' >a
grep -v '"written":' piped.html | sed '/^<script type/d' >b
cmp -s a b || trouble "- is not the same page"
verdict "options and targets that cannot be are refused, and - writes the same page"

sqlite3 r.db "UPDATE trial SET state = 'queued', best_step = NULL WHERE sweep_id = 1; DELETE FROM curve;
    DELETE FROM head_metric; DELETE FROM study; DELETE FROM pruning"
run report quick --db r.db --html early.html
grep -q '"heads":null,"pruning":null' early.html || trouble "what was not measured"
verdict "a sweep of which nothing has ended has a page"
finish
