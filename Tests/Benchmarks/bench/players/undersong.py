"""Undersong."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import ClassVar

from ..processes import Child, Lines, Tools
from .base import Player, Report, output_of, seconds_of


class Undersong(Player):
    """Undersong: keys on a terminal of its own, events as lines of JSON through a pipe.

    The program has Swift's library linked in, which is how it is shipped.
    """

    name = "Undersong"
    has_own_times = True
    program: ClassVar[Path]

    def start(self) -> None:
        command = [str(self.program), "play", "--json"]
        if not self.wish.reports:
            command += self._without_times(self.tools)
        reading, writing = os.pipe()
        self._keys, terminal = pty.openpty() if self.wish.control else (-1, subprocess.DEVNULL)
        self.child = Child(
            command + [str(file) for file in self.files],
            self.tools,
            stdin=terminal,
            stdout=writing,
            terminal=self.wish.control,
        )
        os.close(writing)
        if self.wish.control:
            os.close(terminal)
        self._lines = Lines(self.tools, reading)
        os.close(reading)

    @classmethod
    def _without_times(cls, tools: Tools) -> list[str]:
        has_option = "--no-time" in output_of(tools, str(cls.program), "play", "--help")
        return ["--no-time"] if has_option else ["--interval", "86400"]

    def _type(self, keys: bytes) -> None:
        os.write(self._keys, keys)

    def pause(self) -> None:
        self._type(b" ")

    def resume(self) -> None:
        self._type(b" ")

    def seek(self) -> None:
        self._type(b"\x1b[C")

    def skip(self) -> None:
        self._type(b"n")

    def reports(self) -> list[Report]:
        names = [str(file) for file in self.files]
        places: dict[int, int] = {}
        reports = []
        for arrival, line in self._lines.lines:
            event = json.loads(line)
            if event["event"] == "item" and event["change"] == "began":
                places[event["item"]] = names.index(event["path"])
            elif event["event"] == "time":
                moment, place = event["monotonic"] / 1e9, places.get(event["item"], 0)
                reports.append(Report(moment, place, event["seconds"], arrival - moment))
        return reports

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "_lines"):
            self._lines.stop()
            if self.wish.control:
                os.close(self._keys)

    @classmethod
    def version(cls, tools: Tools) -> str:
        return output_of(tools, str(cls.program), "--version").strip()

    @classmethod
    def decode(cls, tools: Tools, file: Path) -> float:
        options = ["--output", "wav:/dev/null", *cls._without_times(tools)]
        return seconds_of(tools, str(cls.program), "play", *options, str(file))


class UndersongDynamic(Undersong):
    """The same, with Swift's library beside it: what a build without options makes."""

    name = "Undersong, dynamic"
