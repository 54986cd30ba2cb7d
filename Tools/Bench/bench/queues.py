"""The cost of queues of many items, compared with mpd: see README.md and Tools/Bench/run --queues."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
README = HERE / "README.md"
BEGIN, END = "<!-- begin of the queues -->", "<!-- end of the queues -->"
SONG = HERE.parent.parent / "Resources" / "Demo" / "01 Slack Water.mp3"
PEER_LIMIT = 100_000  # mpd opens each file; this many take it more than a minute
ROWS = [
    ("add", "add a playlist, s"),
    ("insert", "insert in the middle, ms"),
    ("move", "move from the front to the end, ms"),
    ("remove", "remove in the middle, ms"),
    ("undo", "take that back, ms"),
    ("next", "next, ms"),
    ("list", "list 1,000 items, ms"),
    ("search", "search, ms"),
    ("shuffle", "shuffle, ms"),
    ("unshuffle", "the old order again, ms"),
    ("start", "start after a kill -9 → first answer, ms"),
    ("rss", "memory after all that, MB"),
]


class Undersong:
    """Undersong's service, through its socket."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.environment = {"PATH": os.environ["PATH"], "PULSE_SERVER": "unix:/nowhere"}
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            self.environment[name] = str(folder)
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen([self.program, "serve"], env=self.environment)
        self.stream = connect(self.folder / "undersong" / "default.sock")
        self.number = 0
        self.ask("hello", {"protocol": 1, "client": "bench"})

    def ask(self, method: str, params: dict) -> dict:
        self.number += 1
        call = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.stream.write(json.dumps(call).encode() + b"\n")
        self.stream.flush()
        while True:
            reply = json.loads(self.stream.readline())
            if reply.get("id") == self.number:
                if "error" in reply:
                    sys.exit(f"bench: undersongd says: {reply['error']['message']}")
                return reply["result"]

    def id(self, place: int) -> int:
        return self.ask("queue.list", {"offset": place, "limit": 1})["items"][0]["id"]

    def measure(self, playlist: Path, files: list[str] | None, count: int) -> dict[str, float]:
        middle, song = count // 2, {"paths": [str(SONG)]}
        files_of = {"paths": [str(playlist)]}
        values = {"add": timed(lambda: self.ask("queue.add", {"files": files_of})) / 1000}
        after = self.id(middle)
        values["insert"] = timed(lambda: self.ask("queue.insert", {"files": song, "after": after}))
        first, last = self.id(1), self.id(count - 1)
        values["move"] = timed(lambda: self.ask("queue.move", {"item": first, "after": last}))
        values["remove"] = timed(lambda: self.ask("queue.remove", {"items": [after]}))
        values["undo"] = timed(lambda: self.ask("queue.undo", {}))
        values["next"] = timed(lambda: self.ask("player.command", {"verb": "next"}))
        values["list"] = timed(lambda: self.ask("queue.list", {"offset": middle, "limit": 1000}))
        values["search"] = timed(lambda: self.ask("queue.search", {"words": [f"{middle}.mp3"]}))
        values["shuffle"] = timed(lambda: self.ask("settings.set", {"change": {"shuffle": True}}))
        values["unshuffle"] = timed(lambda: self.ask("settings.set", {"change": {"shuffle": False}}))
        values["rss"] = rss(self.process)
        self.process.kill()
        self.process.wait()
        values["start"] = timed(lambda: (self.start(), self.ask("player.status", {})))
        return values

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Mpd:
    """mpd with its state file, through its socket. It saves its queue every two minutes."""

    def __init__(self, folder: Path) -> None:
        self.path, self.settings = folder / "mpd", folder / "mpd.conf"
        lines = [f'bind_to_address "{self.path}"', 'log_file "/dev/null"', 'zeroconf_enabled "no"']
        lines += [f'state_file "{folder}/state"', 'max_playlist_length "10000000"']
        lines += ['max_command_list_size "1000000"', 'max_output_buffer_size "1000000"']
        lines += ["audio_output {", 'name "bench"', 'type "null"', "}"]
        self.settings.write_text("\n".join(lines) + "\n")
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(["mpd", "--no-daemon", self.settings])
        self.stream = connect(self.path)
        self.stream.readline()

    def ask(self, *commands: str) -> None:
        lines = ["command_list_begin", *commands, "command_list_end"]
        self.stream.write("\n".join(lines).encode() + b"\n")
        self.stream.flush()
        while (line := self.stream.readline()) != b"OK\n":
            if not line or line.startswith(b"ACK"):
                sys.exit(f"bench: mpd says: {line.decode() or 'nothing'}")

    def measure(self, playlist: Path, files: list[str] | None, count: int) -> dict[str, float]:
        if files is None:
            return {}
        middle = count // 2
        adds = [f'add "{file}"' for file in files]
        values = {"add": timed(lambda: self.ask(*adds)) / 1000}
        values["insert"] = timed(lambda: self.ask(f'addid "{files[0]}" {middle}'))
        values["move"] = timed(lambda: self.ask(f"move 1 {count - 1}"))
        values["remove"] = timed(lambda: self.ask(f"delete {middle}"))
        self.ask("play 0", "pause 1")
        values["next"] = timed(lambda: self.ask("next"))
        values["list"] = timed(lambda: self.ask(f"playlistinfo {middle}:{middle + 1000}"))
        values["search"] = timed(lambda: self.ask(f'playlistsearch file "{middle}.mp3"'))
        values["shuffle"] = timed(lambda: self.ask("shuffle"))
        values["rss"] = rss(self.process)
        self.stop()  # killed, it would have saved nothing
        values["start"] = timed(lambda: (self.start(), self.ask("status")))
        return values

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def connect(path: Path):
    """A socket as a file, as soon as a process listens on it."""
    end = time.monotonic() + 300
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(str(path))
            return client.makefile("rwb")
        except OSError:
            client.close()
            if time.monotonic() > end:
                raise


