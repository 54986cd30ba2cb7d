#!/usr/bin/env python3
"""The everyday tasks of a listener, done with undersong, mpc, cmus and mpv in recorded terminals.

usage: Tools/Bench/tasks.py [PROGRAMS] [--out FOLDER] [--only NUMBER...] [--write]

PROGRAMS is the folder of undersong's programs; .build/release by default. Each task is done by each player
that can do it, in a terminal of its own, which is recorded to FOLDER/NUMBER-PLAYER.cast (asciinema plays
it), and its result is checked by asking the player. A step is a command line, a key, or words that are typed
with Enter. --write puts the table into Documentation/tasks.md. Needs Debian's mpd, mpc, cmus, mpv, lame,
flac, sox, dbus and pulseaudio, and playerctl. Exit status: 1 if a check fails.
"""
import argparse, fcntl, http.server, json, os, pty, re, select, shutil, signal, socket, struct, subprocess
import sys, tempfile, termios, threading, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS, ROWS = 110, 30
PLAYERS = ["undersong", "mpc", "cmus", "mpv"]
ARTISTS = ["Björk", "Low", "Nina", "Radio", "Sigur", "Tom"]
WORDS = ["Winter", "Paper", "River", "Golden", "Mountain", "Static"]
PORT = 18650
RADIO = f"http://127.0.0.1:{PORT}/radio.mp3"
ALBUM = "Low/Papers Two"
FIRST, SECOND, OTHER = "Low/Papers One", "Low/Papers Two", "Tom/Statics One"

