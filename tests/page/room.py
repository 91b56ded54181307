"""What there is room for: nothing that a wide window shows is out of a narrow one's reach, no text lies over a mark, and a wide one is made use of."""
import json

from look import WIDTHS, Look

# What the label of guessing lies over, of the marks of its figure; null without a label.
OVER_GUESSING = """(() => {
    const text = [...document.querySelectorAll('#accuracy text')].find(t => t.textContent === 'guessing');
    if (!text) return null;
    const own = text.getBoundingClientRect();
    return [...document.querySelectorAll('#accuracy .interval, #accuracy .trial, #accuracy .cross, #accuracy path.mean, #accuracy path.candidate')]
        .filter(mark => {
            const box = mark.getBoundingClientRect();
            return Math.min(box.right, own.right) - Math.max(box.left, own.left) > -2 && Math.min(box.bottom, own.bottom) - Math.max(box.top, own.top) > 2;
        }).map(mark => mark.getAttribute('class'));
})()"""

# Tables that are wider than their place: whether each says so, and whether its last column can be scrolled to.
WIDE_TABLES = """[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).map(s => {
    const says = getComputedStyle(s, '::before').content;
    s.scrollLeft = 1e6;
    const last = s.querySelector('thead tr').lastElementChild.getBoundingClientRect(), place = s.getBoundingClientRect();
    return {caption: s.querySelector('caption').textContent, says, reached: s.tabIndex === 0 && last.right <= place.right + 1};
})"""

# Captions that reach beyond what is shown of their table.
CUT_CAPTIONS = """[...document.querySelectorAll('.scroll caption')].flatMap(c => {
    const range = document.createRange();
    range.selectNodeContents(c);
    return range.getBoundingClientRect().right > c.closest('.scroll').getBoundingClientRect().right + 1 ? [c.textContent] : [];
})"""

HEAD_LINES = """Math.max(...[...document.querySelectorAll('%s thead th')].map(c => {
    const range = document.createRange();
    range.selectNodeContents(c);
    return range.getBoundingClientRect().height / parseFloat(getComputedStyle(c).lineHeight);
}))"""


class Room(Look):
    def unfold(self):
        self.browser.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
        self.browser.settle()

    def guessing(self, names):
        """The name of the guessing line lies over no mark."""
        for name in names:
            for width in WIDTHS:
                self.open(name, width)
                over = self.browser.ask(OVER_GUESSING)
                self.expect(over == [], f"{name} at {width}: guessing lies over {over}")
        self.verdict("the name of the guessing line lies over no mark")

    def reached(self, name):
        """On a phone every table's last column; what the figure of differences says beside a wide one."""
        ask = self.browser.ask
        for width in WIDTHS:
            self.open(name, width)
            self.unfold()
            cut = ask(CUT_CAPTIONS)
            self.expect(not cut, f"{name} at {width}: cut: {cut}")
            for table in ask(WIDE_TABLES):
                self.expect("right" in table["says"] and table["reached"], f"{name} at {width}: {table}")
            comparisons = json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]["comparisons"]
            texts = ask("[...document.querySelectorAll('#differences svg text')].map(t => t.textContent)")
            for row in comparisons:
                wanted = f"{row['mean_diff']:+.3f}, p".replace("-", "\u2212")
                self.expect(any(t.startswith(wanted) for t in texts), f"{name} at {width}: {wanted} is not in {texts}")
        self.verdict(f"{name}: what lies beside a wide figure or table can be reached on a phone")

    def costs(self, name):
        """Each head count stands beside its point, however close they are."""
        verdict = json.load(open(name + ".json", encoding="utf-8"))["settings"][0]["verdict"]
        for width in WIDTHS:
            self.open(name, width)
            texts = self.browser.ask("[...document.querySelectorAll('#cost svg .count')].map(t => t.textContent)")
            self.expect(sorted(map(int, texts)) == [row["heads"] for row in verdict["heads"]], f"{name} at {width}: {texts}")
        self.verdict(f"{name}: each head count is named in the figure of costs")

    def once(self, name, trial):
        """A section is named by its heading alone: no table below it and no choice says the same again."""
        ask = self.browser.ask
        for width in WIDTHS:
            self.open(name, width)
            seen = ask("""[...document.querySelectorAll('#trials h2, #trials .picker > span, #trials caption')].filter(e => {
                const box = e.getBoundingClientRect();
                return /^Trials/.test(e.textContent) && box.width > 1 && box.height > 1;
            }).map(e => e.textContent)""")
            self.expect(seen == ["Trials"], f"{name} at {width}: {seen}")
        self.expect(ask("document.querySelector('#trials table').caption.textContent") == "Trials", f"{name}: the table has no name")
        ask(f"location.hash = 'trial-{trial}'")
        self.wait("document.querySelector('#trial-attempts caption')", f"{name}: trial {trial}")
        again = ask("""[...document.querySelectorAll('section caption')].filter(c => c.getBoundingClientRect().width > 1
            && c.textContent === c.closest('section').querySelector('h2').textContent).map(c => c.textContent)""")
        self.expect(again == [], f"{name}, trial {trial}: {again}")
        self.verdict(f"{name}: each section is named once")

    def head_table(self, name):
        """The means of heads have the whole width of a wide window, and titles of few lines everywhere."""
        ask = self.browser.ask
        for width in WIDTHS:
            self.open(name, width)
            lines = ask(HEAD_LINES % "#head-means")
            self.expect(0 < (lines or 0) < 3.5, f"{name} at {width}: titles of {lines} lines")
        self.expect(not ask("(s => s.scrollWidth > s.clientWidth + 1)(document.querySelector('#head-means .scroll'))"),
                    f"{name} at {width}: the means are scrolled")
        self.verdict(f"{name}: the means of heads use the width that there is")

    def navigation(self, name):
        """Where sections are named beyond the edge, the bar fades there, until it is scrolled to its end."""
        ask = self.browser.ask
        fades = "getComputedStyle(document.querySelector('nav')).maskImage !== 'none'"
        for width in WIDTHS:
            self.open(name, width)
            wide = ask("(n => n.scrollWidth > n.clientWidth + 1)(document.querySelector('nav'))")
            self.expect(ask(fades) == wide, f"{name} at {width}: wide is {wide}")
            ask("document.querySelector('nav').scrollLeft = 1e6")
            self.browser.settle()
            self.expect(not ask(fades), f"{name} at {width}: fades at the end")
        self.verdict(f"{name}: the bar of sections says that there are more")

    def headed(self, name):
        """No heading of the verdict stands over nothing."""
        self.open(name)
        bare = self.browser.ask("[...document.querySelectorAll('#verdict .limits > h3')].filter(h => !h.nextElementSibling).map(h => h.textContent)")
        self.expect(not bare, f"{name}: {bare}")
        self.verdict(f"{name}: no heading stands over nothing")
