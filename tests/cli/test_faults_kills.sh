#!/bin/sh
# A sample of every kind of fault of the matrix in tests/crash (`make crash` has them all), part 1: kills around
# trials, rungs, looks, edits, studies and merges. Speaks TAP.
CRASH_FORM=short CRASH_BUILD=plain exec sh tests/crash/run.sh calls kills rungs extend looks confirm edits ask studies merge
