"""The sound servers that a player has to survive, and what happens to them."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import ClassVar

from .players import Player
from .processes import Child, Tools, now, wait_until
from .server import RATE, SINK
from .tape import Tape

SPARE = "spare"
CALL = 3.0
PATIENCE = 8.0  # seconds in which a player has to resume by itself
AFTERWARDS = 2.0  # seconds recorded after that


def _fields(sink: str) -> str:
    """The arguments of a null sink."""
    return f"sink_name={sink} rate={RATE} format=s16le channels=2 norewinds=1"


class Server:
    """A sound server that may be killed. Its recordings start before any player."""

    name: ClassVar[str]

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.children: list[Child] = []
        self.tapes: list[Tape] = []
        self._back = f"unix:{tools.folder}/tape.socket"
        self.address: str | None = None
        """Where players find it; None: in its usual place."""

    def start(self, records: bool = True) -> None:
        """Starts it; players can connect when this returns."""
        self.serve_tapes()
        if records:
            self.record(SINK)
        self.serve_players()
        wait_until(lambda: self._answers(self.address), "answer from the sound server")

    def tools_of_players(self) -> Tools:
        """The tools for starting players."""
        if self.address is None:
            return self.tools
        environment = {**self.tools.environment, "PULSE_SERVER": self.address}
        return replace(self.tools, environment=environment)

    def serve_tapes(self) -> None:
        """Starts it where only recordings can connect."""
        raise NotImplementedError

    def serve_players(self) -> None:
        """Lets players connect."""
        raise NotImplementedError

    def record(self, sink: str) -> None:
        """Records a sink from now on."""
        self.tapes.append(Tape(self.tools, self._back, sink))
        self.tapes[-1].wait()

    def control(self, *words: str) -> str:
        """Runs `pactl`."""
        command = ["pactl", "-s", self._back, *words]
        return subprocess.run(
            command, env=self.tools.environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def _answers(self, address: str | None) -> bool:
        return self.is_done("pactl", *(["-s", address] if address else []), "info")

    def is_done(self, *command: str) -> bool:
        """Whether a command succeeds."""
        result = subprocess.run(command, env=self.tools.environment, capture_output=True)
        return result.returncode == 0

    def load_sink(self, name: str) -> str:
        """Loads a null sink, records it, and returns the module's number."""
        module = self.control("load-module", "module-null-sink", *_fields(name).split())
        self.record(name)
        return module

    def signal(self, number: int) -> None:
        """Sends a signal to all its processes."""
        for child in self.children:
            child.process.send_signal(number)

    def kill(self) -> None:
        """Ends it as a crash would."""
        self.signal(signal.SIGKILL)
        for child in self.children:
            child.process.wait()
        self.children = []

    def stop(self) -> None:
        """Ends it and the recordings."""
        for tape in self.tapes:
            tape.stop()
        self.kill()

    def heard(self) -> float:
        """When sound was last heard on any sink."""
        return max(tape.heard for tape in self.tapes)


class Pulse(Server):
    """PulseAudio."""

    name = "PulseAudio"
    log_level: ClassVar[str] = "notice"

    def serve_tapes(self) -> None:
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1"]
        command += ["--use-pid-file=no", "--log-target=stderr", f"--log-level={self.log_level}"]
        command += ["-L", f"module-native-protocol-unix socket={self.tools.folder}/tape.socket"]
        command += ["-L", f"module-null-sink {_fields(SINK)}"]
        self.children.append(Child(command, self.tools))
        wait_until(lambda: self._answers(self._back), "answer from the private PulseAudio")

    def serve_players(self) -> None:
        self.control("load-module", "module-native-protocol-unix")


class PulseOverTCP(Pulse):
    """PulseAudio, to which players connect over the network."""

    name = "PulseAudio over TCP"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        self.address = f"tcp:127.0.0.1:{self._port}"

    def serve_players(self) -> None:
        where = [f"port={self._port}", "listen=127.0.0.1", "auth-ip-acl=127.0.0.1"]
        self.control("load-module", "module-native-protocol-tcp", *where)


