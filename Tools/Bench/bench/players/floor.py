"""floor.c, the minimum cost of a player."""

from __future__ import annotations

import json
import os

from ..processes import Child, Lines, Tools
from .base import Player, Report


class Floor(Player):
    """The C program floor.c, which can only play and report its position."""

    name = "floor.c"
    abilities = frozenset({"reports"})
    has_own_times = True

    def start(self) -> None:
        reading, writing = os.pipe()
        ticks = ["--ticks"] if self.wish.reports else []
        self.child = Child(
            [str(self.tools.floor), *ticks, str(self.files[0])], self.tools, stdout=writing
        )
        os.close(writing)
        self._lines = Lines(self.tools, reading)
        os.close(reading)

    def reports(self) -> list[Report]:
        reports = []
        for arrival, line in self._lines.lines:
            event = json.loads(line)
            moment = event["monotonic"] / 1e9
            reports.append(Report(moment, 0, event["seconds"], arrival - moment))
        return reports

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "_lines"):
            self._lines.stop()

    @classmethod
    def version(cls, tools: Tools) -> str:
        return "C, libmpg123 and libpulse-simple"
