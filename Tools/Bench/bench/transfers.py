"""Downloads by undersong-transferd beside curl, aria2 and wget: kills, power cuts, changed files,
speed and memory. See README.md and Tools/Bench/run --transfers."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MB = 1 << 20
TOOLS = ["undersong", "curl -C -", "aria2", "wget -c"]


def contents(size: int, seed: int) -> bytes:
    """Bytes that differ from place to place, and from seed to seed."""
    return random.Random(seed).randbytes(size)


def digest(path: Path) -> str:
    """The SHA-256 of a file; empty if there is none."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(
            hashlib, "file_digest") else hashlib.sha256(file.read()).hexdigest()


def wait_until(condition, limit: float = 30.0) -> bool:
    """Waits until `condition` holds; false after `limit` seconds."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


class Server:
    """A server of one file with ranges and If-Range, that can hold a response at a byte."""

    def __init__(self) -> None:
        self.body, self.tag = b"", '"1"'
        self.hold: int | None = None
        self.sent = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/file.bin"

    def accept(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                while self.answer(connection):
                    pass
            except OSError:
                pass

    def answer(self, connection: socket.socket) -> bool:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(4096)
            if not piece:
                return False
            head += piece
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in
                  (line.partition(":") for line in lines[1:] if line)}
        body, tag, hold = self.body, self.tag, self.hold
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", fields.get("range", ""))
        start, end = 0, len(body)
        if asked and fields.get("if-range", tag) == tag:
            start = int(asked[1])
            end = int(asked[2]) + 1 if asked[2] else len(body)
            if start >= len(body):
                connection.sendall(
                    f"HTTP/1.1 416 No\r\nContent-Range: bytes */{len(body)}\r\nETag: {tag}\r\n"
                    "Content-Length: 0\r\n\r\n".encode())
                return True
            status = (f"206 Part\r\nContent-Range: bytes {start}-{end - 1}/{len(body)}")
        else:
            status = "200 OK"
        connection.sendall(
            f"HTTP/1.1 {status}\r\nETag: {tag}\r\nAccept-Ranges: bytes\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {end - start}\r\n\r\n"
            .encode())
        if lines[0].startswith("HEAD"):
            return True
        last = end if hold is None else min(end, max(start, hold))
        connection.sendall(body[start:last])
        self.sent += last - start
        if last < end:
            connection.recv(1)
            return False
        return True


class Nginx:
    """A real nginx as this user, with a folder of files; `/slow/` is limited."""

    def __init__(self, folder: Path, rate: str = "60m") -> None:
        self.folder = folder
        (folder / "files").mkdir(parents=True)
        for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
            (folder / name).mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        # Several hosts, as far as clients know.
        listen = "".join(f"listen 127.0.0.{host}:{self.port};" for host in range(1, 5))
        temporary = "\n".join(
            f"{key}_temp_path {folder / path};" for key, path in (
                ("client_body", "body"), ("proxy", "proxy"), ("fastcgi", "fastcgi"),
                ("uwsgi", "uwsgi"), ("scgi", "scgi")))
        (folder / "nginx.conf").write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
            events {{ worker_connections 256; }}
            http {{
                access_log {folder}/access.log; {temporary}
                sendfile on;
                server {{
                    {listen} root {folder}/files;
                    location /slow/ {{ alias {folder}/files/; limit_rate {rate}; }}
                    location /whole/ {{ alias {folder}/files/; max_ranges 0; }}
                }}
            }}""")
        self.process = subprocess.Popen(
            ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")],
            stderr=subprocess.DEVNULL)
        wait_until(lambda: self.answers())

    def answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def bytes_sent(self) -> int:
        """The bytes of all bodies, from the log."""
        text = (self.folder / "access.log").read_text()
        return sum(int(line.split('" ')[1].split()[1]) for line in text.splitlines())

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Transferd:
    """undersong-transferd in folders of its own."""

    def __init__(self, program: Path, folder: Path, extra: list[str] | None = None) -> None:
        self.program, self.folder, self.extra = program, folder, extra or []
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        self.process: subprocess.Popen | None = None
        self.start()

    @property
    def transfers(self) -> Path:
        return self.folder / "state" / "undersong" / "default" / "transfers"

    def start(self) -> None:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"),
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/nobus"}
        self.process = subprocess.Popen(
            [self.program, "--idle-exit", "0", *self.extra], env=environment,
            stderr=subprocess.DEVNULL)
        path = self.folder / "undersong" / "default.transfer.sock"

        def connects() -> bool:
            self.stream = socket.socket(socket.AF_UNIX)
            if self.stream.connect_ex(str(path)) == 0:
                return True
            self.stream.close()
            return False

        wait_until(connects)
        self.lines = self.stream.makefile("r")
        self.count = 0
        self.call("hello", {"protocol": 1, "client": "bench"})

    def call(self, method: str, parameters: dict) -> dict:
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters}
        self.stream.sendall((json.dumps(request) + "\n").encode())
        while line := self.lines.readline():
            message = json.loads(line)
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
        raise ConnectionError("undersong-transferd has gone")

    def add(self, url: str, to: Path, **more) -> dict:
        return self.call("transfers.add", {"url": url, "to": str(to), **more})

    def list(self) -> list[dict]:
        return self.call("transfers.list", {})["transfers"]

    def wait(self, limit: float = 60.0) -> bool:
        """Waits until all are over."""
        return wait_until(lambda: all(
            one["state"] in ("finished", "failed", "cancelled") for one in self.list()), limit)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.stream.close()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.stream.close()