class PipeWire(Server):
    """PipeWire, with WirePlumber and its PulseAudio: one for the recordings, one for players."""

    name = "PipeWire"
    rate: ClassVar[int] = RATE
    quantum: ClassVar[int | None] = None
    """Frames of each cycle; None: as programs want it."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        bus = f"unix:path={tools.folder}/bus"
        command = ["dbus-daemon", "--session", "--nofork", f"--address={bus}"]
        self._bus = Child(command, tools)
        environment = {**tools.environment, "DBUS_SESSION_BUS_ADDRESS": bus}
        self._with_bus = replace(tools, environment=environment)
        private = tools.folder / "tapes"
        _write(tools.folder / "pipewire/pipewire.conf.d/bench.conf", _graph(self.rate, self.quantum))
        address = f'pulse.properties = {{ server.address = [ "{self._back}" ] }}\n'
        _write(private / "pipewire/pipewire-pulse.conf.d/bench.conf", address)
        environment = {**environment, "XDG_CONFIG_HOME": str(private)}
        self._for_tapes = replace(tools, environment=environment)

    def serve_tapes(self) -> None:
        self.children.append(Child(["pipewire"], self._with_bus))
        wait_until(lambda: self.is_done("pw-cli", "info", "0"), "PipeWire")
        self.children.append(Child(["wireplumber"], self._with_bus))
        self.children.append(Child(["pipewire-pulse"], self._for_tapes))
        wait_until(self._has_sink, "sink of PipeWire")

    def _has_sink(self) -> bool:
        command = ["pactl", "-s", self._back, "get-default-sink"]
        result = subprocess.run(command, env=self.tools.environment, capture_output=True, text=True)
        return result.stdout.strip() == SINK

    def serve_players(self) -> None:
        self.children.append(Child(["pipewire-pulse"], self._with_bus))

    def stop(self) -> None:
        super().stop()
        self._bus.stop()


def _graph(rate: int, quantum: int | None) -> str:
    cycle = f"default.clock.quantum = {quantum} default.clock.min-quantum = {quantum}"
    return f"""
context.properties = {{ default.clock.rate = {rate} {cycle if quantum else ""} }}
context.objects = [
    {{ factory = adapter
      args = {{
          factory.name = support.null-audio-sink
          node.name = {SINK}
          media.class = Audio/Sink
          audio.rate = {rate}
          audio.position = [ FL FR ]
          object.linger = true
      }} }}
]
"""


class SteadyPipeWire(PipeWire):
    """PipeWire with cycles longer than those requested by its recordings."""

    quantum = 1024


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@dataclass
class Event:
    """An incident: when it began, and when sound became possible again."""

    began: float = 0
    ended: float = 0
    call: tuple[float, float] | None = None
    """From when to when a call was surely on."""
    finished: float = 0
    """When the player was ended."""
    is_gone: bool = False
    """Whether it had ended by itself."""


Trouble = Callable[[Server, Random], Event]


def killed(server: Server, random: Random) -> Event:
    """The server crashes at a random moment, and is restarted."""
    event = Event(began=now())
    server.kill()
    time.sleep(random.uniform(0, 5))
    server.start()
    event.ended = now()
    return event


def hung(server: Server, random: Random) -> Event:
    """The server hangs, and continues."""
    event = Event(began=now())
    server.signal(signal.SIGSTOP)
    time.sleep(3)
    server.signal(signal.SIGCONT)
    event.ended = now()
    return event


def moved(server: Server, random: Random) -> Event:
    """The sink disappears while there is another one, and returns."""
    module = sink_module(server)
    event = Event(began=now(), ended=now())
    server.control("unload-module", module)
    time.sleep(2)
    server.load_sink(SINK)
    return event


def orphaned(server: Server, random: Random) -> Event:
    """The only sink disappears, and returns."""
    module = sink_module(server)
    event = Event(began=now())
    server.control("unload-module", module)
    time.sleep(2)
    event.ended = now()
    server.load_sink(SINK)
    return event


def suspended(server: Server, random: Random) -> Event:
    """The sink is suspended, as by a program that needs the device for itself."""
    event = Event(began=now())
    server.control("suspend-sink", SINK, "1")
    time.sleep(2)
    server.control("suspend-sink", SINK, "0")
    event.ended = now()
    return event


def rerouted(server: Server, random: Random) -> Event:
    """The user chooses another default sink."""
    event = Event(began=now(), ended=now())
    server.control("set-default-sink", SPARE)
    return event


def called(server: Server, random: Random) -> Event:
    """A call: a stream with that role, which is silent so that only music is heard."""
    command = ["pacat", "--property=media.role=phone", "--raw", "--latency-msec=50"]
    event = Event(began=now())
    phone = Child(command, server.tools, stdin=subprocess.PIPE)
    line = phone.process.stdin
    assert line
    silence = bytes(RATE // 10 * 4)
    while now() < event.began + CALL:
        line.write(silence)
        line.flush()
        time.sleep(0.1)
    phone.process.kill()
    line.close()
    phone.process.wait()
    event.ended = now()
    event.call = event.began + 1.0, event.ended - 0.5
    return event


def sink_module(server: Server) -> str:
    """The number of the module with the players' sink."""
    for line in server.control("list", "short", "modules").splitlines():
        number, name, *rest = line.split("\t")
        if name == "module-null-sink" and f"sink_name={SINK} " in " ".join(rest) + " ":
            return number
    raise AssertionError("no null sink")


