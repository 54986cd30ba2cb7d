"""Sessions of clients without a window or a terminal: mpDris2 on a session bus of its own, and mpdscribble with a
server of Audioscrobbler's protocol 1.2.1 that keeps what it is sent."""
import http.server, re, subprocess, threading, time, urllib.parse

from connection import Connection

PATIENCE = 10

# What playerctl is given, and a pattern of what it prints and of the server's status after that. A line that begins
# with "mpd:" is a command of another client of the server.
MPDRIS2 = [
    ("--list-all", r"mpd"),
    ("status", r"Stopped"),
    ("play", r"state: play"),
    ("metadata title", r"First"),
    ("metadata artist", r"Low"),
    ("metadata album", r"Papers One"),
    ("metadata mpris:length", r"6\d{7}"),
    ("metadata xesam:url", r"Papers(%20| )One/d\.mp3"),
    ("pause", r"state: pause"),
    ("status", r"Paused"),
    ("play-pause", r"state: play"),
    ("next", r"song: 1"),
    ("metadata title", r"second"),
    ("previous", r"song: 0"),
    ("position 20", r"elapsed: 2\d\."),
    ("position", r"2\d\."),
    ("position 10+", r"elapsed: 3\d\."),
    ("volume 0.5", r"volume: 50"),
    ("volume", r"0\.5"),
    ("loop Track", r"repeat: 1.*single: 1"),
    ("loop", r"Track"),
    ("loop Playlist", r"repeat: 1.*single: 0"),
    ("loop None", r"repeat: 0"),
    ("shuffle On", r"random: 1"),
    ("shuffle Off", r"random: 0"),
    ("mpd:pause 1", ""),
    ("status", r"Paused"),
    ("mpd:play 2", ""),
    ("metadata title", r"Third"),
    ("mpd:add Björk/Debut", ""),
    ("mpd:play 6", ""),
    ("metadata mpris:artUrl", r"file://"),
    ("stop", r"state: stop"),
    ("status", r"Stopped"),
]


def with_mpdris2(folder, path, environment, server):
    """The number of steps that failed."""
    control, failed = Connection(server.path), 0
    for line in ("stop", "clear", "add Low", "setvol 100"):
        control.ask(line)
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--print-address", "--nofork"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL, text=True)
    environment = dict(environment, DBUS_SESSION_BUS_ADDRESS=bus.stdout.readline().strip())
    # It would connect to an address that this names instead.
    environment.pop("MPD_HOST")
    client = subprocess.Popen(
        ["mpDris2", "--host", str(path), f"--music-dir={folder}/music"], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=(folder / "mpdris2.log").open("wb"))
    try:
        for command, pattern in MPDRIS2:
            deadline, ok, is_done = time.monotonic() + PATIENCE, False, False
            while not ok and time.monotonic() < deadline:
                if command.startswith("mpd:"):
                    text = control.ask(command[4:])[-1]
                    ok = text == "OK"
                    continue
                # A question is repeated until the client has heard of the change; a command is given once.
                if not is_done:
                    done = subprocess.run(
                        ["playerctl", "--player=mpd", *command.split(" ")], env=environment, capture_output=True,
                        text=True, stdin=subprocess.DEVNULL)
                    is_done = done.returncode == 0 and ": " in pattern
                text = "\n".join([done.stdout + done.stderr, *control.ask("status")])
                ok = done.returncode == 0 and bool(re.search(pattern, text, re.DOTALL))
                time.sleep(0.05)
            failed += not ok
            print(f"{'ok ' if ok else 'BAD'} mpDris2: {command}", flush=True)
            if not ok:
                print("    " + text.replace("\n", "\n    "))
    finally:
        for process in (client, bus):
            process.terminate()
            process.wait()
        control.close()
    print((folder / "mpdris2.log").read_text(), end="")
    return failed


class Scrobbler(http.server.ThreadingHTTPServer):
    """The songs that were announced, and those that were submitted: artist, title, album, seconds, number, rating."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Request)
        self.announced, self.submitted = [], []
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Request(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(f"OK\nsession\n{self.server.address}/now\n{self.server.address}/played\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        # mpdscribble writes an empty rating before another.
        fields = {name: values[-1] for name, values in urllib.parse.parse_qs(body, keep_blank_values=True).items()}
        if self.path == "/now":
            self.server.announced.append(tuple(fields.get(name, "") for name in "atbln"))
        else:
            for number in range(50):
                if f"a[{number}]" in fields:
                    self.server.submitted.append(tuple(fields.get(f"{name}[{number}]", "") for name in "atblnr"))
        self.answer("OK\n")

    def answer(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


# Commands of another client of the server, or seconds to wait: a song counts when half of it has been played.
MPDSCRIBBLE = [
    "stop", "clear", "setvol 100", "add Björk/Homogenic", "play 0", 2, "seekcur 20", "setvol 70", "pause 1", 2,
    "pause 0", 15, "seekcur 5", 15, "sendmessage mpdscribble love", 1, "next", 4, "next", 33, "stop", 1,
    "repeat 1", "single 1", "play 0", 16, "seekcur 40", 22, "stop", 1, "repeat 0", "single 0", "clear"]
HUNTER = ("Björk", "Hunter", "Homogenic", "60", "1")
JOGA = ("Björk", "Jóga", "Homogenic", "61", "2")
BACHELORETTE = ("Björk", "Bachelorette", "Homogenic", "62", "3")
ANNOUNCED = [HUNTER, JOGA, BACHELORETTE, HUNTER, HUNTER]
SUBMITTED = [HUNTER + ("L",), BACHELORETTE + ("",), HUNTER + ("",)]


def with_mpdscribble(folder, path, environment, server):
    """The number of lists that differ: the songs announced, and those submitted."""
    scrobbler, control = Scrobbler(), Connection(server.path)
    configuration = folder / "mpdscribble.conf"
    configuration.write_text(
        f"log = -\nverbose = 2\n[judge]\nurl = {scrobbler.address}/\nusername = judge\npassword = judge\n"
        f"journal = {folder}/mpdscribble.journal\n")
    client = subprocess.Popen(
        ["mpdscribble", "--no-daemon", "--conf", configuration, "--host", path], env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(folder / "mpdscribble.log").open("wb"))
    try:
        # It subscribes to its channel when it is connected.
        deadline = time.monotonic() + PATIENCE
        while "channel: mpdscribble" not in control.ask("channels") and time.monotonic() < deadline:
            time.sleep(0.1)
        for step in MPDSCRIBBLE:
            if isinstance(step, int):
                time.sleep(step)
            elif (reply := control.ask(step))[-1] != "OK":
                print(f"BAD mpdscribble: {step}: {reply}")
        deadline = time.monotonic() + PATIENCE
        while len(scrobbler.submitted) < len(SUBMITTED) and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        client.terminate()
        client.wait()
        control.close()
        scrobbler.shutdown()
    failed = 0
    for name, songs, due in (
            ("announced", scrobbler.announced, ANNOUNCED), ("submitted", scrobbler.submitted, SUBMITTED)):
        ok = songs == due
        failed += not ok
        print(f"{'ok ' if ok else 'BAD'} mpdscribble: {len(songs)} songs {name}", *([] if ok else songs), sep="\n    ")
    if failed:
        print((folder / "mpdscribble.log").read_text())
    return failed
