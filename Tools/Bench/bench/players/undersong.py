"""Undersong."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
from pathlib import Path
from typing import ClassVar

from ..processes import Child, Lines, Tools
from .base import Player, Report, connect, output_of, seconds_of


class Undersong(Player):
    """Undersong: keys on a terminal of its own, events as lines of JSON through a pipe.

    It starts its service, which ends with it. Both programs link Swift's library statically, as
    they are shipped.
    """

    name = "Undersong"
    has_own_times = True
    program: ClassVar[Path]
    options: ClassVar[list[str]] = []

    def start(self) -> None:
        command = [str(self.program), "play", "--json", *self.options]
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
        # Until it reports otherwise, it is accurate to a millisecond, as its schema states.
        bound = 0.001
        for arrival, line in self._lines.lines:
            event = json.loads(line)
            if event["event"] == "item" and event["change"] == "began":
                places[event["item"]] = names.index(event["path"])
            elif event["event"] == "clock":
                bound = event["uncertainty"]
            elif event["event"] == "time":
                moment, place = event["monotonic"] / 1e9, places.get(event["item"], 0)
                lateness = arrival - moment
                reports.append(Report(moment, place, event["seconds"], lateness, bound))
        return reports

    @property
    def _socket(self) -> Path:
        return Path(self.tools.environment["XDG_RUNTIME_DIR"]) / "undersong/default.sock"

    def pids(self) -> list[int]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._socket))
            connection.sendall(request("hello", protocol=1, client="bench"))
            answer = json.loads(connection.makefile().readline())
        return [self.child.pid, answer["result"]["process"]]

    def stop(self) -> None:
        super().stop()
        self._end_service()
        if hasattr(self, "_lines"):
            self._lines.stop()
            if self.wish.control:
                os.close(self._keys)

    def _end_service(self) -> None:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self._socket))
                hello = request("hello", protocol=1, client="bench")
                connection.sendall(hello + request("service.shutdown"))
                while connection.recv(65536):
                    pass
        except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
            pass

    @classmethod
    def version(cls, tools: Tools) -> str:
        return output_of(tools, str(cls.program), "--version").strip()

    @classmethod
    def decode(cls, tools: Tools, file: Path) -> float:
        options = ["--output", "/dev/null"]
        return seconds_of(tools, str(cls.program), "render", *options, str(file))


def request(method: str, **params: object) -> bytes:
    """One request to the service."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


class UndersongDynamic(Undersong):
    """Undersong dynamically linked with Swift's library: the result of a build without options."""

    name = "Undersong, dynamic"


class UndersongServed(Undersong):
    """Undersong with its service already running."""

    name = "Undersong, service running"

    def start(self) -> None:
        service = self.program.with_name("undersongd")
        self._service = Child([str(service), "serve"], self.tools)
        connect(self._socket).close()
        super().start()

    def stop(self) -> None:
        super().stop()
        self._service.stop()
