"""One training step (forward, backward, AdamW) of a peer, timed: what a careful user writes.

usage: peer.py eager|compiled|jax WORKLOAD HEADS SECONDS THREADS
Prints one line of JSON: {"version": ..., "ms": median, "n": repetitions}. A pre-norm encoder with exact
GELU, learned positions, cross-entropy over every slot; making the examples is not timed.
"""
import json
import os
import statistics
import sys
import time

# name: d_model, layers, d_ff, length, batch, vocab, slots (as in sweep/cli/bench.c)
WORKLOADS = {
    "gather": (32, 1, 64, 32, 64, 16, 4),
    "toy": (64, 2, 256, 32, 64, 32, 1),
    "small": (128, 2, 512, 64, 64, 64, 1),
    "medium": (256, 4, 1024, 128, 32, 256, 1),
    "large": (512, 4, 2048, 128, 16, 256, 1),
    "long": (64, 2, 256, 512, 16, 32, 1),
}


def torch_step(shape, heads, compiled, threads):
    import torch
    from torch import nn
    d_model, layers, d_ff, length, batch, vocab, slots = shape
    torch.set_num_threads(threads)
    torch.manual_seed(0)

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(vocab, d_model)
            self.positions = nn.Parameter(torch.randn(length, d_model) * 0.5)
            layer = nn.TransformerEncoderLayer(d_model, heads, d_ff, 0.0, activation="gelu",
                                               batch_first=True, norm_first=True)
            self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(d_model),
                                                 enable_nested_tensor=False)
            self.out = nn.Linear(d_model, slots * vocab)

        def forward(self, x):
            return self.out(self.encoder(self.embed(x) + self.positions))

    model = Encoder().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    x = torch.randint(0, vocab, (batch, length))
    y = torch.randint(0, vocab, (batch * length * slots,))
    run = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(run(x).view(-1, vocab), y).backward()
        optimizer.step()

    return step, f"PyTorch {torch.__version__}"


def jax_step(shape, heads, threads):
    os.environ["NPROC"] = str(threads)  # from which XLA takes the size of its thread pool
    eigen = "true" if threads > 1 else "false"
    os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={eigen} intra_op_parallelism_threads={threads}"
    import jax
    import jax.numpy as jnp
    import optax
    d_model, layers, d_ff, length, batch, vocab, slots = shape
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 5 + 4 * layers))

    def linear(inputs, outputs):
        weight = jax.random.normal(next(keys), (inputs, outputs)) * inputs**-0.5
        return {"w": weight, "b": jnp.zeros(outputs)}

    def norm():
        return {"gain": jnp.ones(d_model), "bias": jnp.zeros(d_model)}

    parameters = {
        "embed": jax.random.normal(next(keys), (vocab, d_model)),
        "positions": jax.random.normal(next(keys), (length, d_model)) * 0.5,
        "layers": [{"qkv": linear(d_model, 3 * d_model), "o": linear(d_model, d_model),
                    "up": linear(d_model, d_ff), "down": linear(d_ff, d_model),
                    "norm1": norm(), "norm2": norm()} for _ in range(layers)],
        "norm": norm(),
        "out": linear(d_model, slots * vocab),
    }
    x = jax.random.randint(next(keys), (batch, length), 0, vocab)
    y = jax.random.randint(next(keys), (batch, length, slots), 0, vocab)

    def apply_linear(p, z):
        return z @ p["w"] + p["b"]

    def apply_norm(p, z):
        mean, variance = z.mean(-1, keepdims=True), z.var(-1, keepdims=True)
        return (z - mean) * jax.lax.rsqrt(variance + 1e-5) * p["gain"] + p["bias"]

    def attention(p, z):
        parts = jnp.split(apply_linear(p["qkv"], z), 3, -1)
        q, k, v = [t.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3) for t in parts]
        weights = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (d_model // heads) ** -0.5)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, d_model)
        return apply_linear(p["o"], mixed)

    def loss(p):
        z = p["embed"][x] + p["positions"]
        for layer in p["layers"]:
            z = z + attention(layer, apply_norm(layer["norm1"], z))
            up = apply_linear(layer["up"], apply_norm(layer["norm2"], z))
            z = z + apply_linear(layer["down"], jax.nn.gelu(up, approximate=False))
        logits = apply_linear(p["out"], apply_norm(p["norm"], z))
        logits = logits.reshape(batch, length, slots, vocab)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    optimizer = optax.adamw(1e-3)
    state = [parameters, optimizer.init(parameters)]

    @jax.jit
    def update(p, s):
        value, gradient = jax.value_and_grad(loss)(p)
        change, s = optimizer.update(gradient, s, p)
        return optax.apply_updates(p, change), s, value

    def step():
        state[0], state[1], value = update(*state)
        value.block_until_ready()

    return step, f"JAX {jax.__version__}"


def main():
    kind, workload, heads, seconds, threads = sys.argv[1:6]
    shape = WORKLOADS[workload]
    if kind == "jax":
        step, version = jax_step(shape, int(heads), int(threads))
    else:
        step, version = torch_step(shape, int(heads), kind == "compiled", int(threads))
    for _ in range(5):
        step()
    times, start = [], time.time()
    while time.time() - start < float(seconds) or len(times) < 5:
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    print(json.dumps({"version": version, "ms": statistics.median(times) * 1e3, "n": len(times)}))


main()
