"""How players keep the pace on all kinds of sinks: see README.md and Tools/Bench/run --sinks."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from . import tables
from .material import Material, Queue
from .players import Mpv, Player, Report, Undersong, Wish
from .processes import Child, Tools, Unmeasurable, wait_until
from .server import RATE, SINK
from .survival import MpdOnDefault
from .trials import PipeWire, Pulse, PulseOverTCP, Server

BEGUN = 0.3  # seconds of music after which a player plays; mpd reports 0.23 of them before any
SETTLED = 1.0  # seconds after that at which measuring the pace begins
MEASURED = 3.0  # seconds
EDGE = 0.5  # seconds at both ends whose reports are combined into one point
TOLERANCE = 0.01  # seconds of music per second by which a good start may be off
KINDS: list[type[Player]] = [Undersong, Mpv, MpdOnDefault]

PLAIN = "module-null-sink sink_name=plain"
PIPE = f"module-pipe-sink file=FIFO rate={RATE} format=s16le channels=2"
PACED_READER = f"""
import sys, time
pipe, due = open(sys.argv[1], "rb", buffering=0), time.monotonic()
while True:
    due += len(pipe.read(1764)) / {RATE * 4}
    time.sleep(max(0, due - time.monotonic()))
"""


class VerbosePulse(Pulse):
    """PulseAudio, logging every underrun."""

    log_level = "debug"


class FastPipeWire(PipeWire):
    """PipeWire at a rate other than the music's."""

    rate = 48000


@dataclass(frozen=True)
class Sink:
    """A sink for playback."""

    key: str
    title: str
    modules: tuple[str, ...] = ()
    """What it takes, in this order: FIFO and FAR stand for a pipe and another server."""
    device: str = ""
    """Its name on the server; empty: the key."""
    server: type[Server] = VerbosePulse
    reader: tuple[str, ...] = ()
    """What reads the pipe."""
    has_company: bool = False
    """Whether another stream plays on it already."""


SINKS = [
    Sink("norewinds", "null sink, `norewinds=1`", device=SINK),
    Sink("plain", "null sink as PulseAudio loads it", (PLAIN,)),
    Sink(
        "remapped",
        "`module-remap-sink` over it",
        (PLAIN, "module-remap-sink sink_name=remapped master=plain"),
    ),
    Sink(
        "virtual",
        "`module-virtual-sink` over it",
        (PLAIN, "module-virtual-sink sink_name=virtual master=plain"),
    ),
    Sink(
        "mono",
        "mono `module-remap-sink` over it",
        (PLAIN, "module-remap-sink sink_name=mono master=plain channels=1 channel_map=mono"),
    ),
    Sink("company", "another stream on the plain sink", (PLAIN,), "plain", has_company=True),
    Sink("fast", "null sink at 48 kHz", ("module-null-sink sink_name=fast rate=48000",)),
    Sink(
        "six",
        "null sink, 6 channels, 48 kHz, float",
        ("module-null-sink sink_name=six rate=48000 channels=6 format=float32le",),
    ),
    Sink(
        "combined",
        "`module-combine-sink` over two",
        (
            PLAIN,
            "module-null-sink sink_name=other",
            "module-combine-sink sink_name=combined slaves=plain,other",
        ),
    ),
    Sink(
        "tunnel",
        "`module-tunnel-sink` over TCP",
        (f"module-tunnel-sink sink_name=tunnel server=FAR sink={SINK}",),
    ),
    Sink(
        "pipe",
        "`module-pipe-sink` by the system's clock",
        (f"{PIPE} sink_name=pipe use_system_clock_for_timing=yes",),
        reader=("cat",),
    ),
    Sink(
        "paced-pipe",
        "`module-pipe-sink` at its reader's pace",
        (f"{PIPE} sink_name=paced-pipe",),
        reader=("/usr/bin/python3", "-c", PACED_READER),
    ),
    Sink("pipewire", "PipeWire at 44.1 kHz", device=SINK, server=PipeWire),
    Sink("pipewire-fast", "PipeWire at 48 kHz", device=SINK, server=FastPipeWire),
]


