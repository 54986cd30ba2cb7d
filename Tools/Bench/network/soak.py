#!/usr/bin/env python3
"""Plays from a server that stalls, drips, cuts and goes away at random, and compares what is heard.

    Tools/Bench/network/soak.py [--minutes 60] [--seed 1] [--peers SECONDS] [--build .build/release]

The sound is recorded from a PulseAudio of its own. Without its silence it has to be the decode of the
file, sample by sample. --peers also measures the processor time and the memory of Undersong, mpv and
mpd, which play the same file from healthy servers at the same time for so many seconds.
"""
import argparse
import http.server
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy

RATE = 44100
BYTES_PER_SECOND = 16000


class Server(http.server.ThreadingHTTPServer):
    """Serves one file, with ranges. `dice` decides what goes wrong; None for nothing."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, data, dice=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.data, self.dice, self.down_until = data, dice, 0.0
        self.counts = {"request": 0, "stall": 0, "drip": 0, "cut": 0, "down": 0}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/noise.mp3"

    def handle_error(self, request, client_address):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        server, data = self.server, self.server.data
        if time.monotonic() < server.down_until:
            self.close_connection = True
            return
        server.counts["request"] += 1
        match = re.match(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(match.group(1)) if match else 0
        self.send_response(206 if match else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Type", "audio/mpeg")
        self.send_header("Accept-Ranges", "bytes")
        if match:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        if server.dice is None:
            self.wfile.write(data[start:])
            return
        while start < len(data):
            start = self.misbehave(start)

    def misbehave(self, start):
        """Sends some bytes as the dice say; returns where it continues, or the end."""
        server, dice = self.server, self.server.dice
        kind = dice.choices(["fair", "drip", "stall", "cut", "down"], [50, 15, 15, 12, 8])[0]
        seconds = dice.uniform(2, 15)
        if kind != "fair":
            server.counts[kind] += 1
        if kind == "stall":
            time.sleep(seconds)
            return start
        if kind in ("cut", "down"):
            if kind == "down":
                server.down_until = time.monotonic() + seconds / 2
            self.close_connection = True
            return len(self.server.data)
        rate = BYTES_PER_SECOND * (2.2 if kind == "fair" else 0.3)
        end = time.monotonic() + seconds
        while time.monotonic() < end and start < len(server.data):
            piece = server.data[start:start + int(rate / 10)]
            self.wfile.write(piece)
            start += len(piece)
            time.sleep(len(piece) / rate)
        return start


class Bench:
    """A sound server, and the folders of a user."""

    def __init__(self, build):
        self.folder = tempfile.mkdtemp(prefix="undersong-soak-")
        self.build = os.path.realpath(build)
        socket = self.folder + "/native"
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.folder, HOME=self.folder,
            XDG_STATE_HOME=self.folder + "/state", XDG_CACHE_HOME=self.folder + "/cache",
            XDG_CONFIG_HOME=self.folder + "/config", PULSE_SERVER="unix:" + socket,
            DBUS_SESSION_BUS_ADDRESS="")
        self.pulse = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
             "-L", f"module-null-sink sink_name=test rate={RATE} format=s16le channels=2 norewinds=1",
             "-L", f"module-native-protocol-unix socket={socket} auth-anonymous=1"],
            env=self.environment, stderr=subprocess.DEVNULL)
        while not os.path.exists(socket):
            time.sleep(0.05)

    def record(self):
        path = self.folder + "/recording.raw"
        file = open(path, "wb")
        recorder = subprocess.Popen(
            ["parec", "--raw", "-d", "test.monitor", "--format=s16le", f"--rate={RATE}",
             "--channels=2", "--latency-msec=50"], env=self.environment, stdout=file)
        while os.path.getsize(path) == 0:
            time.sleep(0.05)
        return recorder, path

    def program(self, name):
        return os.path.join(self.build, name)

    def close(self):
        subprocess.run([self.program("undersong"), "shutdown"], env=self.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pulse.send_signal(signal.SIGTERM)
        self.pulse.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def noise(folder, seconds):
    """An MP3 of noise, and its decode."""
    path = folder + "/noise.mp3"
    generator = numpy.random.default_rng(1)
    samples = generator.integers(-8000, 8000, size=(int(RATE * seconds), 2), dtype=numpy.int16)
    subprocess.run(
        ["lame", "--quiet", "-r", "-s", "44.1", "--bitwidth", "16", "--signed", "--little-endian",
         "-m", "j", "-b", "128", "-", path], input=samples.tobytes(), check=True,
        stderr=subprocess.DEVNULL)
    decoded = subprocess.run(["mpg123", "-q", "-s", "--stereo", path], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return path, numpy.frombuffer(decoded, dtype=numpy.uint32)


def processes(words, folder):
    """The ids of the processes with these words in their command lines, and `folder` as their home."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
            with open(f"/proc/{name}/environ", "rb") as file:
                isOurs = b"HOME=" + folder.encode() in file.read().split(b"\0")
        except OSError:
            continue
        if isOurs and all(word in line for word in words):
            found.append(int(name))
    return found


