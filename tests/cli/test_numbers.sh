#!/bin/sh
# The numbers in the READMEs are those of results/reference, whose tables are of the sweeps in configs/ as
# they stand: every number of an accuracy has a mark that says which it is (results/reference/numbers.awk
# fills them in). And what makes them works. Speaks TAP; run from the repository's root.
. tests/tap.sh
not_sanitized "the numbers in the READMEs are those of the results"
kept=results/reference
filled_in() { awk -v folder=$kept -f $kept/numbers.awk "$1"; }

# ---- what numbers.awk does ----
mkdir "$dir/kept"
cat >"$dir/kept/toy.csv" <<'C'
sweep,setting,setting_label,heads,d_model,n,n_bad,mean_acc,ci95_low,ci95_high,n_solved,min_acc,n_trials,n_params
toy,"{""a"":1,""b"":2}","a=1, b=2",1,8,5,0,.5,.44449,.55551,0,.4,5,999
toy,"{""a"":1,""b"":2}","a=1, b=2",8,8,5,0,.9,.8,1.0001,2,.7,15,12256
toy,"{""a"":3,""b"":2}","a=3, b=2",1,8,4,1,1,.9996,1.0002,4,1,4,1
toy,"{""a"":3,""b"":2}","a=3, b=2",2,8,5,0,.25,-.1,.6,0,0,5,2
C
cat >"$dir/kept/tuned.csv" <<'C'
sweep,setting,setting_label,heads,d_model,n,n_bad,mean_acc,ci95_low,ci95_high,n_solved
tuned,{},,4,8,5,0,.5,.44449,.55551,0
C
cat >"$dir/kept/tuned.chosen.csv" <<'C'
setting_label,heads,tuning,score
"",4,"{""train.lr"":0.01}",.6
C
cat >"$dir/kept/toy.heads.csv" <<'C'
setting_label,heads,n,sharp,places,duplicates,main_mass,disagreement_position,disagreement_output,effective_rank
a=1,1,8,.875,1,0,.5,,,18.01
a=1,2,8,1.96,2,-0.0001,.25,-.1234,.5,24
C
cat >"$dir/kept/text.csv" <<'C'
sweep,setting,setting_label,heads,n,n_bad,mean_acc,ci95_low,ci95_high,mean_loss,loss_low,loss_high
text,{},,2,5,0,.5,.49,.51,1.7336,1.7266,1.7406
C
cat >"$dir/kept/toy.between.csv" <<'C'
heads,setting_a,setting_b,a,b,same,n,mean_diff,ci_low,ci_high
8,{},{},kv_heads=1,kv_heads=8,d_ff=64,8,.1586,.0677,.2496
8,{},{},"form=cut, width=8",form=whole,,8,-.0123,-.025,.0004
C
cat >"$dir/kept/toy.gain.csv" <<'C'
setting_label,heads,n,n_bad,mean_acc,min_acc,max_acc,ci95_low,ci95_high
shapes=1x4-4x1,4,8,0,-.25,-.5,.5,-.3,.2
C
sed 's/^"",4/"",2/' "$dir/kept/tuned.chosen.csv" >"$dir/kept/text.chosen.csv"
cp $kept/numbers.awk "$dir/kept"
fills() { # line, what becomes of it
    printf '%s\n' "$1" | awk -v folder="$dir/kept" -f "$dir/kept/numbers.awk" >"$dir/filled" &&
        [ "$(cat "$dir/filled")" = "$2" ] ||
        { cat "$dir/filled"; false; }
}
refuses() { # line
    ! printf '%s\n' "$1" | awk -v folder="$dir/kept" -f "$dir/kept/numbers.awk" >"$dir/filled" 2>&1
}
check "a mean is filled in with its interval" \
    fills 'At <!-- toy interval heads=1 a=1 -->.1 [.2, .3], so.' \
    'At <!-- toy interval heads=1 a=1 -->.500 [.444, .556], so.'
