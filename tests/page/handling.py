"""Looks at pages in Chromium, and uses them as readers do: handling.py CASES FOLDER NAME... reads NAME.html and
NAME.json here, leaves pictures in FOLDER and prints TAP, whose numbers go on after CASES."""
import base64
import csv
import io
import json
import re
import sqlite3
import sys
import xml.etree.ElementTree

from compared import Compared
from curves import Curves
from heads import HeadLooks
from honest import Honest
from look import LOOKS, WIDTHS, plural
from room import Room
from settings import Settings


class Handling(Settings, Compared, Curves, HeadLooks, Honest, Room):
    def score_at(self, results, heads, tuning, step):
        """What a candidate had by a rung: the mean of the best validation accuracy of each of its trials."""
        best = {}
        for trial, acc in results.execute("SELECT trial_id, c.val_acc FROM trial JOIN config USING (config_id) JOIN curve AS c"
                                          " USING (trial_id) WHERE is_tuning = 1 AND heads = ? AND tuning = ? AND step <= ?",
                                          (heads, tuning, step)):
            best[trial] = max(acc, best.get(trial, 0))
        return sum(best.values()) / len(best)

    def tuning(self, name, widths=(360, 900, 1600)):
        """Each tuned value with its score, as the results file has it, and what is said of it, as the report has it."""
        verdict = json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]
        results = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
        candidates = results.execute("SELECT heads, tuning, score, rank, settled, eliminated_at, added FROM tuning").fetchall()
        self.expect(any(c[5] for c in candidates) or name != "rungs", f"{name}: none is eliminated")
        for width in widths:
            self.open(name, width)
            seen = 0
            for heads, tuning, score, rank, settled, eliminated, added in candidates:
                values = {axis.removesuffix(".name").split(".")[-1]: value for axis, value in json.loads(tuning).items()}
                rows = self.table("Tuning of " + plural(heads, "head"))
                if eliminated:
                    score = self.score_at(results, heads, tuning, eliminated)
                row = next(r for r in rows if all(float(r[axis]["text"]) == value for axis, value in values.items()))
                shown, what = row["Score"], f"{name} at {width}: {heads} heads, {tuning}"
                self.expect(row["Rank"]["text"] == str(rank), f"{what}: rank {rank} in {row}")
                self.same({"value": shown["value"], "text": shown["text"][:6]}, score, what, 4)
                edges = [e["edge"] for e in verdict["edges"] if e["heads"] == heads and rank == 1 and settled]
                for said, wanted in (("chosen", rank == 1 and settled), (f"eliminated at step {eliminated}", eliminated),
                                     ("added", added), *((f"edge: {edge}", True) for edge in edges)):
                    self.expect((said in shown["text"]) == bool(wanted), f"{what}: {said} in {shown}")
                seen += 1
            cells = self.browser.ask("document.querySelectorAll('#tuning td.heat').length")
            self.expect(seen == cells > 0, f"{name} at {width}: {cells} cells of {seen} candidates")
            ask = self.browser.ask
            ask("document.querySelector('#tuning .scroll').focus()")
            wide = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#tuning .scroll'))"
            self.browser.key("ArrowRight", 39)
            self.wait(f"{wide} <= 0 || document.querySelector('#tuning .scroll').scrollLeft > 0", f"{name}: scrolled by a key")
        self.quiet(name)
        self.verdict(f"{name}: the lists of tuning show choices, edges, added and eliminated values")

    def drawn(self, name):
        """Of many tuned values the best are listed."""
        self.open(name)
        results = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
        title = self.browser.ask("document.querySelector('#tuning h3')?.textContent")
        self.expect(title == "What each head count chose: lr and schedule", f"{name}: {title}")
        for heads, listed in ((1, 50), (2, 6), (4, 3)):
            wanted = results.execute("SELECT tuning, score FROM tuning WHERE heads = ? ORDER BY rank", (heads,)).fetchall()
            rows = self.table("Tuning of " + plural(heads, "head"))
            self.expect(len(rows) == listed, f"{name}: {len(rows)} rows of {heads} heads")
            for i, (row, (tuning, score)) in enumerate(zip(rows, wanted), 1):
                values = json.loads(tuning)
                shown = (row["Rank"]["text"], float(row["lr"]["text"]), row["schedule"]["text"])
                self.expect(shown == (str(i), values["train.lr"], values["train.schedule.name"]), f"{name}: {shown}, not {i}: {values}")
                self.same({"value": row["Score"]["value"], "text": row["Score"]["text"][:6]}, score, f"{name}: {heads} heads, {i}", 4)
        said = self.browser.ask("[...document.querySelectorAll('#tuning .multiples p:not(.save)')].map(e => e.textContent)")
        self.expect(said == ["150 candidates of lower rank are left out."], f"{name}: {said}")
        cells = self.browser.ask("document.querySelectorAll('#tuning td.heat').length")
        self.expect(cells == 50 + 6 + 3, f"{name}: {cells} cells")
        self.quiet(name)
        self.verdict(f"{name}: values drawn at random are listed, the best first")

    def choices(self):
        """What the reader picks is drawn, and the keyboard stays where it was."""
        self.open("one")
        ask = self.browser.ask
        name = "Learning curves: validation loss"
        ask("(s => { s.focus(); s.value = 'val_loss'; s.dispatchEvent(new Event('change')); })(document.querySelector('#curves select'))")
        self.expect(ask("document.querySelector('#curves h3').textContent") == name, "another curve")
        self.expect(ask("document.activeElement === document.querySelector('#curves select')"), "the focus was lost")
        before = ask("document.querySelectorAll('#curves .thin').length")
        ask("document.querySelector('#curves input').click()")
        self.browser.settle()
        self.expect(0 < ask("document.querySelectorAll('#curves .thin').length") < before, "a head count is hidden")
        for section, value, title in ("heads", "entropy", "entropy"), ("cost", "mean_cpu_s", "CPU time of training"):
            ask(f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})"
                f"([...document.querySelectorAll('#{section} select')].find(s => [...s.options].some(o => o.value === '{value}')))")
            self.expect(ask(f"document.querySelector('#{section} h3').textContent").endswith(title), f"{section}: {value}")
        order = "[...document.querySelectorAll('#trials tbody tr')].map(r => Number(r.cells[0].dataset.value))"
        ask("document.querySelectorAll('#trials thead button')[0].click()")
        self.expect(ask(order) == sorted(ask(order), reverse=True), "sorted the other way round")
        ask("(i => { i.value = 'seed 1 32 heads'; i.dispatchEvent(new Event('input')); })(document.querySelector('#trials input'))")
        self.expect(len(ask(order)) == 1, f"filtered: {ask(order)}")
        self.browser.settle()
        self.quiet("one")
        self.verdict("what the reader picks is drawn, and the keyboard stays where it was")

    def trial(self, name, trial):
        """A trial alone: from its row and from its point; back goes back to where the reader was."""
        shown = json.load(open(f"{name}.trial.json", encoding="utf-8"))
        row, heads = shown["trial"], shown["trial"]["heads"]
        for width in WIDTHS:
            self.open(name, width)
            ask = self.browser.ask
            ask("document.getElementById('trials').scrollIntoView()")
            was = ask("scrollY")
            ask(f"document.querySelector('#trials a[href=\"#trial-{trial}\"]').focus()")
            self.browser.key("Enter", 13)
            self.wait(f"document.querySelector('h2').textContent === 'Trial {trial}'", f"{name} at {width}: trial {trial}")
            facts = dict(ask("[...document.querySelectorAll('#trial dl > div')].map(d => [d.children[0].textContent, d.children[1].textContent])"))
            for fact, key in (("Test accuracy", "test_acc"), ("Test loss", "test_loss"), ("Validation accuracy", "val_acc"),
                              ("Whole sequences", "test_exact")):
                self.expect(facts[fact] == f"{row[key]:.4f}", f"{name}: {fact}: {facts[fact]} is not {row[key]}")
            self.expect((facts["Heads"], facts["Seed"], facts["State"]) == (str(heads), str(row["seed"]), row["state"]), facts)
            for point, step in zip(self.table("Learning curve"), shown["curve"]):
                for column, key in (("Step", "step"), ("Validation accuracy", "val_acc"), ("Training loss", "train_loss")):
                    close = abs(float(point[column]["value"]) - step[key]) <= 1e-4 * abs(step[key])
                    self.expect(close, f"{name} {key}: {point[column]} is not {step[key]}")
            attempts = self.table("Attempts")
            self.expect([int(a["Attempt"]["value"]) for a in attempts] == [a["attempt"] for a in shown["attempts"]], attempts)
            options = {o["Option"]["text"]: o["Value"]["text"] for o in self.table("Configuration")}
            self.expect((options["model.heads"], options["train.lr"]) == (str(heads), str(row["config"]["train"]["lr"])), options)
            overflow = ask("document.documentElement.scrollWidth")
            self.expect(overflow <= width, f"{name} at {width}: {overflow} wide")
            self.browser.screenshot(f"{self.folder}/{name}-trial-{width}.png")
            ask("history.back()")
            self.wait("document.getElementById('trials')", f"{name} at {width}: back")
            self.browser.settle()
            self.expect(abs(ask("scrollY") - was) < 2, f"{name} at {width}: back at {ask('scrollY')}, not {was}")
            self.expect(ask("document.activeElement.textContent") == str(trial), "the focus is not back on the row's link")
        ask("document.querySelector('#accuracy [data-trial]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.wait("/^Trial/.test(document.querySelector('h2').textContent)", f"{name}: a point's trial")
        ask("[...document.querySelectorAll('nav a')].at(-1).click()")
        self.wait("location.hash === '#' + document.querySelector('h2').textContent.toLowerCase().replace(' ', '-')", "the next trial")
        ask("location.hash = 'trial-99999'")
        self.browser.call("Page.reload")
        self.wait("document.getElementById('trial')?.textContent.includes('No trial 99999')", "a trial that is not there")
        self.quiet(name)
        self.verdict(f"{name}: a trial has a page of its own, and back leads to where the reader was")

    def pruned(self, name, drawn, key):
        """What is left as heads go, in the unit that the sweep is judged by; the table has the numbers of `prune --json`."""
        rows = json.load(open(name + ".prune.json", encoding="utf-8"))["rows"]
        self.open(name)
        most = max(row["heads"] for row in rows)
        ask = self.browser.ask
        label = ask(f"(s => {{ if (s) {{ s.value = [...s.options].find(o => o.textContent === '{most} heads').value;"
                    " s.dispatchEvent(new Event('change')); } })(document.querySelector('#pruning select'))"
                    " || document.querySelector('#pruning svg').getAttribute('aria-label')")
        self.expect(label == f"{drawn} as heads are removed from {most} heads.", f"{name}: {label}")
        wanted = [row for row in rows if row["heads"] == most]
        shown = self.table(f"Pruned from {most} heads")
        self.expect(len(shown) == len(wanted), f"{name}: {len(shown)} rows, not {len(wanted)}")
        for row, want in zip(shown, wanted):
            self.same(row["Loss" if key == "mean_loss" else "Accuracy"], want[key], f"{name}: {want['kept']} kept", 4)
            if "mean_bits" in want:
                self.same(row["Bits per byte"], want["mean_bits"], f"{name}: {want['kept']} kept, bits", 4)
        costs = ask("document.querySelector('#cost svg').getAttribute('aria-label')")
        self.expect(costs.startswith(f"Mean {drawn[0].lower()}{drawn[1:]} against "), f"{name}: {costs}")
        self.expect(("Accuracy" in shown[0]) == (key == "mean_acc"), f"{name}: {list(shown[0])}")
        self.quiet(name)
        self.verdict(f"{name}: pruning and costs are drawn by what the sweep is judged by")

    def saved(self, button):
        """What a button saves: its name and its bytes, taken where the page hands them to the browser."""
        return base64.b64decode(self.browser.ask("""(async button => {
            let kept = null;
            const hand = URL.createObjectURL;
            URL.createObjectURL = blob => (kept = blob, hand.call(URL, blob));
            button.focus();
            button.click();
            while (!kept) await new Promise(done => setTimeout(done, 20));
            URL.createObjectURL = hand;
            return btoa([...new Uint8Array(await kept.arrayBuffer())].map(b => String.fromCharCode(b)).join(''));
        })(%s)""" % button))

    def saving(self, name):
        """Figures and tables as files, the sweep file on the clipboard: without a request."""
        self.browser.call("Browser.setDownloadBehavior", behavior="deny")
        self.open(name)
        ask = self.browser.ask
        buttons = "[...document.querySelectorAll('%s .save button')].filter(b => b.textContent.startsWith('%s'))"
        for section in "accuracy", "attention":
            find = buttons % ("#" + section, "SVG")
            drawn = self.saved(find + "[0]").decode()
            picture = xml.etree.ElementTree.fromstring(drawn)
            marks = [e for e in picture.iter() if e.tag.endswith(("path", "circle"))]
            shown = ask(f"document.querySelectorAll('#{section} .chart path, #{section} .chart circle').length")
            self.expect(len(marks) == shown > 0, f"{section}: {len(marks)} marks of {shown}")
            self.expect(all(e.get("fill") and not e.get("class") for e in marks), f"{section}: marks without a style of their own")
            self.expect(not re.search(r"(href|src|url\()", drawn), f"{section}: asks for something")
        rows = list(csv.DictReader(io.StringIO(self.saved((buttons % ("#accuracy", "CSV")) + "[0]").decode())))
        for row, wanted in zip(rows, json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]["heads"]):
            self.expect(float(row["Mean"]) == wanted["mean"] and int(row["Heads"]) == wanted["heads"], f"{row} is not {wanted}")
        self.expect(rows, "an empty table")
        self.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        ask("document.querySelector('#file button').focus()")
        self.browser.key("Enter", 13)
        self.wait("document.querySelector('#file [role=status]').textContent === 'Copied.'", "the word that it is copied")
        file = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True).execute("SELECT yaml FROM sweep").fetchone()[0]
        self.expect(ask("navigator.clipboard.readText()") == file, "the clipboard has another text")
        self.expect(ask("(e => e.scrollHeight - e.clientHeight)(document.querySelector('.file'))") <= 0, "the sweep file is cut")
        self.quiet(name)
        self.verdict(f"{name}: figures, tables and the sweep file are saved and copied")

    def saved_whole(self):
        """Of trials all that the filter leaves, in the order that they are shown in; texts stay texts."""
        self.open("many")
        rows = list(csv.reader(io.StringIO(self.saved("document.querySelector('#trials .save button')").decode())))
        self.expect(len(rows) == 30007, f"{len(rows)} lines")
        self.open("evil")
        text = self.browser.ask("csvField('=1+1') + csvField('-0.5') + csvField('a,\"b\"')")
        self.expect(text == '\'=1+1-0.5"a,""b"""', text)
        self.verdict("all trials are saved, and no text is a formula")

    def sorting(self):
        """By any column, both ways, what is unknown last; by pointer and by keyboard."""
        self.open("many")
        ask = self.browser.ask
        ask(f"(s => {{ s.value = ''; s.dispatchEvent(new Event('change')); }})(document.querySelector('#trials select'))")
        for i in range(ask("document.querySelectorAll('#trials thead button').length")):
            button = f"document.querySelectorAll('#trials thead button')[{i}]"
            for way in ("ascending", "descending") if i else ("descending", "ascending"):
                if i % 2:
                    ask(f"{button}.focus()")
                    self.browser.key("Enter", 13)
                else:
                    ask(f"{button}.click()")
                found = ask(f"({{order: {button}.closest('th').ariaSort, took: performance.now(), values: "
                            f"[...document.querySelectorAll('#trials tbody tr')].map(r => r.cells[{i}].dataset.value || null)}})")
                known = [v for v in found["values"] if v is not None]
                try:
                    known = [float(v) for v in known]
                except ValueError:
                    known = [v.lower() for v in known]
                self.expect(found["order"] == way and known == sorted(known, reverse=way == "descending")
                            and None not in found["values"][:len(known)], f"column {i}, {way}: {found}")
        self.verdict("the table of trials is sorted by any column")

    def many(self):
        """Tens of thousands of rows are sorted and filtered while the reader waits; seconds are told."""
        self.open("many")
        ask = self.browser.ask
        took = "(act => { const began = performance.now(); act(); return (performance.now() - began) / 1000; })"
        times = [ask(f"{took}(() => document.querySelectorAll('#trials thead button')[{i}].click())") for i in range(4)]
        for words in "s", "se", "seed 17", "":
            times.append(ask(f"{took}(() => {{ const i = document.querySelector('#trials input'); i.value = '{words}';"
                             " i.dispatchEvent(new Event('input')); })"))
        print("# seconds for a sort or a filter of 30,000 trials:", " ".join(f"{t:.3f}" for t in times))
        points = ask("document.querySelectorAll('#accuracy [data-trial]').length")
        said = ask("document.getElementById('accuracy').innerText")
        self.expect(1000 < points < 4100 and f"{points:,} of 30,006 trials are drawn" in said, f"{points} points: {said[:200]}")
        self.verdict("30,000 trials are sorted and filtered, and some of them drawn")

    def wide(self):
        """A table wider than the page says so; its first column stays, and accuracy is among what a phone shows."""
        table = "document.querySelector('#trials .scroll')"
        says = f"getComputedStyle({table}, '::before').content"
        for width in WIDTHS:
            self.open("one", width)
            ask = self.browser.ask
            wide = ask(f"{table}.scrollWidth > {table}.clientWidth + 1")
            self.expect(wide == ("right" in ask(says)), f"at {width}: wide is {wide}, but: {ask(says)}")
            self.expect(wide or width > 360, "not wide on a phone")
            heads = ask("[...document.querySelectorAll('#trials thead th')].map(c => [c.textContent, c.getBoundingClientRect().right])")
            shown = [name for name, right in heads if right <= width]
            self.expect("Test accuracy" in shown, f"at {width}: {shown}")
            if not wide:
                continue
            ask(f"{table}.scrollLeft = 1e6")
            self.browser.settle()
            self.expect("left" in ask(says), f"at {width}, at the end: {ask(says)}")
            lefts = ask(f"[...{table}.querySelectorAll('tr > :first-child')].map(c => c.getBoundingClientRect().left"
                        f" - {table}.getBoundingClientRect().left)")
            self.expect(all(abs(left) < 1 for left in lefts), f"at {width}: first column at {lefts[:4]}")
        self.verdict("a wide table says so, and keeps its first column")


