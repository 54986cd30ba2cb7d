"""A private PulseAudio with a null sink, and noise: what the sink plays is recorded, and each frame found in it.

The recorder, its clock and the search are those of the benchmarks (Tools/Bench/bench/server.py, locate.py).
"""
import os, subprocess, sys, wave
from pathlib import Path

import numpy as np

BENCH = Path(__file__).resolve().parents[1] / "Bench"
sys.path.insert(0, str(BENCH))

from bench.locate import Locator
from bench.processes import Tools
from bench.server import RATE, Recorder, SoundServer

# The frames that have to be equal for a place to be found.
KEY = 4


class Sound:
    """The sound server; `address` is what its clients connect to."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True)
        folder.chmod(0o700)
        stamp = folder / "stamp"
        subprocess.run(["gcc", "-O2", "-D_POSIX_C_SOURCE=200809L", "-o", stamp, BENCH / "stamp.c"], check=True)
        self.address = f"unix:{folder}/pulse/native"
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PULSE_SERVER": self.address}
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            environment[name] = str(folder)
        self.tools = Tools(folder, folder / "log", stamp, stamp, environment)
        self.server = SoundServer(self.tools)

    def recorder(self):
        return Recorder(self.tools)

    def stop(self):
        self.server.stop()


class Noise:
    """A file of noise, in which every few frames are there once only."""

    def __init__(self, path: Path, seconds: int, seed: int):
        path.parent.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(seed)
        # Within 16 bits, and never silent.
        values = random.integers(100, 8000, seconds * RATE, endpoint=True) * random.choice([-1, 1], seconds * RATE)
        self.samples = values.astype("<i2")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(np.repeat(self.samples, 2).tobytes())
        self.locator = Locator(self.samples / 32768)
        keys = self.keys(self.samples)
        self.order = np.argsort(keys, kind="stable")
        self.sorted = keys[self.order]

    @staticmethod
    def keys(samples):
        count = len(samples) - KEY + 1
        keys = np.zeros(count, np.uint64)
        for number in range(KEY):
            keys = keys << np.uint64(16) | samples[number:number + count].astype(np.uint16).astype(np.uint64)
        return keys

    def places(self, samples):
        """The place in the noise of each recorded frame that begins KEY equal ones, -1 of others."""
        keys = self.keys(samples)
        found = np.minimum(np.searchsorted(self.sorted, keys), len(self.sorted) - 1)
        return np.where(self.sorted[found] == keys, self.order[found], -1)


def wrong(noise: Noise, samples):
    """The frames from the first of the noise to the last, and those of them that do not continue it.

    Between two frames that do, as many are wrong as were recorded, or as the noise has, if those are more.
    """
    places = noise.places(samples)
    found = np.flatnonzero(places >= 0)
    if not len(found):
        return 0, 0
    recorded, expected = np.diff(found) - 1, np.abs(np.diff(places[found]) - 1)
    return int(found[-1] - found[0]) + KEY, int(np.maximum(recorded, expected).sum())