def cost(ids):
    """Seconds of processor time and kilobytes (PSS) of processes."""
    seconds, kilobytes = 0.0, 0
    for number in ids:
        try:
            with open(f"/proc/{number}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{number}/smaps_rollup") as file:
                kilobytes += int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M).group(1))
        except OSError:
            pass
    return seconds, kilobytes


def watch(play, folder, programs):
    """The cost of programs until `play` ends: their last processor time and most memory. Returns at
    once, and fills in what it returns."""
    costs = {program: (0.0, 0) for program in programs}

    def look():
        while play.poll() is None:
            for program in programs:
                seconds, kilobytes = cost(processes([program], folder))
                costs[program] = tuple(map(max, costs[program], (seconds, kilobytes)))
            time.sleep(2)

    threading.Thread(target=look, daemon=True).start()
    return costs


def soak(arguments):
    bench = Bench(arguments.build)
    try:
        path, decoded = noise(bench.folder, arguments.minutes * 60)
        server = Server(open(path, "rb").read(), random.Random(arguments.seed))
        recorder, recording = bench.record()
        start = time.monotonic()
        play = subprocess.Popen(
            [bench.program("undersong"), "play", "--json", "--no-time", server.url],
            env=bench.environment, stdout=subprocess.PIPE, text=True)
        costs = watch(play, bench.folder, [bench.program("undersongd"), bench.program("undersong-transferd")])
        events = play.communicate()[0]
        wall = time.monotonic() - start
        time.sleep(0.5)
        recorder.send_signal(signal.SIGINT)
        recorder.wait()
        heard = numpy.fromfile(recording, dtype=numpy.uint32)
        heard, wanted = heard[heard != 0], decoded[decoded != 0]
        lines = [json.loads(line) for line in events.splitlines()]
        stalls = sum(line["event"] == "state" and line.get("reason") == "toMinimizeStalls"
                     for line in lines)
        errors = [line["message"] for line in lines if line["event"] == "error"]
        isSame = len(heard) == len(wanted) and bool((heard == wanted).all())
        print(f"{arguments.minutes:g} minutes of sound in {wall / 60:.1f} minutes, seed {arguments.seed}")
        print("the server:", ", ".join(f"{name} {count}" for name, count in server.counts.items()))
        print(f"the player waited {stalls} times; errors: {errors or 'none'}")
        print(f"frames heard {len(heard)}, of the decode {len(wanted)}: "
              + ("equal" if isSame else "DIFFERENT"))
        if not isSame:
            length = min(len(heard), len(wanted))
            places = numpy.flatnonzero(heard[:length] != wanted[:length])
            print(f"first difference at frame {places[0] if len(places) else length}")
        for program, (seconds, kilobytes) in costs.items():
            print(f"{os.path.basename(program)}: {seconds:.1f} s of processor time, "
                  f"{kilobytes / 1024:.1f} MB at most")
        return isSame and not errors
    finally:
        bench.close()


