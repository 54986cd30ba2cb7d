"""The two servers: Debian's mpd, and undersongd."""
import os, signal, socket, subprocess, time
from pathlib import Path

from connection import Connection

CONFIGURATION = """
music_directory "{music}"
playlist_directory "{home}/playlists"
db_file "{home}/database"
sticker_file "{home}/stickers"
log_file "{home}/log"
bind_to_address "{home}/socket"
bind_to_address "127.0.0.1"
port "{port}"
{passwords}
local_permissions "read,add,player,control,admin"
zeroconf_enabled "no"
auto_update "no"
filesystem_charset "UTF-8"
max_connections "1200"
audio_output {{
    {output}
    name "judge"
    mixer_type "software"
}}
"""


PASSWORDS = ["look@read", "all@read,add,player,control,admin"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_socket(path, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"the server of {path} has ended with status {process.returncode}")
        try:
            return Connection(path).close()
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"nothing listens at {path}")


class Server:
    """A running server: `path` is its socket, `port` its port for clients with a password, `process` its process."""

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def has_ended(self):
        return self.process.poll() is not None


class Mpd(Server):
    name = "mpd"

    def __init__(self, home: Path, music: Path, sound=None):
        """Plays nowhere, or on the sound server of that address."""
        home.mkdir(parents=True, exist_ok=True)
        (home / "playlists").mkdir(exist_ok=True)
        self.port = free_port()
        (home / "mpd.conf").write_text(CONFIGURATION.format(
            home=home, music=music, port=self.port,
            output=f'type "pulse"\n    server "{sound}"' if sound else 'type "null"',
            passwords="\n".join(f'password "{password}"' for password in PASSWORDS)))
        self.path, self.log = home / "socket", home / "log"
        self.process = subprocess.Popen(
            ["mpd", "--no-daemon", home / "mpd.conf"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await_socket(self.path, self.process)
        connection = Connection(self.path)
        connection.ask("update")
        while any(line.startswith("updating_db") for line in connection.ask("status")):
            time.sleep(0.05)
        connection.close()


class Undersong(Server):
    name = "undersong"

    def __init__(self, home: Path, music: Path, programs: Path, sound=None):
        """Plays nowhere, or on the sound server of that address."""
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("XDG_", "DBUS_", "UNDERSONG_", "PULSE_", "MPD_"))}
        for name in ["RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME", "DATA_HOME", "CACHE_HOME"]:
            folder = home / name.lower()
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
            self.environment[f"XDG_{name}"] = str(folder)
        self.environment["HOME"] = str(home)
        self.programs = programs
        self.path, self.log = home / "runtime_dir/mpd/socket", home / "log"
        self.port = free_port()
        network = ["--mpd", f"127.0.0.1:{self.port}"]
        for password in PASSWORDS:
            network += ["--mpd-password", password]
        self.process = subprocess.Popen(
            [programs / "undersongd", "serve", "--no-mpris", *network], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=self.log.open("ab"), stderr=subprocess.STDOUT)
        await_socket(self.path, self.process)
        self.client("library", "add", "--wait", music)
        self.client("capability", "audio", "on")
        # The output stays that of the last queue.
        output = ["pulse", "--server", sound] if sound else ["null"]
        self.client("play", "--detach", "--output", *output, next(music.glob("*.wav")))
        connection = Connection(self.path)
        connection.ask("stop")
        connection.ask("clear")
        connection.close()

    def client(self, *arguments):
        done = subprocess.run(
            [self.programs / "undersong", *arguments], env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise SystemExit(f"undersong {arguments[0]}: {done.stderr or done.stdout}")
