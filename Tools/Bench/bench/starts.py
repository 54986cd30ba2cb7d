"""How accurate the clock is in each of many starts: see README.md and Tools/Bench/run --starts."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

import numpy as np

from . import tables
from .context import Source
from .material import Material
from .players import Floor, Mpv, Player, Undersong, Wish
from .processes import Tools, Unmeasurable
from .reading import differences
from .report import MEDIAN
from .server import EXACT, NullSink
from .sessions import record

KINDS: list[type[Player]] = [Undersong, Mpv, Floor]
SINKS = [
    EXACT,
    NullSink("null sink as PulseAudio loads it"),
    NullSink("null sink at 48 kHz", "norewinds=1", rate=48000),
    NullSink("PipeWire", is_pipewire=True),
]
SETTLING = 1.0  # seconds after which a clock has to be accurate
SECONDS = 5.0  # for which each start is recorded
BIAS, SPREAD = 0.3, 1.0  # milliseconds for an accurate start


@dataclass(frozen=True)
class Start:
    """The accuracy of the clock in one start."""

    errors: list[float]
    """Milliseconds, of each report from one second on: its position less the one that was heard."""
    bounds: list[float]
    """Milliseconds by which it may be off, by the player's own word; empty: it says nothing."""

    @property
    def is_right(self) -> bool:
        """Whether it is accurate on average, and so are nearly all reports."""
        return abs(np.mean(self.errors)) <= BIAS and self.spread <= SPREAD

    @property
    def spread(self) -> float:
        """The range of 99 % of the reports."""
        return float(np.quantile(np.abs(self.errors), 0.99))

    @property
    def keeps_its_word(self) -> bool:
        """Whether nearly all reports are as accurate as the player claims."""
        return float(np.mean(np.abs(self.errors) <= np.array(self.bounds))) >= 0.99


def listen(tools: Tools, kind: type[Player], source: Source, sink: NullSink) -> Start:
    """One start of a player."""
    files, wish = source.queue.files, Wish(reports=True)
    session = record(tools, kind, files, wish, lambda it: it.wait(SECONDS, SECONDS), sink=sink)
    reports = [it for it in session.reports if it.moment > session.began + SETTLING]
    moments, errors = differences(
        reports, session.recording, source.track(session), source.queue.starts
    )
    if not len(errors):
        raise Unmeasurable("it reported nothing")
    known = set(moments)
    bounds = [it.bound * 1e3 for it in reports if it.moment in known and it.bound is not None]
    return Start(list(errors * 1e3), bounds)


def cell(starts: list[Start]) -> str:
    """The accuracy of a player's clock in all starts, in Markdown."""
    if not starts:
        return "–"
    bias = np.array([np.mean(it.errors) for it in starts])
    spread = np.array([it.spread for it in starts])
    lines = [
        f"**{sum(it.is_right for it in starts)} of {len(starts)}** right",
        f"mean {MEDIAN.figure(bias).text(2)} ms, at most {np.abs(bias).max():.2f}",
        f"99 % within {MEDIAN.figure(spread).text(2)} ms, at most {spread.max():.2f}",
    ]
    stated = [it for it in starts if it.bounds]
    if stated:
        words = MEDIAN.figure(np.array([np.median(it.bounds) for it in stated]))
        kept = sum(it.keeps_its_word for it in stated)
        lines.append(f"says ± {words.text(2)} ms: true in {kept}")
    return "<br>".join(lines)


def markdown(results: dict[str, dict[str, list[Start]]], kinds: list[type[Player]]) -> list[str]:
    """The table."""
    lines = ["|  | " + " | ".join(kind.name for kind in kinds) + " |"]
    lines.append("| --- |" + " --- |" * len(kinds))
    for title, players in results.items():
        cells = [cell(players[kind.name]) for kind in kinds]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def parse() -> argparse.Namespace:
    """The command line."""
    parser = tables.parser("starts", KINDS)
    parser.add_argument("count", type=int, nargs="?", default=20, help="starts of each player")
    return parser.parse_args()


def run(
    options: argparse.Namespace, kinds: list[type[Player]], tools: Tools
) -> dict[str, dict[str, list[Start]]]:
    """All starts by sink and player, taking the players in turn."""
    source = Source(Material(options.work / "material").single())
    results: dict[str, dict[str, list[Start]]] = {}
    for sink in SINKS:
        starts = results[sink.title] = {kind.name: [] for kind in kinds}
        with tables.serving(tools, sink):
            for number in range(options.count):
                for kind in kinds:
                    print(f"{sink.title}, start {number + 1}: {kind.name}", file=sys.stderr)
                    try:
                        starts[kind.name].append(listen(tools, kind, source, sink))
                    except (Unmeasurable, OSError) as error:
                        print(f"{kind.name}: {error}", file=sys.stderr)
    values = {
        f"{title}: {name}": [asdict(it) for it in starts]
        for title, players in results.items()
        for name, starts in players.items()
    }
    (options.work / "starts.json").write_text(json.dumps(values))
    return results


def main() -> None:
    """Starts all players many times, and writes the table."""
    options, load = parse(), tables.load()
    kinds = tables.chosen(options, KINDS)
    with tables.tools_for(options) as tools:
        results = run(options, kinds, tools)
        head = tables.conditions(kinds, tools, load, has_pipewire=True)
    head += [f"- {options.count} starts of each player on each sink", ""]
    tables.publish("starts", [*head, *markdown(results, kinds)], kinds == KINDS)


if __name__ == "__main__":
    tables.call(main)
