#!/usr/bin/env python3
"""Recomputes in PyTorch the bits per byte of a trial that learned to predict a text.

    headcount export weights TRIAL weights.safetensors
    headcount export testset TRIAL testset.safetensors
    torch_bits.py weights.safetensors testset.safetensors results/headcount.db

Prints PyTorch's bits per byte beside those in the results file. Exit 1 if they differ by more than 1e-4, 2 where the
results file has none. Needs torch and numpy.
"""
import json
import math
import sqlite3
import sys

import torch

from torch_accuracy import Model, is_nn_transformer, read_safetensors
from torch_pruned import Model as OwnModel

CLOSE = 1e-4


def bits_per_byte(weights_path, testset_path):
    weights, metadata = read_safetensors(weights_path)
    testset, about = read_safetensors(testset_path)
    inputs, targets = testset["inputs"], testset["targets"]
    config = json.loads(metadata["config"])["model"]
    model = Model(weights, config, inputs.shape[1]).eval() if is_nn_transformer(config) else \
        OwnModel(weights_path)
    fields = json.loads(about["fields"])
    nats = 0.0
    with torch.no_grad():
        for i in range(0, len(inputs), 64):
            logits = model(inputs[i:i + 64], fields, None).double()
            nats += torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets[i:i + 64].flatten(),
                                                      reduction="sum").item()
    return nats / targets.numel() / math.log(2), int(metadata["trial"])


def main(weights_path, testset_path, results_path):
    bits, trial = bits_per_byte(weights_path, testset_path)
    with sqlite3.connect(f"file:{results_path}?mode=ro", uri=True) as results:
        row = results.execute("SELECT bits_per_byte FROM trials WHERE trial_id = ?", (trial,)).fetchone()
    if not row or row[0] is None:
        print(f"{results_path} has no bits per byte of trial {trial}", file=sys.stderr)
        return 2
    print(f"trial {trial}: {bits:.6f} bits per byte in PyTorch, {row[0]:.6f} recorded")
    return int(not abs(bits - row[0]) <= CLOSE)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
