"""What players survive, and how: see README.md and Tools/Bench/run --survival."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random, SystemRandom
from statistics import median

import numpy as np

from . import tables
from .locate import Locator
from .material import Material, Queue, noise
from .players import Mpd, Mpg123, Mpv, Player, Undersong
from .players.cmus import Cmus
from .processes import Tools, Unmeasurable
from .server import RATE
from .tape import Piece, Take
from .trials import TRIALS, Event, Trial

SECONDS = 40  # of each item
SAME = 0.2  # seconds that two recordings of the same sound have in common at least


class MpdOnDefault(Mpd):
    """mpd on the default sink, as configured by Debian."""

    output = {"type": "pulse"}


class FollowingUndersong(Undersong):
    """Undersong, set to continue elsewhere when its device disappears, as all others do."""

    options = ["--on-unplug", "follow"]


KINDS: list[type[Player]] = [FollowingUndersong, MpdOnDefault, Mpv, Mpg123, Cmus]


@dataclass(frozen=True)
class Outcome:
    """The result of one trial of a player; times in milliseconds."""

    goes_on: bool
    """Whether it sounds at the end, without anybody's help."""
    is_gone: bool
    """Whether it has ended by itself."""
    silence: float
    """The longest silence from when sound was possible again."""
    lost: float
    """Music that was not heard."""
    repeated: float
    """Music that was heard twice."""
    moved: int
    """Items by which it stands elsewhere than it did."""
    call: float | None
    """How loud it was in a call, beside before it, in dB."""


def outcome(tapes: list[Take], event: Event, locator: Locator, queue: Queue) -> Outcome:
    """The result measured on the recordings."""
    starts = [int(start) for start in queue.starts]
    pieces = joined([piece for tape in tapes for piece in tape.pieces(locator, starts)])
    if not pieces:
        raise Unmeasurable("nothing was heard")
    lost, repeated = gaps([piece for piece in pieces if piece.ended > event.began - 0.3])
    items = [int(np.searchsorted(starts, piece.first, "right")) for piece in (pieces[0], pieces[-1])]
    return Outcome(
        goes_on=pieces[-1].ended > event.finished - 0.7,
        is_gone=event.is_gone,
        silence=silence_after(tapes, event.ended) * 1000,
        lost=lost / RATE * 1000,
        repeated=repeated / RATE * 1000,
        moved=items[1] - items[0],
        call=loudness(tapes, event),
    )


def gaps(pieces: list[Piece]) -> tuple[float, float]:
    """How many frames of the music are in none of the pieces, and how many more than once. A part
    that was skipped is not lost if the player goes back to it."""
    lost = repeated = 0.0
    reach = min((piece.first for piece in pieces), default=0.0)
    for piece in sorted(pieces, key=lambda piece: piece.first):
        lost += max(0, piece.first - reach)
        repeated += max(0, min(piece.last, reach) - piece.first)
        reach = max(reach, piece.last)
    return lost, repeated


def joined(pieces: list[Piece]) -> list[Piece]:
    """All pieces in order. When a sink disappears, the music continues on another one, which has a
    recording of its own: what both contain counts once."""
    result: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.began):
        last = result[-1] if result else None
        if last and has_both(last, piece):
            if piece.last > last.last:
                result[-1] = replace(last, ended=piece.ended, last=piece.last)
        else:
            result.append(piece)
    return result


def has_both(one: Piece, other: Piece) -> bool:
    """Whether two pieces belong to two recordings: the same music at the same time. A sound
    overlaps with the next one only by the difference of the two recordings' times."""
    time = min(one.ended, other.ended) - max(one.began, other.began)
    place = min(one.last, other.last) - max(one.first, other.first)
    return min(time, place / RATE) > SAME


def silence_after(tapes: list[Take], moment: float) -> float:
    """The longest silence from `moment` to the last sound, in seconds."""
    spans = []
    for tape in tapes:
        _, moments = tape.samples()
        spans += [(moments[first], moments[last - 1]) for first, last in tape.sounds()]
    longest = 0.0
    for began, ended in sorted(spans):
        longest = max(longest, began - moment)
        moment = max(moment, ended)
    return longest


def loudness(tapes: list[Take], event: Event) -> float | None:
    """The loudness during the call, in dB relative to before."""
    if event.call is None:
        return None
    before = max(tape.level(event.began - 1, event.began - 0.1) for tape in tapes)
    during = max(tape.level(*event.call) for tape in tapes)
    return 20 * float(np.log10(max(during, 1e-6) / max(before, 1e-6)))


