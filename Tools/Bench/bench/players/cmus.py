"""cmus."""

from __future__ import annotations

import os
import pty
import subprocess
import threading
from pathlib import Path

from ..processes import Child, Tools, wait_until
from .base import Player, output_of


class Cmus(Player):
    """cmus on a terminal of its own, through its socket."""

    name = "cmus"
    abilities = frozenset({"a queue"})

    def start(self) -> None:
        self._socket = self.tools.folder / "cmus.socket"
        self._socket.unlink(missing_ok=True)
        settings = Path(self.tools.environment["XDG_CONFIG_HOME"]) / "cmus/rc"
        settings.parent.mkdir(parents=True, exist_ok=True)
        # Without a message bus it would ask whether to continue.
        settings.write_text("set mpris=false\nset output_plugin=pulse\nset softvol=true\n")
        self._screen, terminal = pty.openpty()
        self.child = Child(
            ["cmus", "--listen", str(self._socket)],
            self.tools,
            stdin=terminal,
            stdout=terminal,
            terminal=True,
        )
        os.close(terminal)
        # It would block if nobody read what it draws.
        threading.Thread(target=self._drain, daemon=True).start()
        wait_until(self._socket.exists, "cmus")
        first, *others = map(str, self.files)
        if others:
            self._remote("-q", *others)
        self._remote("-f", first)
        self._remote("-v", "100%")

    def _remote(self, *words: str) -> None:
        command = ["cmus-remote", "--server", str(self._socket), *words]
        subprocess.run(command, env=self.tools.environment, check=True, capture_output=True, timeout=20)

    def _drain(self) -> None:
        try:
            while os.read(self._screen, 65536):
                pass
        except OSError:
            pass  # the other end of the terminal is closed

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "_screen"):
            os.close(self._screen)

    @classmethod
    def version(cls, tools: Tools) -> str:
        return output_of(tools, "cmus", "--version").split()[1].lstrip("v")
