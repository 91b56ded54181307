"""What stands first on a page, and what follows from the setting that is picked there."""
import json

from look import WIDTHS, Look, of_setting

PICK = "(s => {{ s.focus(); s.value = {}; s.dispatchEvent(new Event('change')); }})(document.querySelector('select[name=setting]'))"
BOX = "(r => ({{top: r.top, bottom: r.bottom, left: r.left, right: r.right}}))(document.querySelector('{}').getBoundingClientRect())"
KEPT = "document.querySelector('#verdict a[aria-current]')?.textContent"


class Settings(Look):
    def first(self, name):
        """The finding in a sentence, then its figure, then what limits it; on a phone the first two without scrolling."""
        report = json.load(open(name + ".json", encoding="utf-8"))
        for width in WIDTHS:
            self.open(name, width)
            self.browser.view(width, height=800)
            ask = self.browser.ask
            found, figure, chart, limits = (ask(BOX.format(where)) for where in (
                "#verdict .findings .lead", "#accuracy", "#accuracy svg", "#verdict .limits"))
            what = f"{name} at {width}: {found}, {figure}, {limits}"
            seen = chart["top" if width == 900 else "bottom"]
            self.expect(0 < found["top"] and found["bottom"] <= 800 and seen <= 800, f"not on the first screen: {what}")
            if width < 1280:
                self.expect(found["bottom"] <= figure["top"] and figure["bottom"] <= limits["top"], what)
            else:
                self.expect(found["right"] <= figure["left"] and found["bottom"] <= limits["top"] and limits["right"] <= figure["left"], what)
            order = ask("[...document.querySelector('#verdict').children].map(e => e.className || e.id || e.tagName)")
            self.expect(order == ["verdict-title", "findings", "accuracy", "limits"], f"{name}: {order}")
            lines = ask("[...document.querySelectorAll('#verdict .lines li')].map(e => e.textContent)")
            several = len(report["settings"]) > 1
            self.expect(len(lines) == (len(report["settings"]) if several else 0), f"{name}: {lines}")
            for line, setting in zip(lines, report["settings"]):
                self.expect(line.startswith(setting["setting_label"] + " "), f"{name}: {line}")
        self.quiet(name)
        self.verdict(f"{name}: the finding stands first, then its figure, then what limits it")

    def governed(self, name, setting):
        """That all sections show this setting: what they say of its trials is what the report says of them."""
        ask = self.browser.ask
        own = of_setting(name, setting)
        label, what = setting["setting_label"], f"{name}, {setting['setting_label']}"
        self.expect(label in ask("document.querySelector('#accuracy h3').textContent"), f"{what}: another figure")
        self.expect(ask("document.querySelector('#verdict .limits .finding h3').textContent") == label, f"{what}: another finding")
        self.expect(ask(KEPT) == label, f"{what}: the line of {ask(KEPT)} is marked")
        shown = [int(row["Trial"]["value"]) for row in self.table("Trials")]
        self.expect(shown and set(shown) <= own, f"{what}: trials {shown}")
        picked = ask("[...document.querySelectorAll('#heads select')].flatMap(s => [...s.options]).map(o => parseInt(o.value))"
                     ".filter(t => t)")
        self.expect(picked and set(picked) <= own, f"{what}: heads of {picked}")
        drawn = ask("[...document.querySelectorAll('#curves .thin')].map(l => parseInt(l.textContent.match(/\\d+/)))")
        self.expect(drawn and set(drawn) <= own, f"{what}: curves of {drawn}")
        scores = {t["val_acc"] for t in json.load(open(name + ".trials.json", encoding="utf-8"))
                  if t["trial_id"] in own and t["is_tuning"]}
        tried = [float(row["Score"]["value"]) for row in self.table("Tuning of") if row["Score"]["value"]]
        self.expect(tried and set(tried) <= scores, f"{what}: tuned {tried}")
        maps = "parseInt(document.querySelector('#attention a, #attention h3').textContent.match(/\\d+/))"
        self.wait(f"{sorted(own)}.includes({maps}) === !!document.querySelector('#attention .map')",
                  f"{what}: maps of its own trials") # they come by themselves

    def settings(self, name):
        """The picked setting governs all that follows, and is kept by the address: by select, line, back and reload."""
        first, second = json.load(open(name + ".json", encoding="utf-8"))["settings"]
        self.open(name)
        ask = self.browser.ask
        said = ask("document.querySelector('#verdict .lead').textContent")
        self.expect(f"in {1 + (first['verdict']['kind'] == second['verdict']['kind'])} of 2 settings" in said, said)
        self.governed(name, first)
        ask(PICK.format(1))
        self.governed(name, second)
        self.expect(ask("document.activeElement.name") == "setting", "the focus was lost")
        ask("[...document.querySelectorAll('nav a')].find(a => a.textContent === 'Trials').focus()")
        self.browser.key("Enter", 13)
        trials = "Math.abs(document.getElementById('trials').getBoundingClientRect().top - 72) < 40"
        self.wait(trials, f"{name}: the trials by a link")
        self.browser.call("Page.reload")
        self.wait(f"{KEPT} === {json.dumps(second['setting_label'])} && {trials}", f"{name}: the same after a reload")
        self.governed(name, second)
        row = int(self.table("Trials")[0]["Trial"]["value"])
        ask(f"location.hash = 'trial-{row}'")
        self.wait(f"document.querySelector('h2').textContent === 'Trial {row}'", f"{name}: trial {row}")
        self.browser.call("Page.reload")
        self.wait(f"document.querySelector('h2')?.textContent === 'Trial {row}'", f"{name}: trial {row} after a reload")
        ask("document.querySelector('nav a').click()")
        self.wait(KEPT, f"{name}: back to the sweep")
        self.governed(name, second)
        ask("document.querySelector('#verdict .lines a').focus()")
        self.browser.key("Enter", 13)
        self.wait(f"{KEPT} === {json.dumps(first['setting_label'])}", f"{name}: the first setting by its line")
        self.governed(name, first)
        ask("history.back()")
        self.wait(f"{KEPT} === {json.dumps(second['setting_label'])}", f"{name}: back to the second setting")
        self.governed(name, second)
        ask("(s => { s.value = 'all'; s.dispatchEvent(new Event('change')); })(document.querySelector('#trials select'))")
        settings = {row["Setting"]["text"] for row in self.table("Trials")}
        self.expect(settings == {s["setting_label"] for s in (first, second)}, f"{name}: all settings: {settings}")
        self.quiet(name)
        self.verdict(f"{name}: the picked setting governs what follows, and the address keeps it")
