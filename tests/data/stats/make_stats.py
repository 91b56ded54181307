"""Writes the expected values of tests/sweep/test_stats.c with SciPy: run it in this folder.

The committed files were made with SciPy 1.10.1, NumPy 1.24.2; above.csv, median.csv,
components.csv and crossed.csv with SciPy 1.17.1, NumPy 2.4.6. published.csv is not
written here: its values are copied from printed sources, which it names.
"""
import csv
import itertools

import numpy as np
from scipy import special, stats


def write(name, header, rows):
    with open(name, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(header)
        out.writerows([["%.17g" % x if isinstance(x, float) else x for x in row] for row in rows])


def beta():
    shapes = [.5, 1, 1.5, 3, 10, 49.5, 500]
    xs = [1e-8, .001, .05, .3, .5, .7, .95, .999]
    for a, b, x in itertools.product(shapes, shapes, xs):
        yield a, b, x, float(special.betainc(a, b, x))


def t_p():
    for df in [1, 2, 3, 4, 9, 29, 99, 10000]:
        for t in [0., .01, .5, 1., 2., 2.776, 5., 12., 60.]:
            yield df, t, float(2 * stats.t.sf(t, df))


def t_quantile():
    for df in [1, 2, 3, 4, 5, 7, 9, 14, 19, 29, 49, 99, 999, 100000]:
        for p in [.0005, .025, .05, .4, .6, .9, .95, .975, .99, .995, .99995]:
            yield df, p, float(stats.t.ppf(p, df))


def binomial():
    for n in [1, 2, 3, 5, 8, 20, 100, 1000]:
        for k in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            if k <= n:
                ci = stats.binomtest(k, n).proportion_ci(.95, "exact")
                yield k, n, float(ci.low), float(ci.high)


def sign_flip(d):
    """All 2^n signs, as scipy.stats.permutation_test does for pairs, and faster."""
    sums = np.zeros(1)
    for x in d:
        sums = np.concatenate([sums + x, sums - x])
    return float(np.mean(np.abs(sums) >= abs(d.sum()) - 1e-10 * np.abs(d).sum()))


def pairs():
    draw = np.random.default_rng(20240117)
    for n in [2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 21]:
        for shift in [0, .02, .2]:
            # Accuracies as they come out of 1024 examples: ties and equal differences happen.
            a = np.round(draw.beta(40, 8, n) * 1024) / 1024
            b = np.clip(np.round((a - shift + draw.normal(0, .03, n)) * 1024) / 1024, 0, 1)
            d = a - b
            if d.std() == 0:
                continue
            t, p = stats.ttest_rel(a, b)
            half = stats.t.ppf(.975, n - 1) * d.std(ddof=1) / np.sqrt(n)
            yield (n, int((d > 0).sum()), int((d < 0).sum()), float(d.mean()), float(d.std(ddof=1)),
                   float(d.mean() - half), float(d.mean() + half), float(t), float(p), sign_flip(d),
                   " ".join("%.17g" % x for x in a), " ".join("%.17g" % x for x in b))


def above():
    draw = np.random.default_rng(7)
    for n in [2, 3, 5, 8, 20]:
        for bound in [-.5, 0., .01, .3]:
            x = draw.normal(.02, .05, n)
            yield (float(x.mean()), float(x.std(ddof=1)), n, bound,
                   float(stats.ttest_1samp(x, bound, alternative="greater").pvalue))


def median():
    """Of the numbers 1..n; NaN where the order statistics do not reach 95%."""
    for n in list(range(1, 31)) + [50, 100]:
        ci = stats.quantile_test(np.arange(1., n + 1), q=n, p=.5).confidence_interval(.95)
        yield n, float(ci.low), float(ci.high)


def components():
    """Mean squares by way of the F of a one-way analysis of variance."""
    draw = np.random.default_rng(11)
    for sizes in [[3] * 8, [2, 3, 4], [1, 5, 2, 1], [4, 4]]:
        for spread in [0., .1]:
            groups = [draw.normal(draw.normal(0, spread), .05, n) for n in sizes]
            n, k = sum(sizes), len(sizes)
            within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - k)
            f = stats.f_oneway(*groups).statistic
            typical = (n - sum(m * m for m in sizes) / n) / (k - 1)
            yield (" ".join(map(str, sizes)), float(max(0, (f - 1) * within / typical)),
                   float(within), " ".join("%.17g" % x for g in groups for x in g))


