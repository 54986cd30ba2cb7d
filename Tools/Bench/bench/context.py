"""State shared by all measurements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .locate import Locator, Track
from .material import Material, Queue
from .players import Player
from .processes import Tools, Unmeasurable
from .report import Results
from .server import RATE
from .sessions import Session


class Source:
    """A queue, with what is needed to locate its sound."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.locator = Locator(queue.decoded())

    def track(self, session: Session) -> Track:
        """The place in the queue of each block of the recording."""
        starts = [int(start) for start in self.queue.starts]
        return self.locator.track(session.recording, jumps=[5 * RATE], starts=starts)


@dataclass
class Bench:
    """The tools, the test music and the results so far."""

    tools: Tools
    material: Material
    results: Results
    quick: bool

    def choose(self, full: int, quick: int) -> int:
        """One of two numbers, for a full or a quick run."""
        return quick if self.quick else full

    @contextmanager
    def measuring(self, kind: type[Player], *values: str) -> Iterator[None]:
        """Records the reason for all `values` if they cannot be measured.

        That includes an `OSError`: a player that has gone closes its end of the connection.
        """
        try:
            yield
        except (Unmeasurable, OSError) as error:
            for name in values:
                self.results.refuse(name, kind.name, str(error))

    @property
    def long_seconds(self) -> int:
        """The length of the long file."""
        return self.choose(600, 120)

    @cached_property
    def long(self) -> Path:
        """What is played if only the cost matters."""
        return self.material.long(self.long_seconds)

    @cached_property
    def songs(self) -> Source:
        """What is controlled: skipped through and sought in."""
        return Source(self.material.songs())

    @cached_property
    def album(self) -> Source:
        """What is heard from file to file."""
        return Source(self.material.album())

    @cached_property
    def single(self) -> Source:
        """One file, for steady play."""
        return Source(self.material.single())


def require(kind: type[Player], ability: str) -> None:
    """Raises if players of this kind do not support something."""
    if ability not in kind.abilities:
        raise Unmeasurable(f"{kind.name} is made without {ability}")
