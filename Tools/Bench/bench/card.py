"""Starts, seams, pauses, seeks and a killed server on an emulated sound card: see README.md and
Tools/Bench/run --card."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import tables
from .__main__ import HERE, absolute, machine
from .locate import BLOCK, Locator
from .material import Material, Queue, noise
from .players import Mpv, Player, Undersong
from .processes import Unmeasurable
from .server import RATE, Array
from .tape import Take

SERVERS = {
    "pulse": "PulseAudio, timer-scheduled",
    "pulse-notsched": "PulseAudio, not timer-scheduled",
    "pipewire": "PipeWire at 44.1 kHz",
}
KINDS: list[type[Player]] = [Undersong, Mpv]
SCRIPT = "LD_LIBRARY_PATH=/t/programs exec python3 /t/programs/guest.py /t/out\n"
LIBRARIES = ("libebur128.so.1",)  # which the machine lacks
STARTS, PAUSES, SEEKS = 10, 10, 10
START, SEAM, SHORT, LONG = 132_307, 176_543, 30 * RATE, 60 * RATE  # frames of the files
PERIOD = 2048  # frames that the emulator skips at once when it is late
EDGE = 2  # frames by which an end may be off: noise, too, has a sample near 0 now and then
NEAR = RATE // 2  # frames by which a seek, or a player's report of where it stopped, may be off


@dataclass(frozen=True)
class Trial:
    """What one player does with some files, which are parts of the source."""

    kind: str
    player: str
    files: tuple[int, ...]
    """Their numbers in the queue."""
    targets: tuple[int, ...] = ()
    """Where it seeks, in seconds."""


@dataclass(frozen=True)
class Note:
    """What guest.py reports about a trial."""

    error: str | None = None
    """Why it could not be done to its end."""
    stops: tuple[float, ...] = ()
    """Where the player says that it has stopped: seconds of the item."""


@dataclass(frozen=True)
class Heard:
    """A continuous part of the music: samples of card.wav, and places in the source."""

    began: int
    ended: int
    first: int

    @property
    def last(self) -> int:
        """The place at which the part ends."""
        return self.first + self.ended - self.began


@dataclass(frozen=True)
class Break:
    """What lies between two parts of the music."""

    second: float
    """When, in card.wav."""
    place: int
    """The frame of the trial's music before which it is."""
    silence: int
    """Frames of silence."""
    lost: int
    """Frames that were left out; below 0: heard again."""

    def is_machines(self, ring: int) -> bool:
        """Whether the machine causes it for every player: the emulator skipped whole periods, or
        the card wrapped around its ring, of `ring` frames, before the server had filled it."""
        late = [self.lost] if self.lost > 0 else []
        late += [it for it in (self.lost - ring, self.lost + ring) if 0 <= it <= 4 * PERIOD]
        return self.silence == 0 and any(it % PERIOD == 0 for it in late)


@dataclass
class Outcome:
    """The result of one trial."""

    trial: Trial
    error: str | None
    """Why it could not be done to its end."""
    missing: tuple[int, int]
    """Frames of the files that were not heard at the beginning and at the end."""
    wanted: list[Break]
    """The breaks that pauses, seeks, the seams and the killed server made."""
    faults: list[Break]
    """Those that nobody asked for."""
    machines: list[Break]
    """Those that the machine made by itself."""


def plan() -> list[Trial]:
    """All trials in order."""
    names = [kind.name for kind in KINDS]
    wanted = [("start", 1)] * STARTS + [("seam", 3), ("pause", 1), ("seek", 1), ("kill", 1)]
    result: list[Trial] = []
    number = 0
    for kind, count in wanted:
        for name in names:
            targets = tuple(5 + 17 * it % 50 for it in range(SEEKS)) if kind == "seek" else ()
            result.append(Trial(kind, name, tuple(range(number, number + count)), targets))
            number += count
    return result


