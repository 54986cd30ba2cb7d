"""mpv."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

from ..processes import Child, Lines, Tools
from .base import Player, Report, connect, output_of, seconds_of


class Mpv(Player):
    """mpv, through its JSON socket if it is controlled or asked for its position."""

    name = "mpv"
    _options: ClassVar[list[str]] = ["--no-config", "--no-video", "--no-terminal"]

    def start(self) -> None:
        command = ["mpv", *self._options, "--ao=pulse"]
        files = [str(file) for file in self.files]
        if not (self.wish.control or self.wish.reports):
            self.child = Child(command + files, self.tools)
            return
        path = self.tools.folder / "mpv"
        path.unlink(missing_ok=True)
        self.child = Child([*command, f"--input-ipc-server={path}", "--idle"], self.tools)
        self._socket = connect(path)
        self._lines = Lines(self.tools, self._socket.fileno())
        if self.wish.reports:
            self._send("observe_property", 1, "playlist-pos")
            self._send("observe_property", 2, "time-pos")
        for file in files:
            self._send("loadfile", file, "append-play")

    def _send(self, *words: str | int) -> None:
        self._socket.sendall(json.dumps({"command": words}).encode() + b"\n")

    def pause(self) -> None:
        self._send("set_property", "pause", True)

    def resume(self) -> None:
        self._send("set_property", "pause", False)

    def seek(self) -> None:
        self._send("seek", 5, "relative+exact")

    def skip(self) -> None:
        self._send("playlist-next")

    def reports(self) -> list[Report]:
        reports, index = [], 0
        for arrival, line in self._lines.lines:
            event = json.loads(line)
            if event.get("event") != "property-change" or event.get("data") is None:
                continue
            if event["id"] == 1:
                index = max(event["data"], 0)
            else:
                reports.append(Report(arrival, index, event["data"]))
        return reports

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "_lines"):
            self._lines.stop()
            self._socket.close()

    @classmethod
    def version(cls, tools: Tools) -> str:
        return output_of(tools, "mpv", "--version").split()[1]

    @classmethod
    def decode(cls, tools: Tools, file: Path) -> float:
        output = ["--ao=pcm", "--ao-pcm-file=/dev/null"]
        return seconds_of(tools, "mpv", *cls._options, *output, str(file))
