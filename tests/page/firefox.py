"""A page in Firefox: firefox.py CASES NAME opens NAME.html here and prints TAP, whose numbers go on after CASES. Driven by
Marionette (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html): JSON over a socket, each message
behind its length."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

KEYS = {"Home": "\ue011", "ArrowRight": "\ue014", "Tab": "\ue004"}
# Words on the console that are about the page: errors of its script and of its policy.
ERRORS = """return Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError)
    .filter(m => m.sourceName.startsWith('file:')).map(m => m.toString());"""


class Firefox:
    """One browser without a window; an answer that does not come in time is an error."""

    def __init__(self, seconds=600):
        self.end, self.number, self.unread = time.monotonic() + seconds, 0, b""
        self.profile = tempfile.mkdtemp(prefix="headcount-firefox.")
        with open(f"{self.profile}/user.js", "w", encoding="utf-8") as out:
            out.write('user_pref("marionette.port", 0);\n')
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", self.profile],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.create_connection(("127.0.0.1", self.port()))
        self.socket.settimeout(seconds)
        self.read()  # what it speaks
        self.call("WebDriver:NewSession")

    def port(self):
        """Where it listens, once it does."""
        path = f"{self.profile}/MarionetteActivePort"
        while True:
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                if text:
                    return int(text)
            if self.process.poll() is not None or time.monotonic() > self.end:
                raise RuntimeError(f"firefox does not listen; status {self.process.poll()}")
            time.sleep(0.05)

    def read(self):
        while b":" not in self.unread:
            self.receive()
        size, self.unread = self.unread.split(b":", 1)
        while len(self.unread) < int(size):
            self.receive()
        message, self.unread = self.unread[:int(size)], self.unread[int(size):]
        return json.loads(message)

    def receive(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise RuntimeError("firefox has ended")
        self.unread += piece

    def call(self, command, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result

    def ask(self, expression):
        return self.call("WebDriver:ExecuteScript", script=f"return {expression};", args=[])["value"]

    def wait(self, expression):
        while not self.ask(f"!!({expression})"):
            if time.monotonic() > self.end:
                return False
            time.sleep(0.05)
        return True

    def press(self, key):
        actions = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def errors(self):
        self.call("Marionette:SetContext", value="chrome")
        found = self.call("WebDriver:ExecuteScript", script=ERRORS, args=[])["value"]
        self.call("Marionette:SetContext", value="content")
        return found

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def look(firefox, name):
    """What is wrong with a page."""
    trouble = []
    expect = lambda right, what: right or trouble.append(what)
    chart, reading = "document.querySelector('#curves svg.steps')", "document.querySelector('#curves .reading').textContent"
    firefox.call("WebDriver:Navigate", url="file://" + os.path.abspath(name + ".html"))
    if not firefox.wait(chart):
        return ["no learning curves"]
    expect(firefox.ask("document.querySelectorAll('#accuracy svg circle').length") > 0, "no points by head count")
    width, height = firefox.ask(f"[{chart}.getBoundingClientRect().width, {chart}.getBoundingClientRect().height]")
    expect(width > 200 and height > 100, f"curves of {width} by {height}")
    firefox.press("Tab")
    expect(firefox.ask("document.activeElement.className") == "skip", "Tab does not reach the first link")
    firefox.ask(f"{chart}.focus()")
    first, second = firefox.ask(f"{chart}.plot.steps.slice(0, 2)")
    for key, step in ("Home", first), ("ArrowRight", second):
        firefox.press(key)
        expect(firefox.ask(reading).startswith(f"Step {step} "), f"{key}: {firefox.ask(reading)}")
    firefox.ask("document.querySelectorAll('#trials thead button')[0].click()")
    order = firefox.ask("[...document.querySelectorAll('#trials tbody tr')].map(r => Number(r.cells[0].dataset.value))")
    expect(order == sorted(order, reverse=True) and len(order) > 1, f"not sorted: {order}")
    trouble += firefox.errors()
    return trouble


def main():
    case, name = int(sys.argv[1]) + 1, sys.argv[2]
    firefox = Firefox()
    try:
        trouble = look(firefox, name)
    finally:
        firefox.close()
    print(f"{'not ok' if trouble else 'ok'} {case} - {name} loads in Firefox, is read by keys and logs nothing")
    for line in trouble:
        print("#", str(line).replace("\n", " ")[:600])
    print(f"1..{case}")
    sys.exit(bool(trouble))


main()
