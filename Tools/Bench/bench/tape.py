"""Recordings that may be interrupted and restarted, and the music in them."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

import numpy as np

from .locate import BLOCK, Locator
from .processes import Child, Tools, now, wait_until
from .server import FRAME, RATE, Array, Recording

SILENCE = RATE // 1000  # frames of silence that count as a gap, which noise does not have
STEADY = 8  # samples by which the blocks of a piece may be off from each other: a resampler's phase


@dataclass(frozen=True)
class Piece:
    """A part of the music heard without a break: times, and places in the source."""

    began: float
    ended: float
    first: float
    last: float


class Take:
    """The data read from a recording, each read with its time."""

    def __init__(self, reads: list[tuple[float, bytes]]) -> None:
        self._reads = reads

    def samples(self) -> tuple[Array, Array]:
        """The left channel, and the time of each sample."""
        data = b"".join(data for _, data in self._reads)
        samples = np.frombuffer(data[: len(data) // FRAME * FRAME], "<i2")[::2]
        ends = np.cumsum([len(data) // FRAME for _, data in self._reads])
        arrivals = [moment for moment, _ in self._reads]
        return samples, np.interp(np.arange(len(samples)), ends, arrivals) if len(ends) else samples

    def sounds(self) -> list[tuple[int, int]]:
        """The stretches of samples that are not silent."""
        samples, _ = self.samples()
        loud = np.flatnonzero(np.abs(samples.astype(int)) > 1)
        if not len(loud):
            return []
        cuts = np.flatnonzero(np.diff(loud) > SILENCE)
        firsts = loud[np.concatenate([[0], cuts + 1])]
        lasts = loud[np.concatenate([cuts, [len(loud) - 1]])] + 1
        return list(zip(firsts.tolist(), lasts.tolist()))

    def level(self, begin: float, end: float) -> float:
        """The RMS between two times, relative to full scale."""
        samples, moments = self.samples()
        part = samples[(moments >= begin) & (moments < end)].astype(float) / 32768
        return float(np.sqrt(np.mean(part**2))) if len(part) else 0

    def pieces(self, locator: Locator, starts: list[int]) -> list[Piece]:
        """The pieces of the music that were heard."""
        samples, moments = self.samples()
        places = locator.track(Recording(samples, (samples, samples)), starts=starts).places
        runs = _runs(places)
        result = []
        for begin, end in self.sounds():
            inside = [run for run in runs if begin <= run[0] * BLOCK + BLOCK // 2 < end]
            for number, (block, offset) in enumerate(inside):
                first = begin if number == 0 else block * BLOCK
                last = end if number + 1 == len(inside) else inside[number + 1][0] * BLOCK
                times = float(moments[first]), float(moments[last - 1])
                result.append(Piece(*times, first + offset, last + offset))
        return result


class Tape(Take):
    """Records a sink's monitor from now on, until its server is gone or it is stopped."""

    def __init__(self, tools: Tools, server: str, sink: str) -> None:
        reading, writing = os.pipe()
        command = ["parec", "-s", server, "-d", f"{sink}.monitor", "--raw", "--format=s16le"]
        command += [f"--rate={RATE}", "--channels=2", "--latency-msec=10"]
        self._child = Child(command, tools, stdout=writing)
        os.close(writing)
        super().__init__([])
        self._heard = 0.0
        self._thread = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._thread.start()

    def _read(self, source: int) -> None:
        while data := os.read(source, 65536):
            moment = now()
            self._reads.append((moment, data))
            if any(data):
                self._heard = moment
        os.close(source)

    def wait(self) -> None:
        """Waits until the recording has started."""
        wait_until(lambda: len(self._reads) > 2, "recording")

    @property
    def heard(self) -> float:
        """When sound was last heard."""
        return self._heard

    def stop(self) -> None:
        """Ends the recording."""
        self._child.stop()
        self._thread.join()


def _runs(places: Array) -> list[tuple[int, float]]:
    """Consecutive blocks: the first block, and the source's place minus its own."""
    runs: list[tuple[int, float]] = []
    expected, before = np.nan, -1
    for block in np.flatnonzero(~np.isnan(places)):
        offset = places[block] - block * BLOCK
        if not abs(offset - expected) < STEADY or _is_apart(block, before):
            runs.append((int(block), float(offset)))
        expected, before = offset, block
    return runs


def _is_apart(block: int, before: int) -> bool:
    """Whether there may be silence between two blocks: each stretch of sound has its own runs."""
    return block - before > 1
