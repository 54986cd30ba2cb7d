#!/usr/bin/env python3
"""Wakes a suspended service by a message at a topic of ntfy, and measures what that takes.

    Tools/Bench/network/push.py [--build .build/release] [--ntfy PATH] [--idle SECONDS] [--half-open]

A podcast is subscribed, and the service is suspended. curl publishes a push that names the feed: the
service has to wake, read the feed, and have the new episode downloaded and added to the queue, and to be
suspended again without a single wake-up. --ntfy is the real server, else Tests/Support/Mocks/mock-ntfy serves.
For --idle seconds the wake-ups and the memory of both programs are counted while they only listen.

With --half-open, as root, the server is in a network namespace of its own, and the packets on the way to
it vanish: how long it takes to notice that, and whether the message that was published meanwhile comes.

The run is a transcript: each command is shown with its output. Exit status: 0 if everything held.
"""
import argparse
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
SONG = os.path.join(ROOT, "Resources/Demo/01 Slack Water.mp3")
KEEPALIVE = 45


class Feed(http.server.ThreadingHTTPServer):
    """Serves a podcast, whose episodes are all the same file."""

    daemon_threads = True

    def __init__(self, host):
        super().__init__((host, 0), FeedHandler)
        self.episodes = [1]
        with open(SONG, "rb") as file:
            self.song = file.read()
        self.url = f"http://{host}:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class FeedHandler(http.server.BaseHTTPRequestHandler):
    """Answers with the feed or the song."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        server = self.server
        if self.path == "/feed":
            items = "".join(
                f"<item><guid>{n}</guid><title>Episode {n}</title>"
                f'<enclosure url="{server.url}/{n}.mp3" type="audio/mpeg" length="1"/></item>'
                for n in reversed(server.episodes))
            body = f'<rss version="2.0"><channel><title>The Podcast</title>{items}</channel></rss>'.encode()
        else:
            body = server.song
        self.send_response(200)
        self.send_header("Content-Type", "application/rss+xml" if self.path == "/feed" else "audio/mpeg")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Stage:
    """The folders of a user, the servers, and the service."""

    def __init__(self, options):
        self.folder = tempfile.mkdtemp(prefix="undersong-push-")
        self.build = os.path.realpath(options.build)
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.folder, HOME=self.folder,
            XDG_STATE_HOME=self.folder + "/state", XDG_CACHE_HOME=self.folder + "/cache",
            XDG_CONFIG_HOME=self.folder + "/config", DBUS_SESSION_BUS_ADDRESS="",
            DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere", NO_COLOR="1",
            PATH=self.build + ":" + os.environ["PATH"])
        self.started = []
        self.failures = []
        self.wire = None
        host = "127.0.0.1"
        if options.half_open:
            self.wire = Wire()
            host = self.wire.far
        self.topic = f"http://{host}:8290/undersong"
        self.start_ntfy(options.ntfy, host)
        self.feed = Feed("127.0.0.1")

    def start_ntfy(self, path, host):
        if path:
            command = [path, "serve", "--listen-http", f"{host}:8290", "--cache-file", self.folder + "/ntfy.db",
                       "--keepalive-interval", f"{KEEPALIVE}s"]
        else:
            command = [os.path.join(ROOT, "Tests/Support/Mocks/mock-ntfy"), "--host", host, "--port", "8290",
                       "--keepalive-interval", str(KEEPALIVE)]
        if self.wire:
            command = self.wire.there(command)
        self.started.append(subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.wait("ntfy answers", lambda: subprocess.run(
            ["curl", "-sf", self.topic + "/json?poll=1"], stdout=subprocess.DEVNULL, check=False).returncode == 0)

    def start_service(self):
        self.service = subprocess.Popen(
            [self.build + "/undersongd", "serve", "--no-mpris"], env=self.environment, cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.started.append(self.service)
        # A command that finds no socket would start another service.
        self.wait("the service listens", lambda: os.path.exists(self.folder + "/undersong/default.sock"))
        self.wait("the service answers", lambda: self.run("undersong", "status").returncode == 0)
        if self.service.poll() is not None:
            raise SystemExit("push.py: the service that is to be measured has ended")

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)

    def show(self, *words):
        """Runs a command, and shows it with its output, as in a terminal."""
        print("$", " ".join(f"'{w}'" if re.search(r"[ {}]", w) else w for w in words), flush=True)
        result = self.run(*words)
        print(result.stdout + result.stderr, end="", flush=True)
        return result

    def status(self):
        return json.loads(self.run("undersong", "status", "--json").stdout)

    def is_queued(self, episode):
        return f"Episode {episode}.mp3" in self.run("undersong", "queue", "list", "--json").stdout

    def pushes(self):
        return json.loads(self.run("undersong", "push", "status", "--json").stdout)["counts"]

    def wait(self, what, condition, seconds=60):
        """Waits for a condition, and returns how long that took."""
        start = time.monotonic()
        while not condition():
            if time.monotonic() - start > seconds:
                raise SystemExit(f"push.py: waited in vain: {what}")
            time.sleep(0.02)
        return time.monotonic() - start

    def expect(self, holds, text):
        print(("  held: " if holds else "  FAILED: ") + text, flush=True)
        if not holds:
            self.failures.append(text)

    @property
    def transferd(self):
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    is_ours = b"HOME=" + self.folder.encode() in file.read().split(b"\0")
                with open(f"/proc/{name}/comm", encoding="ascii") as file:
                    if is_ours and file.read().startswith("undersong-trans"):
                        return int(name)
            except OSError:
                continue
        return None

    def close(self):
        for number in [self.transferd]:
            if number:
                os.kill(number, signal.SIGTERM)
        for process in reversed(self.started):
            process.kill()
            process.wait()
        if self.wire:
            self.wire.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Wire:
    """A cable to a network namespace, which can lose packets without anybody noticing."""

    near, far = "10.77.0.1", "10.77.0.2"

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "100000"])
        time.sleep(0.3)
        self.ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(self.holder.pid))
        self.ip("addr", "add", self.near + "/24", "dev", "near")
        self.ip("link", "set", "near", "up")
        for words in (["addr", "add", self.far + "/24", "dev", "far"], ["link", "set", "far", "up"],
                      ["link", "set", "lo", "up"]):
            subprocess.run(self.there(["ip"] + words), check=True)

    def ip(self, *words):
        subprocess.run(["ip", *words], check=True)

    def there(self, command):
        return ["nsenter", "-t", str(self.holder.pid), "-n"] + command

    def cut(self):
        """From now on packets go to a station that does not exist, in both directions."""
        nobody = ["lladdr", "02:00:00:00:00:01", "nud", "permanent", "dev"]
        self.ip("neigh", "replace", self.far, *nobody, "near")
        subprocess.run(self.there(["ip", "neigh", "replace", self.near, *nobody, "far"]), check=True)

    def mend(self):
        self.ip("neigh", "del", self.far, "dev", "near")
        subprocess.run(self.there(["ip", "neigh", "del", self.near, "dev", "far"]), check=True)

    def close(self):
        self.holder.kill()
        self.holder.wait()


def switches(process):
    """How often each thread of a process was woken, by its number and name."""
    counts = {}
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{thread}/status", encoding="ascii") as file:
                text = file.read()
        except (FileNotFoundError, ProcessLookupError):
            # It has just ended.
            continue
        name = re.search(r"^Name:\s+(.*)", text, re.M)[1]
        counts[f"{thread} {name}"] = sum(
            int(n) for n in re.findall(r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)", text, re.M))
    return counts


def settle(process):
    """Waits until no thread has come or gone for some seconds: those that are not needed end by themselves."""
    threads, since = None, time.monotonic()
    while time.monotonic() - since < 8:
        if switches(process).keys() != threads:
            threads, since = switches(process).keys(), time.monotonic()
        time.sleep(0.5)


def wakeups(process, seconds):
    """How often a process is woken in so many seconds. A thread that comes or goes counts as one."""
    before = switches(process)
    time.sleep(seconds)
    after = switches(process)
    both = before.keys() & after.keys()
    changes = {name: after[name] - before[name] if name in both else 1 for name in before.keys() | after.keys()}
    changes = {name: count for name, count in changes.items() if count}
    if changes:
        print("  woken:", ", ".join(f"{name} {count}" for name, count in sorted(changes.items())))
    return sum(changes.values())


def memory(process):
    """The proportional set size in MB."""
    with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
        return int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M)[1]) / 1024


def set_up(stage):
    stage.start_service()
    stage.show("undersong", "capability", "remote-notification", "on")
    stage.show("undersong", "feed", "add", stage.feed.url + "/feed", "--queue", "end")
    stage.show("undersong", "push", "provider", "ntfy", stage.topic)
    stage.wait("the first episode is in the queue",
               lambda: stage.is_queued(1))
    stage.wait("the service is suspended", lambda: stage.status()["suspended"])
    settle(stage.service.pid)


def end_to_end(stage):
    """A message wakes the service, which gets the new episode and is suspended again."""
    before = wakeups(stage.service.pid, 10)
    stage.expect(before == 0, f"suspended: {before} wake-ups of undersongd in 10 s")
    stage.feed.episodes.append(2)
    start = time.monotonic()
    stage.show("curl", "-s", "-d", json.dumps(
        {"aps": {"content-available": 1}, "feed": stage.feed.url + "/feed"}), stage.topic)
    stage.wait("the push is handled", lambda: stage.pushes()["handled"] == 1)
    print(f"  handled {time.monotonic() - start:.2f} s after curl was started")
    stage.wait("the new episode is in the queue",
               lambda: stage.is_queued(2))
    print(f"  in the queue after {time.monotonic() - start:.2f} s")
    stage.show("undersong", "feed", "episodes", "1")
    stage.show("undersong", "queue", "list")
    with open(stage.folder + "/Podcasts/The Podcast/Episode 2.mp3", "rb") as file:
        stage.expect(file.read() == stage.feed.song, "the episode is whole")
    stage.wait("the service is suspended again", lambda: stage.status()["suspended"])
    stage.show("undersong", "push", "status")
    settle(stage.service.pid)
    after = wakeups(stage.service.pid, 10)
    stage.expect(after == 0, f"suspended again: {after} wake-ups of undersongd in 10 s")


def idle(stage, seconds):
    """Both programs only listen (PU15)."""
    helper = stage.transferd
    settle(helper)
    before = sum(switches(helper).values())
    own = wakeups(stage.service.pid, seconds)
    rate = (sum(switches(helper).values()) - before) / (seconds / 60)
    stage.expect(own == 0, f"listening: {own} wake-ups of undersongd in {seconds} s")
    stage.expect(rate <= 2, f"{rate:.1f} wake-ups of undersong-transferd a minute, 2 allowed")
    stage.expect(memory(helper) <= 12, f"undersong-transferd has {memory(helper):.1f} MB (PSS), 12 allowed")
    print(f"  undersongd has {memory(stage.service.pid):.1f} MB (PSS)")


def half_open(stage):
    """Packets vanish, so that no end of the connection ends (PU11)."""
    count = stage.pushes()["received"]
    stage.wire.cut()
    start = time.monotonic()
    subprocess.run(stage.wire.there(["curl", "-s", "-d", '{"aps":{"content-available":1}}', stage.topic]),
                   check=True, stdout=subprocess.DEVNULL)
    helper = stage.transferd
    ports = connections(helper)
    print(f"  packets vanish; {len(ports)} connection", flush=True)
    stage.wait("the dead connection is left", lambda: not ports & connections(helper), 200)
    noticed = time.monotonic() - start
    stage.expect(noticed <= 116, f"noticed {noticed:.1f} s after packets vanished, 115 s after the last byte at most")
    stage.wire.mend()
    seconds = stage.wait("the message comes", lambda: stage.pushes()["received"] == count + 1, 120)
    stage.expect(True, f"the message that was published meanwhile has come {seconds:.1f} s after they arrived again")


def connections(process):
    """The sockets of a process's connections to ntfy."""
    own = set()
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            own.add(os.readlink(f"/proc/{process}/fd/{name}"))
        except OSError:
            pass
    with open(f"/proc/{process}/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    # The port, and the state ESTABLISHED.
    return {row[9] for row in rows if row[2].endswith(f"{8290:04X}") and row[3] == "01" and f"socket:[{row[9]}]" in own}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, ".build/release"))
    parser.add_argument("--ntfy")
    parser.add_argument("--idle", type=int, default=0)
    parser.add_argument("--half-open", action="store_true")
    options = parser.parse_args()
    if options.half_open and os.environ.get("UNDERSONG_NAMESPACE") is None:
        os.execvpe("unshare", ["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "-", sys.executable]
                   + sys.argv, dict(os.environ, UNDERSONG_NAMESPACE="1"))
    stage = Stage(options)
    try:
        set_up(stage)
        end_to_end(stage)
        if options.idle:
            idle(stage, options.idle)
        if options.half_open:
            half_open(stage)
    finally:
        stage.close()
    print("everything held" if not stage.failures else f"{len(stage.failures)} failed")
    sys.exit(bool(stage.failures))


if __name__ == "__main__":
    main()
