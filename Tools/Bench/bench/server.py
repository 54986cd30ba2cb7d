"""The private sound server with its null sink, and the recording of what the sink plays.

How a recorded sample gets its time: PulseAudio's null sink keeps a clock. When a block's first
sample is due, it renders the block, passes it to the monitor, and advances its clock by the block's
length, rounded down to whole microseconds. A recorder that requests 1 ms makes the blocks 43 frames
long, so 43 frames take 975 µs by the sink's clock (58 ppm fast), and each block arrives as one
read, a little after its first sample is due. So sample n is played at T0 + n * 975 µs / 43, and T0
follows from the earliest reads of each second.

One kind of read is early: if a player's own piece ends inside a block, the sink renders the rest of
it and another whole block at once. Such a read follows another within microseconds, and is ignored.
As these odd blocks are rounded differently, T0 may drift by some 20 ppm: it is measured for each
second.
"""

from __future__ import annotations

import math
import os
import subprocess
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .processes import Child, Stamped, Tools, Unmeasurable, wait_until

Array = NDArray[Any]
RATE = 44100
FRAME = 4
SINK = "bench"


@dataclass(frozen=True)
class NullSink:
    """The sink that is used and recorded."""

    title: str
    options: str = ""
    """What PulseAudio's module is loaded with, beside the name and the rate."""
    rate: int = RATE
    is_pipewire: bool = False


# Without norewinds=1 an idle null sink renders 2 s ahead and stalls new streams.
EXACT = NullSink("null sink, `norewinds=1`", "norewinds=1")


class SoundServer:
    """A PulseAudio server with a null sink, in the tools' private folder."""

    def __init__(self, tools: Tools, sink: NullSink = EXACT) -> None:
        self.child = Child(
            [
                *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1"),
                *("--use-pid-file=no", "--log-target=stderr"),
                *("-L", "module-native-protocol-unix", "-L"),
                f"module-null-sink sink_name={SINK} rate={sink.rate} format=s16le channels=2"
                f" {sink.options}",
            ],
            tools,
        )
        try:
            wait_until(lambda: answers(tools), "answer from the private PulseAudio")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends the server."""
        self.child.stop()


def answers(tools: Tools) -> bool:
    """Whether the server is ready."""
    result = subprocess.run(["pactl", "info"], env=tools.environment, capture_output=True)
    return result.returncode == 0


@dataclass(frozen=True)
class Recording:
    """What the sink played: the left channel, and when each sample was due."""

    samples: Array
    knots: tuple[Array, Array]
    """Samples' places, and the moments when they were played; straight lines lie between them."""

    def index(self, moment: float | Array) -> Any:
        """The index of the sample played at `moment`."""
        return np.interp(moment, self.knots[1], self.knots[0])

    def time(self, index: float | Array) -> Any:
        """When the sample at `index` is played."""
        return np.interp(index, self.knots[0], self.knots[1])

    def shifted(self, seconds: float) -> Recording:
        """The same recording `seconds` later: to test that a figure changes by as much."""
        return replace(self, knots=(self.knots[0], self.knots[1] + seconds))


class Recorder(Stamped):
    """Records the sink's monitor from now on, in blocks of `milliseconds`."""

    def __init__(self, tools: Tools, milliseconds: int = 1, sink: NullSink = EXACT) -> None:
        self._milliseconds = milliseconds
        self._sink = sink
        reading, writing = os.pipe()
        self._parec = Child(
            [
                *("parec", "-d", f"{SINK}.monitor", "--raw", "--format=s16le", f"--rate={sink.rate}"),
                *("--channels=2", f"--latency-msec={milliseconds}"),
            ],
            tools,
            stdout=writing,
        )
        os.close(writing)
        super().__init__(tools, reading)
        os.close(reading)
        self._pieces: list[tuple[float, bytes]] = []
        self._thread.start()
        # The sink's first blocks are longer: they precede the recorder's request for its own.
        wait_until(lambda: len(self._pieces) > self._count(500), "recording")
        del self._pieces[: self._count(400)]

    def _count(self, milliseconds: int) -> int:
        """The number of reads in that time."""
        return -(-milliseconds // self._milliseconds)

    def take(self, arrival: float, data: bytes) -> None:
        self._pieces.append((arrival, data))

    def is_silent(self, milliseconds: int = 20) -> bool:
        """Whether the last `milliseconds` are silent."""
        return not any(any(data) for _, data in self._pieces[-self._count(milliseconds) :])

    def wait_for_sound(self, limit: float = 10) -> None:
        """Waits until something is heard."""
        wait_until(lambda: not self.is_silent(), "sound", limit)

    def wait_for_silence(self, limit: float = 10) -> None:
        """Waits until nothing has been heard for half a second."""
        wait_until(lambda: self.is_silent(500), "silence", limit)

    def finish(self) -> Recording:
        """Ends the recording and returns it."""
        self._parec.stop()
        self.stop()
        data = b"".join(data for _, data in self._pieces)
        samples = np.frombuffer(data[: len(data) // FRAME * FRAME], "<i2")[::2]
        arrivals = np.array([arrival for arrival, _ in self._pieces])
        lengths = np.array([len(data) // FRAME for _, data in self._pieces])
        rate = self._sink.rate
        places, moments = timeline(arrivals, lengths, rate, is_rounded=not self._sink.is_pipewire)
        if rate != RATE:
            samples, places = resampled(samples, rate), places * (RATE / rate)
        return Recording(samples, (places, moments))


def resampled(samples: Array, rate: int) -> Array:
    """The samples at `RATE`, up to a whole number of periods of both rates."""
    common = math.gcd(rate, RATE)
    periods = len(samples) // (rate // common)
    spectrum = np.fft.rfft(samples[: periods * (rate // common)])
    length = periods * (RATE // common)
    result = np.fft.irfft(spectrum[: length // 2 + 1], length) * (RATE / rate)
    return np.rint(np.clip(result, -32768, 32767)).astype(samples.dtype)


def timeline(
    arrivals: Array, lengths: Array, rate: int = RATE, is_rounded: bool = True
) -> tuple[Array, Array]:
    """The indices of samples and when they were played, from the first sample to the last.

    `arrivals` are the times of the reads in seconds and `lengths` their frames; `is_rounded` if the
    sink's clock counts whole microseconds. Raises if the line through the earliest reads has a
    step: the recorder has lost samples.
    """
    block = int(np.bincount(lengths).argmax())
    period = (block * 1_000_000 // rate) / 1e6 / block if is_rounded else 1 / rate
    firsts = np.cumsum(lengths) - lengths
    starts = arrivals - firsts * period
    is_alone = np.diff(arrivals, prepend=-np.inf) > block * period / 2
    seconds = (arrivals - arrivals[0]).astype(int)
    if seconds[-1] < 2:
        raise Unmeasurable("the recording is too short")
    least = np.full(seconds[-1], np.nan)
    for it in range(len(least)):
        alone = starts[is_alone & (seconds == it)]
        if len(alone):
            least[it] = np.percentile(alone, 5)
    smooth = np.array([np.nanmedian(least[max(it - 3, 0) : it + 4]) for it in range(len(least))])
    if not np.abs(np.diff(smooth)).max() <= 0.001:
        step = np.abs(np.diff(smooth)).max() * 1e3
        raise Unmeasurable(f"the recorder's times have a step of {step:.1f} ms")
    places = (np.arange(len(least)) + 0.5) / period
    places = np.concatenate([[0], places, [float(lengths.sum())]])
    smooth = np.concatenate([smooth[:1], smooth, smooth[-1:]])
    return places, smooth + places * period