# MARK: One file cut at many places, by several tools


def command(tool: str, url: str, target: Path) -> list[str]:
    """How a tool continues a file, or begins it."""
    if tool == "curl -C -":
        return ["curl", "-s", "-C", "-", "-o", str(target), url]
    if tool == "aria2":
        return ["aria2c", "-q", "-c", "--file-allocation=none", "--auto-file-renaming=false",
                "-d", str(target.parent), "-o", target.name, url]
    return ["wget", "-q", "-c", "-O", str(target), url]


class Trial:
    """A tool that is killed when it has received some bytes, and then finishes the file."""

    def __init__(self, tool: str, server: Server, program: Path, folder: Path) -> None:
        self.tool, self.server, self.program = tool, server, program
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.target = folder, folder / "file.bin"

    def run(self, place: int, damage, new: tuple[bytes, str] | None) -> bool:
        """Whether the file is whole in the end."""
        server = self.server
        server.hold, server.sent = place, 0
        part = self.begin()
        self.await_part(part, place)
        self.kill()
        damage(self, part)
        server.hold = None
        if new:
            server.body, server.tag = new
        self.finish()
        return digest(self.target) == hashlib.sha256(server.body).hexdigest()

    @staticmethod
    def size(part: Path) -> int:
        return part.stat().st_size if part.exists() else 0

    def await_part(self, part: Path, place: int) -> None:
        """Waits until the tool has written what was sent. Some write whole blocks only, so they
        are done when the part has not grown for a while."""
        wait_until(lambda: self.server.sent >= place, 3)
        size, since = -1, time.monotonic()
        while self.size(part) < place and time.monotonic() < since + 0.1:
            if self.size(part) != size:
                size, since = self.size(part), time.monotonic()
            time.sleep(0.002)

    def begin(self) -> Path:
        if self.tool == "undersong":
            self.daemon = Transferd(self.program, self.folder / "home")
            self.daemon.add(self.server.url, self.target)
            return self.daemon.transfers / "parts" / "1.part"
        self.process = subprocess.Popen(
            command(self.tool, self.server.url, self.target), stdout=subprocess.DEVNULL)
        return self.target

    def kill(self) -> None:
        if self.tool == "undersong":
            self.daemon.kill()
        else:
            self.process.kill()
            self.process.wait()

    def finish(self) -> None:
        if self.tool == "undersong":
            self.daemon.start()
            self.daemon.wait()
            self.daemon.end()
        else:
            subprocess.run(command(self.tool, self.server.url, self.target),
                           stdout=subprocess.DEVNULL, timeout=60, check=False)

    def counted(self, part: Path) -> int:
        """How many bytes the tool has made sure of. No other waits for the disk, so a power cut
        may take all that the kernel has not written yet; here it takes a MiB at most."""
        if self.tool != "undersong":
            return max(0, self.size(part) - MB)
        record = self.daemon.transfers / "pending" / "1.task"
        offset = json.loads(record.read_text().split("\n")[0])["part"]["offset"]
        return max(offset, 0)


def nothing(_trial: Trial, _part: Path) -> None:
    """The kill alone."""


