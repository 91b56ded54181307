#!/bin/sh
# usage: peers.sh HEADCOUNT FOLDER THREADS [WORKLOAD:HEADS ...]   Measures against PyTorch and JAX, each
# with as many threads on as many cores; pip brings them into a virtual environment in FOLDER once.
# PEERS_PIP holds further arguments for pip: from PyPI, PyTorch for Linux comes with several GB of GPU
# libraries, and an index without them can be named.
set -eu
headcount=$1
folder=$2
threads=$3
shift 3
skip() {
    echo "make bench-peers: skipped, because $1"
    exit 0
}
[ "$threads" -le "$(nproc)" ] || skip "$threads threads need as many cores, and here are $(nproc)"

if ! "$folder/bin/python" -c 'import torch, optax' 2>/dev/null; then
    mkdir -p "$folder"
    [ "$(df -Pk "$folder" | awk 'NR == 2 {print $4}')" -gt 12000000 ] ||
        skip "the packages need 12 GB in $folder"
    python3 -m venv "$folder" || skip "python3 cannot make a virtual environment (Debian: python3-venv)"
    echo "Installing torch, jax and optax into $folder; that takes minutes."
    # shellcheck disable=SC2086
    "$folder/bin/pip" install --quiet --disable-pip-version-check ${PEERS_PIP:-} torch jax optax ||
        skip "torch, jax and optax could not be installed (is there a network?)"
fi
cores=
command -v taskset >/dev/null && cores="taskset -c 0-$((threads - 1))"
exec $cores "$folder/bin/python" "$(dirname "$0")/peers.py" "$headcount" "$folder/bin/python" "$threads" "$@"
