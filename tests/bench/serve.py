#!/usr/bin/env python3
"""usage: serve.py HEADCOUNT FOLDER [TRIALS [SECONDS [PAIRS]]]

50 browsers at `headcount serve` with a sweep of TRIALS (100000) trials, for SECONDS (30), while the
file changes twice a second: how long answers take, how much memory and time the server. Then PAIRS
(7) runs of a small sweep in the same file, without and with them: how much slower the run gets. For a
machine on which nothing else runs. FOLDER gets the files."""
import asyncio
import os
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

CLIENTS, ROWS = 50, 1000
SWEEP = """# One of many trials
name: many
task: {name: gather, length: 16, slots: 2, vocab: 8}
model: {d_model: 32, heads: [1, 2, 4, 8, 16], d_ff: 64}
train: {steps: 4, eval_every: 2, batch: 8, lr: 0.003}
seeds: 1
"""
BESIDE = """# Trained beside the browsers
name: beside
task: {name: gather, length: 16, slots: 2, vocab: 8}
model: {d_model: 32, heads: [1, 4, 16], d_ff: 64}
train: {steps: 30000, eval_every: 500, batch: 32, lr: 0.003}
seeds: 2
"""


def remove_file(path):
    """With its log, which would pass for that of the next file of this name."""
    for old in (path, path + "-wal", path + "-shm"):
        if os.path.exists(old):
            os.remove(old)
    shutil.rmtree(path + ".d", ignore_errors=True)