def main():
    look = Handling(int(sys.argv[1]), sys.argv[2])
    names = sys.argv[3:]
    try:
        for name in names:
            look.appearance(name, LOOKS if name in ("one", "grid") else [(360, False), (360, True)])
        for name in "one", "grid", "tuned":
            look.numbers(name)
        for name in "tuned", "extended", "rungs":
            look.tuning(name)
        look.drawn("drawn")
        for name in "one", "grid", "both":
            look.first(name)
        look.settings("both")
        look.text("text")
        look.looks("text", look.looks_of_text)
        look.looks("one", look.looks_of_places)
        for name in "one", "dense":
            look.scale(name)
        look.alone("alone")
        look.small_lead("lead")
        for name in "tuned", "extended":
            look.counts(name)
        look.words("one", "Name the tokens at K fixed distances: target k of position i is token (i + offset_k) mod length.")
        look.fresh("one")
        look.own_heads("blind")
        look.alike("text")
        look.unclaimed("half")
        look.unlearned("chance")
        for name in names:
            look.structure(name)
        for name in "one", "grid":
            look.keyboard(name)
        look.choices()
        look.curves("steps")
        look.pruned("one", "Test accuracy", "mean_acc")
        look.pruned("text", "Bits per byte", "mean_loss")
        look.side_by_side()
        look.trial("one", 7)
        look.saving("one")
        look.saved_whole()
        look.sorting()
        look.many()
        look.wide()
        look.guessing(("one", "grid", "both", "extended", "dense"))
        for name in "one", "dense":
            look.reached(name)
            look.costs(name)
        look.once("both", 14)
        look.head_table("one")
        look.navigation("both")
        look.headed("text")
        look.foreign()
        look.without_script()
        for name in "one", "both", "grid", "extended", "text", "dense":
            look.printed(name)
    finally:
        look.browser.close()
    look.finish()


if __name__ == "__main__":
    main()
