"""Chromium, driven over its own protocol (https://chromedevtools.github.io/devtools-protocol/) through
two pipes: no port, no library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Chromium:
    """One browser with one tab, of which each answer comes within so many seconds. `events` has everything that it reported of its own accord."""

    def __init__(self, seconds=60):
        self.seconds, self.end = seconds, time.monotonic() + seconds
        self.number, self.events, self.unread = 0, [], b""
        self.profile = tempfile.mkdtemp(prefix="headcount-page.")
        theirs_in, self.ours_out = os.pipe()
        self.ours_in, theirs_out = os.pipe()

        def keep():  # the protocol is spoken on descriptors 3 and 4
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-dev-shm-usage", "--font-render-hinting=none", "--hide-scrollbars",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=keep, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = self.before = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network", "Accessibility":
            self.call(f"{domain}.enable")

    def read(self):
        """The next message; None after a tenth of a second without one."""
        while b"\0" not in self.unread:
            if not select.select([self.ours_in], [], [], 0.1)[0]:
                return None
            piece = os.read(self.ours_in, 1 << 20)
            if not piece:
                raise RuntimeError("chromium has ended")
            self.unread += piece
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        self.end = time.monotonic() + self.seconds
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.ours_out, json.dumps(message).encode() + b"\0")
        while time.monotonic() < self.end:
            answer = self.read()
            if answer and answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer:
                self.events.append(answer)
        raise RuntimeError(f"{method}: no answer in time")

    def settle(self, seconds=0.3, most=2):
        """Takes what comes until it has been quiet for so long, or for `most` seconds."""
        began = quiet = time.monotonic()
        while time.monotonic() - quiet < seconds and time.monotonic() - began < most:
            event = self.read()
            if event:
                self.events.append(event)
                quiet = time.monotonic()

    def view(self, width, dark=False, height=900, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.settle(0.1)
            if time.monotonic() > self.end:
                raise RuntimeError(f"{url} did not load in time")
        self.settle()

    def outside(self, method, **parameters):
        """A call that is about no tab."""
        session, self.session = self.session, None
        try:
            return self.call(method, **parameters)
        finally:
            self.session = session

    def hide(self):
        """Puts another tab before this one."""
        self.before = self.outside("Target.createTarget", url="about:blank")["targetId"]

    def show(self):
        self.outside("Target.closeTarget", targetId=self.before)
        self.call("Page.bringToFront")

    def ask(self, expression):
        """The value of a JavaScript expression. One that a navigation cuts off is asked of the next page."""
        r = None
        while r is None:
            try:
                r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
            except RuntimeError as e:
                if "navigated" not in str(e) or time.monotonic() > self.end:
                    raise
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description", str(r)))
        return r["result"].get("value")

    def key(self, key, code, shift=False):
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      modifiers=8 if shift else 0, **text)

    def mouse(self, kind, x, y, pressed=False):
        """kind: Moved, Pressed or Released, with the left button."""
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, clickCount=int(kind != "Moved"),
                  button="none" if kind == "Moved" else "left", buttons=int(pressed or kind == "Pressed"))

    def screenshot(self, path, whole=True):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def print(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        printed = base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"])
        with open(path, "wb") as f:
            f.write(printed)
        return printed

    def close(self):
        os.close(self.ours_out)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.ours_in)
        shutil.rmtree(self.profile, ignore_errors=True)
