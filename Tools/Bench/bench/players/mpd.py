"""MPD."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import ClassVar

from ..processes import Child, Tools, Unmeasurable, now, wait_until
from ..server import SINK
from .base import Player, Report, connect, output_of


class Mpd(Player):
    """MPD with a private configuration, through its socket; its position has to be polled."""

    name = "mpd"
    output: ClassVar[dict[str, str]] = {"type": "pulse", "sink": SINK, "mixer_type": "none"}

    def start(self) -> None:
        self._run(self.output)
        files = [f'add "{file}"' for file in self.files]
        self._ask("\n".join(["command_list_begin", *files, "play", "command_list_end"]))
        self._reports: list[Report] = []
        if self.wish.reports:
            self._is_running = True
            self._thread = threading.Thread(target=self._poll, daemon=True)
            self._thread.start()

    def _run(self, output: dict[str, str]) -> None:
        path, settings = self.tools.folder / "mpd", self.tools.folder / "mpd.conf"
        path.unlink(missing_ok=True)
        lines = [f'bind_to_address "{path}"', 'log_file "/dev/null"', 'zeroconf_enabled "no"']
        lines += ["audio_output {", 'name "bench"', *(f'{k} "{v}"' for k, v in output.items()), "}"]
        settings.write_text("\n".join(lines) + "\n")
        self.child = Child(["mpd", "--no-daemon", str(settings)], self.tools)
        self._lock = threading.Lock()
        self._socket = connect(path)
        self._file = self._socket.makefile("r")
        self._file.readline()

    def _ask(self, command: str) -> dict[str, str]:
        """Sends a command and returns the fields of the response."""
        with self._lock:
            self._socket.sendall(command.encode() + b"\n")
            fields = {}
            while (line := self._file.readline().rstrip("\n")) != "OK":
                if not line or line.startswith("ACK"):
                    raise Unmeasurable(f"mpd says: {line or 'nothing'}")
                key, _, value = line.partition(": ")
                fields[key] = value
            return fields

    def _poll(self) -> None:
        due = now()
        while self._is_running:
            sent = now()
            fields = self._ask("status")
            if "elapsed" in fields:
                moment = (sent + now()) / 2
                report = Report(moment, int(fields["song"]), float(fields["elapsed"]))
                self._reports.append(report)
            due += 0.01
            time.sleep(max(due - now(), 0))

    def pause(self) -> None:
        self._ask("pause 1")

    def resume(self) -> None:
        self._ask("pause 0")

    def seek(self) -> None:
        self._ask("seekcur +5")

    def skip(self) -> None:
        self._ask("next")

    def reports(self) -> list[Report]:
        return list(self._reports)

    def stop(self) -> None:
        if hasattr(self, "_thread"):
            self._is_running = False
            self._thread.join()
        super().stop()
        if hasattr(self, "_socket"):
            self._file.close()
            self._socket.close()

    @classmethod
    def version(cls, tools: Tools) -> str:
        return output_of(tools, "mpd", "--version").split()[3]

    @classmethod
    def decode(cls, tools: Tools, file: Path) -> float:
        player = _MpdWithoutPace(tools, [file])
        try:
            start = now()
            player._ask("play")
            wait_until(lambda: player._ask("status")["state"] == "stop", "end", 120)
            return now() - start
        finally:
            player.stop()


class _MpdWithoutPace(Mpd):
    """MPD with an output that accepts everything at once."""

    def start(self) -> None:
        self._run({"type": "null", "sync": "no"})
        self._ask(f'add "{self.files[0]}"')
