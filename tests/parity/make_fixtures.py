#!/usr/bin/env python3
"""Makes tests/data/parity/*.safetensors: what PyTorch's nn.TransformerEncoder computes, in double;
with a causal mask too, and with attention by scaled_dot_product_attention where heads share keys
and values, have widths of their own, or turn queries and keys with their positions (rotary).

Each file holds one small model under its own names (encoder.* as in the state_dict, embed.token,
pos, out), one batch (inputs, targets, padding), the logits and gradients of that batch (grad.NAME),
and the losses of 20 optimizer steps on it. Metadata says which model and optimizer it is.

usage: make_fixtures.py [NAME...]    (needs torch >= 2.5 and numpy; run once, the files are
committed; NAME: only these, as pre-gelu-learned-4)
"""
import itertools
import json
import pathlib
import struct
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

B, T, C, L, FF, V, S, STEPS = 4, 8, 16, 2, 32, 11, 2, 20
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "parity"
DTYPES = {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}


def write_safetensors(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": DTYPES[str(array.dtype)], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def sinusoids():
    position, pair = np.arange(T)[:, None], np.arange(0, C, 2)[None, :]
    angle = position / 10000 ** (pair / C)
    table = np.zeros((T, C))
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return torch.from_numpy(table)


def turned(x):
    """x (B,heads,T,d_k), its pairs of numbers as complex ones, times e^(i t / 10000^(2j/d_k)): RoFormer,
    eq. 13 (Su et al. 2021)."""
    pair = torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1]
    angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] / 10000 ** pair
    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


class GroupedAttention(nn.Module):
    """Stands where nn.MultiheadAttention stands: H heads on the keys and values of G."""

    def __init__(self, heads, kv_heads, d_k, d_v, rotary):
        super().__init__()
        self.batch_first = True
        self.rotary = rotary
        self.heads, self.kv_heads, self.d_k, self.d_v = heads, kv_heads, d_k, d_v
        rows = heads * d_k + kv_heads * (d_k + d_v)
        self.in_proj_weight = nn.Parameter(torch.randn(rows, C) / C ** 0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(rows))
        self.out_proj = nn.Linear(heads * d_v, C)

    def forward(self, x, key, value, attn_mask=None, key_padding_mask=None, need_weights=False,
                is_causal=False):
        H, G = self.heads, self.kv_heads
        parts = F.linear(x, self.in_proj_weight, self.in_proj_bias).split(
            [H * self.d_k, G * self.d_k, G * self.d_v], -1)
        q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2)
                   for part, heads in zip(parts, (H, G, G)))
        if self.rotary:
            q, k = turned(q), turned(k)
        hidden = key_padding_mask[:, None, None, :]
        if attn_mask is not None:
            hidden = hidden + attn_mask
        o = F.scaled_dot_product_attention(q, k, v, hidden, enable_gqa=True)
        return self.out_proj(o.transpose(1, 2).flatten(-2)), None


