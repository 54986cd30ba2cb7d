"""Measures all players in one run and writes the table: see README.md and Tools/Bench/run."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

from . import costs, heard
from .context import Bench
from .material import Material
from .players import PEERS, Floor, Player, Undersong, UndersongDynamic, output_of
from .processes import Tools, Unmeasurable
from .report import ROWS, Report, Results
from .server import SoundServer

HERE = Path(__file__).resolve().parent.parent
README = HERE / "README.md"
BEGIN, END = "<!-- begin of the results -->", "<!-- end of the results -->"

KINDS: list[type[Player]] = [Undersong, *PEERS, Floor]

# The formats of the music; players of MPEG audio only are left out of all others.
FORMATS = ["mp3", "flac", "ogg", "opus"]
PLAYERS_OF_ALL = [Undersong.name, "mpv", "mpd"]

# The measurement of each group, and its rounds in a full and in a quick run.
GROUPS: dict[str, tuple[Callable[[Bench, type[Player]], None], int, int]] = {
    "seams": (heard.seams, 3, 1),
    "start": (heard.start, 3, 1),
    "control": (heard.control, 3, 1),
    "clock": (heard.clock, 3, 1),
    "cost": (costs.cost, 3, 1),
    "memory": (costs.memory_use, 3, 1),
    "speed": (costs.speed, 5, 2),
}


def main() -> None:
    """Measures what the command line requests."""
    options = parse()
    Undersong.program, UndersongDynamic.program = options.undersong, options.undersong_dynamic
    options.work.mkdir(parents=True, exist_ok=True)
    # Even a killed benchmark ends the processes that it started.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="undersong-bench.") as folder:
        tools = make_tools(Path(folder), options.work)
        server = SoundServer(tools)
        try:
            table = measure(tools, options)
        finally:
            server.stop()
    print(table)
    if options.write:
        write(table)


def parse() -> argparse.Namespace:
    """The command line; `Tools/Bench/run` supplies the first three options."""
    parser = argparse.ArgumentParser(
        prog="Tools/Bench/run",
        description="Measures Undersong, mpg123, mpv and mpd side by side.",
    )
    for name in ("--undersong", "--undersong-dynamic", "--work"):
        parser.add_argument(name, type=absolute, required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="ROWS",
        choices=GROUPS,
        default=list(GROUPS),
        help="only these groups of rows: " + ", ".join(GROUPS),
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer values, in a quarter of the time"
    )
    names = [kind.name for kind in KINDS]
    parser.add_argument(
        "--players",
        nargs="+",
        metavar="PLAYER",
        choices=names,
        default=names,
        help="only these players: " + ", ".join(names),
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="of the music, where the rows are `start` or `cost`: " + ", ".join(FORMATS),
    )
    options = parser.parse_args()
    if options.format != FORMATS[0]:
        if not set(options.only) <= {"start", "cost"}:
            parser.error("other formats than mp3 are for --only start cost")
        options.players = [name for name in options.players if name in PLAYERS_OF_ALL]
    is_whole = options.only == list(GROUPS) and options.players == names
    options.write = is_whole and not options.quick
    return options


def absolute(path: str) -> Path:
    """The absolute path, for players that run in other folders."""
    return Path(path).resolve()


def make_tools(folder: Path, work: Path) -> Tools:
    """Builds the C helpers, and creates an environment that shares nothing with the user's."""
    (work / "log").unlink(missing_ok=True)
    flags = ["-O2", "-Wall", "-Wextra", "-std=c11", "-D_POSIX_C_SOURCE=200809L"]
    libraries = ["-lmpg123", "-lpulse-simple", "-lpthread"]
    for name in ("stamp", "floor"):
        command = ["gcc", *flags, "-o", str(work / name), str(HERE / f"{name}.c"), *libraries]
        subprocess.run(command, check=True)
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "PULSE_SERVER": f"unix:{folder}/pulse/native",
        "DBUS_SESSION_BUS_ADDRESS": "",
    }
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        environment[name] = str(folder)
    return Tools(folder, work / "log", work / "stamp", work / "floor", environment)


def measure(tools: Tools, options: argparse.Namespace) -> str:
    """Runs all rounds, taking the players in turn, and returns the Markdown."""
    kinds = [kind for kind in KINDS if kind.name in options.players]
    results = Results()
    bench = Bench(tools, Material(options.work / "material", options.format), results, options.quick)
    load = os.getloadavg()[0]
    for name in options.only:
        function, full, quick = GROUPS[name]
        for number in range(bench.choose(full, quick)):
            for kind in kinds:
                print(f"{name}, round {number + 1}: {kind.name}", file=sys.stderr)
                with bench.measuring(kind, *(row.values for row in ROWS[name])):
                    function(bench, kind)
        save(results, options.work / "results.json")
    peers = [kind.name for kind in PEERS]
    report = Report(results, [kind.name for kind in kinds], peers)
    head = [*machine(load), *versions(tools, kinds), ""]
    return "\n".join([*head, report.markdown(options.only)])


def save(results: Results, path: Path) -> None:
    """Saves all values, for more detail than the table shows."""
    values = {f"{player}: {name}": list for (name, player), list in results.values.items()}
    path.write_text(json.dumps(values, indent=1))


def write(table: str) -> None:
    """Writes the results to the README, replacing the last ones."""
    before, rest = README.read_text().split(BEGIN)
    README.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.split(END)[1]}")
    print(f"The results are in {README}", file=sys.stderr)


def machine(load: float) -> list[str]:
    """The machine, in Markdown."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(": ")[1] for line in lines if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    model = models[0] if models else platform.machine()
    return [
        f"- {date.today().isoformat()}; {model}, {cores} cores; Linux {platform.release()};"
        f" load when it began {load:.2f}, when it ended {os.getloadavg()[0]:.2f}",
    ]


def versions(tools: Tools, kinds: list[type[Player]]) -> list[str]:
    """The versions of everything measured, in Markdown."""
    names = [f"{kind.name} {kind.version(tools)}" for kind in kinds if kind is not Floor]
    server = output_of(tools, "pulseaudio", "--version").strip()
    return [f"- {'; '.join(names)}; {server}, null sink at 44.1 kHz"]


if __name__ == "__main__":
    try:
        main()
    except Unmeasurable as error:
        sys.exit(f"bench: cannot measure: {error}")
