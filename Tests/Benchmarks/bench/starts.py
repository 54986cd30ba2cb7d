"""How right the clock is in each of many starts: see README.md, and scripts/bench --starts."""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np

from . import tables
from .context import Source
from .material import Material
from .players import Floor, Mpv, Player, Undersong, Wish
from .processes import Tools, Unmeasurable
from .reading import differences
from .report import MEDIAN
from .sessions import record

KINDS: list[type[Player]] = [Undersong, Mpv, Floor]
SETTLING = 1.0  # seconds after which a clock is to be right
SECONDS = 5.0  # that each start is listened to
BIAS, SPREAD = 0.3, 1.0  # milliseconds of a start that is right


def errors_of(tools: Tools, kind: type[Player], source: Source) -> list[float]:
    """Milliseconds, of each report from one second on: its position less the one that was heard."""
    files = source.queue.files
    session = record(tools, kind, files, Wish(reports=True), lambda it: it.wait(SECONDS, SECONDS))
    reports = [it for it in session.reports if it.moment > session.began + SETTLING]
    _, errors = differences(
        reports, session.recording, source.track(session), source.queue.starts
    )
    if not len(errors):
        raise Unmeasurable("it reported nothing")
    return list(np.array(errors) * 1e3)


def is_right(errors: list[float]) -> bool:
    """Whether the clock of a start is right on average, and its reports nearly all are."""
    return abs(np.mean(errors)) <= BIAS and np.quantile(np.abs(errors), 0.99) <= SPREAD


def cell(starts: list[list[float]]) -> str:
    """What a player's clock was like in all starts, in Markdown."""
    if not starts:
        return "–"
    right = sum(is_right(errors) for errors in starts)
    bias = np.array([np.mean(errors) for errors in starts])
    spread = np.array([np.quantile(np.abs(errors), 0.99) for errors in starts])
    return "<br>".join(
        [
            f"**{right} of {len(starts)}** right",
            f"mean {MEDIAN.figure(bias).text(2)} ms, at most {np.abs(bias).max():.2f}",
            f"99 % within {MEDIAN.figure(spread).text(2)} ms, at most {spread.max():.2f}",
        ]
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = tables.parser("starts", KINDS)
    parser.add_argument("count", type=int, nargs="?", default=20, help="starts of each player")
    return parser.parse_args()


def run(options: argparse.Namespace, kinds: list[type[Player]], tools: Tools) -> dict[str, list]:
    """All starts, the players in turn."""
    source = Source(Material(options.work / "material").single())
    results: dict[str, list] = {kind.name: [] for kind in kinds}
    for number in range(options.count):
        for kind in kinds:
            print(f"start {number + 1}: {kind.name}", file=sys.stderr)
            try:
                results[kind.name].append(errors_of(tools, kind, source))
            except (Unmeasurable, OSError) as error:
                print(f"{kind.name}: {error}", file=sys.stderr)
    (options.work / "starts.json").write_text(json.dumps(results))
    return results


def main() -> None:
    """Starts all players many times, and writes the table."""
    options, load = parse(), tables.load()
    kinds = tables.chosen(options, KINDS)
    with tables.server_for(options) as tools:
        results = run(options, kinds, tools)
        head = tables.conditions(kinds, tools, load)
    head += [f"- {options.count} starts of each player, null sink at 44.1 kHz", ""]
    rows = [
        "|  | " + " | ".join(results) + " |",
        "| --- |" + " --- |" * len(results),
        "| reported − heard | " + " | ".join(map(cell, results.values())) + " |",
    ]
    tables.publish("starts", [*head, *rows], kinds == KINDS)


if __name__ == "__main__":
    tables.call(main)
