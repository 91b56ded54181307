#!/usr/bin/env python3
"""Lets exported models answer an exported test set together, by the mean of their softmax outputs.

    torch_ensemble.py ACCURACY LOSS testset.safetensors weights.safetensors...

Exit 1 unless accuracy and loss come to the ones given. Needs torch and numpy.
"""
import json
import sys

import torch

from torch_accuracy import MASKED, read_safetensors
from torch_pruned import Model


def main(acc, loss, testset_path, *paths):
    testset, about = read_safetensors(testset_path)
    targets, fields = testset["targets"], json.loads(about["fields"])
    padding = testset["padding"].bool() if "padding" in testset else None
    p = sum(Model(path)(testset["inputs"], fields, padding).view(*targets.shape, -1).double()
            .softmax(-1) for path in paths) / len(paths)
    counted = targets != MASKED
    own_acc = (p.argmax(-1) == targets)[counted].double().mean().item()
    own_loss = -p.gather(-1, targets.clamp(min=0)[..., None])[..., 0][counted].log().mean().item()
    print(f"accuracy {own_acc:.6f} in PyTorch, {acc} recorded; loss {own_loss:.6f}, {loss}")
    return int(abs(own_acc - float(acc)) > 1.000001 / int(counted.sum()) or
               abs(own_loss - float(loss)) > 1e-5 * max(1, abs(own_loss)))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    with torch.no_grad():
        sys.exit(main(*sys.argv[1:]))