def make_file(headcount, folder, trials):
    """A results file of one real trial per head count and as many copies as it takes."""
    sweep, path = f"{folder}/many.yaml", f"{folder}/many.db"
    with open(sweep, "w") as out:
        out.write(SWEEP)
    remove_file(path)
    subprocess.run([headcount, "run", sweep, "--db", path, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    db = sqlite3.connect(path)
    own = ("trial_id", "seed", "plan_order", "test_acc")
    columns = ", ".join(r[1] for r in db.execute("PRAGMA table_info(trial)") if r[1] not in own)
    real = db.execute("SELECT count(*) FROM trial").fetchone()[0]
    db.execute(f"""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {trials // real - 1})
        INSERT INTO trial (seed, plan_order, test_acc, {columns})
        SELECT i, {real} * i + plan_order, (test_acc + i % 97 / 100.0) / 2, {columns} FROM n, trial""")
    for table in ("curve", "attempt"):
        own = [r[1] for r in db.execute(f"PRAGMA table_info({table})") if r[1] != "trial_id"]
        db.execute(f"""INSERT INTO {table} (trial_id, {', '.join(own)}) SELECT t.trial_id, x.{', x.'.join(own)}
            FROM trial t JOIN {table} x ON x.trial_id = 1 + (t.trial_id - 1) % {real} WHERE t.trial_id > {real}""")
    db.commit()
    db.close()
    return path


class Server:
    def __init__(self, headcount, path):
        self.process = subprocess.Popen([headcount, "serve", "--port", "0", "--db", path],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmHWM:\s*(\d+)", status.read()).group(1)) / 1024

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(10)


class Client:
    """Asks as the page does: everything at first, then what is new at each event, with its tag."""

    def __init__(self, port, took):
        self.port, self.took, self.tags, self.news, self.failed = port, took, {}, asyncio.Event(), 0

    async def listen(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            while line := await reader.readline():
                if line.startswith(b"event: file"):
                    self.news.set()
        finally:
            writer.close()

    async def ask(self, reader, writer, path):
        began = time.monotonic()
        tag = f"If-None-Match: {self.tags[path]}\r\n" if path in self.tags else ""
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{tag}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        code = int(head[9:12])
        size = re.search(r"(?i)content-length: (\d+)", head)
        body = await reader.readexactly(int(size.group(1))) if size and code != 304 else b""
        self.took.append((time.monotonic() - began, path.split("/")[-1].split("?")[0] or "page", code))
        self.failed += code not in (200, 304)
        if found := re.search(r"(?i)etag: (\S+)", head):
            self.tags[path] = found.group(1)
        return body

    async def work(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        curves = ",".join(str(i) for i in range(1, 101))
        try:
            await self.ask(reader, writer, "/0/1/")
            while True:
                self.news.clear()
                for path in ("/index", "/0/1/summary", f"/0/1/trials?after=0&most={ROWS}",
                             f"/0/1/trials?after={ROWS}&most={ROWS}", f"/0/1/curves?trials={curves}&most=200",
                             "/0/1/heads?trial=0"):
                    await self.ask(reader, writer, path)
                await self.news.wait()
                await asyncio.sleep(.5)
        finally:
            writer.close()


async def browse(port, until, took):
    """50 of them until `until` is done; how many answers were refusals."""
    clients = [Client(port, took) for _ in range(CLIENTS)]
    tasks = [asyncio.create_task(c.listen()) for c in clients] + [asyncio.create_task(c.work()) for c in clients]
    await until
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    wrong = [e for e in ended if e is not None and not isinstance(e, asyncio.CancelledError)]
    return sum(c.failed for c in clients) + len(wrong)


async def change(path, seconds):
    """As a run does, a commit at a time."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    for i in range(int(2 * seconds)):
        db.execute("UPDATE trial SET train_s = ? WHERE trial_id = ?", (1 + i / 100, 1 + i))
        await asyncio.sleep(.5)
    db.close()


def tell(took):
    def line(name, times):
        times = sorted(times)
        print(f"{name:10} {len(times):7} answers  median {1e3 * statistics.median(times):8.1f} ms  "
              f"99 % {1e3 * times[int(.99 * (len(times) - 1))]:8.1f} ms  longest {1e3 * times[-1]:8.1f} ms")
    for kind in sorted({kind for _, kind, _ in took}):
        line(kind, [t for t, k, _ in took if k == kind])
    line("all", [t for t, _, _ in took])


def serve_many(headcount, path, seconds):
    server, took = Server(headcount, path), []
    failed = asyncio.run(browse_while(server.port, change(path, seconds), took))
    tell(took)
    print(f"refusals {failed}; server: {server.memory_mib():.0f} MiB at most, "
          f"{100 * server.cpu_s() / seconds:.1f} % of a core")
    return server.end() == 0 and failed == 0


async def browse_while(port, work, took):
    return await browse(port, asyncio.ensure_future(work), took)


def browse_beside(port):
    """In a process of its own that gives way to all others, as browsers on other machines would; its pid."""
    pid = os.fork()
    if pid == 0:
        os.nice(19)
        asyncio.run(browse_while(port, asyncio.sleep(600), []))
        os._exit(0)
    return pid


def run_once(headcount, path, folder, watched):
    """Seconds that the run takes, in a fresh copy of the file, and CPU seconds of the server meanwhile."""
    copy = f"{folder}/beside.db"
    remove_file(copy)
    shutil.copy(path, copy)
    server = Server(headcount, copy) if watched else None
    browsers = browse_beside(server.port) if watched else None
    began = time.monotonic()
    run = subprocess.run([headcount, "run", f"{folder}/beside.yaml", "--db", copy, "--quiet"],
                         stdout=subprocess.DEVNULL)
    took, served = time.monotonic() - began, server.cpu_s() if server else 0
    if server:
        os.kill(browsers, signal.SIGKILL)
        os.waitpid(browsers, 0)
        server.end()
    if run.returncode != 0:
        sys.exit(f"the run ended with {run.returncode}")
    return took, served


def run_pairs(headcount, path, folder, pairs):
    with open(f"{folder}/beside.yaml", "w") as out:
        out.write(BESIDE)
    ratios = []
    for i in range(pairs):
        alone, _ = run_once(headcount, path, folder, False)
        watched, served = run_once(headcount, path, folder, True)
        ratios.append(watched / alone)
        print(f"run {alone:6.2f} s alone, {watched:6.2f} s with {CLIENTS} browsers "
              f"(server: {served:.2f} s of CPU): {ratios[-1]:.3f}", flush=True)
    if ratios:
        print(f"median {statistics.median(ratios):.3f}")


def main():
    headcount, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    trials, seconds, pairs = [int(a) for a in sys.argv[3:]] + [100000, 30, 7][len(sys.argv) - 3:]
    os.makedirs(folder, exist_ok=True)
    path = make_file(headcount, folder, trials)
    print(f"{trials} trials, {os.path.getsize(path) >> 20} MiB, {CLIENTS} browsers, {seconds} s")
    good = serve_many(headcount, path, seconds)
    run_pairs(headcount, path, folder, pairs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
