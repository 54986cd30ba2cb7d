"""The test music: noise in which any 5 ms identify their place, cut up and encoded."""

from __future__ import annotations

import subprocess
import wave
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from .server import RATE, Array

LOUDNESS = 0.12  # of full scale, RMS: no peak clips, in no decoder


@dataclass(frozen=True)
class Queue:
    """Files that are pieces of one source."""

    files: list[Path]
    lengths: list[int]
    """Frames of each piece at 44.1 kHz."""
    source: Array
    """The left channel of the whole before it was encoded, at 44.1 kHz."""

    @cached_property
    def starts(self) -> Array:
        """The start of each piece in the source."""
        return np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    def decoded(self) -> Array:
        """The left channel of the whole as it is heard: encoded, at 44.1 kHz."""
        parts = []
        for file, length in zip(self.files, self.lengths):
            command = ["mpg123", "-q", "-s", "--stereo", "-r", str(RATE), str(file)]
            data = subprocess.run(command, check=True, capture_output=True).stdout
            parts.append(np.frombuffer(data, "<i2")[::2])
            assert len(parts[-1]) == length, f"{file} is {len(parts[-1])} samples long"
        return np.concatenate(parts).astype(np.float32) / 32768


class Material:
    """Creates each file once and keeps it in `folder`."""

    def __init__(self, folder: Path, kind: str = "mp3") -> None:
        self.folder, self.kind = folder, kind
        folder.mkdir(parents=True, exist_ok=True)

    def seams(self, options: list[str]) -> Queue:
        """Three pieces at one rate, not cut at frame boundaries."""
        return self.cut("seams", noise(12, seed=1), [176_543, 165_432, 187_225], options)

    def album(self) -> Queue:
        """Sixteen pieces of 5 s, for their seams."""
        return self.cut("album", noise(80, seed=2), [220_507] * 15 + [220_395], ["-V2"])

    def songs(self) -> Queue:
        """24 pieces of 12 s, long enough to seek in, and enough of them to skip."""
        return self.cut("song", noise(288, seed=3), [12 * RATE] * 24, ["-V2"])

    def single(self) -> Queue:
        """One piece of 80 s."""
        return self.cut("single", noise(80, seed=6), [80 * RATE], ["-V2"])

    def mixed(self) -> Queue:
        """Five pieces of about 8 s of one source, each with another rate or number of channels.

        They are cut at multiples of 1/150 s, where all three rates have a sample. With pieces of 4
        s, mpd 0.23 plays one file at the next one's rate.
        """
        kinds = [(44100, 2), (48000, 2), (22050, 1), (44100, 1), (44100, 2)]
        cuts = [0, 1201, 2407, 3601, 4807, 6000]
        seconds = cuts[-1] // 150
        source = noise(seconds, seed=4, highest=9500)
        files = []
        for index, (rate, channels) in enumerate(kinds):
            path = self.folder / f"mixed-{index}.mp3"
            if not path.exists():
                whole = resample(source, seconds * rate)
                part = whole[cuts[index] * rate // 150 : cuts[index + 1] * rate // 150]
                encode(path, part[:, :1] if channels == 1 else part, rate, ["-V2"])
            files.append(path)
        return Queue(files, list(np.diff(cuts) * RATE // 150), source[:, 0])

    def long(self, seconds: int) -> Path:
        """Pink noise, which costs a decoder about as much as music."""
        path = self.folder / f"long{seconds}.{self.kind}"
        if not path.exists():
            encode(path, noise(seconds, seed=5, slope=0.5), RATE, ["-V2"])
        return path

    def cut(self, name: str, source: Array, lengths: list[int], options: list[str]) -> Queue:
        """Pieces of this many frames, which together are the whole source."""
        files, start = [], 0
        assert sum(lengths) == len(source)
        for index, length in enumerate(lengths):
            path = self.folder / f"{name}{''.join(options)}-{index}.{self.kind}"
            if not path.exists():
                encode(path, source[start : start + length], RATE, options)
            files.append(path)
            start += length
        return Queue(files, lengths, source[:, 0])


def noise(seconds: int, seed: int, highest: float = RATE / 2, slope: float = 0) -> Array:
    """Stereo noise at 44.1 kHz, up to `highest` Hz, with a spectrum of frequency^-slope."""
    random = np.random.default_rng(seed)
    count = seconds * RATE
    frequency = np.fft.rfftfreq(count, 1 / RATE)
    shape = np.where(frequency <= highest, np.maximum(frequency, 20) ** -slope, 0)
    spectrum = np.fft.rfft(random.standard_normal((count, 2)), axis=0) * shape[:, None]
    samples = np.fft.irfft(spectrum, count, axis=0)
    return (samples / samples.std() * LOUDNESS).astype(np.float32)


def resample(samples: Array, count: int) -> Array:
    """The same sound in `count` samples: exact, since the noise is periodic and band-limited."""
    spectrum = np.fft.rfft(samples, axis=0)
    return np.fft.irfft(spectrum[: count // 2 + 1], count, axis=0) * count / len(samples)


def encode(path: Path, samples: Array, rate: int, options: list[str]) -> None:
    """Encodes `samples`; `options` are LAME's."""
    plain = path.with_suffix(".wav")
    with wave.open(str(plain), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.round(samples.clip(-1, 1) * 32767).astype("<i2").tobytes())
    part = path.with_suffix(".part")
    lame = ["lame", "--quiet", *options, "--resample", str(rate / 1000), str(plain), str(part)]
    encoders = {
        ".flac": ["flac", "--silent", "-o", str(part), str(plain)],
        ".ogg": ["oggenc", "--quiet", "-q", "6", "-o", str(part), str(plain)],
        ".opus": ["opusenc", "--quiet", "--bitrate", "160", str(plain), str(part)],
    }
    subprocess.run(encoders.get(path.suffix, lame), check=True)
    plain.unlink()
    part.rename(path)
