"""What pages are asked in Chromium: how they look, what they say, how they are built."""
import json
import math
import os
import re
import sqlite3
import struct
import sys
import time

from chromium import Chromium

WIDTHS = 360, 900, 1600
PATIENCE = 240  # seconds until what should come is taken not to come, on a machine however busy
LOOKS = [(width, dark) for width in WIDTHS for dark in (False, True)]

# ---- questions to the page ----

CHARTS = """[...document.querySelectorAll('.chart')].map(chart => {
    const marks = chart.querySelectorAll('svg path, svg circle, svg rect');
    const box = chart.querySelector('svg')?.getBoundingClientRect();
    const texts = [...chart.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a => a.value)).join(' ');
    const labels = [...chart.querySelectorAll('svg:not(.map) text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    const crowded = labels.flatMap(([a, at], i) => labels.slice(i + 1).filter(([, other]) => meet(at, other)).map(([b]) => `${a} / ${b}`));
    return {crowded, marks: marks.length, width: box?.width ?? 0, height: box?.height ?? 0,
        right: box?.right ?? 0, bad: /NaN|undefined|Infinity/.test(texts),
        table: !chart.closest('figure') || !!chart.closest('figure').querySelector('table'),
        title: chart.closest('figure')?.querySelector('h3')?.textContent ?? 'small'};
})"""

# The rows of the table of a caption, as {column: the value that it was made from}.
TABLE = """(caption => {
    const table = [...document.querySelectorAll('table')].find(t => t.caption && t.caption.textContent.startsWith(caption));
    if (!table) return null;
    const names = [...table.tHead.rows[0].cells].map(c => c.textContent.replace(/ [▴▾]$/, ''));
    return [...table.tBodies[0].rows].map(row => Object.fromEntries([...row.cells].map((c, i) =>
        [names[i], {value: c.dataset.value ?? null, text: c.textContent}])));
})(%s)"""

# Every text with its colour and what it stands on, as they are shown.
CONTRAST = """(() => {
    const parse = c => { const n = c.match(/[\\d.]+/g).map(Number); return {r: n[0], g: n[1], b: n[2], a: n[3] ?? 1}; };
    const over = (top, below) => ({r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
        b: top.b * top.a + below.b * (1 - top.a), a: 1});
    const ground = e => {
        const layers = [];
        for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
        return layers.reverse().reduce((below, top) => over(top, below), {r: 255, g: 255, b: 255, a: 1});
    };
    const light = c => [c.r, c.g, c.b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
    const bad = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let n; n = walk.nextNode();) {
        const e = n.parentElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
        if (!n.textContent.trim() || !box.width || style.visibility === 'hidden' || e.closest('script, style, noscript, title, [aria-hidden=true], :disabled'))
            continue;
        const svg = e instanceof SVGElement, below = ground(e), ink = over(parse(svg ? style.fill : style.color), below);
        const [a, b] = [light(ink), light(below)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
        const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
        if (ratio < (large ? 3 : 4.5))
            bad.push(`${ratio.toFixed(2)} ${e.tagName}.${e.getAttribute('class')}: ${n.textContent.slice(0, 40)}`);
    }
    return bad.slice(0, 8);
})()"""

LANDMARKS = """({
    lang: document.documentElement.lang, title: document.title, h1: document.querySelectorAll('h1').length,
    main: document.querySelectorAll('main').length, nav: document.querySelectorAll('nav[aria-label]').length,
    banner: document.querySelectorAll('body > header').length, footer: document.querySelectorAll('body > footer').length,
    skipped: [...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1])).filter((l, i, all) => i && l > all[i - 1] + 1).length,
    twice: [...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i),
    links: [...document.querySelectorAll('a[href^="#"]')].filter(a => !/^#(trial-\\d+|setting=[^&]*)$/.test(a.hash) && !document.getElementById(decodeURIComponent(a.hash.slice(1)))).length,
    tables: [...document.querySelectorAll('table')].filter(t => !t.caption || !t.tHead || [...t.rows].some(r => !r.querySelector('th'))).length,
})"""

