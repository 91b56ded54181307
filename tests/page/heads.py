"""What a page says that heads look at."""
import sqlite3

from look import Look, exported, looks_back

SHARES = {"Itself": "itself", "Byte before": "the byte before", "Rest of its word": "the rest of the word",
          "Word before": "the word before", "Elsewhere": "elsewhere"}
PICK = """(value => (s => { s.focus(); s.value = value; s.dispatchEvent(new Event('change')); })(
    [...document.querySelectorAll('#%s select')].find(s => [...s.options].some(o => o.value === value))))('%s')"""
# The names of groups and the heads of each, as they are drawn.
GROUPS = """[...document.querySelectorAll('#%s .chart %s')].map(e => e.textContent)"""


class HeadLooks(Look):
    def looks_of_places(self, name, trial):
        """Where each head of a trial looks, of those places that the task needs: [place or "several places"], by head."""
        results = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
        rows = results.execute("SELECT head, slot, max(mass) FROM head_slot WHERE trial_id = ? AND split = 'val' GROUP BY head"
                               " ORDER BY head", (trial,)).fetchall()
        return [f"place {slot}" if mass >= 0.5 else "several places" for _, slot, mass in rows]

    def looks_of_text(self, name, trial):
        """The same in a text, on average over the two sequences of a page."""
        looks = []
        both = [exported(trial, name, sequence) for sequence in (0, 1)]
        for maps in zip(*(maps for maps, _ in both)):
            sums = [looks_back(weights, text) for weights, (_, text) in zip(maps, both)]
            shares = {column: sum(s[column] for s in sums) / 2 for column in SHARES}
            most = max(shares, key=shares.get)
            self.expect(abs(shares[most] - 0.5) > 0.01, f"{name}: too close to tell: {shares}")
            looks.append(SHARES[most] if shares[most] >= 0.5 else "several places")
        return looks

    def looks(self, name, looks_of):
        """Heads in groups by what they look at: in their figure, their table and their maps, by the keyboard."""
        self.open(name)
        ask = self.browser.ask
        trial = ask("Number(document.querySelector('#heads h3').textContent.match(/trial (\\d+)/)[1])")
        wanted = looks_of(name, trial)
        said = [(int(row["Head"]["text"].split()[-1]), row["Looks at"]["text"].split(",")[0])
                for row in self.table(f"Heads of trial {trial}")]
        self.expect(said == list(enumerate(wanted)) and said, f"{name}: trial {trial} looks at {said}, not {wanted}")
        ask("[...document.querySelectorAll('#heads select')].at(-1).focus()")
        self.browser.key("End", 35)
        self.wait("document.querySelector('#heads .chart text.end')", f"{name}: groups")
        self.expect(ask("document.activeElement.value") == "looks", f"{name}: {ask('document.activeElement.outerHTML')}")
        for section, texts in ("heads", "text:not([text-anchor=middle])"), ("attention", ".group, .name"):
            group, found = None, {}
            for text in ask(GROUPS % (section, texts)):
                if text.startswith("head "):
                    found[int(text.split()[-1])] = group
                elif not text.replace("\u2212", "").replace(".", "").isdigit():
                    group = text.lower()
            shown = [found.get(head) for head in range(len(wanted))]
            self.expect(shown == wanted or section == "attention" and not found, f"{name}, {section}: {shown}, not {wanted}")
        ask(PICK % ("heads", "measure"))
        bars = [float(t) for t in ask("[...document.querySelectorAll('#heads .chart text:not([text-anchor])')].map(t => t.textContent)"
                                      ".concat([...document.querySelectorAll('#heads .chart text[text-anchor=start]')].map(t => t.textContent))")]
        self.expect(bars == sorted(bars, reverse=True) and len(bars) == len(wanted), f"{name}: by measure {bars}")
        self.quiet(name)
        self.verdict(f"{name}: heads are grouped by what they look at")