def zero_tail(trial: Trial, part: Path) -> None:
    """A power cut: what was written last, and not waited for, is zeros."""
    if not part.exists():
        return
    length, start = part.stat().st_size, trial.counted(part)
    with part.open("r+b") as file:
        file.seek(start)
        file.write(bytes(length - start))


def compare(program: Path, work: Path, places: int, size: int) -> dict:
    """How many of the files, each cut at another place, are whole in the end."""
    old, new = contents(size, 1), contents(size, 2)
    offsets = [size * (number * 2 + 1) // (places * 2) for number in range(places)]
    kinds = {
        "killed": (nothing, False), "power cut": (zero_tail, False),
        "file changed meanwhile": (nothing, True)}
    results: dict = {}
    for kind, (damage, changes) in kinds.items():
        for tool in TOOLS:
            whole, sent = 0, 0
            server = Server()
            for place in offsets:
                server.body, server.tag = old, '"1"'
                trial = Trial(tool, server, program, work / "trial")
                whole += trial.run(place, damage, (new, '"2"') if changes else None)
                sent += server.sent
            server.listener.close()
            results[f"{kind}: {tool}"] = (
                f"{whole} of {places} whole, {sent / places / size:.2f} times the file's bytes served")
            print(f"{kind}: {tool}: {results[f'{kind}: {tool}']}", flush=True)
    return results


# MARK: One file and many kills


def kills(program: Path, work: Path, count: int, size: int) -> dict:
    """TR1: a file from nginx, by a process that is killed many times on the way."""
    nginx = Nginx(work / "nginx")
    body = contents(size, 3)
    (nginx.folder / "files" / "file.bin").write_bytes(body)
    target = work / "file.bin"
    daemon = Transferd(program, work / "home")
    part = daemon.transfers / "parts" / "1.part"
    daemon.add(nginx.url("slow/file.bin"), target)
    done, torn = 0, 0
    for number in range(count):
        place = size * (number + 1) // (count + 1)
        wait_until(lambda: target.exists() or part.exists()
                   and part.stat().st_size >= place, 60)
        daemon.kill()
        done += not target.exists()
        if target.exists() and digest(target) != hashlib.sha256(body).hexdigest():
            torn += 1
        daemon.start()
    is_over = daemon.wait(120)
    daemon.end()
    sent = nginx.bytes_sent()
    nginx.stop()
    bound = size + count * 4 * MB
    return {
        "kills before the end": done, "whole": digest(target) == hashlib.sha256(body).hexdigest(),
        "over": is_over, "torn files seen": torn,
        "MB served": round(sent / 1e6), "MB allowed": round(bound / 1e6),
        "bytes served per kill beyond the file, kB": round((sent - size) / count / 1000)}


# MARK: Speed and memory


def usage(process: int) -> tuple[float, dict[str, int]]:
    """CPU seconds, and memory in kB."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(") ")[1].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    memory = {name: int(re.search(rf"^{name}:\s+(\d+)", text, re.M)[1]) for name in ("Rss", "Pss")}
    return seconds, memory


def switches(process: int) -> dict[int, int]:
    """How often each of its threads has been switched to."""
    counts = {}
    for task in Path(f"/proc/{process}/task").iterdir():
        try:
            text = (task / "status").read_text()
        except OSError:
            continue
        counts[int(task.name)] = sum(
            int(number) for number in re.findall(r"ctxt_switches:\s+(\d+)", text))
    return counts


def wakes(process: int, seconds: float) -> int:
    """How often its threads are switched to within some seconds, also those that begin or end
    meanwhile: of these, up to the last look at them."""
    before = switches(process)
    latest = dict(before)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        latest.update(switches(process))
    return sum(latest.values()) - sum(before.values())


def curl(url: str, target: Path, syncs: bool) -> tuple[float, float]:
    """Seconds, and CPU seconds, that curl takes, with waiting for the disk afterwards or without."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run(["curl", "-s", "-o", str(target), url], check=True)
    if syncs:
        with target.open("rb") as file:
            os.fsync(file.fileno())
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(url: str, target: Path, program: Path, home: Path) -> tuple[float, float]:
    """Seconds, and CPU seconds, from the call to the report that the file is finished."""
    daemon = Transferd(program, home)
    start, _ = usage(daemon.process.pid)
    begin = time.monotonic()
    daemon.call("transfers.follow", {})
    daemon.add(url, target)
    while True:
        message = json.loads(daemon.lines.readline())
        if any(one["state"] == "finished" for one in
               message.get("params", {}).get("transfers", [])):
            break
    seconds = time.monotonic() - begin
    end, _ = usage(daemon.process.pid)
    daemon.end()
    shutil.rmtree(home)
    return seconds, end - start


def speed(program: Path, work: Path, size: int, rounds: int) -> dict:
    """TR15: one large file over loopback, beside curl, with and without waiting for the disk.

    Each begins with what the last one received deleted, and a second after that: a file that is
    written while another one is kept was seen to take curl, too, up to 1.9 times as long."""
    nginx = Nginx(work / "nginx")
    with (nginx.folder / "files" / "large.bin").open("wb") as file:
        piece = contents(16 * MB, 4)
        for _ in range(size // len(piece)):
            file.write(piece)
    url, target = nginx.url("large.bin"), work / "large.bin"
    tools = {
        "ours": lambda: ours(url, target, program, work / "home"),
        "curl": lambda: curl(url, target, False),
        "curl and sync": lambda: curl(url, target, True)}
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in tools}
    for number in range(rounds):
        order = list(tools)
        for name in order[number % 3:] + order[:number % 3]:
            os.sync()
            time.sleep(1)
            runs[name].append(tools[name]())
            target.unlink()
    nginx.stop()
    times = {name: [seconds for seconds, _ in pairs] for name, pairs in runs.items()}
    cpu = {name: statistics.median(cost for _, cost in pairs) for name, pairs in runs.items()}
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        **{f"{name}, MB/s": round(size / 1e6 / value) for name, value in medians.items()},
        **{f"{name}, s": [round(value, 2) for value in values] for name, values in times.items()},
        "of curl's speed, %": round(100 * medians["curl"] / medians["ours"]),
        "of curl's speed when it waits for the disk, too, %":
            round(100 * medians["curl and sync"] / medians["ours"]),
        "CPU / curl's": round(cpu["ours"] / cpu["curl"], 2)}


