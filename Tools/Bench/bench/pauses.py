"""What pauses lose, by the device's block size: see README.md and Tools/Bench/run --pauses."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

import numpy as np

from . import tables
from .context import Source
from .material import Material
from .players import Mpv, Player, Undersong, Wish
from .processes import Tools, Unmeasurable
from .reading import lost_by_pause, silence_after
from .report import MEDIAN
from .server import EXACT, RATE, NullSink
from .sessions import Commander, record

BLOCKS = [1, 5, 25]  # milliseconds
SINKS = [EXACT, NullSink("PipeWire", is_pipewire=True)]
TOGETHER = 50  # pauses per start, at most
KINDS: list[type[Player]] = [Undersong, Mpv]


@dataclass(frozen=True)
class Pause:
    """The result of one pause."""

    silence: float
    """Seconds from the command to the silence."""
    lost: int
    """Frames that were not heard; below 0: heard twice."""


def pauses(
    tools: Tools,
    kind: type[Player],
    source: Source,
    sink: NullSink,
    milliseconds: int,
    count: int,
) -> list[Pause]:
    """Pauses a player `count` times at random moments. Pauses that cannot be found are left out."""

    def act(commander: Commander) -> None:
        commander.wait(1, 1.2)
        for _ in range(count):
            commander.do("pause", 0.3, 0.4)
            commander.do("resume", 0.3, 0.5)

    files = source.queue.files
    session = record(tools, kind, files, Wish(control=True), act, milliseconds, sink)
    track = source.track(session)
    results = []
    for pause, resume in zip(session.actions[::2], session.actions[1::2]):
        try:
            silence = silence_after(session.recording, pause.moment)
            lost = lost_by_pause(session.recording, track, pause.moment, resume.moment)
        except Unmeasurable as error:
            print(f"{kind.name}: {error}", file=sys.stderr)
            continue
        results.append(Pause(silence, round(lost * RATE)))
    return results


def cell(results: list[Pause]) -> str:
    """The results of all pauses of a player, in Markdown."""
    if not results:
        return "–"
    lost = [it.lost for it in results if it.lost > 0]
    again = [-it.lost for it in results if it.lost < 0]
    sizes = np.abs([it.lost for it in results])
    silence = MEDIAN.figure(np.array([it.silence for it in results]) * 1e3)
    lines = [
        f"**{len(results) - len(lost) - len(again)} of {len(results)}** exact",
        f"lost {sum(lost)} frames, at most {max(lost)}" if lost else "lost 0",
        f"again {sum(again)} frames, at most {max(again)}" if again else "again 0",
        "off by {:.0f}, {:.0f}, {:.0f} frames".format(*np.quantile(sizes, [0.5, 0.9, 0.99])),
        f"silent after {silence.text(1)} ms",
    ]
    return "<br>".join(lines)


def markdown(results: dict[tuple[str, str], list[Pause]], kinds: list[type[Player]]) -> str:
    """The table."""
    lines = ["|  | " + " | ".join(kind.name for kind in kinds) + " |"]
    lines.append("| --- |" + " --- |" * len(kinds))
    for title in dict.fromkeys(title for title, _ in results):
        cells = [cell(results.get((title, kind.name), [])) for kind in kinds]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = tables.parser("pauses", KINDS)
    parser.add_argument("count", type=int, nargs="?", default=200, help="pauses in each cell")
    return parser.parse_args()


def main() -> None:
    """Pauses all players with all recorders, and writes the table."""
    options, load = parse(), tables.load()
    kinds = tables.chosen(options, KINDS)
    with tables.tools_for(options) as tools:
        results = run(options, kinds, tools)
        head = tables.conditions(kinds, tools, load, has_pipewire=True)
    head += [f"- {options.count} pauses in each cell", ""]
    tables.publish("pauses", [*head, markdown(results, kinds)], kinds == KINDS)


def run(
    options: argparse.Namespace, kinds: list[type[Player]], tools: Tools
) -> dict[tuple[str, str], list[Pause]]:
    """All pauses by sink with block and by player, taking the players in turn."""
    source = Source(Material(options.work / "material").songs())
    results: dict[tuple[str, str], list[Pause]] = {}
    for sink in SINKS:
        with tables.serving(tools, sink):
            for block in BLOCKS:
                title = f"{sink.title}, blocks of {block} ms"
                for first in range(0, options.count, TOGETHER):
                    count = min(TOGETHER, options.count - first)
                    for kind in kinds:
                        print(f"{title}, {first + 1} to {first + count}: {kind.name}", file=sys.stderr)
                        try:
                            new = pauses(tools, kind, source, sink, block, count)
                        except (Unmeasurable, OSError) as error:
                            print(f"{kind.name}: {error}", file=sys.stderr)
                            continue
                        results.setdefault((title, kind.name), []).extend(new)
    values = {", ".join(key): [asdict(it) for it in them] for key, them in results.items()}
    (options.work / "pauses.json").write_text(json.dumps(values, indent=1))
    return results


if __name__ == "__main__":
    tables.call(main)
