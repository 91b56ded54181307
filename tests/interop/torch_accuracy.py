#!/usr/bin/env python3
"""Runs exported weights in PyTorch's own nn.TransformerEncoder over an exported test set.

    headcount export weights TRIAL weights.safetensors
    headcount export testset TRIAL testset.safetensors
    torch_accuracy.py weights.safetensors testset.safetensors

Prints PyTorch's accuracy beside the recorded one, and how many predictions differ although their
two best logits lie more than 1e-4 apart. Exit 1 if there is such a prediction, or if the accuracies
differ by more than one target; 2 for a model that nn.TransformerEncoder cannot hold (heads whose
widths do not add up to d_model, that share keys and values, that see a part of the residual stream
only, or that turn with their positions: torch_pruned.py takes those). Needs torch and numpy.
"""
import json
import struct
import sys

import numpy as np
import torch
import torch.nn as nn

DTYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8}
CLEAR = 1e-4  # rounding can swap logits that are closer than this
MASKED = -100


def read_safetensors(path):
    with open(path, "rb") as file:
        image = file.read()
    size, = struct.unpack_from("<Q", image)
    header = json.loads(image[8:8 + size])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        array = np.frombuffer(image[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.copy())
    return tensors, metadata


def sinusoids(length, width):
    position = torch.arange(length, dtype=torch.float64)[:, None]
    column = torch.arange(width)
    angle = position * 10000.0 ** (-(column - column % 2).double() / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


class Model(nn.Module):
    """Everything is taken from the file; strict loading says whether names and shapes fit."""

    def __init__(self, weights, config, length):
        super().__init__()
        width, heads = config["d_model"], config["heads"]
        pre = config["norm"] == "pre"
        layer = nn.TransformerEncoderLayer(width, heads, config["d_ff"], config["dropout"],
                                           config["activation"], batch_first=True, norm_first=pre)
        self.encoder = nn.TransformerEncoder(layer, config["layers"],
                                             nn.LayerNorm(width) if pre else None,
                                             enable_nested_tensor=False)
        self.embed = nn.ModuleDict({
            name[len("embed."):-len(".weight")]: nn.Embedding(*value.shape)
            for name, value in weights.items() if name.startswith("embed.")})
        if config["positions"] == "learned":
            self.pos = nn.Embedding(length, width)
        self.out = nn.Linear(width, len(weights["out.bias"]))
        self.load_state_dict(weights, strict=True)
        self.pool = config["pool"]
        causal = config.get("mask", "none") == "causal"
        self.mask = torch.ones(length, length, dtype=torch.bool).triu(1) if causal else None
        self.table = {"none": lambda: torch.zeros(length, width),
                      "sinusoidal": lambda: sinusoids(length, width),
                      "learned": lambda: self.pos.weight}[config["positions"]]()

    def forward(self, inputs, fields, padding):
        x = sum(self.embed[name](inputs[..., i]) for i, name in enumerate(fields)) + self.table
        x = self.encoder(x, mask=self.mask, src_key_padding_mask=padding)
        if self.pool == "first":
            x = x[:, 0]
        elif self.pool == "mean":
            kept = torch.ones(x.shape[:2]) if padding is None else (~padding).float()
            x = (x * kept[..., None]).sum(1) / kept.sum(1)[:, None]
        return self.out(x)


def is_nn_transformer(config):
    split = config["d_model"] // config["heads"]
    if config["d_model"] % config["heads"] or "kv_heads" in config or "form" in config:
        return False
    if config["positions"] == "rotary":
        return False
    head = split if config["d_head"] == "split" else config["d_head"]
    return head == split and all(config[key] in ("d_head", split) for key in ("d_k", "d_v"))


def main(weights_path, testset_path):
    weights, metadata = read_safetensors(weights_path)
    testset, about = read_safetensors(testset_path)
    config = json.loads(metadata["config"])["model"]
    if not is_nn_transformer(config):
        print("nn.TransformerEncoder has no heads like these", file=sys.stderr)
        return 2
    inputs, targets = testset["inputs"], testset["targets"]
    padding = testset["padding"].bool() if "padding" in testset else None
    model = Model(weights, config, inputs.shape[1]).eval()
    with torch.no_grad():
        logits = torch.cat([model(inputs[i:i + 64], json.loads(about["fields"]),
                                  None if padding is None else padding[i:i + 64])
                            for i in range(0, len(inputs), 64)]).view(*targets.shape, -1)
    best = logits.topk(2).values if logits.shape[-1] > 1 else None
    clear = best[..., 0] - best[..., 1] > CLEAR if best is not None else targets != MASKED
    predictions, counted = logits.argmax(-1), targets != MASKED
    total = int(counted.sum())
    accuracy = int((predictions == targets)[counted].sum()) / total
    recorded = float(metadata["test_acc"])
    print(f"accuracy {accuracy:.6f} in PyTorch, {recorded:.6f} recorded, {total} targets")
    failed = abs(accuracy - recorded) > 1.000001 / total
    if "predictions" in testset:
        differ = (predictions != testset["predictions"]) & counted
        print(f"{int((differ & clear).sum())} clear predictions differ, "
              f"{int((differ & ~clear).sum())} that hang on less than {CLEAR:g}")
        failed |= bool((differ & clear).any())
    return int(failed)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