def memory(program: Path, work: Path) -> dict:
    """Eight transfers at a time; transfers that only wait; a stop in between."""
    nginx = Nginx(work / "nginx", rate="2m")
    (nginx.folder / "files" / "file.bin").write_bytes(contents(64 * MB, 5))
    daemon = Transferd(program, work / "home")
    process = daemon.process.pid
    time.sleep(2)
    _, idle = usage(process)
    # Two run at a time for each host.
    for number in range(8):
        daemon.add(
            f"http://127.0.0.{number // 2 + 1}:{nginx.port}/slow/file.bin", work / f"{number}.bin")
    time.sleep(6)
    running = sum(one["state"] == "receiving" for one in daemon.list())
    _, busy = usage(process)
    daemon.call("transfers.pause", {})
    time.sleep(1)
    waiting = wakes(process, 10)
    daemon.call("transfers.resume", {})
    time.sleep(1)
    os.kill(process, signal.SIGSTOP)
    time.sleep(15)
    os.kill(process, signal.SIGCONT)
    time.sleep(3)
    recovered = {one["state"] for one in daemon.list()}
    daemon.end()
    nginx.stop()
    return {
        "RSS with nothing to do, MB": idle["Rss"] / 1000, "PSS": idle["Pss"] / 1000,
        "receiving at a time": running,
        "RSS with these, MB": busy["Rss"] / 1000, "PSS with these, MB": busy["Pss"] / 1000,
        "wake-ups in 10 s with waiting transfers": waiting,
        "states after SIGSTOP for 15 s": ", ".join(sorted(recovered))}