@dataclass(frozen=True)
class Outcome:
    """The result of one start."""

    pace: float
    """Seconds of music in a second; 0 for a player that does not play, or breaks off."""
    underruns: int | None
    """How often the server had nothing to play; None: it does not say."""
    steps_back: int
    """How often the position went back."""
    begins: float
    """Seconds from the program's start to the first music, by its own reports."""


@contextmanager
def serving(sink: Sink, tools: Tools) -> Iterator[Server]:
    """A server whose default sink is `sink`."""
    with ExitStack() as stack:
        server = sink.server(tools)
        stack.callback(server.stop)
        server.start(records=False)
        fifo = tools.folder / "fifo"
        for module in sink.modules:
            if "FAR" in module:
                far = stack.enter_context(far_server(tools))
                module = module.replace("FAR", str(far.address))
            server.control("load-module", *module.replace("FIFO", str(fifo)).split())
        server.control("set-default-sink", sink.device or sink.key)
        if sink.reader:
            stack.callback(Child([*sink.reader, str(fifo)], tools).stop)
        if sink.has_company:
            command = ["pacat", "--raw", f"--rate={RATE}", "/dev/zero"]
            stack.callback(Child(command, tools).stop)
        yield server


@contextmanager
def far_server(tools: Tools) -> Iterator[Server]:
    """A server to which a tunnel can connect."""
    with private(tools) as own:
        server = PulseOverTCP(own)
        try:
            server.start(records=False)
            yield server
        finally:
            server.stop()


@contextmanager
def private(tools: Tools) -> Iterator[Tools]:
    """The tools with a private folder and a log in it."""
    with tempfile.TemporaryDirectory(prefix="undersong-bench.") as folder:
        environment = {**tools.environment, "PULSE_SERVER": f"unix:{folder}/pulse/native"}
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            environment[name] = folder
        log = Path(folder) / "log"
        yield replace(tools, folder=Path(folder), log=log, environment=environment)


def attempt(kind: type[Player], server: Server, queue: Queue) -> Outcome:
    """One start of a player."""
    player = kind(server.tools, queue.files, Wish(reports=True))
    try:
        wait_until(lambda: any(it.seconds >= BEGUN for it in player.reports()), "music")
        time.sleep(SETTLED)
        before = underruns(server)
        time.sleep(MEASURED)
        after = underruns(server)
        reports = player.reports()
        if player.child.process.poll() is not None:
            raise Unmeasurable("it ended by itself")
    finally:
        player.stop()
    dry = None if before is None or after is None else after - before
    begins = beginning(reports) - player.child.started - BEGUN
    return Outcome(pace(reports), dry, steps_back(reports), begins)


def underruns(server: Server) -> int | None:
    """How often the server has run out of a stream's data so far."""
    if not isinstance(server, VerbosePulse):
        return None
    return server.tools.log.read_text(errors="replace").count("underrun of '")


def beginning(reports: list[Report]) -> float:
    """When a player starts playing."""
    return next(it.moment for it in reports if it.seconds >= BEGUN)


def pace(reports: list[Report]) -> float:
    """Seconds of music per second, from `SETTLED` after the beginning on.

    Only reports with new information count: mpd updates its position every 0.2 s.
    """
    new = [after for before, after in zip(reports, reports[1:]) if after.seconds != before.seconds]
    moments = np.array([report.moment for report in new]) - beginning(reports)
    seconds = np.array([report.seconds for report in new])
    first = (moments >= SETTLED) & (moments < SETTLED + EDGE)
    last = (moments >= SETTLED + MEASURED - EDGE) & (moments < SETTLED + MEASURED)
    if not first.any() or not last.any():
        raise Unmeasurable("its reports break off")
    music = seconds[last].mean() - seconds[first].mean()
    return float(music / (moments[last].mean() - moments[first].mean()))


