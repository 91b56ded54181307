"""Writes fit.csv, expected values of tests/sweep/test_fit.c, with NumPy: run it in this folder.

The committed file was made with NumPy 2.4.6. A line is one regression: n, the number of terms, the
coefficients and the share of variance explained, then the n rows of X (with its column of ones) and y.
"""
import numpy as np

rng = np.random.default_rng(1)


def designs():
    slots, width = np.array([(k, c) for k in (1, 2, 4, 8) for c in (16, 32, 64)], float).T
    ones = np.ones(len(slots))
    both = np.column_stack([ones, np.log2(slots), np.log2(width)])
    yield both, np.log2([1, 1, 1, 2, 2, 2, 4, 2, 4, 8, 8, 4])
    yield both[:, :2], np.log2([1, 2, 1, 2, 2, 4, 4, 4, 4, 8, 16, 8])
    yield both[:4], np.array([0., 1, 1, 2])
    yield np.column_stack([ones, 1e6 + np.arange(12.)]), rng.normal(size=12)
    yield np.column_stack([np.ones(40), rng.normal(size=(40, 2))]), rng.normal(size=40)


with open("fit.csv", "w") as f:
    f.write("n,terms,b...,r2,then per row x...,y\n")
    for x, y in designs():
        b, *_ = np.linalg.lstsq(x, y, rcond=None)
        r2 = 1 - np.sum((y - x @ b) ** 2) / np.sum((y - y.mean()) ** 2)
        numbers = [*b, r2, *np.column_stack([x, y]).ravel()]
        f.write(",".join(["%d,%d" % x.shape] + ["%.17g" % v for v in numbers]) + "\n")
