"""Runs in the machine with the sound card: plays according to `plan.json` next to it.

It needs only Python's standard library, and writes `trials.json` to the folder given to it. Nothing
records there, since a recorder would request shorter blocks from the server: once a player itself
reports that it plays, the commands come at random moments.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent
CARD = "card"  # the sink
HARDWARE = Path("/proc/asound/card0/pcm0p/sub0/hw_params")
PIPEWIRE = ["pipewire", "wireplumber", "pipewire-pulse"]
# Without logind, which the machine does not have, WirePlumber exits at once.
SETTINGS = {
    "wireplumber/bluetooth.lua.d/90-card.lua": 'bluez_monitor.properties["with-logind"] = false\n',
    "pipewire/pipewire.conf.d/rate.conf": "context.properties = { default.clock.rate = 44100 }\n",
}
PATIENCE = 60.0  # seconds; the machine is slow
BEGUN = 1.0  # seconds of an item after which a player counts as playing
SILENCE = (0.4, 0.8)  # seconds of a pause
MUSIC = (0.5, 1.0)  # seconds between two commands
GONE = 1.0  # seconds without a server


class Player:
    """A running player, in a folder of its own."""

    command: list[str]

    def __init__(self, files: list[str], folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
        self.environment = {**os.environ, **dict.fromkeys(names, str(folder))}
        self.output = folder / "output"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [*self.command, *files],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment,
                start_new_session=True,
            )

    def wait_for_music(self) -> None:
        """Waits until it reports that it has played `BEGUN` of its first item."""
        raise NotImplementedError

    def pause(self) -> None:
        """Pauses."""
        raise NotImplementedError

    def resume(self) -> None:
        """Resumes."""
        raise NotImplementedError

    def seek(self, seconds: float) -> None:
        """Resumes at `seconds` of the item."""
        raise NotImplementedError

    def stops(self) -> list[float]:
        """Where it paused or lost its server, by its own report: seconds of the item."""
        raise NotImplementedError

    def wait_for_end(self) -> int | None:
        """Waits until it ends by itself, and returns its status; None if it does not."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """Ends the player."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(number)
                try:
                    self.process.wait(10)
                except subprocess.TimeoutExpired:
                    continue


class Undersong(Player):
    """Undersong, controlled by its own commands."""

    program = str(PROGRAMS / "undersong")
    command = [program, "play", "--json", "--no-time", "--at", str(BEGUN)]

    def wait_for_music(self) -> None:
        wait_until(lambda: b'"boundary"' in self.output.read_bytes())

    def pause(self) -> None:
        self._run("pause")

    def resume(self) -> None:
        self._run("resume")

    def seek(self, seconds: float) -> None:
        self._run("seek", str(seconds))

    def stops(self) -> list[float]:
        lines = self.output.read_text().split("\n")[:-1]
        events = [json.loads(line) for line in lines if line.startswith("{")]
        states = [it for it in events if it["event"] == "state"]
        reasons = ("userPaused", "noOutput")
        return [it["position"]["seconds"] for it in states if it.get("reason") in reasons]

    def stop(self) -> None:
        super().stop()
        wait_until(lambda: not pids("undersongd"))

    def _run(self, *words: str) -> None:
        command = [self.program, *words]
        subprocess.run(command, env=self.environment, check=True, timeout=PATIENCE)


