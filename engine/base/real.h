/* The number type of the engine: float, or double when compiled with -DREAL_DOUBLE.
 * The double build exists for gradient checks only; it uses the naive reference kernels. */
#ifndef ENGINE_BASE_REAL_H
#define ENGINE_BASE_REAL_H

#ifdef REAL_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
