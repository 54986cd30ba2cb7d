"""Child processes: started with their own environment, stamped, measured and ended."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STAMP_HEADER = struct.Struct("=qq")


class Unmeasurable(Exception):
    """The reason shown in the table instead of a figure."""


def now() -> float:
    """Seconds of CLOCK_MONOTONIC, the clock for all times here."""
    return time.monotonic()


def wait_until(condition: Callable[[], bool], what: str, limit: float = 10) -> None:
    """Waits until `condition` holds; raises `Unmeasurable` after `limit` seconds."""
    end = now() + limit
    while not condition():
        if now() > end:
            raise Unmeasurable(f"no {what} within {limit:g} s")
        time.sleep(0.0005)


@dataclass(frozen=True)
class Tools:
    """The locations of everything: a private folder, the C helpers, and the environment for
    children."""

    folder: Path
    log: Path
    """What all children say on their standard error."""
    stamp: Path
    floor: Path
    environment: dict[str, str]


class Child:
    """A process in a session of its own, unaffected by a terminal's job control."""

    def __init__(
        self,
        command: list[str],
        tools: Tools,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
        terminal: bool = False,
    ) -> None:
        """With `terminal`, `stdin` is a terminal and becomes the session's controlling terminal."""
        self.started = now()
        with open(tools.log, "ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=stdout,
                stderr=log,
                env=tools.environment,
                start_new_session=True,
                preexec_fn=_take_terminal if terminal else None,
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    def stop(self) -> None:
        """Ends the process, by force after 2 s."""
        for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(number)
            if number != signal.SIGCONT:
                try:
                    self.process.wait(2)
                    return
                except subprocess.TimeoutExpired:
                    continue


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Stamped:
    """Data from a pipe or socket, in pieces that are stamped in C as they arrive."""

    def __init__(self, tools: Tools, source: int) -> None:
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 20)
        self._child = Child([str(tools.stamp)], tools, stdin=source, stdout=writing)
        os.close(writing)
        self._file = os.fdopen(reading, "rb")
        self._thread = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        while len(header := self._file.read(STAMP_HEADER.size)) == STAMP_HEADER.size:
            nanoseconds, length = STAMP_HEADER.unpack(header)
            self.take(nanoseconds / 1e9, self._file.read(length))

    def take(self, arrival: float, data: bytes) -> None:
        """Handles one piece; runs on a thread of its own."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ends the stamping, once the other end was closed and everything was read."""
        self._thread.join(5)
        self._child.stop()
        self._thread.join()
        self._file.close()


class Lines(Stamped):
    """Lines of text, each with the arrival time of its end."""

    def __init__(
        self,
        tools: Tools,
        source: int,
        react: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`react` is called for every line, on the reading thread."""
        super().__init__(tools, source)
        self.lines: list[tuple[float, str]] = []
        self._react = react
        self._rest = b""
        self._thread.start()

    def take(self, arrival: float, data: bytes) -> None:
        *whole, self._rest = (self._rest + data).split(b"\n")
        for line in whole:
            text = line.decode(errors="replace")
            self.lines.append((arrival, text))
            self._react(text)

    def wait_for(self, start: str) -> None:
        """Waits for a line that begins with `start`."""
        wait_until(lambda: any(line.startswith(start) for _, line in list(self.lines)), start)


@dataclass(frozen=True)
class Switches:
    """A thread's context switches."""

    voluntary: int = 0
    """Wake-ups: the thread had waited for something."""
    forced: int = 0


@dataclass(frozen=True)
class Usage:
    """What processes use per second."""

    cpu: float
    wakeups: float
    switches: float
    """All context switches, wake-ups included."""


@dataclass(frozen=True)
class Meter:
    """What processes have used up to a given time."""

    time: float
    cpu: float
    """CPU seconds to the nanosecond, ended threads included."""
    threads: dict[str, Switches]

    @staticmethod
    def read(pids: list[int]) -> Meter:
        """The current reading."""
        cpu = 0.0
        threads: dict[str, Switches] = {}
        for pid in pids:
            cpu += time.clock_gettime(~pid << 3 | 2)  # the kernel's MAKE_PROCESS_CPUCLOCK
            for status in Path(f"/proc/{pid}/task").glob("*/status"):
                try:
                    lines = status.read_text().splitlines()
                except (FileNotFoundError, ProcessLookupError):
                    continue  # the thread has just ended
                fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
                threads[status.parent.name] = Switches(
                    int(fields["voluntary_ctxt_switches"]),
                    int(fields["nonvoluntary_ctxt_switches"]),
                )
        return Meter(now(), cpu, threads)

    def since(self, before: Meter) -> Usage:
        """What was used since `before`. What threads did that have ended meanwhile is not known."""
        passed = self.time - before.time
        wakeups, forced = 0, 0
        for number, thread in self.threads.items():
            earlier = before.threads.get(number, Switches())
            wakeups += thread.voluntary - earlier.voluntary
            forced += thread.forced - earlier.forced
        return Usage((self.cpu - before.cpu) / passed, wakeups / passed, (wakeups + forced) / passed)


def memory(pids: list[int]) -> tuple[float, float]:
    """RSS and PSS of processes in MB (10⁶ bytes)."""
    sizes: dict[str, float] = {}
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, size, _ = line.split()
            sizes[name] = sizes.get(name, 0) + int(size) * 1024 / 1e6
    return sizes["Rss:"], sizes["Pss:"]
