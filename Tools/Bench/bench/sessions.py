"""A recorded run of a player."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .players import Player, Report, Wish
from .processes import Tools, now
from .server import EXACT, NullSink, Recorder, Recording


@dataclass(frozen=True)
class Action:
    """What a player was asked to do, and when."""

    name: str
    moment: float


@dataclass(frozen=True)
class Session:
    """What was heard of a player, what it reported, and what it was asked to do."""

    recording: Recording
    reports: list[Report]
    actions: list[Action]
    began: float
    """When the first sound had been heard."""


class Commander:
    """Sends commands to a player and records when."""

    def __init__(self, player: Player, recorder: Recorder) -> None:
        self.player, self.recorder = player, recorder
        self.actions: list[Action] = []
        self.random = random.Random(7)

    def do(self, name: str, least: float, most: float) -> None:
        """Sends the command `name` and then waits between `least` and `most` seconds."""
        self.actions.append(Action(name, now()))
        getattr(self.player, name)()
        self.wait(least, most)

    def wait(self, least: float, most: float) -> None:
        """Waits for a random time, so that the next command comes at an arbitrary moment."""
        time.sleep(self.random.uniform(least, most))


def record(
    tools: Tools,
    kind: type[Player],
    files: list[Path],
    wish: Wish,
    act: Callable[[Commander], None],
    milliseconds: int = 1,
    sink: NullSink = EXACT,
) -> Session:
    """Records a player of `kind` from its start, while `act` controls it.

    The recorder requests blocks of `milliseconds` from `sink`.
    """
    recorder = Recorder(tools, milliseconds, sink)
    try:
        player = kind(tools, files, wish)
        try:
            recorder.wait_for_sound()
            commander = Commander(player, recorder)
            began = now()
            act(commander)
            reports = player.reports() if wish.reports else []
        finally:
            player.stop()
    finally:
        recording = recorder.finish()
    return Session(recording, reports, commander.actions, began)
