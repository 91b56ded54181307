# What recompute.awk counts with, which awk lacks: Student's t, the sign-flip test, the binomial interval.
# POSIX awk; a library for -f.

# Two-sided p of t at a whole number of degrees of freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
function t_p(t, df,    angle, term, sum, i) {
    angle = atan2(t < 0 ? -t : t, sqrt(df))
    term = df % 2 ? cos(angle) : 1
    for (i = 2 + df % 2; i <= df; i += 2) {
        sum += term
        term *= cos(angle) ^ 2 * (i - 1) / i
    }
    return 1 - (df % 2 ? (angle + sin(angle) * sum) * 2 / atan2(0, -1) : sin(angle) * sum)
}
# t of that p, by bisection.
function t_of(p, df,    low, high, i) {
    for (high = 1; t_p(high, df) > p; high *= 2)
        ;
    for (i = 0; i < 100; i++)
        if (t_p((low + high) / 2, df) > p)
            low = (low + high) / 2
        else
            high = (low + high) / 2
    return high
}
# Of x[1..n]: sets mean, sd and, of two values and more, the 95% interval low to high and p of "the mean is 0".
function student(x, n,    k, sum, squares) {
    for (k = 1; k <= n; k++)
        sum += x[k]
    mean = sum / n
    sd = low = high = p = ""
    if (n < 2)
        return
    for (k = 1; k <= n; k++)
        squares += (x[k] - mean) ^ 2
    sd = sqrt(squares / (n - 1))
    low = mean - t_of(.05, n - 1) * sd / sqrt(n)
    high = mean + t_of(.05, n - 1) * sd / sqrt(n)
    p = sd > 0 ? t_p(mean / (sd / sqrt(n)), n - 1) : mean == 0 ? 1 : ""
}
# One-sided p of "the mean is above the bound", after student().
function above(bound, n,    both) {
    if (sd == 0)
        return mean > bound ? .5 ^ n : 1
    both = t_p((mean - bound) / (sd / sqrt(n)), n - 1)
    return mean > bound ? both / 2 : 1 - both / 2
}
# How many of all signs of x[i..n] bring the sum as far from 0 as `far`.
function signs(x, n, i, sum, far) {
    if (i > n)
        return sum >= far || -sum >= far
    return signs(x, n, i + 1, sum + x[i], far) + signs(x, n, i + 1, sum - x[i], far)
}
# p of the exact sign-flip test.
function sign_flip_p(x, n,    k, sum) {
    for (k = 1; k <= n; k++)
        sum += x[k]
    return signs(x, n, 1, 0, (sum < 0 ? -sum : sum) * (1 - 1e-9)) / 2 ^ n
}
# Probability of at least k successes of n.
function at_least(k, n, share,    i, term, sum) {
    term = 1
    for (i = 0; i <= n; i++) {
        if (i >= k)
            sum += term * share ^ i * (1 - share) ^ (n - i)
        term *= (n - i) / (i + 1)
    }
    return sum
}
# The share with which at least k of n have that probability, by bisection.
function share_of(probability, k, n,    low, high, i) {
    high = 1
    for (i = 0; i < 60; i++)
        if (at_least(k, n, (low + high) / 2) < probability)
            low = (low + high) / 2
        else
            high = (low + high) / 2
    return high
}
# The ends of the 95% interval of k of n (Clopper and Pearson 1934).
function share_low(k, n) { return k > 0 ? share_of(.025, k, n) : 0 }
function share_high(k, n) { return k < n ? share_of(.975, k + 1, n) : 1 }
# Holm's (1979) correction of q[1..m] in place, where at most `most` can be true together (Shaffer 1986).
function step_down(q, m, most,    order, i, k, left, running) {
    for (i = 1; i <= m; i++) {
        for (k = i; k > 1 && q[i] < q[order[k - 1]]; k--)
            order[k] = order[k - 1]
        order[k] = i
    }
    for (i = 1; i <= m; i++) {
        left = m - i + 1 < most ? m - i + 1 : most
        running = left * q[order[i]] > running ? left * q[order[i]] : running
        q[order[i]] = running > 1 ? 1 : running
    }
}
