"""Locates recorded sound in its source: by correlation, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .server import RATE, Array, Recording

BLOCK = 220  # 5 ms
REACH = RATE // 2
ALIKE = 0.6  # the correlation of blocks that match; others stay below 0.4
WHOLE = 0.95  # the correlation of blocks that contain no sound from another place


@dataclass(frozen=True)
class Track:
    """The place in the source of each block of a recording; NaN if it is not one whole place."""

    places: Array
    silent: Array
    """Whether the block is silent throughout."""

    def at(self, index: Array) -> Array:
        """The place in the source of the recorded sample `index`, in fractional samples."""
        block = np.floor(index / BLOCK).astype(int)
        inside = (block >= 0) & (block < len(self.places))
        places = self.places[np.clip(block, 0, len(self.places) - 1)]
        return np.where(inside, places + (index - block * BLOCK), np.nan)


class Locator:
    """Finds blocks in one source."""

    def __init__(self, source: Array) -> None:
        self.source = source.astype(np.float32)
        # The sum of squares of any stretch is a difference of these; in float64, for 10⁷ samples.
        self._energy = np.concatenate([[0], np.cumsum(np.square(source, dtype=np.float64))])

    def stretch(self, first: int, last: int) -> Array:
        """The source's samples first..<last, zeros outside of it."""
        result = np.zeros(last - first, np.float32)
        low, high = max(first, 0), min(last, len(self.source))
        if low < high:
            result[low - first : high - first] = self.source[low:high]
        return result

    def likeness(self, block: Array, place: int) -> float:
        """The correlation of `block` with the source at `place`, 1 if they are the same."""
        end = place + len(block)
        if place < 0 or end > len(self.source):
            return 0
        energy = (self._energy[end] - self._energy[place]) * float(np.dot(block, block))
        product = float(np.dot(block, self.source[place:end]))
        return product / np.sqrt(energy) if energy > 0 else 0

    def find(self, block: Array, first: int, last: int) -> float | None:
        """The place of `block` that begins in first..<last, to a fraction of a sample."""
        first = max(first, 0)
        stretch = self.source[first : min(last, len(self.source)) + len(block)]
        count = len(stretch) - len(block) + 1
        if count < 3:
            return None
        size = 1 << (len(stretch) - 1).bit_length()
        spectrum = np.fft.rfft(stretch, size) * np.conj(np.fft.rfft(block, size))
        products = np.fft.irfft(spectrum, size)[:count]
        energy = self._energy[first + len(block) : first + len(block) + count]
        energy = energy - self._energy[first : first + count]
        scale = np.sqrt(np.maximum(energy, 1e-9) * float(np.dot(block, block)))
        likeness = products / np.maximum(scale, 1e-9)
        peak = int(likeness.argmax())
        if likeness[peak] < ALIKE:
            return None
        if not 0 < peak < count - 1:
            return float(first + peak)
        before, at, after = likeness[peak - 1 : peak + 2]
        return first + peak + (before - after) / (2 * (before - 2 * at + after))

    def find_anywhere(self, block: Array) -> float | None:
        """The place of `block` in the whole source."""
        step = 1 << 18
        for first in range(0, len(self.source), step):
            place = self.find(block, first, first + step)
            if place is not None:
                return place
        return None

    def follow(self, samples: Array, indices: Array, size: int) -> Array:
        """The places of the blocks of `size` at `indices`, to a fraction of a sample, or NaN.

        For sound that goes through the source once, with small gaps, and may be resampled.
        """
        places = np.full(len(indices), np.nan)
        expected, last = 0.0, 0
        for number, index in enumerate(indices):
            block = samples[index : index + size]
            if np.abs(block).max() < 2 / 32768:
                last = index
                continue
            middle = round(expected + index - last)
            place = self.find(block, middle - REACH // 4, middle + REACH // 4)
            if place is not None:
                places[number], expected, last = place, place, index
        return places

    def track(
        self, recording: Recording, jumps: Sequence[int] = (), starts: Sequence[int] = ()
    ) -> Track:
        """Follows a recording of sound at the source's own rate.

        A block that does not continue where the last one ended is searched for near there, then a
        jump of the lengths `jumps` away, then at `starts`, then everywhere.
        """
        samples = recording.samples.astype(np.float32) / 32768
        count = len(samples) // BLOCK
        blocks = samples[: count * BLOCK].reshape(count, BLOCK)
        silent = np.abs(blocks).max(axis=1) < 2 / 32768
        places = np.full(count, np.nan)
        expected, was_lost = 0, False
        for index in np.flatnonzero(~silent):
            block = blocks[index]
            place: float | None = expected
            if self.likeness(block, expected) < ALIKE:
                near = [expected + jump for jump in [0, *jumps]] + list(starts)
                place = self._first(block, near)
                if place is None and was_lost:
                    place = self.find_anywhere(block)
            was_lost = place is None
            if place is not None:
                expected = round(place)
                if self.likeness(block, expected) > WHOLE:
                    places[index] = expected
                expected += BLOCK
            elif expected:
                expected += BLOCK
        return Track(places, silent)

    def _first(self, block: Array, near: list[int]) -> float | None:
        for middle in near:
            place = self.find(block, middle - REACH, middle + REACH)
            if place is not None:
                return place
        return None
