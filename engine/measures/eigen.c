#include "engine/measures/eigen.h"

#include <float.h>
#include <math.h>

#include "engine/base/heartbeat.h"

/* a (n,n) to a matrix of the same eigenvalues that has only a diagonal and a subdiagonal beside it
 * (one below in row i), by reflections that clear row after row from the last. */
static void tridiagonal(long n, double *a, double *diagonal, double *below)
{
    for (long i = n - 1; i > 0; i--) {
        double *u = a + i * n, scale = 0, square = 0, uk = 0;
        heartbeat();
        for (long k = 0; k < i; k++)
            scale += fabs(u[k]);
        below[i] = u[i - 1];
        diagonal[i] = u[i];
        if (i == 1 || scale == 0)
            continue;
        for (long k = 0; k < i; k++) {
            u[k] /= scale;
            square += u[k] * u[k];
        }
        double length = copysign(sqrt(square), u[i - 1]);
        below[i] = -scale * length;
        square += u[i - 1] * length; /* |u|^2 / 2 of the reflection's vector */
        u[i - 1] += length;
        /* p = A u / (|u|^2/2), kept in below[0..i-1], which is not in use yet */
        for (long j = 0; j < i; j++) {
            double sum = 0;
            for (long k = 0; k <= j; k++)
                sum += a[j * n + k] * u[k];
            for (long k = j + 1; k < i; k++)
                sum += a[k * n + j] * u[k];
            below[j] = sum / square;
            uk += below[j] * u[j];
        }
        uk /= 2 * square;
        for (long j = 0; j < i; j++)
            below[j] -= uk * u[j];
        for (long j = 0; j < i; j++)
            for (long k = 0; k <= j; k++)
                a[j * n + k] -= u[j] * below[k] + below[j] * u[k];
    }
    diagonal[0] = a[0];
    below[0] = 0;
}

/* One QL step with an implicit shift on the block from `first` to `last`. */
static void ql_step(long first, long last, double *d, double *e)
{
    double g = (d[first + 1] - d[first]) / (2 * e[first]);
    double shifted = d[last] - d[first] + e[first] / (g + copysign(hypot(g, 1), g));
    double sine = 1, cosine = 1, p = 0;
    for (long i = last - 1; i >= first; i--) {
        double f = sine * e[i], b = cosine * e[i], r = hypot(f, shifted);
        e[i + 1] = r;
        if (r == 0) { /* it fell into two blocks on the way */
            d[i + 1] -= p;
            e[last] = 0;
            return;
        }
        sine = f / r;
        cosine = shifted / r;
        double q = d[i + 1] - p;
        r = (d[i] - q) * sine + 2 * cosine * b;
        p = sine * r;
        d[i + 1] = q + p;
        shifted = cosine * r - b;
    }
    d[first] -= p;
    e[first] = shifted;
    e[last] = 0;
}

bool eigenvalues(long n, double *a, double *d, double *e)
{
    enum { STEPS = 60 };
    tridiagonal(n, a, d, e);
    for (long i = 1; i < n; i++) /* from here on e[i] stands between d[i] and d[i+1] */
        e[i - 1] = e[i];
    e[n - 1] = 0;
    for (long first = 0; first < n; first++)
        for (int step = 0;; step++) {
            long last = first;
            while (last < n - 1 &&
                   !(fabs(e[last]) <= DBL_EPSILON * (fabs(d[last]) + fabs(d[last + 1]))))
                last++;
            if (last == first)
                break;
            if (step == STEPS)
                return false;
            ql_step(first, last, d, e);
            heartbeat();
        }
    for (long i = 0; i < n; i++)
        if (!isfinite(d[i]))
            return false;
    return true;
}