@dataclass(frozen=True)
class Trial:
    """An incident on one kind of sound server."""

    key: str
    title: str
    server: type[Server]
    trouble: Trouble
    modules: tuple[str, ...] = ()
    spare: bool = False

    def run(
        self, tools: Tools, player: Callable[[Tools], Player], random: Random
    ) -> tuple[list[Tape], Event]:
        """Plays a player through the incident. Returns the recordings and the event."""
        server = self.server(tools)
        try:
            server.start()
            for module in self.modules:
                server.control("load-module", module)
            if self.spare:
                server.load_sink(SPARE)
                server.control("set-default-sink", SINK)
            running = player(server.tools_of_players())
            try:
                wait_until(lambda: server.heard() > 0, "sound")
                time.sleep(random.uniform(2.5, 4.5))
                event = self.trouble(server, random)
                wait_for_sound(server, running, event.ended)
                time.sleep(AFTERWARDS)
                event.finished, event.is_gone = now(), running.child.process.poll() is not None
            finally:
                running.stop()
        finally:
            server.stop()
        return server.tapes, event


def wait_for_sound(server: Server, player: Player, moment: float) -> None:
    """Waits for sound after `moment` as long as a player may take."""
    # Sound that was on its way to the recorder then does not count.
    while server.heard() < moment + 0.1 and now() < moment + PATIENCE:
        if player.child.process.poll() is not None:
            return
        time.sleep(0.02)


TRIALS = [
    Trial("kill", "server killed, back in 0 to 5 s", Pulse, killed),
    Trial("tcp-kill", "server killed, back in 0 to 5 s", PulseOverTCP, killed),
    Trial("tcp-hang", "server hangs for 3 s", PulseOverTCP, hung),
    Trial("hang", "server hangs for 3 s", Pulse, hung),
    Trial("unplug", "sink gone for 2 s, another there", Pulse, moved, spare=True),
    Trial("orphan", "sink gone for 2 s, no other", Pulse, orphaned),
    Trial("suspend", "sink suspended for 2 s", Pulse, suspended),
    Trial("default", "another default sink", Pulse, rerouted, spare=True),
    Trial("cork", "call of 3 s, `module-role-cork`", Pulse, called, ("module-role-cork",)),
    Trial("duck", "call of 3 s, `module-role-ducking`", Pulse, called, ("module-role-ducking",)),
    Trial("pw-kill", "server killed, back in 0 to 5 s", PipeWire, killed),
    Trial("pw-hang", "server hangs for 3 s", PipeWire, hung),
    Trial("pw-default", "another default sink", PipeWire, rerouted, spare=True),
    Trial("pw-call", "call of 3 s", PipeWire, called),
]
