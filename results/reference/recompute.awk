# Every interval and p of a sweep's report, from its trials alone; `claimed` is the head count that the claim calls
# best, `margin` the sweep's `equivalence`:
#
#   cd results/reference
#   awk -F, -v claimed=4 -v margin=.005 -f statistics.awk -f recompute.awk gather-tuned.trials.csv
#
# For a sweep of one setting, with one tuned axis at most and without replicates, whose head counts all have the same
# seeds and none of whose trials met a limit. One that diverged or failed counts as a guess. POSIX awk.

function of(h,    k) { for (k = 1; k <= n; k++) x[k] = test[h, k]; student(x, n) }
function less(a, b,    k) { for (k = 1; k <= n; k++) x[k] = test[a, k] - test[b, k]; student(x, n) }
function say(p,    text) {
    text = sprintf("%.3g", p)
    sub(/^0[.]/, ".", text)
    return p < 1e-4 ? "p < .0001" : "p = " text
}
function largest(a, b) { return a > b ? a : b }
function smallest(a, b) { return a < b ? a : b }

$6 == "judged" {
    if ($2 != h) heads[++m] = h = $2
    n = ++count[h]; test[h, n] = $10; solved[h] += $10 >= .99
    chance = largest(chance + 0, $15 + 0)
}
END {
    for (trial in test)
        if (test[trial] == "")
            test[trial] = chance
    for (i = 1; i <= m; i++) {
        of(h = heads[i])
        printf "| %d | %d | %.3f | [%.3f, %.3f] | ", h, n, mean, largest(low, 0), smallest(high, 1)
        printf "%d/%d | %.0f-%.0f%% |\n", solved[h], n, share_low(solved[h], n) * 100, share_high(solved[h], n) * 100
    }
    for (i = 1; i <= m; i++) {
        less(claimed, h = heads[i])
        if (h != claimed)
            printf "%d heads against %d: %+.3f test accuracy, 95%% interval %+.3f to %+.3f, two-sided paired t test %s\n",
                claimed, h, mean, low, high, say(p)
        if (h != claimed)
            print claimed " heads against " h ": exact sign-flip test " say(sign_flip_p(x, n))
        least = 1
        for (j = 1; j <= m; j++) {
            less(heads[j], h)
            least = smallest(least, j == i ? 1 : above(0, n))
            less(h, heads[j])
            q[i] = largest(q[i] + 0, j == i ? 0 : above(-margin, n))
        }
        print h ": beaten by another, corrected " say(smallest((m - 1) * least, 1))
    }
    step_down(q, m, m - 1)
    for (i = 1; i <= m; i++)
        print heads[i] ": within " margin " of the best, corrected " say(q[i])
}
