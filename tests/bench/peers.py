"""A training step of headcount and of its peers, in turn on the same cores: milliseconds and ratios.

usage: peers.py HEADCOUNT PYTHON THREADS [WORKLOAD:HEADS ...]
PYTHON has torch, jax and optax, as far as they could be installed; what is missing is skipped by name.
"""
import json
import os
import statistics
import subprocess
import sys

PEERS = {"eager": "torch", "compiled": "torch", "jax": "optax"}  # and the module that each needs
CASES = ["gather:1", "gather:4", "gather:32", "toy:1", "toy:4", "toy:64", "small:4", "small:128",
         "medium:4", "medium:256", "large:8", "long:4"]
SECONDS = 2
PEER = os.path.join(os.path.dirname(__file__), "peer.py")


def run(command, threads="1"):
    own = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "JAX_PLATFORMS": "cpu"}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    return subprocess.run(command, capture_output=True, text=True, env={**kept, **own})


def ours(program, threads, workload, heads):
    said = run([program, "bench", "--workload", workload, "--heads", heads, "--trained", "0",
                "--threads", threads, "--milliseconds", str(SECONDS * 1000), "--json"])
    if said.returncode:
        sys.exit(f"make bench-peers: {said.stderr.strip()}")
    return json.loads(said.stdout)[0]["step_ms"]


def theirs(python, peer, threads, workload, heads):
    """What the peer says of itself, or None where it fails; why then goes to stderr."""
    said = run([python, PEER, peer, workload, heads, str(SECONDS), threads], threads)
    if said.returncode:
        last = (said.stderr.strip() or "no message").splitlines()[-1]
        print(f"{peer} {workload}:{heads}: {last}", file=sys.stderr)
        return None
    return json.loads(said.stdout.splitlines()[-1])


def importable(python):
    peers = []
    for peer, module in PEERS.items():
        if run([python, "-c", f"import {module}"]).returncode == 0:
            peers.append(peer)
        else:
            print(f"make bench-peers: {peer} skipped, because {module} cannot be imported")
    return peers


def main():
    program, python, threads, cases = *sys.argv[1:4], sys.argv[4:] or CASES
    peers = importable(python)
    if not peers:
        return
    print(run([program, "--version"]).stdout.strip())
    print(f"{'workload':9} {'heads':>5} {'headcount ms':>13}"
          + "".join(f" {peer + ' ms':>12} {'times':>6}" for peer in peers), flush=True)
    versions, behind = set(), []
    for case in cases:
        workload, heads = case.split(":")
        times, results = [ours(program, threads, workload, heads)], []
        for peer in peers:
            results.append(theirs(python, peer, threads, workload, heads))
            times.append(ours(program, threads, workload, heads))
        ms = statistics.median(times)
        line = f"{workload:9} {heads:>5} {ms:13.3f}"
        for peer, result in zip(peers, results):
            if result is None:
                line += f" {'failed':>12} {'':>6}"
                continue
            versions.add(result["version"])
            line += f" {result['ms']:12.3f} {result['ms'] / ms:6.2f}"
            if result["ms"] < ms:
                behind.append(f"{peer} {case}")
        print(line, flush=True)
    print(f"{', '.join(sorted(versions))}; threads of each: {threads}")
    print(f"behind: {', '.join(behind)}" if behind else "ahead of every peer everywhere")


main()