class Mpv(Player):
    """mpv, controlled through its socket."""

    command = [
        *("mpv", "--no-config", "--no-video", "--no-terminal", "--ao=pulse"),
        "--input-ipc-server=/tmp/mpv.socket",
    ]

    def __init__(self, files: list[str], folder: Path) -> None:
        super().__init__(files, folder)
        self._stops: list[float] = []

    def wait_for_music(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        wait_until(self._connects)
        self._lines = self._socket.makefile("rb")
        wait_until(lambda: self._position() >= BEGUN)

    def _position(self) -> float:
        return self._ask("get_property", "time-pos").get("data") or 0

    def _connects(self) -> bool:
        try:
            self._socket.connect("/tmp/mpv.socket")
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    def _ask(self, *words: str | float) -> dict[str, Any]:
        self._socket.sendall(json.dumps({"command": words}).encode() + b"\n")
        while line := self._lines.readline():
            answer = json.loads(line)
            if "error" in answer:
                return answer
        raise OSError("mpv has closed its socket")

    def pause(self) -> None:
        self._ask("set_property", "pause", True)
        self._stops.append(self._position())

    def resume(self) -> None:
        self._ask("set_property", "pause", False)

    def seek(self, seconds: float) -> None:
        self._ask("seek", seconds, "absolute+exact")

    def stops(self) -> list[float]:
        return self._stops

    def stop(self) -> None:
        super().stop()
        Path("/tmp/mpv.socket").unlink(missing_ok=True)


PLAYERS: dict[str, type[Player]] = {"Undersong": Undersong, "mpv": Mpv}


def play(player: Player, trial: dict[str, Any]) -> int | None:
    """Plays to the end."""
    return player.wait_for_end()


def pause(player: Player, trial: dict[str, Any]) -> int | None:
    """Pauses `count` times."""
    player.wait_for_music()
    for _ in range(trial["count"]):
        player.pause()
        wait(SILENCE)
        player.resume()
        wait(MUSIC)
    return player.process.poll()


def seek(player: Player, trial: dict[str, Any]) -> int | None:
    """Seeks to each of `targets`."""
    player.wait_for_music()
    for target in trial["targets"]:
        player.seek(target)
        wait(MUSIC)
    return player.process.poll()


def kill(player: Player, trial: dict[str, Any]) -> int | None:
    """Kills the server, restarts it, and plays to the end."""
    player.wait_for_music()
    wait(MUSIC)
    server = Server()
    server.kill()
    time.sleep(GONE)
    server.start()
    return player.wait_for_end()


KINDS: dict[str, Callable[[Player, dict[str, Any]], int | None]] = {
    "start": play,
    "seam": play,
    "pause": pause,
    "seek": seek,
    "kill": kill,
}


class Server:
    """The running sound server, and how to start it again."""

    def __init__(self) -> None:
        pid = (pids("pulseaudio") + pids(PIPEWIRE[0]))[0]
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
        variables = Path(f"/proc/{pid}/environ").read_text().split("\0")
        self._is_pipewire = words[0] in PIPEWIRE
        self._commands = [[name] for name in PIPEWIRE] if self._is_pipewire else [words]
        self._environment = dict(it.split("=", 1) for it in variables if "=" in it)

    def prepare(self) -> None:
        """Restarts PipeWire at the music's rate, with streams linked to the card."""
        if not self._is_pipewire:
            return
        self.kill()
        for name, text in SETTINGS.items():
            path = Path(self._environment["HOME"]) / ".config" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.start()

    def kill(self) -> None:
        """Kills all its processes."""
        for command in self._commands:
            for pid in pids(command[0]):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(pids(command[0]) for command in self._commands))

    def start(self) -> None:
        """Starts it, and waits for its card."""
        for command in self._commands:
            subprocess.Popen(command, env=self._environment, start_new_session=True)
            if self._is_pipewire:
                wait_until(lambda: output_of("pw-cli", "info", "0") is not None)
        wait_until(lambda: output_of("pactl", "get-default-sink") == CARD)


def output_of(*command: str) -> str | None:
    """The output of a command; None if it fails, or takes very long."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except subprocess.TimeoutExpired:
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def pids(name: str) -> list[int]:
    """The processes of a program, oldest first, except for those that have ended and wait for their
    parent."""
    result = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        own = text[text.index("(") + 1 : text.rindex(")")]
        if own == name[:15] and text[text.rindex(")") + 2] != "Z":
            result.append(int(status.parent.name))
    return sorted(result)


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits until `condition` holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing within {PATIENCE:g} s")
        time.sleep(0.05)


def wait(span: tuple[float, float]) -> None:
    """Waits for a random time, so that the next command comes at an arbitrary moment."""
    time.sleep(random.uniform(*span))


def run(trial: dict[str, Any], out: Path) -> dict[str, Any]:
    """Runs one trial, and returns its result."""
    began, status, error = time.monotonic(), None, None
    name = trial["player"]
    player = PLAYERS[name]([str(PROGRAMS / it) for it in trial["files"]], Path("/tmp") / name)
    try:
        status = KINDS[trial["kind"]](player, trial)
    except (OSError, TimeoutError, subprocess.SubprocessError) as problem:
        error = f"{type(problem).__name__}: {problem}"
    finally:
        hardware, stops = HARDWARE.read_text(), player.stops()
        player.stop()
    number = trial["number"]
    (out / f"{number}.log").write_bytes(player.output.read_bytes())
    seconds = time.monotonic() - began
    return {
        "number": number,
        "seconds": seconds,
        "status": status,
        "error": error,
        "stops": stops,
        "hardware": hardware,
    }


def versions() -> list[str]:
    """What is measured, and on what."""
    server = "pipewire" if pids("pipewire") else "pulseaudio"
    mpv = (output_of("mpv", "--version") or "mpv ?").split()[1]
    return [
        f"Undersong {output_of(Undersong.program, '--version')}",
        f"mpv {mpv}",
        f"{server} {(output_of(server, '--version') or '?').split()[-1]}",
    ]


def main() -> None:
    """Runs all trials in order."""
    out = Path(sys.argv[1])
    random.seed(7)
    Server().prepare()
    (out / "versions.json").write_text(json.dumps(versions()))
    results = []
    for trial in json.loads((PROGRAMS / "plan.json").read_text()):
        results.append(run(trial, out))
        print(trial["player"], trial["kind"], results[-1], flush=True)
        (out / "trials.json").write_text(json.dumps(results, indent=1))
        os.sync()


if __name__ == "__main__":
    main()