def timed(work) -> float:
    """The milliseconds that a call takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def rss(process: subprocess.Popen) -> float:
    """Resident memory, in 10⁶ bytes."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0


def make_files(folder: Path, count: int) -> tuple[Path, list[str] | None]:
    """A playlist of this many paths, with existing files as far as a peer needs them."""
    names = [str(folder / f"{number // 1000}" / f"{number}.mp3") for number in range(count)]
    exist = count <= PEER_LIMIT
    if exist:
        small = folder / "small.mp3"
        shutil.copyfile(SONG, small)
        os.truncate(small, 20_000)
        for number, name in enumerate(names):
            if number % 1000 == 0:
                os.makedirs(os.path.dirname(name), exist_ok=True)
            os.symlink(small, name)
    playlist = folder / "list.m3u"
    playlist.write_text("\n".join(names) + "\n")
    return playlist, names if exist else None


def main() -> None:
    parser = argparse.ArgumentParser(prog="Tools/Bench/run --queues")
    parser.add_argument("--undersongd", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--counts", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    columns: list[tuple[str, dict[str, float]]] = []
    for count in options.counts:
        for name in ("Undersong", "mpd"):
            with tempfile.TemporaryDirectory(prefix="undersong-bench.") as folder:
                print(f"queues, {count}: {name}", file=sys.stderr)
                playlist, files = make_files(Path(folder), count)
                program = options.undersongd.resolve()
                player = Undersong(program, Path(folder)) if name == "Undersong" else Mpd(Path(folder))
                try:
                    columns.append((f"{name}, {count:,}", player.measure(playlist, files, count)))
                finally:
                    player.stop()
    table = markdown(columns)
    print(table)
    before, rest = README.read_text().split(BEGIN)
    README.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.split(END)[1]}")


def markdown(columns: list[tuple[str, dict[str, float]]]) -> str:
    columns = [column for column in columns if column[1]]
    lines = ["|  | " + " | ".join(name for name, _ in columns) + " |"]
    lines.append("| --- |" + " ---: |" * len(columns))
    for key, title in ROWS:
        cells = [f"{values[key]:.3g}" if key in values else "–" for _, values in columns]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
