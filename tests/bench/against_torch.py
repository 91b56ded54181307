"""One training step of headcount and of PyTorch, in turn on the same core, as ratios.

usage: python3 against_torch.py [./headcount] [workload:heads[:dropout] ...]

PyTorch's side is what a careful user writes: nn.TransformerEncoder (pre-norm, exact GELU), learned
positions, cross-entropy over every slot, AdamW (foreach), gradients set to None, no data making in
the timed part. Both sides use one thread; OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE should be unset.
"""
import json
import os
import statistics
import subprocess
import sys
import time

try:
    import torch
    from torch import nn
except ImportError:
    print("make bench-torch: skipped, because PyTorch is not installed (Debian: python3-torch)")
    sys.exit(0)

# name: d_model, layers, d_ff, length, batch, vocab, slots (as in sweep/cli/bench.c)
WORKLOADS = {
    "gather": (32, 1, 64, 32, 64, 16, 4),
    "toy": (64, 2, 256, 32, 64, 32, 1),
    "small": (128, 2, 512, 64, 64, 64, 1),
    "medium": (256, 4, 1024, 128, 32, 256, 1),
}
DEFAULT = ["gather:1", "gather:4", "gather:8", "gather:32", "toy:1", "toy:4", "toy:8", "toy:64",
           "toy:4:0.1", "small:4", "small:8", "small:128", "medium:4", "medium:8"]
ROUNDS = 3
SECONDS = 1.5


class Encoder(nn.Module):
    def __init__(self, d_model, layers, d_ff, length, vocab, slots, heads, dropout):
        super().__init__()
        self.slots, self.vocab = slots, vocab
        self.embed = nn.Embedding(vocab, d_model)
        self.positions = nn.Parameter(torch.randn(length, d_model) * 0.5)
        layer = nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(d_model))
        self.out = nn.Linear(d_model, slots * vocab)

    def forward(self, x):
        return self.out(self.encoder(self.embed(x) + self.positions))


def torch_stepper(name, heads, dropout):
    d_model, layers, d_ff, length, batch, vocab, slots = WORKLOADS[name]
    torch.manual_seed(0)
    model = Encoder(d_model, layers, d_ff, length, vocab, slots, heads, dropout).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    x = torch.randint(0, vocab, (batch, length))
    y = torch.randint(0, vocab, (batch, length, slots))

    def step():
        optimizer.zero_grad(set_to_none=True)
        logits = model(x).view(-1, vocab)
        nn.functional.cross_entropy(logits, y.flatten()).backward()
        optimizer.step()

    return step


def time_torch(step):
    for _ in range(3):
        step()
    times, start = [], time.time()
    while time.time() - start < SECONDS or len(times) < 5:
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    return statistics.median(times) * 1e3


def time_headcount(program, name, heads, dropout):
    row = json.loads(subprocess.run(
        [program, "bench", "--workload", name, "--heads", str(heads), "--dropout", str(dropout),
         "--milliseconds", str(int(SECONDS * 1000)), "--json"],
        check=True, capture_output=True).stdout)[0]
    return row["step_ms"], row["ratio"]


def main():
    arguments = sys.argv[1:]
    program = arguments.pop(0) if arguments and os.path.exists(arguments[0]) else "./headcount"
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}; {subprocess.run([program, '--version'], capture_output=True, text=True).stdout.strip()}")
    print(f"OPENBLAS_CORETYPE={os.environ.get('OPENBLAS_CORETYPE', '(unset)')} on both sides")
    print(f"{'workload':9} {'heads':>5} {'dropout':>7} {'headcount ms':>13} {'PyTorch ms':>11} "
          f"{'times faster':>13} {'step/floor':>11}", flush=True)
    for item in arguments or DEFAULT:
        name, heads, dropout = (item.split(":") + ["0"])[:3]
        heads, dropout = int(heads), float(dropout)
        step = torch_stepper(name, heads, dropout)
        ours, theirs, floors = [], [], []
        for _ in range(ROUNDS):
            theirs.append(time_torch(step))
            ms, floor = time_headcount(program, name, heads, dropout)
            ours.append(ms)
            floors.append(floor)
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{name:9} {heads:5} {dropout:7.2f} {a:13.3f} {b:11.3f} {b / a:13.2f} "
              f"{statistics.median(floors):11.2f}", flush=True)


main()