class Peer:
    """A player with a sound server and a healthy server of its own, and what it costs."""

    def __init__(self, player, seconds, build):
        self.player, self.bench = player, Bench(build)
        path, _ = noise(self.bench.folder, seconds + 60)
        with open(path, "rb") as file:
            server = Server(file.read())
        words = start_player(player, self.bench, server.url)
        time.sleep(5)
        self.ids = [number for group in words for number in processes(group, self.bench.folder)]
        self.before, _ = cost(self.ids)
        self.peaks = {"Rss": 0, "Pss": 0}

    def look(self):
        for kind, most in self.peaks.items():
            kilobytes = sum(memory(number, kind) for number in self.ids)
            self.peaks[kind] = max(most, kilobytes)

    def close(self, seconds):
        after, _ = cost(self.ids)
        each = ", ".join(f"{name(number)} {memory(number, 'Rss') / 1024:.1f}" for number in self.ids)
        print(f"{self.player}: {(after - self.before) / seconds * 100:.2f} % of a processor, at most "
              f"{self.peaks['Rss'] / 1024:.1f} MB RSS, {self.peaks['Pss'] / 1024:.1f} MB PSS in "
              f"{len(self.ids)} processes (in the end, RSS: {each})", flush=True)
        for number in self.ids:
            os.kill(number, signal.SIGTERM)
        self.bench.close()


def memory(number, kind):
    """Kilobytes of a process: Rss or Pss. 0 when it has ended."""
    try:
        with open(f"/proc/{number}/smaps_rollup") as file:
            return int(re.search(rf"^{kind}:\s+(\d+)", file.read(), re.M).group(1))
    except OSError:
        return 0


def name(number):
    """The name of a process's program."""
    with open(f"/proc/{number}/cmdline", "rb") as file:
        return os.path.basename(file.read().split(b"\0")[0].decode())


def peers(arguments):
    """All players at the same time."""
    players = [player for player in ["Undersong", "mpv", "mpd"]
               if player == "Undersong" or shutil.which(player)]
    running = [Peer(player, arguments.peers, arguments.build) for player in players]
    begin = time.monotonic()
    while time.monotonic() < begin + arguments.peers:
        for peer in running:
            peer.look()
        time.sleep(1)
    for peer in running:
        peer.close(time.monotonic() - begin)


def start_player(player, bench, url):
    """Starts a player, and returns what its processes have in their command lines."""
    silence = dict(env=bench.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if player == "Undersong":
        # No client stays, so it plays in the background.
        for words in (["capability", "audio", "on"], ["queue", "add", url], ["resume"]):
            subprocess.run([bench.program("undersong"), *words], check=True, **silence)
        return [[bench.program("undersongd")], [bench.program("undersong-transferd")]]
    if player == "mpv":
        subprocess.Popen(["mpv", "--no-config", "--no-video", "--ao=pulse", "--no-terminal", url],
                         **silence)
        return [["mpv", url]]
    configuration = bench.folder + "/mpd.conf"
    with open(configuration, "w") as file:
        file.write(f'bind_to_address "{bench.folder}/mpd"\npid_file "{bench.folder}/mpd.pid"\n'
                   'audio_output {\ntype "pulse"\nname "test"\nserver "'
                   + bench.environment["PULSE_SERVER"] + '"\n}\n')
    subprocess.Popen(["mpd", "--no-daemon", configuration], **silence)
    while not os.path.exists(bench.folder + "/mpd"):
        time.sleep(0.05)
    import socket
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(bench.folder + "/mpd")
        connection.recv(100)
        connection.sendall(f'add "{url}"\nplay\n'.encode())
        connection.recv(100)
    return [["mpd", configuration]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", type=float, default=0)
    parser.add_argument("--build", default=".build/release")
    arguments = parser.parse_args()
    isRight = soak(arguments) if arguments.minutes > 0 else True
    if arguments.peers > 0:
        peers(arguments)
    sys.exit(0 if isRight else 1)


if __name__ == "__main__":
    main()