def crossed():
    """Mean squares by least squares on dummy variables, a route that needs no formula for them."""
    draw = np.random.default_rng(29)

    def left_by(terms, x):
        return ((x - terms @ np.linalg.lstsq(terms, x, rcond=None)[0]) ** 2).sum()

    for rows, columns in [(2, 2), (2, 12), (3, 32), (4, 20), (5, 8), (8, 3)]:
        for seed, block, noise in [(1, 1, .1), (0, 0, 1), (3, .1, .1), (.1, 3, .1)]:
            x = .3 + seed * draw.normal(0, 1, (rows, 1)) + block * draw.normal(0, 1, (1, columns))
            x = np.round(x + noise * draw.normal(0, 1, (rows, columns)), 3)
            i, k = np.indices(x.shape).reshape(2, -1)
            by = [np.ones((x.size, 1)), np.eye(rows)[i], np.eye(columns)[k]]
            whole = left_by(np.hstack(by), x.ravel())
            df = np.array([rows - 1, columns - 1, (rows - 1) * (columns - 1)])
            without_rows = left_by(np.hstack([by[0], by[2]]), x.ravel())
            without_columns = left_by(np.hstack([by[0], by[1]]), x.ravel())
            v = np.array([without_rows - whole, without_columns - whole, whole]) / df / x.size
            if columns >= 16:  # neighbours that are alike count for fewer
                off = x.mean(axis=0) - x.mean()
                alike = (columns * (off[1:] @ off[:-1]) / (off @ off) + 1) / (columns - 4)
                worth = max(2, columns * (1 - min(max(alike, 0), 1)) / (1 + max(alike, 0)))
                v[1] *= columns / worth
                df = np.array([rows - 1, worth - 1, df[2]])
            both = (v[0] + v[1] - v[2], (v[0] + v[1] - v[2]) ** 2 / (v ** 2 / df).sum())
            both = max(both, (v[0], df[0]), (v[1], df[1]), key=lambda of: of[0])
            asked = [(np.sqrt(v[0]), df[0]), (np.sqrt(v[1]), df[1]), (np.sqrt(both[0]), both[1])]
            yield (rows, columns, float(x.mean()), *[float(se) for se, _ in asked], float(both[1]),
                   float(max(2 * stats.t.sf(abs(x.mean()) / se, of) for se, of in asked)),
                   float(max(stats.t.ppf(.975, of) * se for se, of in asked)),
                   " ".join("%g" % value for value in x.ravel()))


write("beta.csv", ["a", "b", "x", "I"], beta())
write("t_p.csv", ["df", "t", "p"], t_p())
write("t_quantile.csv", ["df", "p", "t"], t_quantile())
write("binomial.csv", ["k", "n", "low", "high"], binomial())
write("above.csv", ["mean", "sd", "n", "bound", "p"], above())
write("median.csv", ["n", "low", "high"], median())
write("components.csv", ["sizes", "between", "within", "x"], components())
write("crossed.csv", ["rows", "columns", "mean", "se_rows", "se_columns", "se_both", "df_both", "p",
                      "half_width", "x"], crossed())
write("pairs.csv", ["n", "wins", "losses", "mean", "sd", "low", "high", "t", "p", "sign_flip_p",
                    "a", "b"], pairs())
# The fast sign_flip above against SciPy's own permutation test.
x, y = np.array([3., 1, 4, 1, 5, 9]), np.array([2., 7, 1, 8, 2, 1])
own = stats.permutation_test((x, y), lambda a, b, axis: (a - b).mean(axis=axis), vectorized=True,
                             permutation_type="samples", n_resamples=np.inf)
assert abs(own.pvalue - sign_flip(x - y)) < 1e-12