# For each task its name, and for each player the steps and a check: a command, and a pattern in what it
# prints, "screen" for what the terminal shows, or the name of a property of mpv; a number of steps alone
# is not recorded. A step that begins with
# "$ " is a command line, another one is typed into the full screen of the player; "⏎" is Enter.
STATUS = "undersong status; undersong queue"
MPC = "mpc status; mpc playlist"
CMUS = "cmus-remote -Q"
PLAY = "undersong play --detach"
TASKS = [
    ("play an album that is a folder", {
        "undersong": ([f"$ {PLAY} '{SECOND}'"], STATUS, r"▶ 1/6(.|\n)*Low - "),
        "mpc": (["$ mpc clear", f"$ mpc add '{SECOND}'", "$ mpc play"], MPC, r"playing\] #1/6"),
        "cmus": (["/papers two⏎", "⏎"], CMUS, r"status playing(.|\n)*tag album Papers Two"),
        "mpv": ([f"$ mpv '{SECOND}'"], "path", "Papers Two")}),
    ("play an album by its name", {
        "undersong": ([f"$ {PLAY} --library 'album:papers two'"], STATUS, r"▶ 1/6(.|\n)*Low - "),
        "mpc": (["$ mpc clear", "$ mpc findadd album 'Papers Two'", "$ mpc play"], MPC, r"playing\] #1/6"),
        "cmus": (["/papers two⏎", "⏎"], CMUS, r"status playing(.|\n)*tag album Papers Two")}),
    ("add another album next", {
        "undersong": ([f"$ undersong queue insert '{OTHER}'"], STATUS, r"12 items|1/12"),
        "mpc": ([f"$ mpc insert '{OTHER}'"], MPC, r"#1/12"),
        "cmus": (["/statics one⏎", "E"], "cmus-remote -C 'save -q -'", r"Tom")}),
    ("see the queue", {
        "undersong": (["$ undersong queue"], "screen", r"6  0:3\d  Low - "),
        "mpc": (["$ mpc playlist"], "screen", r"Low - (.|\n)*Low - "),
        "cmus": (["4"], "screen", r"Play Queue"),
        "mpv": (["<F8>"], "screen", r"Playlist|\.mp3")}),
    ("jump to the fifth item", {
        "undersong": (["$ undersong queue jump 5"], STATUS, r"5/6"),
        "mpc": (["$ mpc play 5"], MPC, r"#5/6"),
        "mpv": ([">", ">", ">", ">"], "playlist-pos-1", "5")}),
    ("find a song in the queue, and play it", {
        "undersong": (["$ undersong queue search --play golden"], STATUS, r"▶ 4/6"),
        "mpc": (["$ mpc searchplay title golden"], MPC, r"playing\] #4/6"),
        "cmus": (["/golden⏎", "⏎"], CMUS, r"tag title Golden")}),
    ("find songs that are not in the queue", {
        "undersong": (["$ undersong library tracks bjork golden"], "screen", r"Björk - Golden"),
        "mpc": (["$ mpc search artist Björk title golden"], "screen", r"Björk/"),
        "cmus": (["/björk golden⏎"], "screen", r"Golden")}),
    ("see an artist's albums", {
        "undersong": (["$ undersong library albums artist:bjork"], "screen", r"Winters Two"),
        "mpc": (["$ mpc list album artist Björk"], "screen", r"Winters Two"),
        "cmus": (["/björk⏎", "<space>"], "screen", r"Winters Two")}),
    ("play an album in random order", {
        "undersong": ([f"$ {PLAY} --shuffle '{SECOND}'"], STATUS, r"(?s)/6.*shuffle on"),
        "mpc": (["$ mpc clear", f"$ mpc add '{SECOND}'", "$ mpc shuffle", "$ mpc play"], MPC,
                r"playing\] #1/6"),
        "mpv": ([f"$ mpv --shuffle '{SECOND}'"], "playlist-count", "6")}),
    ("make it quieter", {
        "undersong": (["$ undersong volume -5"], "undersong volume", r"95"),
        "mpc": (["$ mpc volume -5"], "mpc volume", r"9\d|n/a"),
        "cmus": 1,
        "mpv": (["9"], "volume", r"9[0-8]")}),
    ("pause by a key of the desktop (MPRIS)", {
        "undersong": (["$ playerctl -p undersong play-pause"], STATUS, r"⏸ 1/6"),
        "cmus": (["$ playerctl -p cmus play-pause"], CMUS, r"status paused")}),
    ("close the terminal, and come back", {
        "undersong": (["<close>", "$ undersong status"], STATUS, r"▶ 1/6"),
        "mpc": (["<close>", "$ mpc"], MPC, r"playing\]")}),
    ("continue after the player was killed", {
        "undersong": (["<kill>", "$ undersong resume"], STATUS, r"▶ 1/6"),
        "mpc": (["<kill>", "$ mpc play"], MPC, r"playing\]")}),
    ("stop in half an hour", {
        "undersong": (["$ undersong sleep 30m"], "undersong sleep", r"29:|30:00"),
        "mpc": (["$ (sleep 30m; mpc pause) &"], "pgrep -f 'sleep 30m'", r"\d"),
        "cmus": (["$ (sleep 30m; cmus-remote -u) &"], "pgrep -f 'sleep 30m'", r"\d"),
        "mpv": ([f"$ timeout 30m mpv '{FIRST}'"], "path", "Papers One")}),
    ("run a command for each song, as scrobblers need it", {
        "undersong": ([f"$ undersong play --on-item 'touch $HOME/heard' '{FIRST}'"],
                      "ls $HOME/heard", "heard"),
        "mpc": (["$ mpc idleloop player | while read; do touch $HOME/heard; done &", "@mpc next"],
                "ls $HOME/heard", "heard"),
        "cmus": ([":set status_display_program=/bin/true⏎"], "cmus-remote -C 'set status_display_program?'",
                 "true")}),
    ("rate a song, and play all that are rated", {
        "undersong": (["$ undersong rating 5", f"$ {PLAY} --library rating:5"], STATUS, r"▶ 1/1"),
        "mpc": (["$ mpc sticker \"$(mpc -f %file% current)\" set rating 5", "$ mpc clear",
                 "$ mpc sticker '' find rating | sed 's/: rating=.*//' | mpc add", "$ mpc play"], MPC,
                r"playing\] #1/1")}),
    ("see what was added last", {
        "undersong": (["$ undersong library new"], "screen", r"album"),
        "mpc": (["$ mpc search '(modified-since \"2020-01-01T00:00:00Z\")'"], "screen", r"Björk/")}),
    ("play a recording at 1.5×, and go to its next chapter", {
        "undersong": 2,
        "mpv": (["$ mpv --speed=1.5 talk.flac", "<PgUp>"], "chapter", "1")}),
    ("play an M4A", {"mpc": 1, "cmus": 1, "mpv": 1}),
    ("play an internet radio", {
        "undersong": ([f"$ {PLAY} {RADIO}"], STATUS, r"▶ 1/1"),
        "mpc": (["$ mpc clear", f"$ mpc add {RADIO}", "$ mpc play"], MPC, r"playing\] #1/1"),
        "cmus": ([f":add -q {RADIO}⏎", "b"], CMUS, r"file http"),
        "mpv": ([f"$ mpv {RADIO}"], "path", "radio")}),
    ("read the words", {
        "undersong": ([f"@{PLAY} talk.flac", "$ undersong lyrics"], "screen", r"Words of it")}),
    ("raise the bass", {
        "mpv": ([f"$ mpv --af=bass=g=5 '{FIRST}'"], "path", "Papers One")}),
    ("play at an even loudness (ReplayGain)", {
        "undersong": (["$ undersong replay-gain album"], "undersong replay-gain", "album"),
        "mpc": (["$ mpc replaygain album"], "mpc replaygain", "album"),
        "cmus": ([":set replaygain=album⏎"], "cmus-remote -Q", "replaygain album"),
        "mpv": ([f"$ mpv --replaygain=album '{FIRST}'"], "options/replaygain", "album")}),
    ("crossfade", {
        "undersong": (["$ undersong crossfade 3"], "undersong crossfade", "3"),
        "mpc": (["$ mpc crossfade 3"], "mpc crossfade", "3")}),
    ("see the cover", {"undersong": 1, "mpv": 1}),
    ("a note on the desktop for each song", {"undersong": 1}),
    ("the song in Waybar", {
        "undersong": (["$ undersong status --waybar"], "screen", r'"class":"playing"'), "mpc": 1}),
    ("silence when the headphones are unplugged", {"undersong": 0}),
    ("play on two outputs at once", {
        "undersong": (["$ pactl load-module module-combine-sink",
                       "$ undersong output set combined"], "undersong output", "ombined"),
        "mpc": (["$ mpc enable 2"], "mpc outputs", r"Output 2 .* enabled")}),
    ("control it from a phone", {"undersong": 1, "mpc": 2}),
    ("hear the same in several rooms", {"undersong": 1, "mpc": 1}),
]
KEYS = {"<F8>": "\x1b[19~", "<PgUp>": "\x1b[5~", "<space>": " "}


