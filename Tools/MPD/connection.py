"""A client's connection to a server of MPD's protocol, as bytes."""
import hashlib, re, socket

TIMEOUT = 10


class Closed(Exception):
    """The server has closed the connection."""


class Connection:
    def __init__(self, path=None, port=None):
        """Connects to a Unix socket, or to a port of this machine."""
        self.socket = socket.socket(socket.AF_INET if port else socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(("127.0.0.1", port) if port else str(path))
        self.buffer = b""
        self.greeting = self.line().decode()

    def close(self):
        self.socket.close()

    def send(self, data: bytes):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            raise Closed

    def fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            raise Closed
        if not data:
            raise Closed
        self.buffer += data

    def line(self) -> bytes:
        while b"\n" not in self.buffer:
            self.fill()
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def reply(self):
        """The lines of a reply, with OK or ACK as the last one; bytes of pictures as their number and digest."""
        lines = []
        while True:
            try:
                line = self.line()
            except Closed:
                return lines + ["(closed)"]
            if line.startswith(b"binary: "):
                count = int(line[8:])
                while len(self.buffer) < count + 1:
                    self.fill()
                data, rest = self.buffer[:count], self.buffer[count:]
                lines += [line.decode(), f"(bytes): {hashlib.sha256(data).hexdigest()[:16]}"]
                if not rest.startswith(b"\n"):
                    lines.append("(no newline after the bytes)")
                self.buffer = rest.removeprefix(b"\n")
                continue
            lines.append(line.decode("utf-8", "backslashreplace"))
            if line == b"OK" or line.startswith(b"ACK "):
                return lines

    def ask(self, *lines):
        """Sends the lines as one list, if they are more than one, and returns the reply."""
        if len(lines) > 1:
            lines = ("command_list_ok_begin", *lines, "command_list_end")
        self.send("".join(f"{line}\n" for line in lines).encode())
        return self.reply()


def quoted(argument: str) -> str:
    if re.fullmatch(r"[^\s\"\\']+", argument):
        return argument
    return '"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Watcher:
    """A client that is always idle, and what it was notified of."""

    def __init__(self, path):
        self.connection = Connection(path)
        self.connection.send(b"idle\n")

    def collect(self):
        """The subsystems that have changed since the last time."""
        changed = set()
        while True:
            # A server that has notified already is not idle any more, and has no reply to "noidle".
            self.connection.send(b"noidle\n")
            names = {line.removeprefix("changed: ") for line in self.connection.reply() if line != "OK"}
            self.connection.send(b"idle\n")
            if not names:
                return changed
            changed |= names