REACHED = """(() => {
    const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
    const all = [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
        .filter(e => !e.disabled && e.checkVisibility());
    return {index: all.indexOf(e), of: all.length, name: e.tagName + '#' + e.id + '.' + e.className + ' ' + e.textContent.slice(0, 20),
        ring: parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none', shown: box.right > 0 && box.bottom > 0};
})()"""

SMALL = """[...document.querySelectorAll('button, select, input, summary, nav a')].filter(e => e.checkVisibility())
    .map(e => [e.getBoundingClientRect(), e]).filter(([b]) => b.height < 24 || b.width < 24).map(([b, e]) => `small: ${b.width}x${b.height} ${e.outerHTML.slice(0, 60)}`)"""

PAPER = 688, 1017  # CSS pixels between the margins of A4

# What does not fit the paper: what lies beyond its edge, and what is cut by a box that would scroll; charts that could be cut.
ON_PAPER = """((width, height) => [...document.querySelectorAll('main *, header *')].filter(e => e.checkVisibility()).flatMap(e => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e), name = `${e.tagName}.${e.getAttribute('class')} ${e.textContent.slice(0, 30)}`;
    const cut = !(e instanceof SVGElement) && style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1 && !e.matches('.unseen, .unseen *');
    const whole = e.matches('figure > .chart > svg') && (box.height > height || getComputedStyle(e.closest('figure')).breakInside !== 'avoid');
    const colour = style.color.match(/\\d+/g).slice(0, 3);
    return [box.right > width + 1 && !e.closest('.unseen') ? `beyond the edge by ${box.right - width}: ${name}` : '', cut ? `cut: ${name}` : '',
        whole ? `on two sheets: ${name}` : '', new Set(colour).size > 1 ? `${style.color}: ${name}` : ''];
}).filter(Boolean).slice(0, 8))(%d, %d)"""

# How the sweep stands: on the live page.
STANDING = "document.querySelector('.standing')?.textContent"

# Characters that would be obeyed, in what is shown.
OBEYED = r"""(document.title + document.body.innerText).match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g)"""

# How the name of hostile.sql is shown.
HOSTILE = "name</script><script>hacked=1</script><img src=x onerror=hacked=2>\"'&U+001BU+009BU+2028U+202EbackU+200F"


def written(sentence):
    """A sentence of a report with its numbers as the page writes them: p = .031, and a minus sign."""
    sentence = re.sub(r"\bp ([=<]) (\.\d+)", "p\u00a0\\1\u00a0\\2", sentence.replace("`", ""))
    return re.sub(r"(?<![^ (])-(?=[.\d])", "\u2212", sentence)


def of_setting(name, setting):
    """The trials of a setting of a report."""
    results = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
    return {trial for trial, in results.execute("SELECT trial_id FROM trial WHERE setting_label = ?", (setting["setting_label"],))}


def plural(n, one):
    return f"{n} {one}{'' if n == 1 else 's'}"


