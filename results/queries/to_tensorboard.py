#!/usr/bin/env python3
"""Learning curves for TensorBoard: a run for each trial of a sweep's plan that has been evaluated.

    to_tensorboard.py RESULTS.db SWEEP DIR      then: tensorboard --logdir DIR

DIR/heads=4,setting,seed=3,trial=12 gets train/loss, train/acc, val/loss, val/acc, optim/grad_norm and
optim/lr at each evaluation, and at the best step of a completed trial test/acc, test/loss and
test/exact; the tab HParams gets heads, seed and setting. Needs tensorboard (pip install tensorboard).
"""
import json
import os
import shutil
import sqlite3
import sys

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams.summary_v2 import hparams_pb
from tensorboard.summary.writer.event_file_writer import EventFileWriter

TAGS = ["train/loss", "train/acc", "val/loss", "val/acc", "optim/grad_norm", "optim/lr"]


def write(db, trial, folder):
    shutil.rmtree(folder, ignore_errors=True)  # an earlier state of the trial
    out = EventFileWriter(folder)
    options = json.loads(trial["setting"]) | {"model.heads": trial["heads"], "seed": trial["seed"]}
    out.add_event(Event(wall_time=trial["began"], summary=hparams_pb(options)))

    def add(step, seconds, values):
        found = [Summary.Value(tag=tag, simple_value=v) for tag, v in values if v is not None]
        out.add_event(Event(wall_time=trial["began"] + seconds, step=step, summary=Summary(value=found)))

    for step, seconds, *values in db.execute(
            "SELECT step, coalesce(elapsed_s, 0), train_loss, train_acc, val_loss, val_acc, grad_norm, lr"
            " FROM curve WHERE trial_id = ? ORDER BY step", [trial["trial_id"]]):
        add(step, seconds, zip(TAGS, values))
    if trial["state"] == "completed":
        add(trial["best_step"], seconds, [(f"test/{name}", trial[f"test_{name}"]) for name in ("acc", "loss", "exact")])
    out.close()


def main(file, sweep, to):
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    trials = db.execute(
        "SELECT trials.*, unixepoch((SELECT max(started) FROM attempt AS a WHERE a.trial_id = trials.trial_id)) AS began"
        " FROM trials WHERE sweep = ? AND in_plan AND trial_id IN (SELECT trial_id FROM curve)", [sweep]).fetchall()
    for trial in trials:
        name = "heads={heads},{setting_label},seed={seed},trial={trial_id}".format(**trial).replace(",,", ",")
        write(db, trial, os.path.join(to, name.replace("/", "_")))
    print(f"{len(trials)} runs in {to}")


if __name__ == "__main__":
    sys.exit(__doc__) if len(sys.argv) != 4 else main(*sys.argv[1:])
