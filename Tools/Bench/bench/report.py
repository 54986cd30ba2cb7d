"""The rows of the table, their figures, and the Markdown that shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .server import Array

OURS = "Undersong"


@dataclass(frozen=True)
class Statistic:
    """How the values of a row become one figure with a spread."""

    of: Callable[[Array], float]
    is_median: bool = False

    def figure(self, values: Array) -> Figure:
        """The figure of `values`."""
        if self.is_median:
            low, high = np.percentile(values, [25, 75])
        else:
            parts = [self.of(part) for part in np.array_split(values, min(6, len(values)))]
            low, high = min(parts), max(parts)
        return Figure(float(self.of(values)), float(low), float(high))


MEDIAN = Statistic(lambda values: float(np.median(values)), is_median=True)
MEAN = Statistic(lambda values: float(values.mean()))
P99_SIZE = Statistic(lambda values: float(np.percentile(np.abs(values), 99)))
P99 = Statistic(lambda values: float(np.percentile(values, 99)))
MAXIMUM = Statistic(lambda values: float(values.max()))


@dataclass(frozen=True)
class Figure:
    """A value and its spread: the quartiles of a median, for others the range over six parts."""

    value: float
    low: float
    high: float

    def text(self, digits: int) -> str:
        """The text in the table: `4.2 (3.9 … 5.1)`."""
        # Adding 0 makes a negative zero positive.
        value, low, high = (
            f"{round(it, digits) + 0.0:.{digits}f}" for it in (self.value, self.low, self.high)
        )
        return value if value == low == high else f"{value} ({low} … {high})"


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    title: str
    values: str
    """The name of the values that it is made from."""
    statistic: Statistic = MEDIAN
    scale: float = 1
    digits: int = 1
    more_is_better: bool = False
    has_ratio: bool = True


def _clock(title: str, values: str) -> list[Row]:
    return [
        Row(f"reported − heard, {title}: mean, ms", values, MEAN, 1e3, 2),
        Row(f"reported − heard, {title}: p99 of its size, ms", values, P99_SIZE, 1e3, 2),
    ]


ROWS: dict[str, list[Row]] = {
    "seams": [
        Row("samples added or lost at 2 seams, CBR", "seams-cbr", digits=0),
        Row("samples added or lost at 2 seams, VBR", "seams-vbr", digits=0),
        Row("samples added or lost at 4 seams of mixed rates and channels", "seams-mixed"),
        Row("samples of silence at the same 4 seams", "silence-mixed", digits=0),
    ],
    "start": [
        Row("process start → first sample, ms", "start", scale=1e3),
        Row("the same, its service running, ms", "start-served", scale=1e3),
    ],
    "control": [
        Row("pause → silence, ms", "pause", scale=1e3),
        Row("music lost (+) or repeated (−) by a pause, ms", "lost", scale=1e3, digits=2),
        Row("resume → sound, ms", "resume", scale=1e3),
        Row("skip → next file's first sample, ms", "skip", scale=1e3),
        Row("seek by +5 s → sound from there, ms", "seek", scale=1e3),
    ],
    "clock": [
        *_clock("in steady play", "clock"),
        Row("reported in a pause − where the sound stopped, ms", "standing", scale=1e3, digits=2),
        *_clock("2 s from a resume", "clock-resume"),
        *_clock("2 s from a seek", "clock-seek"),
        *_clock("2 s from an advance", "clock-advance"),
        Row("position reports per second", "reports", more_is_better=True, has_ratio=False),
        Row("event lateness p50, ms", "lateness", MEDIAN, 1e3, 2),
        Row("event lateness p99, ms", "lateness", P99, 1e3, 2),
        Row("event lateness max, ms", "lateness", MAXIMUM, 1e3, 2),
    ],
    "cost": [
        Row("CPU seconds per hour, nobody observing", "cpu"),
        Row("CPU seconds per hour, with position reports", "cpu-reports"),
        Row("context switches per second, playing", "switches"),
        Row("of them wake-ups (voluntary)", "wakeups"),
        Row("context switches per second, paused", "switches-paused"),
    ],
    "memory": [
        Row("RSS playing, MB", "rss"),
        Row("PSS playing, MB", "pss"),
        Row("RSS playing, MB, ours linked statically", "rss-static"),
        Row("PSS playing, MB, ours linked statically", "pss-static"),
    ],
    "speed": [Row("decode speed, × real time", "speed", digits=0, more_is_better=True)],
}


@dataclass
class Results:
    """All measured values, and the reasons for missing ones."""

    values: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    refusals: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, values: str, player: str, *new: float) -> None:
        """Adds measured values, or records that there are none."""
        self.values[values, player].extend(new)
        if not new:
            self.refuse(values, player, "it told nothing in that time")

    def refuse(self, values: str, player: str, reason: str) -> None:
        """Records why something could not be measured."""
        self.refusals[values, player].append(reason)

    def figure(self, row: Row, player: str) -> Figure | None:
        """The figure of a row for a player, if there is one."""
        values = self.values.get((row.values, player))
        return row.statistic.figure(np.array(values) * row.scale) if values else None


class Report:
    """The results as Markdown."""

    def __init__(self, results: Results, players: list[str], peers: list[str]) -> None:
        """`players` have a column each; `peers` are those with which Undersong is compared."""
        self._results, self._players, self._peers = results, players, peers
        self._notes: list[str] = []
        self._behind: list[str] = []

    def markdown(self, groups: list[str]) -> str:
        """The table of `groups`, the notes below it, and the rows in which a peer is ahead."""
        head = ["", *self._players, f"{OURS} ÷ best peer"]
        lines = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
        for group in groups:
            for row in ROWS[group]:
                cells = [self._cell(row, player) for player in self._players]
                lines.append("| " + " | ".join([row.title, *cells, self._ratio(row)]) + " |")
        notes = [f"{number}. {note}" for number, note in enumerate(self._notes, 1)]
        if notes:
            lines += ["", "What could not be measured, and why:", "", *notes]
        lines += ["", "Where a peer is ahead:", ""]
        lines += [f"- {row}" for row in self._behind] or ["- nowhere"]
        return "\n".join(lines)

    def _cell(self, row: Row, player: str) -> str:
        figure = self._results.figure(row, player)
        text = figure.text(row.digits) if figure else "–"
        reasons = self._results.refusals.get((row.values, player), [])
        marks = [self._mark(reason, reasons.count(reason)) for reason in sorted(set(reasons))]
        return text + "".join(f" <sup>{mark}</sup>" for mark in marks)

    def _mark(self, reason: str, count: int) -> int:
        note = reason if count == 1 else f"{reason} ({count} times)"
        if note not in self._notes:
            self._notes.append(note)
        return self._notes.index(note) + 1

    def _ratio(self, row: Row) -> str:
        ours = self._results.figure(row, OURS)
        figures = {peer: self._results.figure(row, peer) for peer in self._peers}
        sizes = {peer: abs(figure.value) for peer, figure in figures.items() if figure}
        if not row.has_ratio or not ours or not sizes:
            return ""
        best = (max if row.more_is_better else min)(sizes, key=lambda peer: sizes[peer])
        own, other = (round(value, row.digits) for value in (abs(ours.value), sizes[best]))
        if own == other:
            return "1"
        if (own < other) == row.more_is_better:
            self._behind.append(f"{row.title}: {best}")
        return f"{own / other:.2f}" if other else f"{best} has 0"
