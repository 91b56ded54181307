#!/usr/bin/env python3
"""Runs an exported model in PyTorch, layer by layer with the heads that each has left, over an
exported test set, and holds it against the whole model.

    headcount export weights TRIAL smaller.safetensors --keep 3
    headcount export testset TRIAL testset.safetensors --keep 3
    headcount export weights TRIAL whole.safetensors
    torch_pruned.py smaller.safetensors testset.safetensors whole.safetensors

Prints PyTorch's accuracy beside the recorded one, how many predictions differ although their two best
logits lie more than 1e-4 apart, and size and time of both models. Exit 1 if there is such a
prediction, if the accuracies differ by more than one target, or if the smaller model's file is not
smaller (its time is for people to judge); 2 for a form of heads whose columns are drawn (segments). Without the third file only the
predictions are looked at: so it takes any exported model, a whole one too. Needs torch and numpy.
"""
import json
import os
import sys
import time

import torch
import torch.nn.functional as F

from torch_accuracy import CLEAR, MASKED, read_safetensors, sinusoids


def turned(x):
    """x (B,heads,T,d_k) with its pairs of numbers turned by their positions (Su et al. 2021, eq. 34)."""
    T, width = x.shape[-2:]
    pair = torch.arange(width, dtype=torch.float64) // 2 * 2 / width
    angle = torch.arange(T, dtype=torch.float64)[:, None] / 10000 ** pair
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
    return x * angle.cos().float() + swapped * angle.sin().float()


class Heads:
    """The attention heads of one layer, by the names that metadata `heads` gives them."""

    def __init__(self, model, kept):
        whole = model["heads"]
        groups = model.get("kv_heads", "heads")
        groups = whole if groups == "heads" else groups
        head = model["d_model"] // whole if model["d_head"] == "split" else model["d_head"]
        self.key = head if model["d_k"] == "d_head" else model["d_k"]
        self.value = head if model["d_v"] == "d_head" else model["d_v"]
        self.causal = model.get("mask", "none") == "causal"
        self.cut = model.get("form", "project") == "cut"
        self.rotary = model["positions"] == "rotary"
        self.kept = kept
        group = [h * groups // whole for h in kept]
        self.used = sorted(set(group))  # keys and values that no head uses are not in the file
        self.group = [self.used.index(g) for g in group]

    def project(self, x, weight, bias):
        """x (B,T,C) -> (B,T,rows); under `cut` each head has its own columns of x."""
        if not self.cut:
            return F.linear(x, weight, bias)
        width = weight.shape[1]
        rows = [*(h for h in self.kept for _ in range(self.key)),
                *(h for h in self.kept for _ in range(self.key)),
                *(h for h in self.kept for _ in range(self.value))]
        columns = torch.tensor(rows)[:, None] * width + torch.arange(width)
        wide = torch.zeros(len(rows), x.shape[-1]).scatter(1, columns, weight)
        return F.linear(x, wide, bias)

    def attend(self, x, weight, bias, padding):
        """x (B,T,C) -> the heads' outputs (B,T,H*d_v)"""
        B, T, _ = x.shape
        H, G = len(self.kept), len(self.used)
        q, k, v = self.project(x, weight, bias).split(
            [H * self.key, G * self.key, G * self.value], -1)
        q = q.view(B, T, H, self.key).transpose(1, 2)
        k = k.view(B, T, G, self.key).transpose(1, 2)
        v = v.view(B, T, G, self.value).transpose(1, 2)
        if self.rotary:
            q, k = turned(q), turned(k)
        if self.group != list(range(H)):
            k, v = k[:, self.group], v[:, self.group]
        score = q @ k.transpose(-1, -2) / self.key ** 0.5
        if self.causal:
            score = score + torch.full((T, T), -torch.inf).triu(1)
        if padding is not None:
            score = score.masked_fill(padding[:, None, None, :], -torch.inf)
        return (score.softmax(-1) @ v).transpose(1, 2).reshape(B, T, H * self.value)


class Model:
    def __init__(self, path):
        self.weights, about = read_safetensors(path)
        self.config = json.loads(about["config"])["model"]
        self.test_acc = float(about["test_acc"])
        kept = json.loads(about["heads"]) if "heads" in about else \
            [list(range(self.config["heads"]))] * self.config["layers"]
        self.heads = [Heads(self.config, k) for k in kept]

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.weights[name + ".weight"],
                            self.weights[name + ".bias"])

    def attention(self, x, layer, padding):
        name = f"encoder.layers.{layer}.self_attn."
        bias = self.weights[name + "out_proj.bias"]
        if not self.heads[layer].kept:
            return bias.expand_as(x)
        heads = self.heads[layer].attend(x, self.weights[name + "in_proj_weight"],
                                         self.weights[name + "in_proj_bias"], padding)
        return F.linear(heads, self.weights[name + "out_proj.weight"], bias)

    def feed_forward(self, x, layer):
        name = f"encoder.layers.{layer}."
        activation = F.relu if self.config["activation"] == "relu" else F.gelu
        hidden = activation(F.linear(x, self.weights[name + "linear1.weight"],
                                     self.weights[name + "linear1.bias"]))
        return F.linear(hidden, self.weights[name + "linear2.weight"],
                        self.weights[name + "linear2.bias"])

    def __call__(self, inputs, fields, padding):
        length, width = inputs.shape[1], self.config["d_model"]
        x = sum(self.weights[f"embed.{name}.weight"][inputs[..., i]]
                for i, name in enumerate(fields))
        if self.config["positions"] == "learned":
            x = x + self.weights["pos.weight"]
        elif self.config["positions"] == "sinusoidal":
            x = x + sinusoids(length, width)
        for layer in range(self.config["layers"]):
            one, two = (f"encoder.layers.{layer}.norm{i}" for i in (1, 2))
            if self.config["norm"] == "pre":
                x = x + self.attention(self.norm(x, one), layer, padding)
                x = x + self.feed_forward(self.norm(x, two), layer)
            else:
                x = self.norm(x + self.attention(x, layer, padding), one)
                x = self.norm(x + self.feed_forward(x, layer), two)
        if self.config["norm"] == "pre":
            x = self.norm(x, "encoder.norm")
        if self.config["pool"] == "first":
            x = x[:, 0]
        elif self.config["pool"] == "mean":
            kept = torch.ones(x.shape[:2]) if padding is None else (~padding).float()
            x = (x * kept[..., None]).sum(1) / kept.sum(1)[:, None]
        return F.linear(x, self.weights["out.weight"], self.weights["out.bias"])