def steps_back(reports: list[Report]) -> int:
    """How often a report is of an earlier position than the previous one."""
    return sum(after.seconds < before.seconds for before, after in zip(reports, reports[1:]))


def cell(outcomes: list[Outcome]) -> str:
    """The results of all starts of a player on a sink, in Markdown."""
    if not outcomes:
        return "–"
    paces = np.array([it.pace for it in outcomes])
    good = int((np.abs(paces - 1) <= TOLERANCE).sum())
    middle, low, high = np.percentile(paces, [50, 25, 75])
    worst = paces[np.abs(paces - 1).argmax()]
    dry = [it.underruns for it in outcomes if it.underruns is not None]
    lines = [
        f"**{good} of {len(outcomes)}**",
        f"{middle:.3f} ({low:.3f} … {high:.3f})",
        f"worst {worst:.3f}",
        f"underruns {sum(dry) if dry else '–'}",
        f"steps back {sum(it.steps_back for it in outcomes)}",
        f"begins after {np.median([it.begins for it in outcomes]):.2f} s",
    ]
    return "<br>".join(lines)


def markdown(results: dict[tuple[str, str], list[Outcome]], kinds: list[type[Player]]) -> str:
    """The table."""
    lines = ["|  | " + " | ".join(kind.name for kind in kinds) + " |"]
    lines.append("| --- |" + " --- |" * len(kinds))
    for sink in SINKS:
        outcomes = [results.get((sink.key, kind.name), []) for kind in kinds]
        if any(outcomes):
            lines.append(f"| {sink.title} | {' | '.join(map(cell, outcomes))} |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = tables.parser("sinks", KINDS)
    keys = [sink.key for sink in SINKS]
    parser.add_argument("--only", nargs="+", choices=keys, default=keys, help="only these sinks")
    parser.add_argument("--starts", type=int, default=20, help="starts of each player on each sink")
    parser.add_argument(
        "--at-once", type=int, default=4, help="sinks that are measured at the same time"
    )
    return parser.parse_args()


def main() -> None:
    """Starts all players on all sinks, and writes the table."""
    options, load = parse(), tables.load()
    kinds = tables.chosen(options, KINDS)
    with tables.tools_for(options) as tools:
        queue = Material(options.work / "material").single()
        results = run(options, kinds, tools, queue)
        head = tables.conditions(kinds, tools, load, has_pipewire=True)
    head += [
        f"- {options.starts} starts of each player on each sink, {options.at_once} sinks at once",
        "",
    ]
    is_whole = kinds == KINDS and len(options.only) == len(SINKS)
    tables.publish("sinks", [*head, markdown(results, kinds)], is_whole)


def run(
    options: argparse.Namespace, kinds: list[type[Player]], tools: Tools, queue: Queue
) -> dict[tuple[str, str], list[Outcome]]:
    """All starts by sink and player, taking the players in turn."""
    results: dict[tuple[str, str], list[Outcome]] = {}

    def measure(sink: Sink) -> None:
        with private(tools) as own, serving(sink, own) as server:
            for number in range(options.starts):
                for kind in kinds:
                    title = f"{sink.key} {number + 1}: {kind.name}"
                    try:
                        result = attempt(kind, server, queue)
                    except (Unmeasurable, OSError) as error:
                        print(f"{title}: {error}", file=sys.stderr)
                        result = Outcome(pace=0, underruns=None, steps_back=0, begins=0)
                    results.setdefault((sink.key, kind.name), []).append(result)
                    print(f"{title}: {asdict(result)}", file=sys.stderr)

    with ThreadPoolExecutor(options.at_once) as pool:
        list(pool.map(measure, (sink for sink in SINKS if sink.key in options.only)))
    values = {" ".join(key): [asdict(it) for it in them] for key, them in results.items()}
    (options.work / "sinks.json").write_text(json.dumps(values, indent=1))
    return results


if __name__ == "__main__":
    tables.call(main)
