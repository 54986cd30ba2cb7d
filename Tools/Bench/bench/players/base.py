"""The interface of all players, and code shared by their drivers."""

from __future__ import annotations

import shlex
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ..processes import Child, Tools, Unmeasurable, now, wait_until


@dataclass(frozen=True)
class Report:
    """A player's report: at `moment` the file at `index` of the queue is at `seconds`."""

    moment: float
    index: int
    seconds: float
    lateness: float = 0
    """Seconds from `moment` to the report's arrival, where the player itself reports `moment`."""
    bound: float | None = None
    """Seconds by which it may be off, where the player says so."""


@dataclass(frozen=True)
class Wish:
    """What a player is started for."""

    control: bool = False
    """It will be paused, sought and skipped."""
    reports: bool = False
    """It reports its position, as often as it can up to 100 times a second."""


class Player:
    """A running player: started by its constructor, ended by `stop`."""

    name: ClassVar[str]
    abilities: ClassVar[frozenset[str]] = frozenset({"a queue", "control", "reports"})
    has_own_times: ClassVar[bool] = False
    """Whether its reports carry the host's time."""
    child: Child

    def __init__(self, tools: Tools, files: list[Path], wish: Wish = Wish()) -> None:
        self.tools, self.files, self.wish = tools, files, wish
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Starts the program and makes it play `files`."""
        raise NotImplementedError

    def pause(self) -> None:
        """Pauses while playing."""
        raise NotImplementedError

    def resume(self) -> None:
        """Resumes after a pause."""
        raise NotImplementedError

    def seek(self) -> None:
        """Seeks 5 s forward."""
        raise NotImplementedError

    def skip(self) -> None:
        """Skips to the next file."""
        raise NotImplementedError

    def reports(self) -> list[Report]:
        """The reports so far."""
        raise NotImplementedError

    def pids(self) -> list[int]:
        """The ids of all its processes."""
        return [self.child.pid]

    def stop(self) -> None:
        """Ends the program."""
        if hasattr(self, "child"):
            self.child.stop()

    @classmethod
    def version(cls, tools: Tools) -> str:
        """The program's version."""
        raise NotImplementedError

    @classmethod
    def decode(cls, tools: Tools, file: Path) -> float:
        """Decodes `file` as fast as possible, and returns the seconds that took."""
        raise Unmeasurable("it has no way to")


def output_of(tools: Tools, *command: str) -> str:
    """The output of a command."""
    result = subprocess.run(
        command, env=tools.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    return result.stdout + result.stderr


def seconds_of(tools: Tools, *command: str) -> float:
    """How long a command runs, which must succeed."""
    start = now()
    quiet = subprocess.DEVNULL
    result = subprocess.run(command, env=tools.environment, stdin=quiet, stdout=quiet, stderr=quiet)
    if result.returncode != 0:
        raise Unmeasurable(f"{shlex.join(command[:2])} ended with {result.returncode}")
    return now() - start


def connect(path: Path) -> socket.socket:
    """Connects to a socket as soon as a process listens there."""
    result = socket.socket(socket.AF_UNIX)

    def try_once() -> bool:
        try:
            result.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    wait_until(try_once, f"answer at {path.name}")
    return result