def milliseconds(models, inputs, fields, padding):
    """Of each, the least CPU time per example of a batch of 64 on one thread. They take turns, so that
    whatever else the machine does slows down both."""
    took = [[] for _ in models]
    for _ in range(45):
        for model, times in zip(models, took):
            began = time.process_time()
            model(inputs[:64], fields, padding)
            times.append(time.process_time() - began)
    return [1e3 * min(times) / len(inputs[:64]) for times in took]


def main(smaller_path, testset_path, whole_path=None):
    torch.set_num_threads(1)
    model = Model(smaller_path)
    if model.config.get("form", "project") == "segments":
        print("the columns of segments are drawn from the seed; this script cannot", file=sys.stderr)
        return 2
    testset, about = read_safetensors(testset_path)
    inputs, targets, fields = testset["inputs"], testset["targets"], json.loads(about["fields"])
    padding = testset["padding"].bool() if "padding" in testset else None
    logits = torch.cat([model(inputs[i:i + 64], fields,
                              None if padding is None else padding[i:i + 64])
                        for i in range(0, len(inputs), 64)]).view(*targets.shape, -1)
    best = logits.topk(2).values
    clear = best[..., 0] - best[..., 1] > CLEAR
    predictions, counted = logits.argmax(-1), targets != MASKED
    total = int(counted.sum())
    accuracy = int((predictions == targets)[counted].sum()) / total
    differ = (predictions != testset["predictions"]) & counted
    print(f"heads {json.dumps([heads.kept for heads in model.heads])}")
    print(f"accuracy {accuracy:.6f} in PyTorch, {model.test_acc:.6f} recorded, {total} targets")
    print(f"{int((differ & clear).sum())} clear predictions differ, "
          f"{int((differ & ~clear).sum())} that hang on less than {CLEAR:g}")
    failed = bool((differ & clear).any()) or abs(accuracy - model.test_acc) > 1.000001 / total
    if whole_path:
        size, whole_size = os.path.getsize(smaller_path), os.path.getsize(whole_path)
        some = None if padding is None else padding[:64]
        ms, whole_ms = milliseconds([model, Model(whole_path)], inputs, fields, some)
        print(f"{size} bytes, whole {whole_size}; {ms:.4f} ms per example, whole {whole_ms:.4f}")
        failed |= size >= whole_size
    return int(failed)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with torch.no_grad():
        sys.exit(main(*sys.argv[1:]))
