"""A proxy between clients and a server of MPD's protocol: it records what both say, or alters what the server says."""
import os, socket, threading


class Proxy:
    def __init__(self, path, upstream, alter=lambda data: data, record=None):
        self.path, self.upstream, self.alter, self.record = path, upstream, alter, record
        self.lock = threading.Lock()
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        number = 0
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.upstream))
            number += 1
            for source, sink, mark in ((client, server, ">"), (server, client, "<")):
                threading.Thread(target=self.carry, args=(source, sink, f"{number}{mark}"), daemon=True).start()

    def carry(self, source, sink, mark):
        try:
            with source.makefile("rb") as lines:
                for line in lines:
                    if self.record:
                        with self.lock:
                            self.record(mark, line)
                    if mark.endswith("<"):
                        line = self.alter(line)
                    sink.sendall(line)
        except OSError:
            pass
        finally:
            for each in (source, sink):
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
