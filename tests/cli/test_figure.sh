#!/bin/sh
# The figure: a tick for each head count that was run, and the line of guessing. Speaks TAP; run from the
# repository's root.
. tests/tap.sh
command -v gnuplot >/dev/null || skip_all "the figure" gnuplot
figure() { gnuplot -e "csv='$1'; svg='$dir/figure.svg'" results/reference/figure.gp; }
says() { grep -q ">$1</tspan>" "$dir/figure.svg" || { grep "<text>" "$dir/figure.svg"; return 1; }; }
cat >"$dir/table.csv" <<'C'
sweep,setting,setting_label,heads,mean_acc,ci95_low,ci95_high,chance
divisors,"{""a"":1}",length=16,1,.3,.2,.4,0.0625
divisors,"{""a"":1}",length=16,6,.9,.8,.95,0.0625
divisors,"{""a"":1}",length=16,48,.5,.4,.6,0.0625
divisors,"{""a"":2}","length=32, slots=2",1,.4,,,0.125
divisors,"{""a"":2}","length=32, slots=2",6,.8,,,0.125
C
check "a table of six and 48 heads" figure "$dir/table.csv"
for heads in 1 6 48; do
    check "a tick at $heads heads" says $heads
done
check "none where no head count was" sh -c "! grep -q '>32<' '$dir/figure.svg'"
check "the line of guessing" says guessing
cut -d, -f1-7 "$dir/table.csv" >"$dir/old.csv"
check "a table of an older version" figure "$dir/old.csv"
check "... has no such line" sh -c "! grep -q guessing '$dir/figure.svg'"
cat >"$dir/trials.csv" <<'C'
setting_label,heads,seed,test_acc
length=16,1,0,.25
length=16,1,1,.35
length=16,6,0,.9
"length=32, slots=2",48,0,.4
C
plain=$(figure "$dir/table.csv" && grep -c "xlink:href='#gpPt6'" "$dir/figure.svg")
seeds() {
    gnuplot -e "csv='$dir/table.csv'; trials='$dir/trials.csv'; plateau='6 48'; svg='$dir/figure.svg'" results/reference/figure.gp
}
check "every seed is a point" seeds
check "... four more than without" sh -c "[ \$(grep -c \"xlink:href='#gpPt6'\" '$dir/figure.svg') = $((plain + 4)) ]"
check "... and the plateau is named" says plateau
cp "$dir/figure.svg" "$dir/first.svg"
check "... the same each time" sh -c "gnuplot -e \"csv='$dir/table.csv'; trials='$dir/trials.csv'; plateau='6 48'; svg='$dir/figure.svg'\" results/reference/figure.gp && cmp '$dir/first.svg' '$dir/figure.svg'"
{ # diverged trials in the mean: another curve than that of the completed
    sed -n '1s/$/,mean_all,all_low,all_high/p' "$dir/table.csv"
    sed '1d; s/$/,.1,.05,.15/' "$dir/table.csv"
} >"$dir/all.csv"
figure "$dir/table.csv" && cp "$dir/figure.svg" "$dir/first.svg"
check "a table with bad trials in its means" figure "$dir/all.csv"
check "... shows them" sh -c "! cmp -s '$dir/first.svg' '$dir/figure.svg'"
check "the reference table" figure results/reference/gather.csv
check "... has its line of guessing" says guessing
finish
