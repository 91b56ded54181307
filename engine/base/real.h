/* The number type of the engine: float, or double when compiled with -DREAL_DOUBLE.
 * The double build exists for gradient checks only; it uses the naive reference kernels. */
#ifndef ENGINE_BASE_REAL_H
#define ENGINE_BASE_REAL_H

#include <float.h>

#ifdef REAL_DOUBLE
typedef double real;
#define REAL_MAX DBL_MAX
#else
typedef float real;
#define REAL_MAX FLT_MAX
#endif

#endif
