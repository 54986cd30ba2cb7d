"""Background tasks: what fetches and a night's processing cost while they run, beside sound and beside
a build, and what is left of them afterwards. See README.md and Tools/Bench/run --background."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import wave
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from .__main__ import make_tools
from .players import Undersong, Wish
from .processes import Tools, Unmeasurable
from .server import RATE, Recorder, SoundServer
from .transfers import switches, usage, wakes, wait_until

DEMO = Path(__file__).resolve().parents[3] / "Resources/Demo"
FEEDS = 10


class Feeds(ThreadingHTTPServer):
    """A server of feeds that never have anything new."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Feed)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, number: int) -> str:
        return f"http://127.0.0.1:{self.server_port}/{number}"


class Feed(BaseHTTPRequestHandler):
    """One request: 304 if the feed is known, and otherwise a feed of 100 episodes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        if self.headers.get("If-None-Match"):
            self.send_response(304)
            self.end_headers()
            return
        items = "".join(
            f"<item><guid>{number}</guid><title>Episode {number}</title></item>"
            for number in range(100))
        body = f"<rss><channel><title>Feed {self.path}</title>{items}</channel></rss>".encode()
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Type", "application/rss+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


class Client:
    """The command line, with a service of its own."""

    def __init__(self, tools: Tools, program: Path) -> None:
        self.tools, self.program = tools, program
        self.folder = Path(tools.environment["XDG_STATE_HOME"]) / "undersong/default"

    def run(self, *arguments: str, statuses: tuple[int, ...] = (0,)) -> str:
        result = subprocess.run(
            [str(self.program), *arguments], env=self.tools.environment, capture_output=True,
            text=True, check=False)
        if result.returncode not in statuses:
            raise Unmeasurable(f"{' '.join(arguments)}: {result.stderr.strip()}")
        return result.stdout

    def begin(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [str(self.program), *arguments], env=self.tools.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self) -> None:
        """Starts a service that does not leave when it has nothing to do."""
        with self.tools.log.open("ab") as log:
            subprocess.Popen(
                [str(self.program.parent / "undersongd"), "serve"], env=self.tools.environment,
                stdout=log, stderr=log, start_new_session=True)
        socket = Path(self.tools.environment["XDG_RUNTIME_DIR"]) / "undersong/default.sock"
        wait_until(socket.exists)
        self.run("status")

    @property
    def service(self) -> int:
        """The process of the service."""
        return int((self.folder / "lock").read_text())

    def allow(self, *identifiers: str) -> None:
        for mode in ("audio", "fetch", "processing"):
            self.run("capability", mode, "on")
        for identifier in identifiers:
            self.run("capability", "permit", identifier)

    def end(self) -> None:
        self.run("shutdown", statuses=(0, 1, 69))
        time.sleep(0.5)


def memory(process: int) -> dict[str, float]:
    """RSS, PSS and anonymous memory in MB."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return {
        name: int(re.search(rf"^{name}:\s+(\d+)", text, re.M)[1]) / 1000
        for name in ("Rss", "Pss", "Anonymous")}


def subscribe(client: Client, feeds: Feeds) -> None:
    """A service that may fetch, with all feeds."""
    client.allow("net.undersong.refresh")
    for number in range(FEEDS):
        client.run("feed", "add", feeds.url(number), "--auto", "none")


# MARK: Suspended again (RF12)


def idle(client: Client, rounds: int) -> dict:
    """How often the service is woken in the 10 s that begin 0.1 s after a fetch has ended, and whether
    a stream is open at the sound server."""
    feeds = Feeds()
    client.start()
    subscribe(client, feeds)
    counts, streams, lengths = [], 0, []
    for _ in range(rounds):
        begin = time.monotonic()
        client.run("fetch", "now", statuses=(1,))
        lengths.append(time.monotonic() - begin)
        time.sleep(0.1)
        counts.append(wakes(client.service, 10))
        listed = subprocess.run(
            ["pactl", "list", "short", "sink-inputs"], env=client.tools.environment,
            capture_output=True, text=True, check=True)
        streams += len(listed.stdout.split())
    threads = {
        (Path(f"/proc/{client.service}/task/{task}/comm")).read_text().strip()
        for task in switches(client.service)}
    return {
        "switches in 10 s after each fetch": counts, "streams": streams,
        "a fetch of 10 feeds, ms": round(1000 * statistics.median(lengths)),
        "threads": sorted(threads)}


