"""Learning curves as readers use them: read, zoomed and smoothed, by pointer and by keyboard."""
import json
import re
import sqlite3
import statistics

from look import LOOKS, Look

CHART, READING = "document.querySelector('#curves svg.steps')", "document.querySelector('#curves .reading').innerText"
RESET = "document.querySelector('#curves .reset')"
TICKS = "[...document.querySelectorAll('#curves svg.steps text[text-anchor=middle]')].map(t => t.textContent)"
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Enter": 13, "Escape": 27}


class Curves(Look):
    def press(self, *keys, shift=False):
        for key in keys:
            self.browser.key(key, KEYS[key], shift)

    def choose(self, label, value):
        self.browser.ask(f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})([...document.querySelectorAll"
                         f"('#curves .picker')].find(p => p.textContent.startsWith('{label}')).querySelector('select'))")

    def place(self, step, value=None):
        """Where a step (and a value) of the chart lies in the window."""
        return self.browser.ask(f"""(root => {{
            const box = root.getBoundingClientRect(), scale = box.width / root.viewBox.baseVal.width;
            return [box.left + root.plot.x({step}) * scale, box.top + {"100" if value is None else f"root.plot.y({value})"} * scale];
        }})({CHART})""")

    def medians(self, name, column):
        """{heads: {step: median over its trials}}."""
        results = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
        curves = {}
        for trial, heads, step, value in results.execute(
                f"SELECT trial_id, heads, step, curve.{column} FROM curve JOIN trial USING (trial_id) JOIN config USING (config_id)"
                " WHERE is_tuning = 0 ORDER BY step"):
            curves.setdefault(heads, {}).setdefault(trial, []).append((step, float(f"{value:.5g}")))
        return {heads: {step: statistics.median(points[i][1] for points in own.values())
                        for i, (step, _) in enumerate(next(iter(own.values())))} for heads, own in curves.items()}

    def reads(self, step, medians, what):
        said = self.browser.ask(READING)
        self.expect(re.match(rf"Steps? .*\b{step}\b", said), f"{what}: step {step} is not read: {said}")
        for heads, values in medians.items():
            found = re.search(rf"\b{heads} heads?: ([0-9.]+)", said)
            self.expect(found and abs(float(found.group(1)) - values[step]) < 6e-5, f"{what}: {heads} heads at {step}: {values[step]}, but: {said}")
        told = self.browser.ask(f"{CHART}.getAttribute('aria-valuetext')")
        self.expect(f"{step}" in told and f"{next(iter(medians))} head" in told, f"{what}: told: {told}")

    def by_pointer(self, name, steps, medians):
        for step in steps[2], steps[-2]:
            self.browser.mouse("Moved", *self.place(step))
            self.reads(step, medians, "pointed at")
        begin, end = self.place(steps[1]), self.place(steps[-3])
        self.browser.mouse("Moved", *begin)
        self.browser.mouse("Pressed", *begin)
        self.browser.mouse("Moved", *end, pressed=True)
        self.expect(self.browser.ask(f"{CHART}.querySelectorAll('.marked').length") == 1, "what is dragged over is not marked")
        self.browser.screenshot(f"{self.folder}/{name}-curves-dragged.png", False)
        self.browser.mouse("Released", *end)
        self.zoomed(steps[1:-2], "dragged over")
        self.expect(self.browser.ask("location.hash") == "", "a drag led elsewhere")
        self.browser.ask(f"{RESET}.click()")
        self.zoomed(steps, "reset")

    def zoomed(self, steps, what):
        shown = self.browser.ask(f"{CHART}.plot.steps")
        self.expect(shown == steps, f"{what}: steps {shown}, not {steps}")
        whole = self.browser.ask(f"{RESET}.getAttribute('aria-disabled')") == "true"
        self.expect(whole == (what == "reset"), f"{what}: the reset is {'off' if whole else 'on'}")
        self.browser.mouse("Moved", *self.place(steps[0]))
        self.expect(re.match(rf"Step {steps[0]}\b", self.browser.ask(READING)), f"{what}: {self.browser.ask(READING)}")

    def by_keyboard(self, steps, medians):
        ask = self.browser.ask
        self.browser.mouse("Moved", 1, 1)
        ask(f"{CHART}.focus()")
        self.press("Home", "ArrowRight", "ArrowRight")
        self.reads(steps[2], medians, "by keys")
        self.press("End")
        self.reads(steps[-1], medians, "End")
        self.press("ArrowLeft", "ArrowLeft", shift=True)
        self.reads(steps[-3], medians, "marked by keys")
        self.press("Enter")
        self.zoomed(steps[-3:], "marked and entered")
        self.browser.mouse("Moved", 1, 1)
        self.expect(ask(f"document.activeElement === {CHART}"), "the focus was lost by zooming")
        self.press("Escape")
        self.zoomed(steps, "reset")

    def nearest(self, name, steps):
        """The trial that the pointer is near to is named and leads to its page; keys pick one after another."""
        ask, column = self.browser.ask, "val_acc"
        results = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
        values = results.execute("SELECT trial_id, curve.val_acc FROM curve JOIN trial USING (trial_id) WHERE step = ? ORDER BY 2",
                                 (steps[0],)).fetchall()
        worst, least = values[0]
        self.choose("Show", column)
        x, y = self.place(steps[0], least)
        self.browser.mouse("Moved", x, y + 8)
        self.expect(f"trial {worst}: " in ask(READING) and f"{least:.4f}" in ask(READING), f"not near trial {worst}: {ask(READING)}")
        self.browser.mouse("Moved", 1, 1)
        ask(f"{CHART}.focus()")
        self.press("Escape", "Home")
        named = []
        for _ in values:
            self.press("ArrowDown")
            named.append(int(re.search(r"trial (\d+)", ask(READING)).group(1)))
        of = dict(values)
        self.expect(sorted(named) == sorted(of) and named[-1] == worst and all(of[a] >= of[b] for a, b in zip(named, named[1:])),
                    f"picked by keys: {named} of {values}")
        self.press("Enter")
        self.wait(f"location.hash === '#trial-{worst}'", "the trial that keys picked")
        self.wait("document.querySelector('#trial-curve svg.steps')", "its curve")
        self.browser.ask("history.back()")
        self.wait(CHART, "the way back")
        self.browser.settle()
        x, y = self.place(steps[0], least)
        self.browser.mouse("Moved", x, y + 8)
        self.browser.mouse("Pressed", x, y + 8)
        self.browser.mouse("Released", x, y + 8)
        self.wait(f"location.hash === '#trial-{worst}'", "the trial that the pointer is near to")

    def curves(self, name):
        for width, dark in LOOKS[0], LOOKS[2], LOOKS[5]:
            self.open(name, width, dark)
            ask = self.browser.ask
            ask(f"{CHART}.scrollIntoView({{block: 'center'}})")
            self.choose("Show", "train_loss")
            medians = self.medians(name, "train_loss")
            steps = sorted(next(iter(medians.values())))
            if not dark:
                self.by_pointer(name, steps, medians)
                self.by_keyboard(steps, medians)
            self.choose("Steps", "log")
            xs = ask(f"[{steps[0]}, {2 * steps[0]}, {4 * steps[0]}].map({CHART}.plot.x)")
            self.expect(abs((xs[2] - xs[1]) - (xs[1] - xs[0])) < 0.01, f"steps are not logarithmic: {xs}")
            self.expect(all(abs(float(t.replace("k", "e3")) / s - 1) < 1 for t, s in zip(ask(TICKS), (steps[0],))), ask(TICKS))
            self.browser.mouse("Moved", *self.place(steps[3]))
            self.reads(steps[3], medians, f"log, {width}")
            self.expect(ask("document.documentElement.scrollWidth") <= width, f"at {width}: too wide")
            self.browser.screenshot(f"{self.folder}/{name}-curves-{width}-{'dark' if dark else 'light'}.png", False)
            if width == 360:
                self.choose("Steps", "linear")
                self.nearest(name, steps)
        self.quiet(name)
        self.verdict(f"{name}: learning curves are read and zoomed by pointer and by keyboard")
