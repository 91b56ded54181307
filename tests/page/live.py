"""Looks at the live page in Chromium: live.py CASES FOLDER RUN reads running.db, evil.db, many.db and beside.db here, of which
RUN, a process, fills the first; leaves pictures in FOLDER and prints TAP, whose numbers go on after CASES."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

from handling import Handling
from look import HOSTILE, LOOKS, PATIENCE, STANDING, written

FILES = "running.db", "evil.db", "many.db", "both.db", "beside.db"
HEADCOUNT = os.environ["HEADCOUNT"]

# The trials that the table has as completed.
COMPLETED = """[...document.querySelectorAll('#trials tbody tr')]
    .filter(row => row.textContent.includes('completed')).map(row => Number(row.cells[0].dataset.value))"""
# How many points the curve of each trial has that runs.
GROWING = """Object.fromEntries([...document.querySelectorAll('#trials tbody tr')]
    .filter(row => row.textContent.includes('running')).map(row => {
        const trial = row.cells[0].dataset.value;
        const line = [...document.querySelectorAll('#curves .thin')].find(l => l.textContent.startsWith(`trial ${trial}:`));
        return [trial, line ? line.getAttribute('d').split('L').length : 0];
    }))"""


def set_value(found, value, event):
    return f"(e => {{ e.focus(); e.value = {json.dumps(value)}; e.dispatchEvent(new Event('{event}')); }})({found})"


class Server:
    """`headcount serve`, which ends with status 0 when it is told to."""

    def __init__(self, port=0):
        arguments = [HEADCOUNT, "serve", "--port", str(port)] + [f"--db={file}" for file in FILES]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = self.process.stdout.readline()
        self.address = re.search(r"http://\S+", self.said).group()
        self.port = int(re.search(r":(\d+)/", self.address).group(1))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


class Live(Handling):
    scripts = 1
    bare = "list",

    def __init__(self, cases, folder, server):
        super().__init__(cases, folder)
        self.server, self.allowed = server, (server.address, "data:", "about:", "blob:")
        self.addresses = {"list": "", "running": "0/1/", "evil": "1/1/", "many": "2/1/", "both": "3/1/"}

    def open(self, name, width=900, dark=False):
        self.browser.view(width, dark)
        self.browser.open(self.server.address + self.addresses[name])
        self.wait("document.querySelector(location.pathname === '/' ? '.sweeps' : '#attention .map, #attention .missing')", name)
        self.quiet(name)

    def quicken(self):
        """Makes the clock of pages that are opened from now on fifty times as fast; what ends that."""
        quick = "const later = setTimeout; window.setTimeout = (act, ms, ...more) => later(act, ms / 50, ...more);"
        return self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=quick)["identifier"]

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.browser.events if e.get("method") == "Network.requestWillBeSent"]

    # ---- what is looked at ----

    def list(self):
        self.open("list")
        ask = self.browser.ask
        links = ask("[...document.querySelectorAll('.sweeps a')].map(a => a.getAttribute('href'))")
        self.expect(links == [f"{i}/1/" for i in range(4)] + ["4/3/", "4/2/", "4/1/"], f"links: {links}")
        self.expect([f for f in FILES] == ask("[...document.querySelectorAll('h2')].map(h => h.textContent)"), "files")
        self.expect(HOSTILE in ask("document.querySelectorAll('.sweeps li')[1].textContent"), "the hostile name is not there")
        self.expect("at work" in ask(STANDING), ask(STANDING))
        lead = json.loads(subprocess.run([HEADCOUNT, "report", "--db", "many.db", "--json"], capture_output=True, check=True,
                                         text=True).stdout)["settings"][0]["verdict"]
        found = written(lead["sentences"][max(0, lead["lead"] - 1)])
        self.wait(f"document.querySelectorAll('.found').length === {len(FILES) + 2}", "the findings")
        self.expect(found == ask("document.querySelectorAll('.found')[2].textContent"), f"not found: {found}")
        ask("document.querySelector('.sweeps a').focus()")
        self.browser.key("Enter", 13)
        self.wait("document.querySelector('#trials table')", "the page of a sweep")
        self.expect(ask("location.pathname") == "/0/1/", "a sweep's address")
        self.quiet("list")
        self.verdict("the list has the sweeps of all files, with their findings")

    def news(self, run):
        """Trials show while the sweep runs, as the reader reads; within two seconds on an idle machine, which is only printed."""
        self.open("running", 600)
        ask = self.browser.ask
        ask("document.querySelector('#curves details').open = true")
        ask(set_value("document.querySelector('#curves select')", "train_loss", "change"))
        ask(set_value("document.querySelector('#trials input')", "seed", "input"))
        ask("document.querySelector('#trials .scroll').scrollLeft = 70; document.getElementById('trials').scrollIntoView()")
        self.browser.settle()
        ask("kept = [...document.querySelectorAll('#curves svg, #curves select, #curves details, #trials input, #trials .scroll')], 0")
        results = sqlite3.connect("file:running.db?mode=ro", uri=True)
        results.isolation_level = None
        completed = lambda: {t for t, in results.execute("SELECT trial_id FROM trial WHERE state = 'completed'")}
        before, committed, lag, points = completed(), {}, {}, {}
        grows = lambda: any(len(counts - {0}) > 1 for counts in points.values())
        left = lambda: results.execute("SELECT count(*) FROM trial WHERE state IN ('queued', 'running')").fetchone()[0]
        end = time.monotonic() + PATIENCE
        while (len(lag) < 3 or not grows()) and left() and time.monotonic() < end:
            for t in completed() - before:
                committed.setdefault(t, time.monotonic())
            for t in set(ask(COMPLETED)) & set(committed) - set(lag):
                lag[t] = time.monotonic() - committed[t]
            for t, count in ask(GROWING).items():
                points.setdefault(t, set()).add(count)
            self.browser.settle(0.02, 0.05)
        print("# seconds from commit to page:", " ".join(f"{s:.2f}" for s in lag.values()))
        self.expect(len(lag) >= 3, f"shown: {lag} of {committed}")
        self.expect(ask("kept.every(e => e.isConnected)"), "what is read was replaced")
        self.expect(ask("document.querySelector('#curves details').open"), "what was open is closed")
        self.expect(ask("document.querySelector('#curves h3').textContent").endswith("training loss"), "another curve")
        self.expect(ask("document.activeElement === document.querySelector('#trials input')"), "the focus was lost")
        self.expect(ask("document.querySelector('#trials input').value") == "seed", "the filter was lost")
        self.expect(ask("document.querySelector('#trials .scroll').scrollLeft") == 70, "scrolled back")
        top = ask("document.getElementById('trials').getBoundingClientRect().top")
        self.expect(0 <= top < 200, f"what is read has moved to {top}")
        self.expect(re.match(r"\d+/40 running ", ask("document.title")), ask("document.title"))
        self.expect(grows(), f"curves do not grow: {points}")
        self.expect(re.match(r"Running: \d+ of 40 trials ended, \d at work", ask(STANDING)), ask(STANDING))
        self.quiet("running")
        os.kill(run, signal.SIGTERM)
        self.wait(f"{STANDING}.startsWith('Not running')", "that it runs no more")
        self.verdict("new trials of a running sweep show, curves grow, and what the reader does stays")

    def hidden(self):
        """A page that nobody sees asks for nothing; when it is shown it asks at once. Its clock is fifty times as fast."""
        quickly = self.quicken()
        self.open("running")
        ask = self.browser.ask
        self.browser.hide()
        self.wait("document.hidden", "that it is hidden")
        self.browser.settle()
        del self.browser.events[:]
        results = sqlite3.connect("running.db")
        with results:
            results.execute("UPDATE sweep SET question = 'Is it seen?'")
        ask("new Promise(done => setTimeout(done, 150000))")
        asked = self.requests()
        self.expect(not asked, f"hidden, it asks for {asked}")
        self.browser.show()
        self.wait("document.querySelector('h1').textContent === 'Is it seen?'", "the news, once it is shown")
        with results:
            results.execute("UPDATE sweep SET question = 'Do four slots need four heads?'")
        results.close()
        self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=quickly)
        self.quiet("running")
        self.verdict("a page that nobody sees asks for nothing, and asks at once when it is shown")

    def beside(self):
        """Sweeps that are picked in the list stand side by side, and go on."""
        self.open("list")
        ask = self.browser.ask
        boxes = "document.querySelectorAll('#file-4 input')"
        self.expect(ask("document.querySelectorAll('input').length") == 3, "sweeps to pick where there is one")
        ask(f"{boxes}[2].focus()")
        self.browser.key(" ", 32)
        self.wait(f"{boxes}[0].disabled && !{boxes}[1].disabled", "that a sweep by loss does not stand beside one by accuracy")
        self.expect("judged by loss" in ask(f"{boxes}[0].parentElement.textContent"), "why it cannot be picked")
        ask(f"{boxes}[1].click()")
        self.wait("document.querySelector('#file-4 .pager a')", "the way to both")
        ask("document.querySelector('#file-4 .pager a').click()")
        self.wait("document.querySelector('#beside svg')", "sweeps side by side")
        self.expect(ask("location.pathname + location.search") == "/4/1/?with=2", ask("location.href"))
        self.expect("A: 6 of 6 trials ended, B: 6" in ask(STANDING), ask(STANDING))
        wanted = json.loads(subprocess.run([HEADCOUNT, "report", "short", "long", "--db", "beside.db", "--json"], capture_output=True,
                                           check=True, text=True).stdout)
        rows = self.table("Differences between sweeps")
        compared = [row for row in wanted["rows"] if row["against"]]
        self.expect(len(rows) == len(compared) > 0, f"{len(rows)} differences, not {len(compared)}")
        for shown, row in zip(rows, compared):
            self.same(shown["Difference in test accuracy"], row["mean_diff"], f"beside: {row}", 4)
        results = sqlite3.connect("beside.db")
        with results:
            results.execute("UPDATE sweep SET question = 'Is it news?' WHERE name = 'long'")
        results.close()
        self.wait("document.querySelector('#came').textContent.includes('Is it news?')", "news of one of them")
        self.expect(ask("document.documentElement.scrollWidth") <= 900, "too wide")
        self.quiet("beside")
        self.verdict("sweeps that are picked in the list stand side by side")

    def refused(self):
        """An address of sweeps of two metrics: the page says why there is no answer, and asks again at news only. Its clock is fast, as in hidden()."""
        ask = self.browser.ask
        script = self.quicken()
        self.browser.view(900)
        self.browser.open(f"{self.server.address}4/1/?with=3")
        self.wait(f"{STANDING}.includes('one is judged by accuracy')", "why there is no answer")
        ask("new Promise(done => setTimeout(done, 20 * AGAIN))")
        asked = [url for url in self.requests() if "comparison" in url]
        words = [json.loads(e["params"]["data"]) for e in self.browser.events if e.get("method") == "Network.eventSourceMessageReceived"]
        news = [word for word in words if word["file"] == FILES.index("beside.db")]
        self.expect(1 <= len(asked) <= 1 + len(news), f"refused, it asks again: {len(asked)} times, with {len(news)} news")
        self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        self.browser.events = []
        self.verdict("sweeps of two metrics are refused with the reason, until there is news")

    def maps(self):
        self.open("running")
        ask = self.browser.ask
        title, pick = "document.querySelector('#attention h3').textContent", "document.querySelector('#attention select')"
        shown = int(re.search(r"\d+", ask(title)).group())
        other = next(t for t in ask(f"[...{pick}.options].map(o => Number(o.value))") if t != shown)
        ask(set_value(pick, str(other), "change"))
        self.wait(f"{title}.includes('trial {other} ')", f"maps of trial {other}")
        self.expect(ask(f"document.activeElement === {pick}"), "the focus was lost")
        self.expect(ask("document.querySelectorAll('#attention .map path').length") > 0, "empty maps")
        self.quiet("running")
        self.verdict("attention maps of any trial can be shown")

    def pages(self):
        """Of many trials the first ones, and more of them when they are asked for."""
        self.open("many")
        ask = self.browser.ask
        says = "document.querySelector('#trials').innerText"
        self.expect("first 2,000 are here" in ask(says) and "of 2,000 trials" in ask(says), ask(says)[:200])
        self.expect("the first 2,000 trials" in ask("document.querySelector('#accuracy').innerText"), "the chart does not say so")
        ask("document.querySelector('#trials button').click()")
        self.wait(f"!{says}.includes('are here')", "the other trials")
        self.expect(f"of {len(json.load(open('many.trials.json', encoding='utf-8'))):,} trials" in ask(says), ask(says)[:200])
        self.quiet("many")
        self.verdict("the first 2,000 trials are shown, and the others when they are asked for")

    def lost(self):
        """The results file goes and comes back; so does the server."""
        self.open("running")
        ask = self.browser.ask
        os.rename("running.db", "elsewhere")
        self.wait(f"{STANDING}.includes('running.db')", "that the file is gone")
        self.expect(ask("document.querySelectorAll('#trials tbody tr').length") > 0, "what was shown is gone")
        self.expect(os.getcwd() not in ask("document.body.innerText"), "a path is shown")
        os.rename("elsewhere", "running.db")
        self.wait(f"{STANDING}.startsWith('Not running')", "that the file is back")
        self.expect(self.server.stop() == 0, "the server has failed")
        self.wait(f"{STANDING}.includes('lost')", "that the server is gone")
        results = sqlite3.connect("running.db")
        with results:
            results.execute("UPDATE sweep SET question = 'Is it back?'")
        results.close()
        self.server = Server(self.server.port)
        self.wait("document.querySelector('h1').textContent === 'Is it back?'", "the server's return")
        self.expect(ask(STANDING).startswith("Not running"), ask(STANDING))
        self.verdict("a file or a server that is gone is said to be gone, and awaited")


def main():
    server = Server()
    live = Live(int(sys.argv[1]), sys.argv[2], server)
    try:
        live.list()
        live.appearance("list", LOOKS)
        live.appearance("running", LOOKS)
        live.news(int(sys.argv[3]))
        subprocess.run(["sh", "-c", "headcount show --db running.db 1 --json >running.trial.json"], check=True)
        subprocess.run(["sh", "-c", "for n in running many both; do headcount report --db $n.db --json >$n.json;"
                                    " headcount show --db $n.db --json >$n.trials.json; done"], check=True)
        live.numbers("running")
        live.structure("running")
        live.keyboard("running")
        live.hidden()
        live.beside()
        live.refused()
        live.maps()
        live.settings("both")
        live.trial("running", 1)
        live.foreign()
        live.pages()
        live.lost()
    finally:
        live.browser.close()
        live.server.stop()
    live.finish()


main()
