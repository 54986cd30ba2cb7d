"""Sessions of clients with windows, on a screen of Xvfb, with the mouse and the keyboard of xdotool.

A step is what is done, and a pattern of what it leads to: the commands that were asked since, as lines like "> play 0",
and then the server's status and queue. Places are those of the windows of Debian 12's ymuse and Cantata.
"""
import os, re, signal, subprocess, time

from connection import Connection

PATIENCE = 10

YMUSE = [
    ("wait", r"> status.*> playlistinfo"),
    ("click 404 27", ""),
    # Artists, and all of Low.
    ("double 150 173", r"> list \"?Artist"),
    ("click 37 263", r"playlistlength: 6"),
    ("click 284 27", ""),
    ("double 300 136", r"> play(id)? .*state: play"),
    ("click 122 618", r"> pause.*state: pause"),
    ("click 122 618", r"> pause.*state: play"),
    ("click 165 618", r"> next.*song: 1"),
    ("click 165 618", r"> next.*song: 2"),
    ("click 36 618", r"> previous.*song: 1"),
    ("click 222 618", r"> random 1.*random: 1"),
    ("click 222 618", r"> random 0.*random: 0"),
    ("click 265 618", r"> repeat 1.*repeat: 1"),
    ("click 265 618", r"> repeat 0.*repeat: 0"),
    ("click 308 618", r"> consume 1.*consume: 1"),
    ("click 308 618", r"> consume 0.*consume: 0"),
    # The place, in the middle.
    ("click 530 618", r"> seek.*elapsed: [23]\d"),
    ("scroll 363 618 down 3", r"> setvol \d+.*volume: \d\d\n"),
    # Saves the queue, not only what is selected.
    ("click 300 136", ""),
    ("click 290 78", r"> listplaylists"),
    ("click 268 214", ""),
    ("click 350 182", ""),
    ("type mine", ""),
    ("click 360 243", r"> playlistadd \"?mine"),
    # Sorts it.
    ("click 155 78", ""),
    ("click 456 143", r"> moveid"),
    ("key Escape", ""),
    # The genres, and all Pop.
    ("click 404 27", ""),
    ("click 392 78", ""),
    ("double 150 145", r"> list \"?Genre"),
    # The files.
    ("click 392 78", ""),
    ("double 150 117", r"> lsinfo"),
    # The saved queues.
    ("click 392 78", ""),
    ("double 150 229", r"> listplaylists"),
    ("click 82 150", r"> clear.*> load \"?mine"),
    # It has shown the queue. The music is read again.
    ("click 404 27", ""),
    ("click 65 78", ""),
    ("click 85 144", r"> update"),
    ("click 284 27", ""),
    ("click 300 136", ""),
    ("click 214 78", r"> delete.*playlistlength: 5"),
    ("click 79 618", r"> stop.*state: stop"),
    ("click 79 78", r"> clear.*playlistlength: 0"),
]

CANTATA = [
    ("wait", r"> playlistinfo.*> lsinfo \"Various/Hits\""),
    # Low, added to the queue.
    ("click 160 258", ""),
    ("click 342 670", r"> add.*playlistlength: 6"),
    ("double 480 140", r"> playid.*state: play\nsong: 2"),
    ("click 55 29", r"> pause.*state: pause"),
    ("click 55 29", r"> pause.*state: play"),
    ("click 90 29", r"> next.*song: 3"),
    ("click 20 29", r"> previous.*song: 2"),
    # The place, in the middle.
    ("click 480 47", r"> seek.*elapsed: [23]\d"),
    ("scroll 840 30 down 2", r"> setvol \"\d+\".*volume: \d\d\n"),
    ("click 758 670", r"> repeat \"1\".*repeat: 1"),
    ("click 758 670", r"> repeat \"0\".*repeat: 0"),
    ("click 783 670", r"> single \"1\".*single: 1"),
    ("click 783 670", r"> single \"0\".*single: 0"),
    ("click 808 670", r"> random \"1\".*random: 1"),
    ("click 808 670", r"> random \"0\".*random: 0"),
    ("click 833 670", r"> consume \"1\".*consume: 1"),
    ("click 833 670", r"> consume \"0\".*consume: 0"),
    # Deletes a song of the queue.
    ("click 480 231", ""),
    ("key Delete", r"> delete(id)?.*playlistlength: 5"),
    # The search for an artist.
    ("click 30 450", ""),
    ("type low", r"> search \"?[Aa]rtist\"? \"low\""),
    # The folders, and Björk, added to the queue.
    ("click 30 170", ""),
    ("click 160 95", ""),
    ("click 160 122", ""),
    ("click 342 670", r"> add.*playlistlength: (?!5\n)"),
    # Saves the queue.
    ("click 895 670", ""),
    ("type ours", ""),
    ("key Return", r"> save \"ours\""),
    ("click 30 240", ""),
    ("click 919 670", r"> clear.*playlistlength: 0"),
]


