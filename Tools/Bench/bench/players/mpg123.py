"""mpg123."""

from __future__ import annotations

import os
from pathlib import Path

from ..processes import Child, Lines, Tools
from .base import Player, Report, output_of, seconds_of


class Mpg123(Player):
    """mpg123 with its list of files, or controlled by lines on its standard input."""

    name = "mpg123"

    def start(self) -> None:
        if not (self.wish.control or self.wish.reports):
            command = ["mpg123", "-q", "-o", "pulse", *map(str, self.files)]
            self.child = Child(command, self.tools)
            return
        reading, writing = os.pipe()
        commands, self._commands = os.pipe()
        self.child = Child(
            ["mpg123", "-o", "pulse", "-R"], self.tools, stdin=commands, stdout=writing
        )
        os.close(writing)
        os.close(commands)
        self._loaded = 0
        self._lines = Lines(self.tools, reading, self._react)
        os.close(reading)
        self.skip()

    def _send(self, text: str) -> None:
        os.write(self._commands, text.encode() + b"\n")

    def _react(self, line: str) -> None:
        # It has no queue: its controller loads the next file at the end of one.
        if line == "@P 0" and self._loaded < len(self.files):
            self.skip()

    def pause(self) -> None:
        self._send("PAUSE")

    def resume(self) -> None:
        self._send("PAUSE")

    def seek(self) -> None:
        self._send("JUMP +5s")

    def skip(self) -> None:
        self._loaded += 1
        self._send(f"LOAD {self.files[self._loaded - 1]}")

    def reports(self) -> list[Report]:
        reports, index = [], -1
        for arrival, line in self._lines.lines:
            if line.startswith("@S "):
                index += 1
            elif line.startswith("@F "):
                reports.append(Report(arrival, index, float(line.split()[3])))
        return reports

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "_lines"):
            self._lines.stop()
            os.close(self._commands)

    @classmethod
    def version(cls, tools: Tools) -> str:
        return output_of(tools, "mpg123", "--version").split()[1]

    @classmethod
    def decode(cls, tools: Tools, file: Path) -> float:
        return seconds_of(tools, "mpg123", "-q", "-w", "/dev/null", str(file))
