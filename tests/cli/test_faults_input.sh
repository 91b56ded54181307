#!/bin/sh
# A sample of every kind of fault of the matrix in tests/crash (`make crash` has them all), part 4: absurd rows, bad
# input, a sweep under valgrind. Speaks TAP.
CRASH_FORM=short exec sh tests/crash/run.sh rows input valgrind
