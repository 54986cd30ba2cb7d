"""Measurements on a recording: silences, jumps, seams, and the accuracy of a player's reports."""

from __future__ import annotations

import numpy as np

from .locate import BLOCK, Locator, Track
from .material import Queue
from .players import Report
from .processes import Unmeasurable
from .server import RATE, Array, Recording

SILENT = 2  # of 32768; a dithering player's silence is that loud
PATIENCE = 2 * RATE


def sound_after(recording: Recording, moment: float) -> float:
    """Seconds from `moment`, which is silent, to the first sample that is not."""
    first = int(np.ceil(recording.index(moment)))
    if np.abs(recording.samples[max(first - RATE // 50, 0) : first]).max(initial=0) >= SILENT:
        raise Unmeasurable("it was not silent before")
    sounds = np.flatnonzero(np.abs(recording.samples[first : first + 5 * PATIENCE]) >= SILENT)
    if not len(sounds):
        raise Unmeasurable("no sound came")
    return float(recording.time(first + sounds[0]) - moment)


def silence_after(recording: Recording, moment: float, least: float = 0.05) -> float:
    """Seconds from `moment` to the end of the sound, where `least` seconds of silence begin."""
    first = int(np.ceil(recording.index(moment)))
    sounds = np.flatnonzero(np.abs(recording.samples[first : first + PATIENCE]) >= SILENT)
    ends = np.append(sounds, PATIENCE)
    gaps = np.diff(np.concatenate([[-1], ends])) - 1
    silences = np.flatnonzero(gaps >= least * RATE)
    if not len(silences):
        raise Unmeasurable("no silence came")
    begin = ends[silences[0]] - gaps[silences[0]]
    return max(float(recording.time(first + begin) - moment), 0)


def jump_after(recording: Recording, locator: Locator, track: Track, moment: float) -> float:
    """Seconds from `moment` to the first sample from another place in the source."""
    first = int(np.ceil(recording.index(moment)))
    block = first // BLOCK
    old = int(known_offsets(track, block - 40, block)[-1])
    places = track.places[block : block + PATIENCE // BLOCK]
    later = places - np.arange(block, block + len(places)) * BLOCK
    jumped = np.flatnonzero(np.abs(later - old) > RATE // 10)
    if not len(jumped):
        raise Unmeasurable("nothing new was heard")
    new = int(later[jumped[0]])
    # Where the sound before and the sound after explain the recording best.
    last = (block + jumped[0] + 1) * BLOCK
    heard = recording.samples[first:last].astype(np.float32) / 32768
    was = np.minimum(np.square(heard - locator.stretch(first + old, last + old)), heard**2)
    becomes = np.square(heard - locator.stretch(first + new, last + new))
    cost = np.concatenate([[0], np.cumsum(was)]) - np.concatenate([[0], np.cumsum(becomes)])
    return float(recording.time(first + int(cost.argmin())) - moment)


def lost_by_pause(recording: Recording, track: Track, paused: float, resumed: float) -> float:
    """Seconds of music that were skipped (+) or heard twice (-) over a pause."""
    sounding = recording.index(resumed + sound_after(recording, resumed))
    block = int(sounding) // BLOCK + 1
    after = known_offsets(track, block, block + 6)[0]
    return (sounding + after) / RATE - place_of_stop(recording, track, paused)


def place_of_stop(recording: Recording, track: Track, paused: float) -> float:
    """The place in the queue, in seconds, where the sound stops after a pause at `paused`."""
    silent = recording.index(paused + silence_after(recording, paused))
    block = int(silent) // BLOCK
    return (silent + known_offsets(track, block - 6, block)[-1]) / RATE


def known_offsets(track: Track, first: int, last: int) -> Array:
    """The places of the blocks first..<last minus their positions in the recording."""
    first, last = max(first, 0), min(last, len(track.places))
    offsets = track.places[first:last] - np.arange(first, last) * BLOCK
    offsets = offsets[~np.isnan(offsets)]
    if not len(offsets):
        raise Unmeasurable("the sound around a jump is of no known place")
    return offsets


def seam_errors(recording: Recording, queue: Queue) -> tuple[list[float], list[int]]:
    """For each seam the samples added (+) or lost (-), and its samples of silence."""
    size = 1024
    locator = Locator(queue.source)
    samples = recording.samples.astype(np.float32) / 32768
    indices = np.arange(0, len(samples) - size, size // 4)
    places = locator.follow(samples, indices, size)
    offsets = indices - places
    errors, silences = [], []
    for start in queue.starts[1:]:
        with np.errstate(invalid="ignore"):
            before = (places > start - RATE * 0.4) & (places < start - RATE * 0.05 - size)
            after = (places > start + RATE * 0.05) & (places < start + RATE * 0.4)
        if before.sum() < 10 or after.sum() < 10:
            raise Unmeasurable("the sound around a seam was not found in the source")
        errors.append(float(np.median(offsets[after]) - np.median(offsets[before])))
        near = samples[indices[before].max() : indices[after].min() + size]
        silences.append(longest_run(np.abs(near) < SILENT / 32768))
    return errors, silences


def longest_run(flags: Array, least: int = 8) -> int:
    """The length of the longest run of true flags; 0 if it is shorter than `least`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    longest = int(np.diff(edges)[::2].max(initial=0))
    return longest if longest >= least else 0


def differences(
    reports: list[Report], recording: Recording, track: Track, starts: Array
) -> tuple[Array, Array]:
    """When each report was true, and its position minus the one heard then, in seconds.

    Both positions are in the whole queue, so that a report in the wrong file counts with its full
    error. Reports from where nothing was heard are left out.
    """
    moments = np.array([report.moment for report in reports])
    told = np.array([starts[report.index] / RATE + report.seconds for report in reports])
    heard = track.at(recording.index(moments)) / RATE
    known = ~np.isnan(heard)
    return moments[known], (told - heard)[known]


def within(moments: Array, begins: list[float], seconds: float) -> Array:
    """Whether each of `moments` is less than `seconds` after one of `begins`."""
    result = np.zeros(len(moments), bool)
    for begin in begins:
        result |= (moments >= begin) & (moments < begin + seconds)
    return result


def heard_seams(recording: Recording, track: Track, starts: Array) -> list[float]:
    """When each file but the first began to be heard."""
    moments = []
    for start in starts[1:]:
        with np.errstate(invalid="ignore"):
            blocks = np.flatnonzero((track.places >= start) & (track.places < start + RATE))
        if len(blocks):
            block = blocks[0]
            moments.append(float(recording.time(block * BLOCK + start - track.places[block])))
    return moments
