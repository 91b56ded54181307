# Test accuracy per head count with 95% intervals, one line per setting, as SVG:
#
#   headcount report gather --csv > gather.csv
#   gnuplot -e "csv='gather.csv'; svg='gather.svg'" results/reference/figure.gp
#
# Optional, each in a -e: heading='...' in place of the sweep's name; trials='...', a table of setting_label,
# heads, seed and test_acc, whose every line becomes a small point beside its mean (make.sh has the query);
# plateau='4 16', head counts between which the background is shaded. A dashed line stands at the accuracy
# of guessing, where the table has a column `chance` (results files of older versions have none).

if (!exists("csv")) { print "figure.gp: give the table: gnuplot -e \"csv='...'; svg='...'\""; exit status 2 }
if (!exists("svg")) svg = "figure.svg"

# Inside quoted fields gnuplot knows neither doubled quotes (the JSON of the setting) nor a comma (the
# label of a setting of several axes).
cleaned(file) = "< sed -e 's/\"\"/ /g' -e 's/, / /g' '" . file . "'"
table = cleaned(csv)
seeds = exists("trials") ? cleaned(trials) : table

set datafile separator comma
set datafile missing ""
set datafile columnheaders

# One pass collects the settings, in the order of the table, and the range of head counts. Their
# labels become words (no spaces) of one string, so that word() can count them out.
joined(s) = (strstrt(s, " ") == 0) ? s : s[1:strstrt(s, " ") - 1] . "~" . joined(s[strstrt(s, " ") + 1:*])
spaced(s) = (strstrt(s, "~") == 0) ? s : s[1:strstrt(s, "~") - 1] . " " . spaced(s[strstrt(s, "~") + 1:*])
key_of(s) = (strlen(s) == 0) ? "~" : joined(s)
labels = ""
name = ""
collect(sweep, label) = (name = sweep, \
    labels = (strstrt(" " . labels . " ", " " . key_of(label) . " ") ? labels : labels . " " . key_of(label)), 0)
stats table using (collect(strcol("sweep"), strcol("setting_label"))) nooutput
stats table using (column("heads")) name "heads" nooutput

# The head counts themselves are the ticks; one that would be printed over another has no number.
ticks = ""
close(heads) = sum [i = 1:words(ticks)] (abs(log(heads / word(ticks, i))) < 0.09)
tick(heads) = (ticks = close(heads) ? ticks : ticks . sprintf(" %d", heads), 0)
stats table using (tick(column("heads"))) nooutput
bare = ""
add_bare(heads) = (bare = bare . (strstrt(ticks . " ", sprintf(" %d ", heads)) ? "" : sprintf(" %d", heads)), 0)
stats table using (add_bare(column("heads"))) nooutput

# Means in which a trial that diverged or failed counts as a guess, as in the report, where the table has them.
all = system("head -n 1 '" . csv . "' | grep -c mean_all") + 0 > 0
mean = all ? "mean_all" : "mean_acc"
low = all ? "all_low" : "ci95_low"
high = all ? "all_high" : "ci95_high"

# Each accuracy of guessing once.
guesses = ""
most_guessed = 0.0
guess(x) = (most_guessed = x > most_guessed ? x : most_guessed, guesses = strstrt(guesses . " ", sprintf(" %.4g ", x)) ? guesses : guesses . sprintf(" %.4g", x), 0)
if (system("head -n 1 '" . csv . "' | grep -c chance") + 0 > 0) { stats table using (guess(column("chance"))) nooutput }
curves = words(labels)

set terminal svg size 720,400 font "Helvetica,14" background "#ffffff" name "headcount"
set output svg
set title (exists("heading") ? heading : name) noenhanced
set xlabel "attention heads"
set ylabel "test accuracy"
set yrange [0:1.04]
set ytics 0.2 nomirror
set xrange [heads_min / 1.25 : heads_max * 1.25]
set logscale x 2
unset mxtics
set xtics nomirror (word(ticks, 1) word(ticks, 1) + 0)
do for [i = 2:words(ticks)] { set xtics add (word(ticks, i) word(ticks, i) + 0) }
do for [i = 1:words(bare)] { set xtics add ("" word(bare, i) + 0) }
do for [i = 1:words(guesses)] {
    set arrow from graph 0, first word(guesses, i) + 0 to graph 1, first word(guesses, i) + 0 nohead dt 2 lc "#888888"
}
if (words(guesses)) { set label "guessing" at graph 0.995, first most_guessed + 0.035 right font ",11" textcolor "#666666" }
set border 3 lc "#444444"
set grid ytics lc "#dddddd" lt 1 lw 1
set errorbars 0.6
set key outside center bottom horizontal Left reverse noenhanced samplen 2
if (curves == 1) unset key

# Colours that people who see few colours tell apart (Okabe and Ito 2008).
array colour[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
array shape[7] = [7, 5, 9, 11, 13, 4, 6]

# The range in which the best cannot be told from the others, or is within the margin.
if (exists("plateau") ? words(plateau) == 2 : 0) {
    set object rectangle from word(plateau, 1) / 1.12, graph 0 to word(plateau, 2) * 1.12, graph 1 \
        behind fillcolor rgb "#e4f3ee" fillstyle solid noborder
    set label "plateau" at sqrt(word(plateau, 1) * word(plateau, 2)), graph 0.10 center font ",11" textcolor "#007a5a"
}

# Several curves stand a little apart, so that their intervals can be seen. Seeds stand to the right of
# their mean, each at a place of its own: multiples of the golden ratio spread evenly, whatever their
# number.
aside(i) = 2 ** (0.06 * (i - (curves + 1) / 2.0))
spread(seed) = 2 ** (0.05 + 0.13 * (seed * 0.618034 - floor(seed * 0.618034)))
mine(i) = key_of(strcol("setting_label")) eq word(labels, i)
least(x) = x < 0 ? 0 : x
most(x) = x > 1 ? 1 : x

# Where an interval is missing (one seed) the point stands alone.
singles = exists("trials") ? curves : 0
seed = exists("trials") ? "seed" : "heads" # columns are looked up even where there is no curve
single = exists("trials") ? "test_acc" : mean
plot for [i = 1:singles] seeds using (mine(i) ? column("heads") * aside(i) * spread(column(seed)) : NaN) : \
         (column(single)) with points notitle lc rgb "#70" . colour[(i - 1) % 7 + 1][2:7] pt 7 ps 0.4, \
     for [i = 1:curves] table using (mine(i) ? column("heads") * aside(i) : NaN) : \
         (column(mean)) : (least(column(low))) : (most(column(high))) \
         with yerrorbars notitle lc rgb colour[(i - 1) % 7 + 1] pt 0 lw 1.5, \
     for [i = 1:curves] table using (mine(i) ? column("heads") * aside(i) : NaN) : (column(mean)) \
         with linespoints title spaced(word(labels, i)) \
         lc rgb colour[(i - 1) % 7 + 1] pt shape[(i - 1) % 7 + 1] ps 0.6 lw 1.8