class Stopped:
    """A file on its way while a process, transferd or the server, is stopped for a time."""

    def __init__(self, whom: str, program: Path, work: Path) -> None:
        self.nginx = Nginx(work / "nginx", rate="2m")
        self.body = contents(64 * MB, 6)
        (self.nginx.folder / "files" / "file.bin").write_bytes(self.body)
        self.daemon = Transferd(program, work / "home")
        self.target = work / "file.bin"
        self.daemon.add(self.nginx.url("slow/file.bin"), self.target)
        time.sleep(5)
        self.processes = [self.daemon.process.pid] if whom == "transferd" else [
            self.nginx.process.pid, *children(self.nginx.process.pid)]
        self.signal(signal.SIGSTOP)

    def signal(self, number: int) -> None:
        for process in self.processes:
            os.kill(process, number)

    def continue_(self) -> str:
        """What has become of it."""
        before = self.daemon.list()[0] if self.daemon.process.pid not in self.processes else None
        begin = time.monotonic()
        self.signal(signal.SIGCONT)
        start = (before or self.daemon.list()[0])["received"]
        wait_until(lambda: self.daemon.list()[0]["received"] > start, 2400)
        again = time.monotonic() - begin
        self.daemon.wait(2400)
        one = self.daemon.list()[0]
        whole = digest(self.target) == hashlib.sha256(self.body).hexdigest()
        self.daemon.end()
        self.nginx.stop()
        while_stopped = f"; meanwhile {before['state']}, {before.get('reason')}" if before else ""
        return (f"{one['state']}, {'whole' if whole else 'NOT whole'}, begun again from 0: "
                f"{one.get('restarts') or 0}, receiving {again:.1f} s later{while_stopped}")


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    return [int(number) for number in
            Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def stops(program: Path, work: Path, seconds: float) -> dict:
    """SIGSTOP to transferd, and to the server of another, at the same time; then SIGCONT."""
    trials = {}
    for whom in ("transferd", "server"):
        (work / whom).mkdir(parents=True)
        trials[whom] = Stopped(whom, program, work / whom)
    time.sleep(seconds)
    return {f"{whom} stopped for {seconds:g} s": trial.continue_()
            for whom, trial in trials.items()}


def many(program: Path, work: Path, count: int) -> dict:
    """TR14: many transfers that wait."""
    work.mkdir(parents=True, exist_ok=True)
    daemon = Transferd(program, work / "home")
    time.sleep(2)
    _, before = usage(daemon.process.pid)
    far = time.time() + 86_400 * 3
    begin = time.monotonic()
    for number in range(count):
        daemon.add(f"http://127.0.0.1:9/{number}", work / f"{number}.bin", begin=far)
    added = time.monotonic() - begin
    times = []
    for _ in range(5):
        begin = time.monotonic()
        pages = 0
        while pages < count:
            page = daemon.call("transfers.list", {"offset": pages})["transfers"]
            pages += len(page)
        times.append(time.monotonic() - begin)
    time.sleep(2)
    _, after = usage(daemon.process.pid)
    daemon.kill()
    begin = time.monotonic()
    daemon.start()
    daemon.call("transfers.list", {"limit": 1})
    restart = time.monotonic() - begin
    time.sleep(2)
    _, restored = usage(daemon.process.pid)
    woken = wakes(daemon.process.pid, 5)
    daemon.end()
    return {
        "added, s": round(added, 1), "list of all, ms": round(1000 * statistics.median(times)),
        "RSS more, MB": (after["Rss"] - before["Rss"]) / 1000,
        "start until the first answer, ms": round(1000 * restart),
        "RSS more after a restart, MB": (restored["Rss"] - before["Rss"]) / 1000,
        "wake-ups in 5 s": woken}


def main() -> None:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transferd", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(".build/benchmarks"))
    parser.add_argument("--only", nargs="*", default=["kills", "compare", "speed", "memory", "many", "stops"])
    parser.add_argument("--places", type=int, default=200)
    # Aria2 keeps up to 16 MiB in its memory.
    parser.add_argument("--size", type=int, default=24 * MB, help="of the files that are cut")
    parser.add_argument("--large", type=int, default=1024 * MB)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stop-seconds", type=float, default=600)
    options = parser.parse_args()
    program = options.transferd.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    for tool in ("curl", "aria2c", "wget", "nginx"):
        if not shutil.which(tool):
            sys.exit(f"cannot compare: {tool} is missing; scripts/bootstrap bench installs it")
    measures = {
        "kills": lambda work: kills(program, work, options.places, 64 * MB),
        "compare": lambda work: compare(program, work, options.places, options.size),
        "speed": lambda work: speed(program, work, options.large, options.rounds),
        "memory": lambda work: memory(program, work),
        "stops": lambda work: stops(program, work, options.stop_seconds),
        "many": lambda work: many(program, work, 10_000)}
    results = {}
    for name in options.only:
        # A socket's path is short.
        with tempfile.TemporaryDirectory(prefix="ub.", dir="/var/tmp") as folder:
            work = Path(folder) / "w"
            work.mkdir()
            results[name] = measures[name](work)
        print(json.dumps({name: results[name]}, indent=1), flush=True)
    (options.work / "transfers.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