check "... which is cut at 1" fills '<!-- toy interval heads=8 -->.1' '<!-- toy interval heads=8 -->.900 [.800, 1.000]'
check "... and left out where it rounds to the mean" \
    fills '<!-- toy interval heads=1 a=3 -->.1 [0, 1]' '<!-- toy interval heads=1 a=3 -->1.000'
check "n counts bad trials" fills '<!-- toy n heads=1 a=3 -->7' '<!-- toy n heads=1 a=3 -->5'
check "two marks on one line are both filled in" \
    fills '<!-- toy least a=3 -->0 <!-- toy most b=2 -->0.' '<!-- toy least a=3 -->.250 <!-- toy most b=2 -->1.000.'
check "n of a replicated sweep counts its instances" fills '<!-- toy n heads=8 -->7' '<!-- toy n heads=8 -->5'
check "min fills in the accuracy of the worst seed" fills '<!-- toy min heads=8 -->0' '<!-- toy min heads=8 -->.700'
check "params fills in the number of parameters" fills '<!-- toy params heads=8 -->1,0' '<!-- toy params heads=8 -->12,256'
check "a measure of heads is filled in" \
    fills '<!-- toy.heads sharp heads=1 -->0' '<!-- toy.heads sharp heads=1 -->0.88'
check "... also where it is negative" \
    fills 'by <!-- toy.heads disagreement_position heads=2 -->-9.' \
    'by <!-- toy.heads disagreement_position heads=2 -->-0.12.'
check "a difference is filled in with its sign and its interval" \
    fills '<!-- toy.gain difference shapes=1x4-4x1 -->-.1 [-.2, 0]' \
    '<!-- toy.gain difference shapes=1x4-4x1 -->-.250 [-.300, +.200]'
check "a mark with an unknown column is refused" refuses '<!-- toy.heads mass heads=2 -->1'
check "a mark with an unknown sweep is refused" refuses '<!-- toys mean heads=8 -->1'
check "a mark that no row fits is refused" refuses '<!-- toy mean heads=4 -->1'
check "a mark that several rows fit is refused" refuses '<!-- toy mean heads=1 -->1'
check "a mark without a number behind it is refused" refuses '<!-- toy mean heads=8 --> about 1'
check "a mark of an unknown table is refused" refuses '<!-- table:toys rows -->'
cat >"$dir/grid.md" <<'M'
<!-- table:toy grid -->

| setting | n | 1 head | 2 heads | 8 heads |
|---|---:|---|---|---|
| a=1, b=2 | 5 | .500 [.444, .556] | | .900 [.800, 1.000] |
| a=3, b=2 | 5 | 1.000 | .250 [.000, .600] | |

Text.
M
grid_stays() { awk -v folder="$dir/kept" -f "$dir/kept/numbers.awk" "$dir/grid.md" | cmp - "$dir/grid.md"; }
check "a grid with holes stays as it is" grid_stays
grid_comes() { sed '4,5d' "$dir/grid.md" | awk -v folder="$dir/kept" -f "$dir/kept/numbers.awk" |
    cmp - "$dir/grid.md"; }
check "... and replaces a table of other rows" grid_comes
table_comes() { # mark, row
    printf '%s\n' "$1" | awk -v folder="$dir/kept" -f "$dir/kept/numbers.awk" >"$dir/filled" &&
        grep -qxF "$2" "$dir/filled"
}
check "a table of rows is filled in" table_comes '<!-- table:toy rows -->' '| 8 | 5 | .900 | .800 to 1.000 | 2 |'
check "a table of a tuned sweep has what was chosen" table_comes '<!-- table:tuned rows -->' '| 4 | 0.01 | 5 | .500 | .444 to .556 | 0 |'
check "a table of a text has bits per byte" table_comes '<!-- table:text bits -->' '| 2 | 0.01 | 5 | 2.501 | 2.491 to 2.511 |'
sed 's/{},,2,5/{},d_k=2,2,5/; $p; $s/{},d_k=2,2/{},d_k=4,8/' "$dir/kept/text.csv" >"$dir/kept/texts.csv"
check "... and a row for each of several settings" table_comes '<!-- table:texts bits -->' '| d_k=4 | 5 | | 2.501 [2.491, 2.511] |'
check "bits per byte are filled in with their interval" \
    fills 'At <!-- text bits heads=2 -->1 [2, 3].' 'At <!-- text bits heads=2 -->2.501 [2.491, 2.511].'
