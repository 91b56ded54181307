#!/bin/sh
# A sample of every kind of fault of the matrix in tests/crash (`make crash` has them all): kills, full
# and failing disks, no memory, damaged files, locks, signals, bad input. Speaks TAP.
CRASH_FORM=short exec sh tests/crash/run.sh