# MARK: Beside sound (RF15, PR8)


def noise(path: Path, seconds: int) -> np.ndarray:
    """A file that sounds different at each place, and its left channel."""
    generator = np.random.default_rng(1)
    samples = generator.integers(-8000, 8000, (seconds * RATE, 2), dtype=np.int16)
    samples[0] = 8000
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return samples[:, 0]


def play(tools: Tools, file: Path, samples: np.ndarray, during) -> dict:
    """Plays the file, does something meanwhile, and compares what was heard."""
    recorder = Recorder(tools)
    player = Undersong(tools, [file], Wish(reports=True))
    stopping = threading.Event()
    worker = threading.Thread(target=during, args=(stopping,))
    try:
        recorder.wait_for_sound()
        time.sleep(1)
        worker.start()
        time.sleep(len(samples) / RATE - 4)
        stopping.set()
        worker.join()
        recorder.wait_for_silence(20)
    finally:
        reports = player.reports()
        player.stop()
    heard = recorder.finish().samples
    first = int(np.flatnonzero(heard)[0])
    heard = heard[first:first + len(samples)]
    late = 1000 * np.array([report.lateness for report in reports])
    return {
        "frames": len(samples),
        "different": int((heard != samples[:len(heard)]).sum()) + len(samples) - len(heard),
        "events": len(late), "p50, ms": round(float(np.percentile(late, 50)), 2),
        "p99, ms": round(float(np.percentile(late, 99)), 2),
        "most, ms": round(float(late.max()), 2)}


def beside_sound(client: Client, work: Path, rounds: int, seconds: int) -> dict:
    """Plays alone, beside 100 fetches, and beside the analysis of files, in turn."""
    file = work / "noise.wav"
    samples = noise(file, seconds)
    feeds = Feeds()
    subscribe(client, feeds)
    songs = links(work / "songs", 20_000)
    fetched: list[int] = []

    def fetches(stopping: threading.Event) -> None:
        """Runs 100 fetches one after the other, evenly spread."""
        begin, count = time.monotonic(), 0
        while count < 100 and not stopping.is_set():
            client.run("fetch", "now", statuses=(1,))
            count += 1
            stopping.wait(max(0, begin + count * (seconds - 6) / 100 - time.monotonic()))
        fetched.append(count)

    def analysis(stopping: threading.Event) -> None:
        process = client.begin("analyze", str(songs))
        stopping.wait()
        process.terminate()
        process.wait()

    cases = {"alone": lambda stopping: stopping.wait(), "100 fetches": fetches,
             "analysis": analysis}
    results: dict[str, list[dict]] = {name: [] for name in cases}
    for number in range(rounds):
        names = list(cases)
        for name in names[number % len(names):] + names[:number % len(names)]:
            results[name].append(play(client.tools, file, samples, cases[name]))
            print(name, results[name][-1], file=sys.stderr, flush=True)
            client.run("capability")
    return {**results, "fetches": fetched}


# MARK: Beside a build, and afterwards (PR8, PR12)


def links(folder: Path, count: int) -> Path:
    """So many songs of half a minute, which are one."""
    folder.mkdir(exist_ok=True)
    song = folder / "song.mp3"
    shutil.copy(DEMO / "01 Slack Water.mp3", song)
    for number in range(count):
        name = folder / f"{number}.mp3"
        if not name.exists():
            os.link(song, name)
    return folder


def build(folder: Path) -> float:
    """The seconds that `make -j2` takes for some C files."""
    folder.mkdir(exist_ok=True)
    source = (Path(__file__).resolve().parents[1] / "floor.c").read_text()
    names = [f"part{number}" for number in range(200)]
    for name in names:
        (folder / f"{name}.c").write_text(source)
    rules = "".join(f"{name}.o: {name}.c\n\tgcc -O3 -std=c11 -D_POSIX_C_SOURCE=200809L -c $< -o $@\n"
                    for name in names)
    (folder / "Makefile").write_text(f"all: {' '.join(f'{name}.o' for name in names)}\n{rules}")
    for name in names:
        (folder / f"{name}.o").unlink(missing_ok=True)
    begin = time.monotonic()
    subprocess.run(["make", "-j2", "-s"], cwd=folder, check=True)
    return time.monotonic() - begin


