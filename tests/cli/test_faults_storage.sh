#!/bin/sh
# A sample of every kind of fault of the matrix in tests/crash (`make crash` has them all), part 2: data that changes,
# full and failing disks, no memory, damaged files. Speaks TAP.
CRASH_FORM=short CRASH_BUILD=plain exec sh tests/crash/run.sh data disk memory damage