class Model(nn.Module):
    def __init__(self, norm, activation, positions, heads, mask="none", kv_heads=None, d_k=None,
                 d_v=None):
        super().__init__()
        layer = nn.TransformerEncoderLayer(C, 1 if kv_heads else heads, FF, 0.0, activation,
                                           batch_first=True, norm_first=norm == "pre")
        final = nn.LayerNorm(C) if norm == "pre" else None
        self.encoder = nn.TransformerEncoder(layer, L, final, enable_nested_tensor=False)
        for layer in self.encoder.layers if kv_heads else ():
            layer.self_attn = GroupedAttention(heads, kv_heads, d_k or C // heads,
                                               d_v or C // heads, positions == "rotary")
        self.mask = nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
        self.mask = self.mask if mask == "causal" else None
        self.embed = nn.ModuleDict({"token": nn.Embedding(V, C)})
        self.positions = positions
        if positions == "learned":
            self.pos = nn.Embedding(T, C)
        self.out = nn.Linear(C, S * V)

    def forward(self, inputs, padding):
        x = self.embed["token"](inputs[..., 0])
        if self.positions == "learned":
            x = x + self.pos.weight
        elif self.positions == "sinusoidal":
            x = x + sinusoids()
        hidden = torch.zeros(B, T, dtype=x.dtype).masked_fill(padding, -torch.inf)
        return self.out(self.encoder(x, self.mask, hidden)).view(B, T, S, V)


def make(name, norm, activation, positions, heads, **attention):
    torch.manual_seed(heads)
    model = Model(norm, activation, positions, heads, **attention).double()
    with torch.no_grad():  # off the neutral start, where mistakes could hide; exact in float32
        for p in model.parameters():
            p.add_(0.1 * torch.randn_like(p))
            p.copy_(p.float().double())
    inputs = torch.randint(0, V, (B, T, 1))
    targets = torch.randint(0, V, (B, T, S))
    targets[torch.rand(B, T, S) < 0.2] = -100
    padding = torch.zeros(B, T, dtype=torch.bool)
    if heads > 1:
        padding[1, 5:] = padding[3, :3] = True

    adam = norm == "post" and activation == "relu"
    settings = {"lr": "0.01", "weight_decay": "0.1", "clip": "0.5" if heads > 1 else "0",
                "optimizer": "adam" if adam else "adamw"}
    kind = torch.optim.Adam if adam else torch.optim.AdamW
    optimizer = kind(model.parameters(), lr=0.01, weight_decay=0.1)

    def loss_of(logits):
        return F.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=-100)

    tensors = {n: p.detach().numpy().astype(np.float32) for n, p in model.named_parameters()}
    tensors |= {"inputs": inputs.numpy(), "targets": targets.numpy(),
                "padding": padding.numpy().astype(np.uint8)}
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        logits = model(inputs, padding)
        loss = loss_of(logits)
        loss.backward()
        if step == 0:
            tensors["logits"] = logits.detach().numpy().astype(np.float32)
            tensors |= {"grad." + n: p.grad.numpy().astype(np.float32)
                        for n, p in model.named_parameters()}
        if settings["clip"] != "0":
            nn.utils.clip_grad_norm_(model.parameters(), float(settings["clip"]))
        optimizer.step()
        losses.append(loss.item())
    tensors["losses"] = np.array(losses)
    settings |= {"norm": norm, "activation": activation, "positions": positions,
                 "heads": str(heads), "torch": torch.__version__}
    settings |= {key: str(value) for key, value in attention.items()}
    write_safetensors(FOLDER / f"{name}.safetensors", tensors, settings)


def cases():
    for norm, activation, positions, heads in itertools.product(
            ("pre", "post"), ("gelu", "relu"), ("learned", "sinusoidal"), (1, 4, C)):
        yield (f"{norm}-{activation}-{positions}-{heads}", norm, activation, positions, heads), {}
    for heads in (1, 4, C):
        yield (f"causal-{heads}", "pre", "gelu", "learned", heads), {"mask": "causal"}
    for heads, kv_heads in (4, 1), (4, 2), (C, 4):
        yield ((f"grouped-{heads}-{kv_heads}", "pre", "gelu", "learned", heads),
               {"kv_heads": kv_heads})
    yield (("grouped-6-3-causal", "post", "relu", "learned", 6),
           {"mask": "causal", "kv_heads": 3, "d_k": 3, "d_v": 5})
    for heads in (1, 4, C // 2):
        yield (f"rotary-{heads}", "pre", "gelu", "rotary", heads), {"kv_heads": heads}
    yield (("rotary-6-3-causal", "post", "relu", "rotary", 6),
           {"mask": "causal", "kv_heads": 3, "d_k": 6, "d_v": 5})


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for choice, attention in cases():
        if len(sys.argv) < 2 or choice[0] in sys.argv:
            make(*choice, **attention)