def exported(trial, name, sequence=0):
    """The attention of a trial's heads on a sequence, (T,T) each, and its bytes: what `export attention` wrote."""
    with open(f"{name}.{trial}.maps", "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    L, H, N, T, _ = header["attention"]["shape"]
    begin, end = header["attention"]["data_offsets"]
    weights = struct.unpack(f"<{L * H * N * T * T}f", data[begin:end])
    begin = header["inputs"]["data_offsets"][0] + 8 * T * sequence
    maps = [[weights[((h * N + sequence) * T + i) * T:][:T] for i in range(T)] for h in range(L * H)]
    return maps, struct.unpack(f"<{T}q", data[begin:begin + 8 * T])


def looks_back(weights, text):
    """What lookBack of sweep/page/attention_text.js says, the words found by another rule."""
    T, word = len(text), re.compile(rb"[0-9A-Za-z_\x80-\xff]+")
    spans = [m.span() for m in word.finditer(bytes(text))]
    sums = dict.fromkeys(("Distance", "Itself", "Byte before", "Rest of its word", "Word before", "Elsewhere"), 0)
    for i in range(1, T):
        own = next((s for s in spans if s[0] <= i < s[1]), (0, 0))
        ended = [s for s in spans if s[1] <= i]
        before = ended[-1] if ended else (0, 0)
        for k, w in enumerate(weights[i]):
            sums["Distance"] += w * abs(i - k) / (T - 1)
            place = ("Itself" if k == i else "Byte before" if k == i - 1 else "Rest of its word" if own[0] <= k < own[1]
                     else "Word before" if before[0] <= k < before[1] else "Elsewhere")
            sums[place] += w / (T - 1)
    return sums


class Look:
    # Who may be asked for anything: the page itself and what is written within it.
    allowed = "file:", "data:", "about:", "blob:"
    scripts = 2  # elements: data, program
    bare = "early",  # pages without charts

    def __init__(self, cases, folder):
        self.cases, self.folder, self.failed, self.trouble = cases, folder, 0, []
        self.browser = Chromium(PATIENCE)

    def expect(self, right, what):
        if not right:
            self.trouble.append(str(what)[:600])

    def verdict(self, name):
        self.cases += 1
        self.failed += bool(self.trouble)
        print(f"{'not ok' if self.trouble else 'ok'} {self.cases} - {name}")
        for line in self.trouble[:20]:
            print("#", line.replace("\n", " "))
        self.trouble = []
        sys.stdout.flush()

    def open(self, name, width=900, dark=False):
        self.browser.view(width, dark)
        self.browser.open("file://" + os.path.abspath(name + ".html"))
        self.quiet(name)

    def quiet(self, name):
        """Nothing on the console, nothing thrown, nothing asked for."""
        for e in self.browser.events:
            method, p = e.get("method"), e.get("params", {})
            if method in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                self.expect(False, f"{name}: {method} {json.dumps(p)}")
            if method == "Network.requestWillBeSent":
                self.expect(p["request"]["url"].startswith(self.allowed), f"{name}: asks for {p['request']['url']}")

    def finish(self):
        print(f"1..{self.cases}")
        sys.exit(self.failed > 0)

    def wait(self, expression, what, most=PATIENCE):
        """Until it is true; whether it became so before all patience had ended."""
        end = time.monotonic() + most
        while not self.browser.ask(f"!!({expression})"):
            if time.monotonic() > end:
                self.expect(False, f"never came: {what}; it says: {self.browser.ask(STANDING)}")
                return False
            self.browser.settle(0.05, 0.1)
        return True

    # ---- what is looked at ----

    def appearance(self, name, looks):
        for width, dark in looks:
            self.open(name, width, dark)
            words = f"{name} at {width}, {'dark' if dark else 'light'}"
            overflow = self.browser.ask("document.documentElement.scrollWidth")
            self.expect(overflow <= width, f"{words}: {overflow} wide")
            charts = self.browser.ask(CHARTS)
            self.expect(charts or name in self.bare, f"{words}: no charts")
            for c in charts:
                self.expect(not c["crowded"], f"{words}: {c['title']}: texts run together: {c['crowded']}")
                self.expect(c["marks"] > 0 and c["width"] > 80 and c["height"] > 60 and not c["bad"] and c["table"]
                            and c["right"] <= width, f"{words}: {c}")
            for what in self.browser.ask(CONTRAST) + self.browser.ask(SMALL):
                self.expect(False, f"{words}: {what}")
            self.browser.screenshot(f"{self.folder}/{name}-{width}-{'dark' if dark else 'light'}.png")
        self.verdict(f"{name}: all is drawn, with contrast, at {', '.join(str(w) for w, d in looks if not d)} pixels, light and dark")

    def table(self, caption):
        return self.browser.ask(TABLE % json.dumps(caption)) or []

    def same(self, shown, wanted, what, decimals=None):
        value = None if shown["value"] is None else float(shown["value"])
        self.expect(value == wanted, f"{what}: {shown} is not {wanted}")
        if decimals is not None and wanted is not None:
            text = shown["text"].replace("\u2212", "-").lstrip("+")
            self.expect(abs(float(text) - wanted) <= 0.5001 * 10 ** -decimals, f"{what}: {shown} for {wanted}")

    def heads(self, name):
        """What `heads --json` says of each head count, where heads were measured."""
        if not os.path.exists(name + ".heads.json"):
            return []
        with open(name + ".heads.json", encoding="utf-8") as f:
            return json.load(f)["by_heads"]

    def numbers(self, name):
        report = json.load(open(name + ".json", encoding="utf-8"))
        self.open(name)
        metric = "Test loss" if report["metric"] == "test_loss" else "Test accuracy"
        for i, setting in enumerate(report["settings"]):
            if i:
                self.browser.ask(f"(s => {{ s.value = {i}; s.dispatchEvent(new Event('change')); }})(document.querySelector('select[name=setting]'))")
            verdict = setting["verdict"]
            rows = self.table(metric.lower() + " by head count")
            self.expect(len(rows) == len(verdict["heads"]), f"{name}: {len(rows)} head counts")
            for shown, row in zip(rows, verdict["heads"]):
                for column, key in (("Heads", "heads"), ("n", "n")):
                    self.same(shown[column], row[key], f"{name} {key}")
                for column, key in (("Mean", "mean"), ("95% from", "ci95_low"), ("to", "ci95_high"), ("Median", "median"),
                                    ("Least", "min"), ("Most", "max"), ("Validation", "mean_val")):
                    self.same(shown[column], row[key], f"{name} {key}", 4)
            rows = self.table("Paired differences")
            self.expect(len(rows) == len(verdict["comparisons"]), f"{name}: {len(rows)} comparisons")
            for shown, row in zip(rows, verdict["comparisons"]):
                for column, key in (("less", "heads_b"), ("p", "p_deciding")):
                    self.same(shown[column], row[key], f"{name} {key}")
                for column, key in (("Difference", "mean_diff"), ("from", "ci_low"), ("to", "ci_high")):
                    self.same(shown[column], row[key], f"{name} {key}", 4)
            text = self.browser.ask("document.getElementById('verdict').innerText")
            whole = self.browser.ask("document.getElementById('verdict').textContent")
            folded = self.browser.ask("[...document.querySelectorAll('#verdict details li')].map(l => l.textContent)")
            for i, sentence in enumerate(verdict["sentences"]):
                self.expect(written(sentence) in whole, f"{name}: not said: {sentence}")
                self.expect((written(sentence) in folded) == (i >= verdict["shown"]), f"{name}: folded or not: {sentence}")
            self.expect("`" not in text, f"{name}: raw markup: {text}")
            self.expect(not re.search(r"\bp.[=<].0\.", text), f"{name}: p is written another way: {text}")
            self.edges(name, verdict, text)
        self.between(name, report["between"])
        for shown, row in zip(self.table("Means per head count"), self.heads(name)):
            for column, key, decimals in (("Loss without one", "mean_rise", 3), ("Entropy", "entropy", 2), ("Sharp", "sharp", 1)):
                self.same(shown[column], row[key], f"{name} {key}", decimals)
        if self.heads(name):
            for section in "heads", "attention":
                named = self.browser.ask(f"[...document.querySelectorAll('#{section} figure *')].filter(e => !e.children.length)"
                                         ".map(e => e.textContent).filter(t => /^(layer \\d+, )?head \\d+$/.test(t))")
                self.expect([n.split()[-1] for n in named[:2]] == ["0", "1"], f"{name}: heads of {section} are {named}")
        trials = {t["trial_id"]: t for t in json.load(open(name + ".trials.json", encoding="utf-8"))
                  if not t["is_tuning"] and t["state"] != "not_needed" and t["trial_id"] in of_setting(name, setting)}
        rows = self.table("Trials")
        self.expect(len(rows) == min(50, len(trials)), f"{name}: {len(rows)} trials")
        for shown in rows:
            wanted = trials[int(shown["Trial"]["value"])]
            for column, key in ("Test accuracy", "test_acc"), ("Validation", "val_acc"):
                self.same(shown[column], wanted[key], f"{name} trial {wanted['trial_id']} {key}", 4)
        self.verdict(f"{name}: the numbers of the page are those of report --json and show --json")

    def between(self, name, between):
        """Settings against each other, and what was claimed of two."""
        self.expect(between or name != "grid", f"{name}: no settings are compared")
        if not between:
            return
        tested = [row for row in between["comparisons"] if row["mean_diff"] is not None]
        section = self.browser.ask("document.getElementById('between').innerText")
        for said, key in (("Preliminary: trials are still to come", "preliminary"), ("of a claim, the one that it calls better", "claimed")):
            self.expect((said in section) == any(row[key] for row in tested), f"{name}: {key} pairs of settings, but: {section[:400]}")
        rows = self.table("Settings against each other")
        self.expect(len(rows) == len(tested) > 0, f"{name}: {len(rows)} pairs of settings, not {len(tested)}")
        for shown, row in zip(rows, tested):
            for column, key, decimals in (("Heads", "heads", 0), ("n", "n", 0), ("Difference", "mean_diff", 4), ("from", "ci_low", 4),
                                          ("to", "ci_high", 4), ("Corrected for", "comparisons", 0)):
                self.same(shown[column], row[key], f"{name} between {key}", decimals)
            self.expect(shown["Setting"]["text"] == row["a"], f"{name}: {shown['Setting']} for {row['a']}")
        text = self.browser.ask("document.getElementById('verdict').textContent")
        self.expect(between["claims"] or name != "grid", f"{name}: nothing is claimed")
        for claim in between["claims"]:
            for sentence in claim["sentences"]:
                self.expect(written(sentence) in text, f"{name}: not said: {sentence}")

    def unclaimed(self, name):
        """Settings against each other, while trials are still to come."""
        self.open(name)
        between = json.load(open(name + ".json", encoding="utf-8"))["between"]
        self.expect(not between["claims"] and any(row["preliminary"] for row in between["comparisons"]), f"{name}: {between}")
        self.between(name, between)
        self.verdict(f"{name}: settings are compared without a claim, and said to be preliminary")

    def unlearned(self, name):
        """Where no setting was learned: its pairs are counted, and its map has no h*."""
        self.open(name)
        report = json.load(open(name + ".json", encoding="utf-8"))
        pairs = report["between"]["comparisons"]
        self.expect(pairs and all(row["kind"] == "at_chance" for row in pairs), f"{name}: {pairs}")
        section = self.browser.ask("document.getElementById('between')?.innerText ?? ''")
        self.expect(f"{len(pairs)} pairs of settings are at chance or all equal." in section, f"{name}: {section[:400]}")
        cells = self.browser.ask("[...document.querySelectorAll('.heatmap td strong')].map(e => e.textContent)")
        self.expect(cells == ["at chance"] * len(report["map"]["cells"]), f"{name}: {cells}")
        self.verdict(f"{name}: pairs of settings at chance are counted, and settings at chance are named")

    def text(self, name):
        """Head maps of a text have its bytes at their axes; beside them stands how far each head looks."""
        self.open(name)
        trial = self.browser.ask("Number(document.querySelector('#attention h3').textContent.match(/trial (\\d+)/)[1])")
        attention, inputs = exported(trial, name)
        signs = self.browser.ask("[...document.querySelectorAll('#attention svg.map')].map(m => [...m.querySelectorAll('text')].map(t => t.textContent))")
        wanted = [chr(b) if 32 < b < 127 else "\u21b5" if b == 10 else "\u00b7" for b in inputs for _ in "xy"]
        self.expect(signs and all(s == wanted for s in signs), f"{name}: axes {signs[:1]}, not {wanted}")
        named = [row["Input"]["text"] for row in self.table("The key that each query")]
        self.expect(named == [chr(b) if 32 < b < 127 else {10: "\\n", 32: "space"}.get(b, f"\\x{b:02x}") for b in inputs], f"{name}: inputs {named}")
        rows = self.table("How far the heads look")
        self.expect(len(rows) == len(attention) == len(signs), f"{name}: {len(rows)} heads")
        for row, weights in zip(rows, attention):
            for column, value in looks_back(weights, inputs).items():
                shown = float(row[column]["value"])
                near = .1 if column == "Distance" else .008  # weights are bytes there
                self.expect(abs(shown - value) < near, f"{name}: {row['Head']['text']}, {column}: {shown} for {value}")
        self.verdict(f"{name}: head maps have bytes at their axes, and say how far heads look")

    def scale(self, name):
        """Head counts lie where their logarithms do, each with a tick unless that would touch another."""
        heads = [row["heads"] for row in json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]["heads"]]
        for width in WIDTHS:
            self.open(name, width)
            means = self.browser.ask("""[...document.querySelectorAll('#accuracy path.mean:not(.interval), #accuracy path.candidate')]
                .map(e => Number(e.getAttribute('d').match(/[\\d.]+/)[0]))""")
            self.expect(len(means) == len(heads), f"{name}: {len(means)} means of {heads}")
            far = (means[-1] - means[0]) / math.log2(heads[-1] / heads[0])
            for at, h in zip(means, heads):
                wanted = means[0] + far * math.log2(h / heads[0])
                self.expect(abs(at - wanted) < 0.2, f"{name} at {width}: {h} heads at {at}, not {wanted}")
            ticks = self.browser.ask("[...document.querySelectorAll('#accuracy text.label[text-anchor=middle]')].map(t => Number(t.textContent))")
            self.expect(set(ticks) <= set(heads) and ticks[0] == heads[0] and (width == 360 or ticks == heads or len(heads) > 8),
                        f"{name} at {width}: ticks {ticks}")
        self.verdict(f"{name}: head counts lie on a logarithmic axis")

    def edges(self, name, verdict, text):
        """What was chosen at the edge of a grid: in the facts, and in the table by head count."""
        at_edge = {e["heads"] for e in verdict["edges"]}
        self.expect(at_edge or name != "tuned", f"{name}: no head count is at an edge")
        for e in verdict["edges"]:
            said = f"{e['heads']} head{'s' if e['heads'] > 1 else ''}: {e['axis'].split('.')[-1]} {e['value']:g}"
            self.expect(said in text, f"{name}: not among the facts: {said}")
        for row in self.table("Test accuracy by head count") if at_edge else []:
            yes = row["Edge of its grid"]["text"] == "yes"
            self.expect(yes == (int(row["Heads"]["value"]) in at_edge), f"{name}: at an edge: {row}")

    def structure(self, name):
        self.open(name)
        found = self.browser.ask(LANDMARKS)
        for key in "h1", "main", "nav", "banner", "footer":
            self.expect(found[key] == 1, f"{name}: {found[key]} {key}")
        self.expect(found["lang"] == "en" and found["title"], f"{name}: {found}")
        self.expect(not (found["skipped"] or found["twice"] or found["links"] or found["tables"]), f"{name}: {found}")
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        named = "button", "combobox", "textbox", "searchbox", "checkbox", "image", "region", "link", "table", "navigation", "group"
        count = 0
        for node in nodes:
            role = node.get("role", {}).get("value")
            if node.get("ignored") or role not in named or role == "group" and not node.get("focusable"):
                continue
            count += 1
            self.expect(node.get("name", {}).get("value", "").strip(), f"{name}: a {role} has no name")
        self.expect(count > 10 or name in self.bare, f"{name}: only {count} named nodes")
        self.verdict(f"{name}: landmarks, headings and labels are complete")

    def keyboard(self, name):
        self.open(name)
        reached = []
        while len(reached) < 400:
            self.browser.key("Tab", 9)
            at = self.browser.ask(REACHED)
            if at["index"] < 0:
                break
            self.expect(at["ring"] and at["shown"], f"{name}: focus is not seen on {at['name']}")
            reached.append(at["index"])
            of = at["of"]
            if reached[-1] == of - 1:
                break
        self.expect(reached == list(range(len(reached))), f"{name}: order {reached}")
        self.expect(reached and len(reached) == of, f"{name}: {len(reached)} reached")
        self.verdict(f"{name}: Tab reaches everything in the order of reading, and the focus is seen")

    def foreign(self):
        self.open("evil")
        ask = self.browser.ask
        self.expect(ask("typeof hacked") == "undefined", "a script of the results file has run")
        self.expect(ask("document.images.length") == 0, "an image of the results file")
        self.expect(ask("document.scripts.length") == self.scripts, "a script more")
        self.expect(not ask(OBEYED), f"obeyed: {ask(OBEYED)}")
        for place in "h1", ".sweep strong", "#verdict", "#file pre":
            self.expect(HOSTILE in ask(f"document.querySelector('{place}').textContent"), f"{place}: {ask(f'document.querySelector(`{place}`).textContent')[:200]}")
        self.verdict("names, questions, remarks and errors are shown as text; what would be obeyed is named")

    def without_script(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.open("one")
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        text = " ".join(n.get("name", {}).get("value", "") for n in nodes)
        lead = json.load(open("one.json", encoding="utf-8"))["settings"][0]["verdict"]["sentences"][0]
        self.expect(lead[:40] in text, "the finding is not there")
        self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.verdict("without scripts the findings are there as text")

    def printed(self, name):
        """On A4, from a wide dark screen: black on white, nothing beyond the paper's edge, no chart on two sheets, and about as
        many sheets as there is to show."""
        self.open(name, 1600, dark=True)
        ask = self.browser.ask
        wide = ask("document.querySelector('#accuracy svg').viewBox.baseVal.width")
        drawn = ask("dispatchEvent(new Event('beforeprint'))"
                    " && [...document.querySelectorAll('figure > .chart > svg')].map(e => e.viewBox.baseVal.width)")
        self.expect(drawn and all(width == PAPER[0] for width in drawn), f"{name}: charts for {drawn} pixels")
        self.browser.view(PAPER[0], True, media="print")
        self.browser.settle()
        for wrong in ask(ON_PAPER % PAPER) + ask(CONTRAST):
            self.expect(False, f"{name} on paper: {wrong}")
        rows = ask("[document.querySelectorAll('#trials tbody tr').length, document.querySelector('#trials .status').textContent]")
        self.expect(str(rows[0]) in rows[1].replace(",", ""), f"{name}: {rows}")
        sheets = ask("document.documentElement.scrollHeight") / PAPER[1]
        ask("dispatchEvent(new Event('afterprint'))")
        self.browser.view(1600, True)
        self.browser.settle()
        self.expect(ask("document.querySelector('#accuracy svg').viewBox.baseVal.width") == wide, f"{name}: the screen keeps the paper's charts")
        printed = self.browser.print(f"{self.folder}/{name}.pdf")
        boxes = [tuple(round(float(n)) for n in box.split()) for box in re.findall(rb"/MediaBox\s*\[([^\]]+)\]", printed)]
        pages = len(re.findall(rb"/Type\s*/Page\b", printed))
        self.expect(boxes and set(boxes) == {(0, 0, 595, 842)}, f"{name}: paper of {set(boxes)}")
        self.expect(sheets <= pages <= 1.5 * sheets + 1, f"{name}: {pages} sheets for {sheets:.1f}")
        self.quiet(name)
        self.verdict(f"{name}: a print on A4 is black on white, with nothing cut")
