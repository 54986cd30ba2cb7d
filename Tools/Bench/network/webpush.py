#!/usr/bin/env python3
"""Has another implementation of Web Push decrypt what undersong sends.

    pip install http-ece cryptography
    Tools/Bench/network/webpush.py [--build .build/debug] [--count 20]

A receiver with keys of its own serves an endpoint. `undersong push send` sends pushes of several lengths
to it, up to the longest one, and http-ece decrypts each. Exit status: 0 if all are as they were sent.
"""
import argparse
import base64
import http.server
import os
import subprocess
import sys
import tempfile
import threading

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
LONGEST = 3993
EMPTY = '{"aps":{},"a":""}'


def text(data):
    """Bytes in base64 for URLs without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Endpoint(http.server.HTTPServer):
    """An endpoint, which decrypts the message of each request."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)
        self.contents = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/push"
        public = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.options = ["--to", self.url, "--p256dh", text(public), "--auth", text(self.secret)]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def decrypt(self, message):
        return http_ece.decrypt(message, private_key=self.key, auth_secret=self.secret, version="aes128gcm")


class Handler(http.server.BaseHTTPRequestHandler):
    """Accepts messages."""

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        assert self.headers["Content-Encoding"] == "aes128gcm" and self.headers["TTL"].isdigit()
        message = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.contents.append(self.server.decrypt(message))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, ".build/debug"))
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    endpoint = Endpoint()
    most = LONGEST - len(EMPTY)
    lengths = sorted({most * n // max(1, options.count - 1) for n in range(options.count)})
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder, "HOME": folder}
        for length in lengths:
            payload = EMPTY.replace('""', '"' + "x" * length + '"').encode()
            subprocess.run(
                [os.path.join(options.build, "undersong"), "push", "send", *endpoint.options, "-"],
                input=payload, env=environment, check=True, stdout=subprocess.DEVNULL)
            if endpoint.contents.pop() != payload:
                sys.exit(f"{len(payload)} bytes are not as they were sent")
        subprocess.run([os.path.join(options.build, "undersong"), "shutdown"], env=environment)
    print(f"http-ece has decrypted {len(lengths)} pushes of {len(EMPTY)} to {LONGEST} bytes")


if __name__ == "__main__":
    main()
