/* Eigenvalues of small symmetric matrices. */
#ifndef ENGINE_MEASURES_EIGEN_H
#define ENGINE_MEASURES_EIGEN_H

#include <stdbool.h>

/* Overwrites a (n,n), symmetric, of which the lower triangle is read, and writes its eigenvalues in
 * any order, with an error of about 1e-15 of the largest: Householder's reduction to tridiagonal
 * form and QL steps with implicit shifts (Golub and Van Loan, Matrix Computations, 8.3). work: n
 * numbers. False where it does not converge: a NaN or Inf is among the numbers. */
bool eigenvalues(long n, double *a, double *value, double *work);

#endif
