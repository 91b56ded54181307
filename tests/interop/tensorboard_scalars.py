#!/usr/bin/env python3
"""Holds what TensorBoard reads of results/queries/to_tensorboard.py against the exported learning curves.

    tensorboard_scalars.py DIR CURVES.csv

The curves are those of `headcount export` of the same sweep. Exit 1 unless every number of the curves comes back from
TensorBoard's own reader as the 32-bit float it is, and every run's hyperparameters are the curve's
heads and seed. Needs tensorboard (pip install tensorboard).
"""
import csv
import os
import re
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.hparams import plugin_data_pb2

TAGS = {"train/loss": "train_loss", "train/acc": "train_acc", "val/loss": "val_loss",
        "val/acc": "val_acc", "optim/grad_norm": "grad_norm", "optim/lr": "lr"}


def single(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def hparams(reader):
    content = reader.summary_metadata["_hparams_/session_start_info"].plugin_data.content
    data = plugin_data_pb2.HParamsPluginData.FromString(content)
    return {name: value.number_value or value.string_value
            for name, value in data.session_start_info.hparams.items()}


def check(folder, trial, rows):
    """The numbers of one run that agree; says which does not."""
    reader = event_accumulator.EventAccumulator(folder)
    reader.Reload()
    options = hparams(reader)
    assert options["model.heads"] == int(rows[0]["heads"]), (trial, options)
    assert (options["seed"] or 0) == int(rows[0]["seed"]), (trial, options)
    agree = 0
    for tag, column in TAGS.items():
        expected = [(int(row["step"]), single(row[column])) for row in rows if row[column]]
        got = reader.Scalars(tag) if expected else []
        if [(event.step, event.value) for event in got] != expected:
            sys.exit(f"trial {trial}, {tag}: {expected} became {got}")
        walls = [event.wall_time for event in got]
        assert walls == sorted(walls) and all(wall > 1e9 for wall in walls), (trial, walls)
        agree += len(got)
    return agree


def main(folder, curves):
    trials = {}
    with open(curves, newline="") as file:
        for row in csv.DictReader(file):
            trials.setdefault(int(row["trial"]), []).append(row)
    runs = {int(re.search(r"trial=(\d+)$", name)[1]): name for name in os.listdir(folder)}
    if runs.keys() != trials.keys():
        sys.exit(f"runs {sorted(runs)} of trials {sorted(trials)}")
    agree = sum(check(os.path.join(folder, runs[trial]), trial, rows)
                for trial, rows in trials.items())
    print(f"{agree} numbers of {len(runs)} runs come back as they are in the curves")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