check "a difference between settings is filled in" \
    fills '<!-- toy.between difference heads=8 setting=kv_heads=1 against=kv_heads=8 both=d_ff=64 -->+.1 [+.2, -.3].' \
    '<!-- toy.between difference heads=8 setting=kv_heads=1 against=kv_heads=8 both=d_ff=64 -->+.159 [+.068, +.250].'
check "... also where one part of a name tells which" fills '<!-- toy.between difference setting=width=8 -->1 [2, 3]' \
    '<!-- toy.between difference setting=width=8 -->-.012 [-.025, +.000]'
check "a table of heads is filled in" \
    table_comes '<!-- table:toy.heads heads -->' '| a=1 | 2 | 8 | 2.0 | 2.0 | 0.0 | 0.25 | -0.12 | 0.50 | 24.0 |'
check "... with dashes where one head has none to differ from" \
    table_comes '<!-- table:toy.heads heads -->' '| a=1 | 1 | 8 | 0.9 | 1.0 | 0.0 | 0.50 | - | - | 18.0 |'

# ---- the READMEs ----
findings() { sed -n '/^## What each config found/,$p' configs/README.md; }
says_what_is_kept() { filled_in "$1" >"$dir/filled" && diff "$1" "$dir/filled"; }
for readme in README.md configs/README.md $kept/README.md; do
    check "$readme: marked tables and numbers are those of $kept" says_what_is_kept "$readme"