def material(folder: Path) -> Queue:
    """A part of one source for each file of each trial, so that any sound belongs to one trial."""
    frames = {"start": START, "seam": SEAM, "kill": SHORT}
    lengths = [frames.get(trial.kind, LONG) for trial in plan() for _ in trial.files]
    seconds = -(-sum(lengths) // RATE)
    return Material(folder).cut("card", noise(seconds, seed=8)[: sum(lengths)], lengths, ["-V2"])


class Judge:
    """Finds the music in what the card played."""

    def __init__(self, queue: Queue, decoded: Array, trials: list[Trial]) -> None:
        """`decoded` is the queue as it is heard."""
        self.queue = queue
        self.locator = Locator(decoded)
        targets = [
            queue.starts[trial.files[0]] + target * RATE
            for trial in trials
            for target in trial.targets
        ]
        self._landmarks = [int(place) for place in [*queue.starts, *targets]]

    def parts(self, samples: Array) -> list[Heard]:
        """The parts of the source that were heard, in order."""
        take = Take([(0.0, b""), (len(samples) / RATE, np.repeat(samples, 2).tobytes())])
        result: list[Heard] = []
        for piece in take.pieces(self.locator, self._landmarks):
            began, ended = round(piece.began * RATE), round(piece.ended * RATE) + 1
            part = Heard(began, ended, round(piece.first))
            before = result[-1] if result else None
            if before is None or before.ended < part.began:
                result.append(part)
            elif before.last == part.first:
                result[-1] = replace(before, ended=part.ended)
            else:
                border = self._border(samples, before, part)
                result[-1] = replace(before, ended=border)
                first = part.first + border - part.began
                result.append(Heard(border, part.ended, first))
        return result

    def _border(self, samples: Array, before: Heard, after: Heard) -> int:
        """Where one part ends and the next begins, if there is no silence in between."""
        begin = max(before.began, before.ended - 4 * BLOCK)
        end = min(after.ended, after.began + BLOCK)
        heard = samples[begin:end].astype(np.float32) / 32768
        costs = []
        for part in (before, after):
            first = part.first + begin - part.began
            costs.append(np.square(heard - self.locator.stretch(first, first + len(heard))))
        sums = [np.concatenate([[0], np.cumsum(cost)]) for cost in costs]
        return begin + int((sums[0] - sums[1]).argmin())

    def outcome(self, trial: Trial, parts: list[Heard], ring: int, note: Note) -> Outcome:
        """What was heard of one trial. `ring` is the length of the card's buffer."""
        begin = int(self.queue.starts[trial.files[0]])
        end = begin + sum(self.queue.lengths[it] for it in trial.files)
        own = [part for part in parts if begin <= part.first < end]
        if not own:
            return Outcome(trial, note.error or "nothing was heard", (end - begin, 0), [], [], [])
        breaks = [
            Break(
                second=round(after.began / RATE, 3),
                place=before.last - begin,
                silence=after.began - before.ended,
                lost=after.first - before.last,
            )
            for before, after in zip(own, own[1:])
        ]
        wanted = self._wanted(trial, breaks, note.stops)
        other = [it for it in breaks if it not in wanted]
        machines = [it for it in other if it.is_machines(ring)]
        return Outcome(
            trial,
            note.error,
            missing=(own[0].first - begin, end - own[-1].last),
            wanted=wanted,
            faults=[it for it in other if it not in machines],
            machines=machines,
        )

    def _wanted(
        self, trial: Trial, breaks: list[Break], stops: tuple[float, ...]
    ) -> list[Break]:
        """The breaks for which a trial is made."""
        if trial.kind == "seek":
            return [it for it in breaks if landing(trial, it) is not None]
        if trial.kind == "seam":
            borders = self.queue.starts[list(trial.files[1:])] - self.queue.starts[trial.files[0]]
            return [it for it in breaks if np.abs(borders - it.place).min() < BLOCK]
        found = [stop_near(round(seconds * RATE), breaks) for seconds in stops]
        return [it for it in breaks if it in found]


def stop_near(place: int, breaks: list[Break]) -> Break | None:
    """The break caused by a player that stopped at about `place`.

    No time passes for a card that is not open, so a pause's silence may be as short as a stall's.
    """

    def distance(found: Break) -> int:
        return min(abs(found.place - place), abs(found.place + found.lost - place))

    near = [it for it in breaks if it.silence and distance(it) < NEAR]
    return min(near, key=distance, default=None)


def landing(trial: Trial, found: Break) -> int | None:
    """By how many frames a jump misses one of the targets; None if it is not a seek."""
    misses = [found.place + found.lost - target * RATE for target in trial.targets]
    miss = min(misses, key=abs)
    return miss if abs(miss) < NEAR < abs(found.lost) else None


def starts(outcomes: list[Outcome]) -> list[str]:
    """How many were heard from their first to their last frame."""
    whole = [it for it in outcomes if max(it.missing, key=abs) <= EDGE and not it.faults]
    lines = [f"**{len(whole)} of {len(outcomes)}** whole"]
    for word, side in (("first", 0), ("last", 1)):
        missing = [it.missing[side] for it in outcomes if it.missing[side] > EDGE]
        if missing:
            lines.append(f"without the {word} {', '.join(map(str, missing))} frames")
    broken = sum(bool(it.faults) for it in outcomes)
    return lines + ([f"{broken} with a break"] if broken else [])


def seams(outcomes: list[Outcome]) -> list[str]:
    """The frames added or lost."""
    silence = sum(found.silence for it in outcomes for found in it.wanted)
    lost = sum(abs(found.lost) for it in outcomes for found in it.wanted)
    return [f"{lost} frames lost or repeated", f"{silence} of silence"]


def pauses(outcomes: list[Outcome]) -> list[str]:
    """How many were exact."""
    found = [found.lost for it in outcomes for found in it.wanted]
    lost, again = [it for it in found if it > 0], [-it for it in found if it < 0]
    exact = len(found) - len(lost) - len(again)
    lines = [f"**{exact} of {PAUSES * len(outcomes)}** exact"]
    lines += [f"lost {', '.join(map(str, lost))} frames"] if lost else []
    return lines + ([f"again {', '.join(map(str, again))} frames"] if again else [])


def seeks(outcomes: list[Outcome]) -> list[str]:
    """How many reached the exact frame."""
    misses = [landing(it.trial, found) or 0 for it in outcomes for found in it.wanted]
    exact = sum(abs(it) <= EDGE for it in misses)
    lines = [f"**{exact} of {SEEKS * len(outcomes)}** to the frame"]
    far = [it for it in misses if abs(it) > EDGE]
    return lines + ([f"others by {', '.join(map(str, far))} frames"] if far else [])


def kills(outcomes: list[Outcome]) -> list[str]:
    """Whether playback continued, and at what cost."""
    lines = []
    for it in outcomes:
        if it.missing[1] > EDGE:
            lines.append("ends")
            continue
        silence = sum(found.silence for found in it.wanted) / RATE
        lost = sum(max(found.lost, 0) for found in it.wanted)
        again = sum(max(-found.lost, 0) for found in it.wanted)
        lines += ["**plays on** to the end", f"silent {silence:.2f} s"]
        lines += [f"lost {lost} frames", f"again {again} frames"]
    return lines


def stalls(outcomes: list[Outcome]) -> list[str]:
    """Unexpected breaks."""
    faults = [fault for it in outcomes for fault in it.faults]
    machines = sum(len(it.machines) for it in outcomes)
    lines = [f"**{len(faults)}**"]
    if faults:
        silences = [it.silence for it in faults]
        lines.append(f"silent {sum(silences)} frames, at most {max(silences)}")
        lines.append(f"lost {sum(max(it.lost, 0) for it in faults)}")
        lines.append(f"again {sum(max(-it.lost, 0) for it in faults)}")
    lines.append(f"the machine's: {machines}")
    return lines + [f"{it.trial.kind}: {it.error}" for it in outcomes if it.error]


ROWS = {
    "starts": (("start",), starts),
    "2 seams": (("seam",), seams),
    "pauses": (("pause",), pauses),
    "seeks": (("seek",), seeks),
    "server killed, back after 1 s": (("kill",), kills),
    "other breaks": (("start", "seam", "pause", "seek", "kill"), stalls),
}


def markdown(results: dict[str, list[Outcome]], kinds: list[type[Player]]) -> str:
    """The table."""
    names = [kind.name for kind in kinds]
    columns = [(server, name) for server in results for name in names]
    lines = ["|  | " + " | ".join(f"{SERVERS[s]}: {name}" for s, name in columns) + " |"]
    lines.append("| --- |" + " --- |" * len(columns))
    for title, (trials, texts) in ROWS.items():
        cells = []
        for server, name in columns:
            own = [it for it in results[server] if it.trial.player == name]
            own = [it for it in own if it.trial.kind in trials]
            cells.append("<br>".join(texts(own)) if own else "–")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def programs(options: argparse.Namespace, queue: Queue) -> Path:
    """The folder visible to the machine."""
    folder: Path = options.work / "card/programs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for program in ("undersong", "undersongd"):
        built = options.undersong.with_name(program)
        subprocess.run(["strip", "-o", str(folder / program), str(built)], check=True)
        for name, path in libraries(built):
            if name in LIBRARIES:
                shutil.copy(path, folder / name)
    shutil.copy(HERE / "bench/guest.py", folder)
    for file in queue.files:
        shutil.copy(file, folder)
    (folder / "plan.json").write_text(json.dumps(list(orders(queue, options.players))))
    return folder


def libraries(program: Path) -> list[tuple[str, str]]:
    """The shared libraries of a program, and where they are."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    return re.findall(r"(\S+) => (\S+)", done.stdout)


def orders(queue: Queue, players: list[str]) -> Iterator[dict[str, Any]]:
    """The plan for guest.py."""
    for number, trial in enumerate(plan()):
        if trial.player in players:
            files = [queue.files[it].name for it in trial.files]
            yield {**asdict(trial), "number": number, "files": files, "count": PAUSES}


def play(options: argparse.Namespace, folder: Path, server: str) -> None:
    """Runs all trials on one server, in a machine of its own."""
    out = options.work / "card" / server
    shutil.rmtree(out, ignore_errors=True)
    script = options.work / "card/script"
    script.write_text(SCRIPT)
    command = [str(options.tool), "--seconds", str(options.seconds), "--out", str(out)]
    command += ["--server", server, str(folder), str(script)]
    subprocess.run(command, stdout=sys.stderr)


def judge(options: argparse.Namespace, server: str, judge: Judge) -> list[Outcome]:
    """What the card played there."""
    out = options.work / "card" / server
    try:
        notes = {it["number"]: it for it in json.loads((out / "out/trials.json").read_text())}
        data = (out / "card.wav").read_bytes()[44:]
    except FileNotFoundError as error:
        raise Unmeasurable(f"no trial was done on {server}: {error}") from error
    samples = np.frombuffer(data[: len(data) // 4 * 4], "<i2")[::2]
    parts = judge.parts(samples)
    sizes = [re.search(r"buffer_size: (\d+)", note["hardware"]) for note in notes.values()]
    ring = next((int(size[1]) for size in sizes if size), 0)
    results = []
    for number, trial in enumerate(plan()):
        if trial.player not in options.players:
            continue
        note = Note("there was no time for it")
        if number in notes:
            note = Note(notes[number]["error"], tuple(notes[number]["stops"]))
        results.append(judge.outcome(trial, parts, ring, note))
        print(f"{server}: {results[-1]}", file=sys.stderr)
    (out / "outcomes.json").write_text(json.dumps([asdict(it) for it in results], indent=1))
    return results


def parse() -> argparse.Namespace:
    """The command line."""
    parser = tables.parser("card", KINDS)
    parser.add_argument("tool", type=absolute, help="the program soundcard-vm")
    names = list(SERVERS)
    parser.add_argument("--servers", nargs="+", choices=names, default=names)
    parser.add_argument("--seconds", type=int, default=1200, help="after which a machine is ended")
    parser.add_argument("--again", action="store_true", help="only judge the last recordings again")
    return parser.parse_args()


def main() -> None:
    """Plays on all servers, and writes the table."""
    options, load = parse(), tables.load()
    kinds = tables.chosen(options, KINDS)
    queue = material(options.work / "material")
    conditions = options.work / "card/conditions"
    if not options.again:
        folder = programs(options, queue)
        for server in options.servers:
            play(options, folder, server)
        conditions.write_text("\n".join(machine(load)))
    ear = Judge(queue, queue.decoded(), plan())
    results = {server: judge(options, server, ear) for server in options.servers}
    versions = [
        (options.work / "card" / server / "out/versions.json").read_text() for server in results
    ]
    names = dict.fromkeys(name for text in versions for name in json.loads(text))
    head = [conditions.read_text(), f"- {'; '.join(names)}", ""]
    is_whole = kinds == KINDS and len(results) == len(SERVERS)
    tables.publish("card", [*head, markdown(results, kinds)], is_whole)


if __name__ == "__main__":
    tables.call(main)