class Terminal:
    """A shell or a program in a terminal, which is recorded."""

    def __init__(self, path, command, env, folder):
        self.text, self.start = "", time.monotonic()
        self.cast = open(path, "w")
        header = {"version": 2, "width": COLUMNS, "height": ROWS, "env": {"TERM": "xterm-256color"}}
        self.cast.write(json.dumps(header) + "\n")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and select.select([self.fd], [], [], left)[0]:
            try:
                data = os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                return
            event = [round(time.monotonic() - self.start, 3), "o", data]
            self.cast.write(json.dumps(event) + "\n")
            self.text += data

    def wait(self, pattern, seconds=10):
        until = time.monotonic() + seconds
        while not re.search(pattern, self.text) and time.monotonic() < until:
            self.read(0.1)

    def type(self, text):
        os.write(self.fd, text.encode())
        self.read(0.5)

    def close(self):
        self.cast.close()
        os.close(self.fd)
        for number in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                break
            for _ in range(20):
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    return
                time.sleep(0.05)


class Radio(http.server.BaseHTTPRequestHandler):
    """A station without an end."""
    song = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "audio/mpeg")
        self.send_header("icy-name", "Radio")
        self.end_headers()
        try:
            while True:
                self.wfile.write(self.song)
                time.sleep(1)
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Desk:
    """A home with music, its players, a sound server and a bus."""

    def __init__(self, programs, folder):
        self.home, self.processes = folder, []
        for name in ("run", "pulse", "music", ".config/cmus", ".config/mpv", "mpd"):
            (folder / name).mkdir(parents=True)
        (folder / "run").chmod(0o700)
        self.env = {
            **os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder / "run"),
            "XDG_CONFIG_HOME": str(folder / ".config"), "XDG_STATE_HOME": str(folder / "state"),
            "XDG_DATA_HOME": str(folder / "data"), "XDG_CACHE_HOME": str(folder / "cache"),
            "PATH": f"{programs}:{os.environ['PATH']}", "PS1": "> ", "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PULSE_SERVER": f"unix:{folder}/pulse/native",
            "MPD_HOST": str(folder / "mpd/socket"),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus"}
        self.music = folder / "music"
        self.make_music()
        self.start(["dbus-daemon", "--session", "--nofork", f"--address=unix:path={folder}/bus"])
        self.start(["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--load=module-null-sink",
                    f"--load=module-native-protocol-unix auth-anonymous=1 socket={folder}/pulse/native"])
        self.until("pactl info", "Server Name")
        outputs = "".join(
            f'audio_output {{\n type "null"\n name "{name}"\n mixer_type "software"\n'
            f' enabled "{yes}"\n}}\n' for name, yes in (("one", "yes"), ("two", "no")))
        (folder / "mpd/mpd.conf").write_text(
            f'music_directory "{self.music}"\ndb_file "{folder}/mpd/db"\nstate_file "{folder}/mpd/state"\n'
            f'sticker_file "{folder}/mpd/stickers"\nbind_to_address "{folder}/mpd/socket"\n'
            f'state_file_interval "1"\n{outputs}')
        self.start_mpd()
        self.sh("mpc -w update")
        self.sh("undersong capability audio on")
        self.sh(f"undersong library add --wait '{self.music}'")
        (folder / ".config/cmus/rc").write_text(f"add {self.music}\nset output_plugin=pulse\nset softvol=true\n")
        (folder / ".config/mpv/mpv.conf").write_text(
            f"input-ipc-server={folder}/mpv.socket\nao=pulse\n")
        Radio.song = next(self.music.rglob("*.mp3")).read_bytes()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Radio)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def make_music(self):
        wav = self.home / "tone.wav"
        run = lambda *command: subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        run("sox", "-n", "-r", "22050", "-c", "1", "-b", "16", str(wav), "synth", "35", "sine", "220", "vol", "0.1")
        for index, artist in enumerate(ARTISTS):
            for disc in ("One", "Two"):
                album = f"{WORDS[index]}s {disc}"
                folder = self.music / artist / album
                folder.mkdir(parents=True)
                for number, word in enumerate(WORDS, 1):
                    run("lame", "--quiet", "-b", "32", "--add-id3v2", "--tt", f"{word} Song", "--ta", artist,
                        "--tl", album, "--tn", str(number), "--ty", str(1990 + index), str(wav),
                        str(folder / f"{number:02} {word}.mp3"))
        (self.music / "talk.lrc").write_text("[00:00.00]Words of it\n")
        chapters = ["CHAPTER000=00:00:00.000", "CHAPTER000NAME=One", "CHAPTER001=00:00:20.000",
                    "CHAPTER001NAME=Two"]
        run("flac", "-s", str(wav), "-o", str(self.music / "talk.flac"),
            *[word for text in chapters for word in ("-T", text)])

    def start(self, command):
        process = subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def start_mpd(self):
        self.mpd = self.start(["mpd", "--no-daemon", f"{self.home}/mpd/mpd.conf"])
        self.until("mpc status", "volume")

    def sh(self, command):
        done = subprocess.run(["bash", "-c", command], env=self.env, cwd=self.music, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return done.stdout

    def until(self, command, pattern, seconds=10):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if re.search(pattern, text := self.sh(command)):
                return True
            time.sleep(0.2)
        print(f"    {command}: {text!r}", file=sys.stderr)
        return False

    def kill(self, player):
        if player == "mpc":
            time.sleep(2)  # MPD's own interval of saving its state
            self.mpd.kill()
            self.mpd.wait()
            return self.start_mpd()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                isOurs = f"HOME={self.home}".encode() in (folder / "environ").read_bytes().split(b"\0")
                if isOurs and (folder / "comm").read_text().strip() == "undersongd":
                    os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                continue

    def mpv(self, name):
        try:
            with socket.socket(socket.AF_UNIX) as mpv:
                mpv.connect(str(self.home / "mpv.socket"))
                mpv.settimeout(2)
                mpv.sendall(json.dumps({"command": ["get_property", name]}).encode() + b"\n")
                return str(json.loads(mpv.recv(65536).split(b"\n")[0]).get("data"))
        except (OSError, ValueError):
            return ""

    def end(self):
        self.sh("undersong shutdown")
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


def do(desk, number, player, steps, check, pattern, out):
    """Does a task in a terminal. Returns true if the check has found that it is done."""
    isShell = all(step[0] == "@" or step[:2] == "$ " or step[0] == "<" and step in ("<close>", "<kill>")
                  for step in steps) or steps[0].startswith("$ mpv")
    if player == "undersong":
        desk.sh(f"undersong volume 100; undersong sleep off; undersong shuffle off; {PLAY} '{FIRST}'")
    elif player == "mpc":
        desk.sh(f"mpc clear; mpc random off; mpc volume 100; mpc add '{FIRST}'; mpc play")
    screen = None
    command = ["bash", "--norc"]
    if player == "cmus":
        screen = Terminal(out / f"{number:02}-cmus.cast", ["cmus"], desk.env, desk.music)
        screen.wait("Low")
        desk.until("cmus-remote -C status", ".?")
        if number in (3, 10, 11, 14, 15):
            desk.sh("cmus-remote -C player-next player-play")
            desk.until(CMUS, "status playing")
    elif player == "mpv" and not isShell:
        command = ["mpv", FIRST]
    terminal = screen if screen and not isShell else Terminal(
        out / f"{number:02}-{player}{'-shell' if screen else ''}.cast", command, desk.env, desk.music)
    if command[0] == "mpv":
        wait = time.monotonic() + 10
        while desk.mpv("playlist-count") != "6" and time.monotonic() < wait:
            terminal.read(0.2)
    terminal.read(0.5)
    terminal.text = ""
    for step in steps:
        if step == "<close>":
            terminal.close()
            terminal = Terminal(out / f"{number:02}-{player}-2.cast", ["bash", "--norc"], desk.env, desk.music)
        elif step == "<kill>":
            desk.kill(player)
        elif step.startswith("@"):
            desk.sh(step[1:])
        elif step.startswith("$ "):
            terminal.type(step[2:] + "\r")
            terminal.wait(r"\n.*> $", 3)
        else:
            terminal.type(KEYS.get(step, step.replace("⏎", "\r")))
    if check == "screen":
        terminal.wait(pattern)
        isDone = re.search(pattern, terminal.text) is not None
    elif player == "mpv":
        until = time.monotonic() + 10
        while not (isDone := re.search(pattern, desk.mpv(check)) is not None) and time.monotonic() < until:
            terminal.read(0.2)
    else:
        isDone = desk.until(check, pattern)
    terminal.read(0.5)
    for each in {terminal, screen} - {None}:
        if each is screen:
            each.type(":quit\r") if player == "cmus" else None
        each.close()
    return isDone


def steps_text(steps):
    shown = [step[2:] if step.startswith("$ ") else step.strip("<>") or step for step in steps
             if step not in ("<close>", "<kill>") and not step.startswith("@")]
    return len(shown), "<br>".join(f"`{step}`".replace("|", "\\|") for step in shown)


def table(rows):
    """The table in Markdown, with the number of the steps and the steps."""
    lines = ["| | task | " + " | ".join(PLAYERS) + " |", "| --- |" + " --- |" * (len(PLAYERS) + 1)]
    for number, name, cells in rows:
        texts = []
        for player in PLAYERS:
            cell = cells.get(player, "–")
            texts.append(cell if isinstance(cell, str) else f"{cell[0]}: {cell[1]}" if cell[1] else f"{cell[0]}")
        lines.append(f"| {number} | {name} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="?", default=ROOT / ".build/release", type=Path)
    parser.add_argument("--out", default=ROOT / ".build/tasks", type=Path)
    parser.add_argument("--only", nargs="+", type=int)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    arguments.out.mkdir(parents=True)
    folder = Path(tempfile.mkdtemp(prefix="undersong-tasks-"))
    desk = Desk(arguments.programs.resolve(), folder)
    rows, failures = [], []
    try:
        for number, (name, players) in enumerate(TASKS, 1):
            cells = {}
            if arguments.only and number not in arguments.only:
                continue
            for player, task in players.items():
                if not isinstance(task, tuple):
                    cells[player] = f"{task}, not recorded"
                    continue
                isDone = do(desk, number, player, *task, arguments.out)
                print(f"{number:2} {player:9} {'done' if isDone else 'FAILED'}  {name}", flush=True)
                if not isDone:
                    failures.append((number, player))
                cells[player] = steps_text(task[0])
            rows.append((number, name, cells))
    finally:
        desk.end()
        shutil.rmtree(folder, ignore_errors=True)
    text = table(rows)
    if arguments.write and not failures and not arguments.only:
        page = ROOT / "Documentation/tasks.md"
        head, _, tail = page.read_text().partition("<!-- begin of the table -->")
        tail = tail.partition("<!-- end of the table -->")[2]
        page.write_text(
            f"{head}<!-- begin of the table -->\n\n{text}\n\n<!-- end of the table -->{tail}")
    else:
        print(text)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