class Screen:
    """An X server of its own, without a window manager."""

    def __init__(self, environment):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1100x750x24", "-nolisten", "tcp"],
            pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as file:
            self.environment = dict(environment, DISPLAY=":" + file.readline().strip(), NO_AT_BRIDGE="1")
        self.programs = []

    def start(self, *command, log=subprocess.DEVNULL):
        self.programs.append(subprocess.Popen(
            command, env=self.environment, start_new_session=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def do(self, action):
        kind, *words = action.split(" ")
        if kind == "click":
            words = ["mousemove", *words, "click", "1"]
        elif kind == "double":
            words = ["mousemove", *words, "click", "--repeat", "2", "--delay", "80", "1"]
        elif kind == "scroll":
            button = {"up": "4", "down": "5"}[words[2]]
            words = ["mousemove", *words[:2], "click", "--repeat", words[3], "--delay", "150", button]
        elif kind == "key":
            words = ["key", *words]
        elif kind == "type":
            words = ["type", "--delay", "50", " ".join(words)]
        else:
            return
        subprocess.run(["xdotool", *words], env=self.environment, check=True)

    def picture(self, path):
        subprocess.run(["import", "-window", "root", path], env=self.environment, check=True)

    def stop(self):
        for process in self.programs:
            os.killpg(process.pid, signal.SIGTERM)
        for process in self.programs:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.server.terminate()
        self.server.wait()


def commands(lines):
    """The commands among a proxy's lines."""
    return [line.lstrip("0123456789") for line in lines if re.match(r"\d+> ", line)]


def session(name, command, steps, environment, server, lines, pictures=None):
    """The number of steps that failed."""
    control, failed = Connection(server.path), 0
    for line in ("stop", "clear", "setvol 100"):
        control.ask(line)
    screen = Screen(environment)
    try:
        since = len(lines)
        screen.start(*command)
        for number, (action, pattern) in enumerate(steps, 1):
            if number > 1:
                since = len(lines)
                screen.do(action)
            deadline, ok = time.monotonic() + (PATIENCE if number > 1 else 4 * PATIENCE), False
            # Windows that ask nothing need a moment to be drawn.
            time.sleep(0.7)
            while not ok and time.monotonic() < deadline:
                text = "\n".join(commands(lines[since:]) + control.ask("status"))
                ok = bool(re.search(pattern, text, re.DOTALL))
                time.sleep(0.05)
            failed += not ok
            print(f"{'ok ' if ok else 'BAD'} {name}: {action}", flush=True)
            if not ok:
                print("    " + text.replace("\n", "\n    "))
            if pictures:
                screen.picture(pictures / f"{name}-{number:02}.png")
    finally:
        screen.stop()
        control.close()
    return failed


def with_ymuse(folder, path, environment, *rest):
    home = folder / "ymuse"
    (home / ".config/ymuse").mkdir(parents=True)
    (home / ".config/ymuse/config.json").write_text(
        f'{{"MpdNetwork": "unix", "MpdSocketPath": "{path}", "MpdAutoConnect": true, "MpdAutoReconnect": true}}')
    environment = dict(environment, HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"))
    return session("ymuse", ["ymuse"], YMUSE, environment, *rest)


def with_cantata(folder, path, environment, *rest):
    home = folder / "cantata"
    (home / ".config/cantata").mkdir(parents=True)
    (home / ".config/cantata/cantata.conf").write_text(
        f"[General]\nversion=2.5.0\n\n[Connection]\nhost={path}\nport=6600\ndir={folder}/music/\n")
    environment = dict(environment, HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"))
    return session("cantata", ["dbus-run-session", "--", "cantata"], CANTATA, environment, *rest)
