#!/bin/sh
# The figure that `report --svg` lets gnuplot draw: what is in it, and what is left where gnuplot is missing,
# fails or is cut off. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
sweep() { # name, slots, heads, rates
    printf 'name: %s\ntask: {name: gather, length: 16, vocab: 8, slots: %s}\n' "$1" "$2"
    printf 'model: {d_model: 48, heads: %s, layers: 1, d_ff: 16}\n' "$3"
    printf 'train: {steps: 20, batch: 8, lr: %s, eval_every: 10, val_examples: 32, test_examples: 32}\nseeds: 3\n' "$4"
}
run() { # sweep...
    sweep "$@" >"$1.yaml" && headcount run "$1.yaml" --db r.db --quiet >said 2>&1 || trouble "$1: $(cat said)"
}
run plain 2 '[1, 6, 48]' 0.01
verdict "a sweep runs"
gives() { # status, pattern, arguments of report
    status=$1 pattern=$2
    shift 2
    headcount report "$@" --db r.db >said 2>&1
    got=$?
    [ $got -eq "$status" ] || { echo "status $got, expected $status"; cat said; return 1; }
    [ -z "$pattern" ] || grep -q -e "$pattern" said || { echo "no '$pattern' in:"; cat said; return 1; }
}
untouched() { # nothing but the old file: no half one, no temporary one
    [ "$(cat old.svg)" = old ] && ! ls ./*.tmp 2>/dev/null
}
# A gnuplot of our own, first in PATH.
mkdir fake
fake() {
    printf '#!/bin/sh\n%s\n' "$1" >fake/gnuplot
    chmod +x fake/gnuplot
}
with_fake() { PATH=$dir/fake:$PATH "$@"; }
without_gnuplot() { # only what the test itself needs
    PATH=$dir/bin gives 3 \
        'gnuplot draws the figure and is not in PATH; install it (Debian, Ubuntu: apt install gnuplot-nox)' plain \
        --svg old.svg
}

# ---- without a gnuplot that works ----
echo old >old.svg
ln -s "$(command -v grep)" "$(command -v cat)" "$dir/bin"
check "without gnuplot the message has the remedy" without_gnuplot
check "... and nothing is written" untouched
fake 'echo "line 3: no such thing" >&2; exit 1'
check "the words of a gnuplot that fails are shown" \
    with_fake gives 3 'gnuplot failed with status 1: line 3: no such thing' plain --svg old.svg
check "... and nothing is written" untouched
fake 'cat >/dev/null; echo "<svg>"'
check "half an SVG is refused" with_fake gives 3 'gnuplot wrote no whole SVG' plain --svg old.svg
check "... and nothing is written" untouched
fake 'kill -9 $$'
check "a gnuplot that is killed is reported with its signal" \
    with_fake gives 3 'gnuplot was ended by signal 9 (Killed): no figure' plain --svg old.svg
fake 'exec env --default-signal=XFSZ sh -c "kill -XFSZ \$\$"'
check "... also if its file grew too large" \
    with_fake gives 3 'gnuplot was ended by signal 25 (File size limit exceeded): no figure' plain --svg old.svg
fake '(ulimit -f 1; head -c 10000 /dev/zero >cache 2>&1); echo "it ended with $?" >&2; exit 1'
check "gnuplot gets an error, not a signal, if a file of its own does not fit" \
    with_fake gives 3 'gnuplot failed with status 1: it ended with 1' plain --svg old.svg
fake 'head -c 1000000 /dev/zero | tr "\0" x >&2; exit 2'
check "a gnuplot that writes much and reads nothing is reported" with_fake gives 3 'gnuplot failed with status 2: xxx' plain --svg old.svg
fake 'yes'
check "a gnuplot that writes without end is stopped" with_fake gives 3 'gnuplot writes without end' plain --svg old.svg
check "... and nothing is written" untouched
fake 'echo >began; exec sleep 1000'
PATH=$dir/fake:$PATH env --default-signal=INT "$headcount" report plain --db r.db --svg old.svg >said 2>&1 &
pid=$!
wait_until test -e began
kill -INT $pid
wait $pid
stopped=$?
pid=
check "Ctrl-C ends the report and its gnuplot" [ $stopped -eq 75 ]
check "... and says so" grep -q 'stopped; no figure was written' said
check "... and nothing is written" untouched
check "two formats at once are refused" gives 2 'give only one of' plain --svg a.svg --html a.html
check "a sweep beside itself is refused" gives 2 'plain is named twice' plain plain --svg a.svg
check "a figure over the results file is refused" gives 2 'results file itself' plain --svg r.db

# ---- with gnuplot ----
if ! command -v gnuplot >/dev/null; then
    skip "the figure is drawn" gnuplot
    finish
    exit
fi
says() { grep -qF -e ">$1<" f.svg || { grep -o "<text>.*\|<tspan.*" f.svg; return 1; }; }
points() { grep -c "xlink:href='#gpPt6'" f.svg; } # dots
check "the figure is drawn" gives 0 '' plain --svg f.svg
for heads in 1 6 48; do
    check "the figure has a tick at $heads heads" says $heads
done
check "the figure has no tick where no head count is" fails says 32
check "the figure has the line of guessing" says guessing
check "the figure has a dot for every seed and every mean" [ "$(points)" -ge 12 ]
check "the figure is the same each time" sh -c "headcount report plain --db r.db --svg - | cmp - f.svg"
echo "plot nonsense" >"$dir/.gnuplot"
check "... whatever the user's gnuplot settings are" \
    sh -c "HOME='$dir' GNUTERM=dumb headcount report plain --db r.db --svg - | cmp - f.svg"
full() { (ulimit -f 20 && gives 3 'old.svg' plain --svg old.svg); }
check "a figure that does not fit fails with its name" full
check "... and leaves the old one" untouched
check "the plateau is shaded" grep -qi 'rgb(228, 243, 238)\|#e4f3ee' f.svg
sqlite3 r.db "UPDATE trial SET state = 'diverged' WHERE trial_id = 1"
check "a sweep with a diverged trial is drawn" gives 0 '' plain --svg f.svg
check "... with a cross for that trial" grep -q "xlink:href='#gpPt1'" f.svg

run curves '[1, 2]' '[1, 6]' 0.01
check "a sweep with two settings is drawn" gives 0 '' curves --svg f.svg
check "... as two curves with their names" sh -c "grep -q '>slots=1<' f.svg && grep -q '>slots=2<' f.svg"
run map '[1, 2]' '[1, 6]' '[0.01, 0.03]'
check "settings of two quantities are drawn" gives 0 '' map --svg f.svg
check "... with a map" grep -q 'Each confidence set and, in brackets' f.svg
check "... which names settings that no head count solves" grep -qE "unsolved|at chance" f.svg
check "... and a panel for each setting" sh -c "[ \$(grep -c '>slots=[12], lr=0.0[13]<' f.svg) = 4 ]"
run many '[1, 2, 3, 4, 5, 6, 7]' '[1, 6]' 0.01
check "a sweep with many settings is drawn" gives 0 '' many --svg f.svg
check "... with a panel for each setting" sh -c "[ \$(grep -c '>slots=[1-7]<' f.svg) = 7 ]"
sed -i 's/^seeds/metric: {name: val_loss}\nseeds/; s/^name.*/name: loss/' plain.yaml
check "a sweep that is judged by loss is drawn" \
    sh -c "headcount run plain.yaml --db r.db --quiet && headcount report loss --db r.db --svg f.svg"
check "... with test loss at its axis" says 'test loss'
seq 100 900 >words.txt
cat >text.yaml <<'Y'
name: text
task: {name: text, file: words.txt, length: 16}
model: {d_model: 8, heads: [1, 2, 4], layers: 1, d_ff: 8, mask: causal}
train: {steps: 20, batch: 8, eval_every: 10, val_examples: 16, test_examples: 16}
seeds: 3
metric: {name: val_loss}
Y
check "a sweep on a text is drawn" sh -c "headcount run text.yaml --db r.db --quiet && headcount report text --db r.db --svg f.svg"
check "... in bits per byte" says 'bits per byte'
check "... with a dot for every seed and every mean" [ "$(points)" -ge 12 ]
# The numbers at the value axis are around the trials' values in that unit, and above those in nats.
axis=$(grep -o '>[ 0-9]*\.[0-9]*<' f.svg | tr -dc '0-9.\n' | sort -g)
check "... at an axis in bits per byte" [ "$(sqlite3 r.db "SELECT $(echo "$axis" | sed 1q) BETWEEN max(test_loss)
    AND max(bits_per_byte) AND $(echo "$axis" | sed '$!d') > min(bits_per_byte) FROM trials WHERE sweep = 'text'")" = 1 ]
{ echo text,label && seq 100 300 | awk '{print $1 "," $1 % 2}'; } >rows.csv
for modes in 'classify, lm' 'lm, classify'; do
    sed "s/file: .*/file: rows.csv, length: 8, mode: [$modes]}/; s/causal}/causal, pool: [none, mean]}/
        s/^name.*/name: ${modes%,*}-first/" text.yaml >modes.yaml
    echo 'exclude: [{task.mode: classify, model.pool: none}, {task.mode: lm, model.pool: mean}]' >>modes.yaml
    headcount run modes.yaml --db r.db --quiet >said 2>&1
    check "losses of bytes and of labels are drawn together" gives 0 '' "${modes%,*}-first" --svg f.svg
    check "... in one unit, with the modes $modes" sh -c "grep -q '>test loss<' f.svg && ! grep -q '>bits per byte<' f.svg"
done
check "three sweeps are drawn side by side" gives 0 '' curves text plain --svg f.svg
check "... each in a panel with its name and its value" sh -c \
    "for word in curves text plain 'bits per byte' slots=1; do grep -qF \">\$word<\" f.svg || exit 1; done &&
    [ \$(grep -c '>test accuracy<' f.svg) = 2 ] && [ \$(grep -c '>attention heads<' f.svg) = 3 ]"
check "a sweep that needs panels of its own is refused beside another" \
    gives 2 'map needs a panel for each of its 4 settings.* draw it alone' plain map --svg f.svg
mkdir -p evidence results/reference
headcount run text.yaml --db evidence/text.db --quiet >said 2>&1
headcount run plain.yaml --db evidence/gather-tuned.db --quiet --set name=gather-tuned --set metric=null >said 2>&1
check "the front page's figure is drawn from two results files" \
    sh -c "HEADCOUNT=headcount EVIDENCE=evidence sh '$root/results/reference/front.sh' text"
check "... and shows both sweeps" sh -c "grep -q '>gather-tuned<' results/reference/front.svg &&
    grep -q '>bits per byte<' results/reference/front.svg"
check "... and is refused without a sweep's name" fails sh "$root/results/reference/front.sh"
sed -i 's/^name.*/name: waits/' plain.yaml
headcount run plain.yaml --db r.db --quiet --set train.steps=30 >/dev/null &&
    sqlite3 r.db "UPDATE trial SET state = 'queued' WHERE sweep_id = (SELECT sweep_id FROM sweep WHERE name = 'waits')"
check "a sweep in which no trial has ended is refused" gives 2 'no trial of waits has ended' waits --svg f.svg

# ---- foreign text ----
sqlite3 r.db "UPDATE sweep SET name = 'it''s <b>&amp; \`touch pwned\` @x %d' || char(10, 27, 65534, 8238) || '\"'
    WHERE name = 'many';
    UPDATE trial SET setting_label = '</text><script>''\`touch pwned\`' || setting_label"
sqlite3 r.db "SELECT writefile('name', name) FROM sweep WHERE name LIKE 'it%'" >said # not shown: newer shells escape
check "a sweep is drawn whose name a shell, gnuplot or browser would obey" \
    sh -c "headcount report \"\$(cat name)\" --db r.db --svg f.svg"
check "... with the name as mere text" sh -c "! grep -q '<script\|<b>' f.svg && grep -q '&lt;script' f.svg && [ ! -e pwned ]"
check "... and without control characters" sh -c "! LC_ALL=C grep -aP '$obeyed' f.svg"
finish