done
# What is left without code, marked tables and numbers, sentences of reports and paragraphs of what others
# published: no accuracy (.5, 1.000).
unmarked() {
    awk '/^```/ { code = !code; next }
        code { next }
        /^<!-- table:/ { table = 1; next }
        table && /^(\|.*)?$/ { next }
        /^<!-- (published|says:.*) -->$/ { published = 1; table = 0; next }
        /^$/ { published = 0 }
        published { next }
        { table = 0; gsub(/`[^`]*`/, ""); gsub(/<!-- [^>]* -->[-+]?[0-9,]*\.?[0-9]+( \[[-+0-9., ]+\])?/, ""); print }' |
        grep -nE '(^|[^0-9])\.[0-9]|1\.00'
}
every_number_is_marked() {
    cat README.md >"$dir/prose"
    findings >>"$dir/prose"
    ! unmarked <"$dir/prose"
}
check "every accuracy in README.md and in the findings is marked" every_number_is_marked
printf '%s\n' '<!-- table:toy rows -->' '' '| .5 |' '' '<!-- says:toy -->' 'By .3.' '' \
    'One head: <!-- toy.gain difference -->+.9 [+.8, 1.0], two: .95.' >"$dir/unmarked"
check "... and an unmarked one would be seen, also behind a table and a quotation" [ "$(unmarked <"$dir/unmarked" | wc -l)" = 1 ]
# A sentence of the program, quoted behind <!-- says:NAME -->, stands in the report.
plain_text() { sed 's/^[->] //; s/[\\*]//g' "$@" | tr '\n' ' ' | tr -s ' '; }
quoted_as_said() {
    awk '/^<!-- says:[a-z0-9.-]* -->$/ { split($2, part, ":"); printf "%s|", part[2]; said = 1; next }
        said && /^ *$/ { print ""; said = 0 }
        said { gsub(/\*/, ""); printf "%s ", $0 }' README.md configs/README.md | tr -s ' ' >"$dir/quotes"
    while IFS='|' read -r name quote; do
        plain_text "$kept/$name.md" | grep -qF "$quote" ||
            { echo "the report of $name does not say: $quote"; return 1; }
    done <"$dir/quotes"
}
check "sentences of the program are quoted as it said them" quoted_as_said
# Whoever reads a row of papers learns first whether we agree.
judged_papers() {
    sed -n '/^## What papers say/,/^## /s/^| \(.*[^ ]\) *|$/\1/p' README.md | sed 1d | grep -v '^---' >"$dir/papers"
    [ "$(wc -l <"$dir/papers")" -ge 10 ] &&
        ! awk -F ' [|] ' 'NF != 4 || $4 !~ /^(agrees|in part|not tested|no)(:|$)/' "$dir/papers" | grep .
}
check "each row of papers agrees, agrees in part, does not, or was not tested" judged_papers

# ---- the tables are of the sweeps in configs/ ----
points() { # name
    given=$(sh $kept/data.sh "$1" "$dir" anywhere)
    (cd "$dir" && "$headcount" plan "$root/configs/$1.yaml" $given --db none.db --json) >"$dir/plan.json" &&
        sqlite3 -separator ' ' :memory: "
            SELECT value ->> 'config_sha256', value ->> 'seed', value ->> 'is_tuning'
              FROM json_each(readfile('$dir/plan.json'), '\$.trials') ORDER BY 1, 2, 3" | sha256sum | cut -d' ' -f1
}
of_this_config() { # name
    grep -q "^$1,.*,$(points "$1")\$" $kept/runs.csv && [ -s "$kept/$1.csv" ] && [ -s "$kept/$1.md" ]
}
# The seeds that chose its learning rates, as the plan made by points() has them: "(tuned on 2 seeds)", or no such note.
tells_tuning() { # name
    seeds=$(sqlite3 :memory: "
        SELECT count(DISTINCT value ->> 'seed')
          FROM json_each(readfile('$dir/plan.json'), '\$.trials') WHERE value ->> 'is_tuning'")
    findings | grep "\*\*$1\*\*" | sed "s/.*\*\*$1\*\*//" >"$dir/finding"
    case $seeds in
    0) ! grep -q '^ (tuned' "$dir/finding" ;;
    *) grep -q "^ (tuned on $seeds seed" "$dir/finding" ;;
    esac
}
admits_it() { # name
    findings | sed -n "/^\(- \)\?\*\*$1\*\*/,/^$/p" | grep -q 'Not run yet'
}
for config in configs/*.yaml; do
    name=$(basename "$config" .yaml)
    [ "$name" = quick ] && continue
    if grep -q "^$name," $kept/runs.csv; then
        check "$kept has $config as it stands" of_this_config "$name"
        check "... and its finding says on how many seeds it was tuned" tells_tuning "$name"
        check "... and a README shows its numbers" grep -q "^<!-- table:$name " README.md configs/README.md
    else
        check "$config was not run, and its findings say so" admits_it "$name"
    fi
done
# Every table is that of the trials beside it: n, mean, standard deviation and interval of each head count.
cat >"$dir/tables.awk" <<'A'
function differ(a, b) { return (a == "") != (b == "") || a - b > 1e-12 || b - a > 1e-12 }
function cut(x) { return x == "" ? x : x < 0 ? 0 : x > 1 ? 1 : x }
{ row = $1 "|" $2 }
FILENAME == units { count += !n[row]; x[row, ++n[row]] = $3; next }
{
    for (k = 1; k <= n[row]; k++)
        one[k] = x[row, k]
    mean = sd = low = high = ""
    if (n[row])
        student(one, n[row])
    count -= n[row] > 0
    lines++
    if (n[row] + 0 != $3 || differ(mean, $4) || differ(sd, $5) || differ(cut(low), $6) || differ(cut(high), $7)) {
        print "of the trials " n[row] + 0, mean, sd, cut(low), cut(high) ", in the table " $0
        wrong = 1
    }
}
END { exit wrong || count || !lines }
A
tables_hold() { # folder, name
    of_table() { sqlite3 -separator '|' :memory: ".import --csv $1 t" "$2"; }
    of_table "$1/$2.trials.csv" "
        SELECT setting, heads, avg(test_acc) FROM t WHERE role = 'judged' AND state = 'completed'
         GROUP BY setting, heads, iif(replicate = '', 'seed ' || seed, replicate)" >"$dir/units" &&
        of_table "$1/$2.csv" "
            SELECT setting_label, heads, n, mean_acc, sd_acc, ci95_low, ci95_high FROM t" >"$dir/rows" &&
        awk -F'|' -v units="$dir/units" -f $kept/statistics.awk -f "$dir/tables.awk" "$dir/units" "$dir/rows"
}
for trials in $kept/*.trials.csv; do
    name=$(basename "$trials" .trials.csv)
    check "$kept/$name.csv is what its trials come to" tables_hold $kept "$name"
done
another_digit_is_seen() {
    cp $kept/gather.csv "$dir/kept" &&
        awk -F, -v OFS=, 'NR == 9 { $10 = sprintf("%.15g", $10 + 1e-9) } { print }' \
            $kept/gather.trials.csv >"$dir/kept/gather.trials.csv" &&
        ! tables_hold "$dir/kept" gather
}
check "... and a trial with another digit would be seen" another_digit_is_seen
texts_hold() { # corpora.texts.csv: the means of the trials, text by text
    ! sqlite3 :memory: ".import --csv $kept/corpora.trials.csv trials" ".import --csv $kept/corpora.texts.csv texts" "
        SELECT a.replicate, b.heads, avg(a.test_loss - b.test_loss) / ln(2) AS bits, mean_acc
          FROM trials AS a JOIN trials AS b USING (replicate, seed, role)
          LEFT JOIN texts AS t ON setting_label = replicate AND t.heads = b.heads
         WHERE a.heads = 4 AND b.heads <> 4 AND role = 'judged'
         GROUP BY 1, 2 HAVING abs(bits - mean_acc) < 1e-12 IS NOT TRUE OR count(*) <> n" | grep .
}
check "$kept/corpora.texts.csv is what its trials come to" texts_hold
# All intervals and p values of a report, recomputed by few lines of awk.
recompute() {
    awk -F, -v claimed=4 -v margin=.005 -f $kept/statistics.awk -f $kept/recompute.awk "$1" >"$dir/again"
}
says_the_same() { # report
    sed 's/[\\*]//g; s/\(p [=<]\) 0[.]/\1 ./g' "$1" >"$dir/report"
    {
        awk -F' *[|] *' -v OFS=' | ' '/^[|] [0-9]/ { print "| " $2, $5, $6, $7, $11, $12 " |" }' "$dir/report"
        sed -n 's/^- \([0-9]* heads against .*\), over 8 seeds.*\(paired t test p . [.][0-9]*\).*/\1, two-sided \2/p' "$dir/report"
        sed -n 's/^- \([0-9]* heads against [0-9]*\): .*\(exact sign-flip test p . [.][0-9]*\)[.]$/\1: \2/p' "$dir/report"
        awk '/^- The exact sign-flip test/ {
            for (i = 1; i <= NF; i++)
                if ($i == "against")
                    print "4 heads against " $(i + 1) + 0 ": exact sign-flip test " $(i - 3), $(i - 2), $(i - 1)
        }' "$dir/report"
    } >"$dir/said"
    [ "$(wc -l <"$dir/said")" = 12 ] && ! grep -vxF -f "$dir/again" "$dir/said"
}
shown() { # words, level: the head counts of these lines with a smaller p
    awk -v words="$1" -v level="$2" 'index($0, words) && $NF < level { printf "%d ", $1 }' "$dir/again"
}
named() { # sed's command that finds them in the report
    sed -n "$1" "$dir/report" | tr -cs 0-9 ' '
}
# "1 and 2 are each shown to be worse than another"; until 2026-11-23 "1 and 2 are beaten by others in" or "8 heads,
# best on validation, beat 1 and 2 in".
beaten='s/.*\(beat\|:\) \([0-9, and]*\) \(are beaten by others \)\?in a one-sided.*/\2/p
s/.*; \([0-9, and]*\) are each shown to be worse.*/\1/p'
# "4 and 8 heads (...) are shown to be equivalent"; until then "Plateau: 4 and 8 heads (...) are equivalent".
equivalent='s/^Plateau[^:]*: \(.*\) heads (.*equivalent.*/\1/p
s/^- \(.*\) heads (.*) are shown to be equivalent.*/\1/p'
recomputed() { # report
    recompute $kept/gather-tuned.trials.csv && says_the_same "$1" &&
        [ "$(shown 'beaten by another' .05)" = "$(named "$beaten")" ] &&
        [ "$(shown 'of the best' .05)" = "$(named "$equivalent")" ]
}
check "every interval and p of gather-tuned is recomputed from its trials" recomputed $kept/gather-tuned.md
{
    grep '^[|] [0-9]' $kept/gather-tuned.md
    cat <<'M'
- 4 heads against 1: +0.081 test accuracy, 95% interval +0.076 to +0.086, over 8 seeds (8 won, 0 lost); two-sided \
paired t test p \< .0001.
- 4 heads against 2: +0.019 test accuracy, 95% interval +0.013 to +0.026, over 8 seeds (7 won, 1 lost); two-sided \
paired t test p = .000214.
- 4 heads against 32: +0.704 test accuracy, 95% interval +0.701 to +0.708, over 8 seeds (8 won, 0 lost); two-sided \
paired t test p \< .0001.
- 4, 8 and 16 heads (d\_head 8, 4 and 2) are shown to be equivalent: each is within 0.005 of the best test accuracy.
- The best of the head counts tried is one of 4, 8 and 16 heads; 1, 2 and 32 are each shown to be worse than another.
- The exact sign-flip test, which is exact, gives p = .00781 against 1, p = .0156 against 2 and p = .00781 against 32.
M
} | sed -e ':a' -e '/ \\$/N; s/\\\n//; ta' >"$dir/today.md"
check "... also from a report in other words" recomputed "$dir/today.md"
# 4 heads beat 2 by .1, .2 and .3, p = 0.0371 for each of two others, and 1 head, best on validation, does not. One of
# its trials failed: .5, the accuracy of guessing.
awk 'BEGIN {
    n = split("1,.9 1,.9 1, 2,.5 2,.5 2,.5 4,.6 4,.7 4,.8", trial, " ")
    for (i = 1; i <= n; i++) {
        split(trial[i], of, ",")
        printf ",%d,,,%d,judged,", of[1], i % 3
        print of[2] ? "completed," 1 / of[1] ",," of[2] ",,,,,.5," : "failed,,,,,,,,,"
    }
}' >"$dir/toy.trials.csv"
recomputed_by_the_rules() {
    recompute "$dir/toy.trials.csv" && grep -qxF '| 1 | 3 | 0.767 | [0.193, 1.000] | 0/3 | 0-71% |' "$dir/again" &&
        grep -qxF '2: beaten by another, corrected p = .0742' "$dir/again"
}
check "... also where a trial failed and the best on validation beats none" recomputed_by_the_rules
# Whoever asks how a number came about finds the program: a commit of this history.
if [ -e .git ] && [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = false ]; then
    of_history() {
        grep -o '([0-9a-f]\{7\})' $kept/runs.csv | tr -d '()' | sort -u >"$dir/builds"
        while read -r build; do
            git merge-base --is-ancestor "$build" HEAD || { echo "$build is no commit of this history"; return 1; }
        done <"$dir/builds"
    }
    check "the builds of $kept/runs.csv are commits of this history" of_history
else
    skip "the builds of $kept/runs.csv are commits of this history" "the repository with its history"
fi
# `make sweep` shows what tuning finds.
same_curve() {
    for name in gather gather-tuned; do
        awk -v folder=$kept -f $kept/numbers.awk <<M |
<!-- table:$name rows -->
M
            sed -n 's/^| \([0-9]*\) |.* | \([0-9.]*\) | [0-9.]* to .*/\1 \2/p' | sort >"$dir/$name.curve"
    done
    join "$dir/gather.curve" "$dir/gather-tuned.curve" >"$dir/curves"
    [ "$(wc -l <"$dir/curves")" = 6 ] &&
        awk '$1 > 1 && ($2 - $3 > .03 || $3 - $2 > .03) { print; far = 1 } END { exit far }' "$dir/curves"
}
check "gather's curve is that of gather-tuned, within .03 from 2 heads on" same_curve

# ---- what makes them ----
# The C headers come from packages, by name, version and SHA-256.
mkdir -p "$dir/no/debs"
printf '#!/bin/sh\nexit 100\n' >"$dir/no/apt-get"
chmod +x "$dir/no/apt-get"
without_packages() { # what it says
    ! PATH=$dir/no:$PATH sh $kept/data.sh text "$dir/no" >"$dir/no/said" 2>&1 && grep -qF "$1" "$dir/no/said"
}
check "a package that apt-get does not have is named" \
    without_packages "has no libc6-dev 2.36-9+deb12u14: put its file for amd64"
echo "not a package" >"$dir/no/debs/libc6-dev_2.deb"
check "... and so is a file that is another package" \
    without_packages "libc6-dev_2.deb is not libc6-dev 2.36-9+deb12u14 for amd64, SHA-256"
printf '#!/bin/sh\necho x\n' >"$dir/no/awk"
chmod +x "$dir/no/awk"
other_awk() {
    ! PATH=$dir/no:$PATH sh $kept/data.sh classify "$dir/no" 2>"$dir/no/said" &&
        grep -q 'places-4.csv is not' "$dir/no/said"
}
check "rows that another awk would make differently are refused" other_awk
mkdir "$dir/copy"
cp -r configs results README.md "$dir/copy"
rm -rf "$dir"/copy/results/*.db*
cd "$dir/copy" || exit 1
printf '<!-- quick n heads=4 -->0\n' >>README.md
sed -i 's/steps: 300/steps: 30/; s/eval_every: 100/eval_every: 10/' configs/quick.yaml
make_quick() {
    HEADCOUNT=$headcount EVIDENCE=$dir/evidence sh $kept/make.sh quick && [ -s $kept/quick.csv ] &&
        [ -s $kept/quick.md ] && tables_hold $kept quick &&
        grep -q '^quick,20[0-9-]*,6,' $kept/runs.csv && grep -qx '<!-- quick n heads=4 -->2' README.md
}
check "make.sh runs a sweep, keeps what it found and fills it in" make_quick
check "... also a second time" make_quick
check "... and keeps one line for that sweep" [ "$(grep -c '^quick,' $kept/runs.csv)" = 1 ]
: >configs/README.md # its numbers are of more heads than are tried here
sed -i 's/steps: 1500/steps: 30/; s/warmup: 75/warmup: 5/; s/batch: 64/batch: 8/; s/heads: .*/heads: [4, 8]/
    s/eval_every: 100/eval_every: 30\n  val_examples: 32\n  test_examples: 32/
    s/^seeds: .*/seeds: 2/' configs/prune.yaml
prunes() {
    HEADCOUNT=$headcount EVIDENCE=$dir/evidence sh $kept/make.sh prune && [ -s $kept/prune.prune.md ] &&
        [ "$(grep -c '^"d_head=8, by=[a-z]*",[1-7],2,0,' $kept/prune.prune.csv)" = 21 ] &&
        grep -q '^"d_head=split, by=ablation+150",3,2,0,' $kept/prune.prune.csv
}
check "make.sh asks the models of a sweep and keeps what they answer" prunes
changed_build() {
    git init -q . && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x &&
        ! HEADCOUNT=$headcount EVIDENCE=$dir/evidence sh $kept/make.sh 2>"$dir/said" &&
        grep -q 'no commit of this history' "$dir/said"
}
if command -v git >/dev/null; then
    check "make.sh refuses a program whose commit is in no history" changed_build
else
    skip "make.sh refuses a program whose commit is in no history" git
fi
finish
