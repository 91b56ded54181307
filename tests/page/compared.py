"""Sweeps side by side: what differs, what each came to, means and differences, as `report A B --json` has them."""
import json
import math

from look import LOOKS, Look, plural, written


def unit_of(reports):
    """What is drawn, and what numbers are times that: bits per byte where all settings have them."""
    if all("guess_bits" in setting["verdict"] for report in reports for setting in report["settings"]):
        return "bits per byte", 1 / math.log(2)
    return reports[0]["metric"].replace("_", " ").replace("acc", "accuracy"), 1


class Compared(Look):
    def compared(self, name, *sweeps):
        comparison = json.load(open(name + ".json", encoding="utf-8"))
        reports = [json.load(open(f"{name}.{sweep}.json", encoding="utf-8")) for sweep in sweeps]
        self.open(name)
        settings = list(dict.fromkeys(row["setting_label"] for row in comparison["rows"]))
        self.expect(self.browser.ask("document.querySelectorAll('select[name=setting] option').length") == (len(settings) if len(settings) > 1 else 0),
                    f"{name}: settings to pick, of {settings}")
        for option, shown in zip(comparison["differences"], self.table("Options that differ"), strict=True):
            values = [shown[chr(65 + i)]["text"] for i in range(len(sweeps))]
            self.expect((shown["Option"]["text"], values) == (option["option"], [v or "not there" for v in option["values"]]), f"{name}: {shown}")
        for i, setting in enumerate(settings):
            if i:
                self.browser.ask(f"(s => {{ s.value = {i}; s.dispatchEvent(new Event('change')); }})(document.querySelector('select[name=setting]'))")
                self.wait(f"document.querySelector('#came p').textContent === {json.dumps(setting)}", setting)
            self.setting(name, [row for row in comparison["rows"] if row["setting_label"] == setting], sweeps, *unit_of(reports))
            for report in reports:
                self.verdicts(name, report, setting)
        self.quiet(name)
        self.verdict(f"{name}: sweeps stand side by side with the numbers of report --json")

    def setting(self, name, rows, sweeps, drawn, scale):
        in_unit = lambda x: None if x is None else x * scale
        letters = {sweep: chr(65 + i) for i, sweep in enumerate(sweeps)}
        beside = {int(shown["Heads"]["value"]): shown for shown in self.table("Means side by side")}
        self.expect(set(beside) == {row["heads"] for row in rows}, f"{name}: {set(beside)}")
        apart = {(int(r["Heads"]["value"]), r["Sweep"]["text"]): r for r in self.table("Differences between sweeps")}
        self.expect(len(apart) == sum(row["against"] is not None for row in rows), f"{name}: {len(apart)} differences")
        for row in rows:
            letter = letters[row["sweep"]]
            for column, key in (f"mean {drawn}", "mean"), ("from", "ci95_low"), ("to", "ci95_high"):
                self.same(beside[row["heads"]][f"{letter} {column}"], in_unit(row[key]), f"{name}: {key} of {row}", 4)
            self.same(beside[row["heads"]][letter + " n"], row["n"], f"{name}: n of {row}")
            if row["against"] is None:
                continue
            shown = apart[row["heads"], letter]
            self.expect(shown["less"]["text"] == letters[row["against"]] and shown["Test"]["text"] == row["test"], f"{name}: {shown}")
            for column, key in (f"Difference in {drawn}", "mean_diff"), ("from", "diff_low"), ("to", "diff_high"):
                self.same(shown[column], in_unit(row[key]), f"{name}: {key} of {row}", 4)
            self.same(shown["p"], row["p"], f"{name}: p of {row}")
        titles = self.browser.ask("[...document.querySelectorAll('#beside h3, #apart h3')].map(h => h.textContent.toLowerCase())")
        self.expect(titles and all(title.startswith(drawn) for title in titles), f"{name}: drawn in {drawn}: {titles}")
        self.lead(name, rows, letters)

    def lead(self, name, rows, letters):
        """The first sentence counts the intervals that leave out 0."""
        text = self.browser.ask("document.querySelector('#differ .finding').innerText")
        for sweep, letter in letters.items():
            own = [row for row in rows if row["sweep"] == sweep and row["against"]]
            if not own:
                continue
            sides = [[row["heads"] for row in own if row["diff_low"] is not None and test(row)]
                     for test in (lambda row: row["diff_low"] > 0, lambda row: row["diff_high"] < 0)]
            words = [", ".join(map(str, side[:-1])) + (" and " if len(side) > 1 else "") + plural(side[-1], "head") if side else "none" for side in sides]
            of = f"the {plural(len(own), 'head count')} that both have"
            wanted = (f"of {letter} is higher than that of {letters[own[0]['against']]} at {words[0]} and lower at {words[1]}, of {of}." if any(sides)
                      else f"of {letter} cannot be told apart from that of {letters[own[0]['against']]} at any of {of}")
            self.expect(wanted in text, f"{name}: not said: {wanted}; but: {text}")

    def verdicts(self, name, report, label):
        """Each sweep's finding, of the setting that stands there."""
        settings = report["settings"]
        setting = settings[0] if len(settings) == 1 else next((s for s in settings if s["setting_label"] == label), None)
        text = self.browser.ask("document.getElementById('came').textContent")
        for sentence in setting["verdict"]["sentences"] if setting else ["It has no such setting."]:
            self.expect(written(sentence) in text, f"{name}: {report['sweep']}: not said: {sentence}")

    def nothing_compared(self, name, why):
        self.open(name)
        text = self.browser.ask("document.querySelector('#differ .finding').innerText")
        self.expect(why in text, f"{name}: not said: {why}; but: {text}")
        self.verdict(f"{name}: the page says why nothing is compared")

    def overview(self, name, *sweeps):
        """Of sweeps without a common setting: what each setting came to."""
        reports = [json.load(open(f"{name}.{sweep}.json", encoding="utf-8")) for sweep in sweeps]
        wanted = [(chr(65 + i), setting["setting_label"]) for i, report in enumerate(reports) for setting in report["settings"]]
        rows = self.table("Every setting")
        self.expect([(row["Sweep"]["text"], row["Setting"]["text"]) for row in rows] == wanted and len(wanted) > 2, f"{name}: {rows}, not {wanted}")
        self.browser.ask("[...document.querySelectorAll('#overview tbody button')].at(-1).click()")
        self.wait(f"document.querySelector('#came p').textContent === {json.dumps(wanted[-1][1])}", f"{name}: {wanted[-1]} by its row")
        self.quiet(name)
        self.verdict(f"{name}: the overview has all settings, and a row leads to its own")

    def one_unit(self, name):
        """Of one sweep, whose settings do not all have bits per byte."""
        self.open(name)
        title = self.browser.ask("document.querySelector('#verdict figure h3').textContent")
        self.expect(title.startswith("Test loss by head count"), f"{name}: {title}")
        self.verdict(f"{name}: losses of bytes and of labels have one unit")

    def side_by_side(self):
        for name in "two", "three":
            self.appearance(name, LOOKS if name == "two" else [(360, False), (1600, True)])
            self.structure(name)
            self.keyboard(name)
        self.compared("two", "steps", "longer")
        self.compared("three", "steps", "longer", "wide")
        self.compared("bits", "text", "reread")
        self.compared("units", "text", "loss")
        self.nothing_compared("strangers", "They have no head count in common.")
        self.nothing_compared("foreigners", "They have no setting in common.")
        self.overview("foreigners", "wide", "wider")
        self.nothing_compared("waiting", "Nothing is compared with A: at no head count that it has in common with another do both have results.")
        self.one_unit("modes")
