"""What a page must not make a reader believe."""
import json
import re

from look import Look, exported

TEXT = "document.querySelector('{}')?.innerText ?? ''"
TILES = "Object.fromEntries([...document.querySelectorAll('#verdict .facts > div')].map(d => [d.children[0].textContent, d.children[1].textContent]))"
LABELS = "[...document.querySelectorAll('{} svg text.label')].map(t => t.textContent)"


class Honest(Look):
    def pick(self, i):
        self.browser.ask(f"(s => {{ s.value = {i}; s.dispatchEvent(new Event('change')); }})(document.querySelector('select[name=setting]'))")

    def alone(self, name):
        """A setting of one head count compares nothing, and no line through h* hangs on it; colours are a head count's own."""
        settings = json.load(open(name + ".json", encoding="utf-8"))["settings"]
        self.open(name)
        ask = self.browser.ask
        cells = ask("[...document.querySelectorAll('#settings .heatmap td')].map(e => e.textContent)")
        self.expect(cells[-1] == "one head count" and all(re.fullmatch(r"\d confidence set .*", c) for c in cells[:-1]), f"{name}: {cells}")
        self.expect("log2 h*" not in ask(TEXT.format("#settings")), f"{name}: a line through three settings")
        rows = self.table("Every setting")
        self.expect([(row["Confidence set"]["text"] == "", row["Candidate"]["text"] == "") for row in rows]
                    == [(len(s["verdict"]["heads"]) < 2,) * 2 for s in settings], f"{name}: {rows}")
        colours = {}
        for i, setting in enumerate(settings):
            self.pick(i)
            tiles = ask(TILES)
            self.expect(len(setting["verdict"]["heads"]) > 1 or set(tiles) == {"Guessing"}, f"{name}: {tiles}")
            ends = ask("[...document.querySelectorAll('#curves text.end')].map(t => [t.textContent, t.getAttribute('class')])")
            self.expect(len(ends) == len(setting["verdict"]["heads"]), f"{name}: {ends}")
            for heads, colour in ends:
                colours.setdefault(heads, set()).add(colour)
        self.expect(all(len(c) == 1 for c in colours.values()) and len(set.union(*colours.values())) == len(colours), f"{name}: {colours}")
        self.quiet(name)
        self.verdict(f"{name}: one head count alone is not compared, and each has its own colour")

    def small_lead(self, name):
        """A lead smaller than the margin is said to be that; where all do well, the axis is of them."""
        verdict = json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]
        self.expect(verdict["kind"] == "claim_confirmed" and verdict["plateau_margin"] == .01, f"{name}: {verdict['kind']}")
        self.open(name)
        ask = self.browser.ask
        said = ask(TEXT.format("#verdict .finding"))
        self.expect("; the lead over 1 is below the margin of equivalence, 0.01" in said, f"{name}: {said}")
        line = ask("lineText(JSON.parse(document.getElementById('data').textContent).summary.report.settings[0])")
        self.expect(line == "confirmed, though over 1 head by less than the margin of equivalence", f"{name}: {line}")
        ticks = [float(t) for t in ask(LABELS.format("#accuracy")) if "." in t]
        self.expect(ticks and min(ticks) > .97 and max(ticks) <= 1, f"{name}: an axis from {ticks}")
        ask("(s => { s.value = 'all'; s.dispatchEvent(new Event('change')); })(document.querySelector('#accuracy select'))")
        ticks = [float(t) for t in ask(LABELS.format("#accuracy")) if "." in t]
        self.expect(min(ticks) < .3, f"{name}: guessing is not on the axis {ticks}")
        tiles = ask(TILES)
        self.expect("Plateau: shown to be within 0.01 of the best" in tiles and "Candidate" in " ".join(tiles), f"{name}: {tiles}")
        self.quiet(name)
        self.verdict(f"{name}: a lead within the margin is said to be one, and the axis fits the points")

    def counts(self, name):
        """How many trials there are: numbers that add up."""
        report = json.load(open(name + ".json", encoding="utf-8"))
        self.open(name)
        said = self.browser.ask(TEXT.format("#verdict .progress"))
        inside, said = re.findall(r"\((\d+) planned, (\d+) added while it ran\)", said), re.sub(r"\(.*?\)", "", said)
        numbers = [int(n) for n in re.findall(r"\d+", said)]
        self.expect(all(int(a) + int(b) == numbers[0] for a, b in inside) and len(inside) == (name == "extended"), f"{name}: {inside}, {said}")
        self.expect(report["not_needed"] > 0, f"{name}: all were needed")
        self.expect(numbers[:3] == [report["planned"] + report["not_needed"], report["not_needed"], report["planned"]]
                    and sum(numbers[3:]) == report["planned"], f"{name}: {said}")
        self.verdict(f"{name}: the numbers of trials that are needed and not needed add up")

    def words(self, name, task):
        """What the task asks; no colour that the dark scheme turns round, and no minus before zeros."""
        self.open(name)
        ask = self.browser.ask
        self.expect(task in ask(TEXT.format("body > header")), f"{name}: {ask(TEXT.format('body > header'))}")
        text = ask("document.body.innerText")
        self.expect(not re.search(r"\bdark|\blighter", text), f"{name}: a scheme's colour: {re.findall(r'.{20}dark.{20}', text)}")
        for number, fixed, signed in (-.0004, "0.000", "0.000"), (.0004, "0.000", "0.000"), (-.0006, "\u22120.001", "\u22120.001"), (.04, "0.040", "+0.040"):
            self.expect(ask(f"[fixed({number}), signed({number})]") == [fixed, signed], f"{number}: {ask(f'[fixed({number}), signed({number})]')}")
        self.expect("a number leads to its trial" in ask(TEXT.format("#trials .status")), "that trials can be opened")
        self.verdict(f"{name}: the task is explained, no words name a dark colour, and zeros have no sign")

    def fresh(self, name):
        """A setting is judged by its fresh trials once they have all ended; trials that were known confirm nothing."""
        self.open(name)
        for preliminary, proof, kind in (False, "first", "claim_confirmed"), (True, "first", "middle"), (False, "late", "claim_not_confirmed"):
            confirmation = {"kind": "claim_confirmed" if proof == "first" else "middle", "preliminary": preliminary, "claim_proof": {"status": proof}}
            found = self.browser.ask(f"kindOf({json.dumps({'verdict': {'kind': 'middle', 'comparisons': [], 'confirmation': confirmation}})})")
            self.expect(found == kind, f"preliminary {preliminary}, {proof}: {found}")
        self.verdict(f"{name}: fresh trials decide what a setting came to")

    def own_heads(self, name):
        """Without a map to follow, the heads of the candidate's best trial; the menu goes by head count and seed."""
        verdict = json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]
        self.open(name)
        ask = self.browser.ask
        self.expect(not ask("document.querySelector('#attention .map')"), f"{name}: there are maps")
        menu = ask("[...document.querySelector('#heads select').options].map(o => [o.textContent, o.selected])")
        places = [tuple(map(int, re.search(r": (\d+) heads?, seed (\d+)", text).groups())) for text, _ in menu]
        self.expect(places == sorted(places) and len(places) > 3, f"{name}: {menu}")
        shown = [place[0] for place, (_, selected) in zip(places, menu) if selected]
        self.expect(shown == [verdict["candidate"]] and shown[0] != places[0][0], f"{name}: heads of {shown}, not {verdict['candidate']}")
        self.verdict(f"{name}: the heads of the candidate are shown first, in a menu by head count")

    def alike(self, name):
        """Pairs of heads by the share of their attention that goes to the same keys."""
        self.open(name)
        trial = self.browser.ask("Number(document.querySelector('#attention h3').textContent.match(/trial (\\d+)/)[1])")
        both = [exported(trial, name, sequence)[0] for sequence in (0, 1)]
        rows = self.table("Pairs of heads")
        heads = len(both[0])
        sums = {}
        for i in range(heads):
            for k in range(i + 1, heads):
                shared = [sum(map(min, a, b)) for maps in both for a, b in zip(maps[i], maps[k])]
                sums[f"head {i} and head {k}"] = sum(shared) / len(shared)
        said = self.browser.ask(TEXT.format("#attention"))
        first = max(sums, key=sums.get)
        words = f"{first.capitalize()} look most alike" if sums[first] >= .5 else f"No two heads look alike; nearest are {first}"
        shown = re.search(rf"{words}: ([.\d]+) of", said)
        self.expect(shown and abs(float(shown.group(1)) - sums[first]) < .02, f"{name}: {first}: {sums[first]}, but: {said}")
        self.expect(len(rows) == (len(sums) if len(sums) > 1 else 0), f"{name}: {rows}")
        for row in rows:
            self.expect(abs(float(row["Same keys"]["value"]) - sums[row["Heads"]["text"]]) < .02, f"{name}: {row}, not {sums}")
        self.verdict(f"{name}: the heads that look most alike are named")
