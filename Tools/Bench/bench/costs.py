"""The rows measured on processes: one round of one player at a time, not recorded."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .context import Bench, require
from .players import Player, Undersong, UndersongDynamic, Wish
from .processes import Meter, Unmeasurable, Usage, memory, wait_until

SETTLED = 5.0  # seconds until buffers are full, or a paused player's stream is released


def cost(bench: Bench, kind: type[Player]) -> None:
    """CPU time and context switches: playing, playing with position reports, and paused."""
    seconds = bench.choose(30, 10)
    with bench.measuring(kind, "cpu", "switches", "wakeups"):
        with playing(bench, kind, Wish()) as player:
            used = usage(player, seconds)
        bench.results.add("cpu", kind.name, used.cpu * 3600)
        bench.results.add("switches", kind.name, used.switches)
        bench.results.add("wakeups", kind.name, used.wakeups)
    with bench.measuring(kind, "cpu-reports"):
        require(kind, "reports")
        with playing(bench, kind, Wish(reports=True)) as player:
            used = usage(player, seconds)
        bench.results.add("cpu-reports", kind.name, used.cpu * 3600)
    with bench.measuring(kind, "switches-paused"):
        require(kind, "control")
        with playing(bench, kind, Wish(control=True)) as player:
            player.pause()
            used = usage(player, seconds)
        bench.results.add("switches-paused", kind.name, used.switches)


def usage(player: Player, seconds: float) -> Usage:
    """What the player uses per second, once it has settled."""
    time.sleep(SETTLED)
    before = Meter.read(player.pids())
    time.sleep(seconds)
    return Meter.read(player.pids()).since(before)


@contextmanager
def playing(bench: Bench, kind: type[Player], wish: Wish) -> Iterator[Player]:
    """A player that plays a long file, with no recorder on the sink."""
    player = kind(bench.tools, [bench.long], wish)
    try:
        wait_until(lambda: is_heard(bench), "stream at the sound server")
        yield player
        if player.child.process.poll() is not None:
            raise Unmeasurable("it ended before the measurement did")
    finally:
        player.stop()


def is_heard(bench: Bench) -> bool:
    """Whether any stream is connected to the sound server."""
    command = ["pactl", "list", "short", "sink-inputs"]
    result = subprocess.run(command, env=bench.tools.environment, capture_output=True, check=True)
    return bool(result.stdout.strip())


def memory_use(bench: Bench, kind: type[Player]) -> None:
    """RSS and PSS while the player plays; for Undersong also when dynamically linked."""
    forms: dict[str, type[Player]] = {"": kind, "-static": kind}
    if kind is Undersong:
        forms[""] = UndersongDynamic
    for suffix, form in forms.items():
        with bench.measuring(kind, "rss" + suffix, "pss" + suffix):
            with playing(bench, form, Wish()) as player:
                time.sleep(SETTLED)
                rss, pss = memory(player.pids())
                bench.results.add("rss" + suffix, kind.name, rss)
                bench.results.add("pss" + suffix, kind.name, pss)


def speed(bench: Bench, kind: type[Player]) -> None:
    """Decodes a long file as fast as the player can, without output."""
    with bench.measuring(kind, "speed"):
        took = kind.decode(bench.tools, bench.long)
        bench.results.add("speed", kind.name, bench.long_seconds / took)