def cell(outcomes: list[Outcome]) -> str:
    """The results of all rounds of a trial, in Markdown."""
    if not outcomes:
        return "–"
    on = [it for it in outcomes if it.goes_on]
    lines = [f"**{len(on)} of {len(outcomes)}**"]
    if outcomes[0].call is not None:
        lines.append(call_text(outcomes))
    if len(on) < len(outcomes):
        gone = sum(it.is_gone for it in outcomes if not it.goes_on)
        lines.append("ends" if gone == len(outcomes) - len(on) else "stays silent")
    if on:
        lines.append(f"silent {spread([it.silence for it in on])}")
        lines.append(f"lost {spread([it.lost for it in on])}")
        lines.append(f"again {spread([it.repeated for it in on])}")
    elsewhere = sum(it.moved != 0 for it in on)
    if elsewhere:
        lines.append(f"another item {elsewhere} times")
    return "<br>".join(lines)


def call_text(outcomes: list[Outcome]) -> str:
    """What the music did during a call."""
    loudness = median(it.call for it in outcomes if it.call is not None)
    if loudness < -50:
        return "pauses" if median(it.lost for it in outcomes) < 500 else "muted, runs on"
    return "plays over it" if loudness > -3 else f"{loudness:.0f} dB".replace("-", "−")


def spread(values: list[float]) -> str:
    """The median, and the maximum if it differs."""
    middle, most = f"{median(values):.0f}", f"{max(values):.0f}"
    return middle if middle == most else f"{middle} ({most})"


def markdown(results: dict[tuple[str, str], list[Outcome]], kinds: list[type[Player]]) -> str:
    """The table."""
    lines = ["|  | " + " | ".join(kind.name for kind in kinds) + " |"]
    lines.append("| --- |" + " --- |" * len(kinds))
    for trial in TRIALS:
        outcomes = [results.get((trial.key, kind.name), []) for kind in kinds]
        if any(outcomes):
            cells = " | ".join(map(cell, outcomes))
            lines.append(f"| {trial.server.name}: {trial.title} | {cells} |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = tables.parser("survival", KINDS)
    keys = [trial.key for trial in TRIALS]
    parser.add_argument("--only", nargs="+", choices=keys, default=keys, help="only these trials")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each trial")
    parser.add_argument(
        "--at-once", type=int, default=4, help="rounds that are played at the same time"
    )
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000))
    return parser.parse_args()


def main() -> None:
    """Runs all trials, taking the players in turn in each round, and writes the table."""
    options, load = parse(), tables.load()
    kinds = tables.chosen(options, KINDS)
    with tables.tools_for(options) as tools:
        queue = material(options.work / "material")
        results = run(options, kinds, tools, queue)
        head = tables.conditions(kinds, tools, load, has_pipewire=True)
    head += [f"- {options.rounds} rounds of each, {options.at_once} at once, seed {options.seed}", ""]
    is_whole = kinds == KINDS and len(options.only) == len(TRIALS)
    tables.publish("survival", [*head, markdown(results, kinds)], is_whole)


def material(folder: Path) -> Queue:
    """Three items, in which any 5 ms identify their place."""
    source = noise(3 * SECONDS, seed=7)
    return Material(folder).cut("survival", source, [SECONDS * RATE] * 3, ["-V2"])


def run(
    options: argparse.Namespace, kinds: list[type[Player]], tools: Tools, queue: Queue
) -> dict[tuple[str, str], list[Outcome]]:
    """All requested trials by trial and player."""
    locator = Locator(queue.decoded())
    results: dict[tuple[str, str], list[Outcome]] = {}

    def measure(trial: Trial, number: int) -> None:
        for kind in kinds:
            # All players face the same delays.
            random = Random(f"{options.seed}/{trial.key}/{number}")
            title = f"{trial.key} {number + 1}: {kind.name}"
            try:
                result = attempt(trial, kind, tools, queue, locator, random)
            except (Unmeasurable, OSError) as error:
                print(f"{title}: {error}", file=sys.stderr)
                continue
            results.setdefault((trial.key, kind.name), []).append(result)
            print(f"{title}: {asdict(result)}", file=sys.stderr)

    with ThreadPoolExecutor(options.at_once) as pool:
        wanted = [trial for trial in TRIALS if trial.key in options.only]
        list(pool.map(measure, *zip(*((it, n) for it in wanted for n in range(options.rounds)))))
    values = {" ".join(key): [asdict(it) for it in them] for key, them in results.items()}
    (options.work / "survival.json").write_text(json.dumps(values, indent=1))
    return results


def attempt(
    trial: Trial, kind: type[Player], tools: Tools, queue: Queue, locator: Locator, random: Random
) -> Outcome:
    """One trial of one player, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="undersong-bench.") as folder:
        environment = {**tools.environment, "PULSE_SERVER": f"unix:{folder}/pulse/native"}
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            environment[name] = folder
        own = replace(tools, folder=Path(folder), environment=environment)
        start: Callable[[Tools], Player] = lambda tools: kind(tools, queue.files)
        tapes, event = trial.run(own, start, random)
    return outcome(tapes, event, locator, queue)


if __name__ == "__main__":
    tables.call(main)
