"""Code shared by the benchmarks of one table: command line, environment, output."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .__main__ import README, absolute, machine, make_tools
from .players import Player, Undersong
from .players.base import output_of
from .processes import Tools, Unmeasurable
from .server import EXACT, NullSink, SoundServer
from .trials import SteadyPipeWire


def parser(name: str, kinds: list[type[Player]]) -> argparse.ArgumentParser:
    """A command line with the common options; `Tools/Bench/run` supplies the first two."""
    result = argparse.ArgumentParser(prog=f"Tools/Bench/run --{name}")
    for option in ("--undersong", "--work"):
        result.add_argument(option, type=absolute, required=True, help=argparse.SUPPRESS)
    names = [kind.name for kind in kinds]
    result.add_argument("--players", nargs="+", choices=names, default=names)
    return result


@contextmanager
def tools_for(options: argparse.Namespace) -> Iterator[Tools]:
    """The tools, in a private folder. Even a killed benchmark ends the processes that it
    started."""
    Undersong.program = options.undersong
    options.work.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="undersong-bench.") as folder:
        yield make_tools(Path(folder), options.work)


@contextmanager
def serving(tools: Tools, sink: NullSink = EXACT) -> Iterator[None]:
    """A sound server with that sink."""
    server: SoundServer | SteadyPipeWire
    if sink.is_pipewire:
        server = SteadyPipeWire(tools)
        server.start(records=False)
    else:
        server = SoundServer(tools, sink)
    try:
        yield
    finally:
        server.stop()


def chosen(options: argparse.Namespace, kinds: list[type[Player]]) -> list[type[Player]]:
    """The players requested on the command line."""
    return [kind for kind in kinds if kind.name in options.players]


def conditions(
    kinds: list[type[Player]], tools: Tools, load: float, has_pipewire: bool = False
) -> list[str]:
    """The machine and the versions."""
    names = [f"{kind.name} {kind.version(tools)}" for kind in kinds]
    names.append(output_of(tools, "pulseaudio", "--version").strip())
    if has_pipewire:
        names.append(f"PipeWire {output_of(tools, 'pipewire', '--version').split()[-1]}")
    return [*machine(load), f"- {'; '.join(names)}"]


def load() -> float:
    """How busy the machine is."""
    return os.getloadavg()[0]


def publish(name: str, lines: list[str], is_whole: bool) -> None:
    """Prints a table, and writes a complete one to the README, replacing the last."""
    table = "\n".join(lines)
    print(table)
    if is_whole:
        begin, end = f"<!-- begin of the {name} -->", f"<!-- end of the {name} -->"
        before, rest = README.read_text().split(begin)
        README.write_text(f"{before}{begin}\n\n{table}\n\n{end}{rest.split(end)[1]}")


def call(main: Callable[[], None]) -> None:
    """Runs a benchmark, and exits with the reason if nothing can be measured."""
    try:
        main()
    except Unmeasurable as error:
        sys.exit(f"bench: cannot measure: {error}")