def beside_build(client: Client, work: Path, rounds: int) -> dict:
    """The time of a build alone and beside the background analysis of files, in turn; the memory of the
    service before and a second after an analysis."""
    songs = links(work / "songs", 20_000)
    client.start()
    client.allow("net.undersong.analysis")
    client.run("queue", "add", str(songs))
    build(work / "make")
    alone, beside, done, grown = [], [], [], []
    time.sleep(3)
    for number in range(rounds):
        def with_analysis() -> None:
            before = memory(client.service)
            begun = analyzed(client)
            task = client.begin("processing", "simulate", "net.undersong.analysis")
            wait_until(lambda: analyzed(client) > begun)
            begun = analyzed(client)
            beside.append(build(work / "make"))
            done.append(analyzed(client) - begun)
            client.run("fetch", "expire", "net.undersong.analysis")
            task.wait()
            time.sleep(1)
            grown.append(memory(client.service)["Rss"] - before["Rss"])

        def without() -> None:
            alone.append(build(work / "make"))

        order = [without, with_analysis] if number % 2 == 0 else [with_analysis, without]
        for measure in order:
            measure()
            time.sleep(1)
    return {
        "alone, s": rounded(alone), "beside, s": rounded(beside),
        "ratio of medians": round(statistics.median(beside) / statistics.median(alone), 4),
        "files analyzed meanwhile": done,
        "RSS a second after the end, MB more": rounded(grown)}


def analyzed(client: Client) -> int:
    """How many files are known to have been analyzed."""
    database = f"file:{client.folder}/state.sqlite?mode=ro"
    result = subprocess.run(
        ["sqlite3", database, "SELECT count(*) FROM analyses"], capture_output=True, text=True,
        check=True)
    return int(result.stdout)


def rounded(values: list[float]) -> list[float]:
    """For reading."""
    return [round(value, 2) for value in values]


# MARK: What is there although nothing is due


def cost(client: Client, rounds: int) -> dict:
    """The memory of an idle service, and how often it is woken in 10 s: without anything that is
    wanted, waiting for a fetch that is far away, and after a fetch. A call of any kind brings its code
    into memory, so as many are made before the first look as between the first and the second."""
    results: dict[str, list] = {}
    feeds = Feeds()

    def look(name: str) -> None:
        time.sleep(8)
        found = memory(client.service)
        found["switches in 10 s"] = wakes(client.service, 10)
        results.setdefault(name, []).append(found)

    for _ in range(rounds):
        client.start()
        look("never called")
        for _ in range(5):
            client.run("capability")
        look("nothing wanted")
        # What this may be compared with has no `fetch`.
        if "fetch" in client.run("--help"):
            client.run("capability", "fetch", "on")
            client.run("capability", "permit", "net.undersong.refresh")
            client.run("fetch", "interval", "never")
            client.run("fetch", "deny", statuses=(0, 64))
            client.run("fetch", "interval", "minimum")
            look("waiting")
            subscribe(client, feeds)
            client.run("fetch", "now", statuses=(1,))
            look("after a fetch")
            client.run("fetch", "interval", "never")
            for number in range(FEEDS):
                client.run("feed", "remove", feeds.url(number), statuses=(0, 64))
        client.end()
    return results


def main() -> None:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--undersong", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(".build/benchmarks"))
    names = ["idle", "sound", "build", "cost"]
    parser.add_argument("--only", nargs="*", choices=names, default=names)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60, help="of sound in each round")
    options = parser.parse_args()
    program = options.undersong.resolve()
    Undersong.program = program
    options.work.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="ub.", dir="/var/tmp") as folder:
            tools = make_tools(Path(folder), options.work)
            tools.environment["PATH"] = f"{program.parent}:{tools.environment['PATH']}"
            tools.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nowhere"
            server = SoundServer(tools)
            client = Client(tools, program)
            work = Path(folder) / "w"
            work.mkdir()
            try:
                measures = {
                    "idle": lambda: idle(client, options.rounds),
                    "sound": lambda: beside_sound(client, work, options.rounds, options.seconds),
                    "build": lambda: beside_build(client, work, options.rounds),
                    "cost": lambda: cost(client, options.rounds)}
                results[name] = measures[name]()
            finally:
                client.end()
                server.stop()
        print(json.dumps({name: results[name]}, indent=1), flush=True)
    (options.work / "background.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
