#!/bin/sh
# A sample of every kind of fault of the matrix in tests/crash (`make crash` has them all), part 3: locks, signals,
# hangs, limits. Speaks TAP.
CRASH_FORM=short CRASH_BUILD=plain exec sh tests/crash/run.sh locks signals hangs limits
