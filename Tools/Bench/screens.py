#!/usr/bin/env python3
"""Frames per second and processor time of `undersong demo`, htop and cmus in a terminal of one size,
for 20 s each, three times in turn.

usage: Tools/Bench/screens.py [PROGRAMS] [--seconds 20] [--runs 3] [--columns 120] [--rows 36]

PROGRAMS is the folder of the programs; .build/release by default. A frame is what a program writes
without a pause of 4 ms. The processor time is that of the program in the terminal, and of all of its
processes: the demo's service and app, too.
"""
import argparse, fcntl, os, pty, select, shutil, signal, statistics, struct, tempfile, termios, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


def times(root):
    """The seconds of processor time of a process and of each that descends from it."""
    parents, seconds = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        pid = int(folder.name)
        parents[pid], seconds[pid] = int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
    found = {root}
    while new := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= new
    return {pid: seconds[pid] for pid in found if pid in seconds}


def drain(terminal, until):
    """Reads what is written until a time. Returns the number of frames and of bytes."""
    frames, count, last = 0, 0, 0.0
    while (left := until - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            break
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            break  # The program has ended.
        now = time.monotonic()
        frames += now - last > 0.004
        count, last = count + len(data), now
    return frames, count


def measure(command, keys, options):
    home = tempfile.mkdtemp(prefix="undersong-screens-")
    folders = {f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in ("STATE", "CONFIG", "DATA", "CACHE")}
    runtime = f"{home}/run"
    os.mkdir(runtime, 0o700)
    environment = os.environ | folders | {
        "HOME": home, "XDG_RUNTIME_DIR": runtime, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", options.rows, options.columns, 0, 0))
        os.execvpe(command[0], command, environment)
    try:
        drain(terminal, time.monotonic() + 6)
        for key in keys:
            os.write(terminal, key.encode())
            drain(terminal, time.monotonic() + 1)
        before, start = times(pid), time.monotonic()
        frames, count = drain(terminal, start + options.seconds)
        seconds, after = time.monotonic() - start, times(pid)
        used = {process: after[process] - before.get(process, 0) for process in after}
        os.write(terminal, b"q")
        drain(terminal, time.monotonic() + 2)
    finally:
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
        os.close(terminal)
        shutil.rmtree(home, ignore_errors=True)
    return frames / seconds, 100 * used.get(pid, 0) / seconds, 100 * sum(used.values()) / seconds, count / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="?", default=ROOT / ".build/release", type=Path)
    for name, value in (("seconds", 20), ("runs", 3), ("columns", 120), ("rows", 36)):
        parser.add_argument(f"--{name}", default=value, type=int)
    options = parser.parse_args()
    undersong = str(options.programs.resolve() / "undersong")
    songs = str(ROOT / "Resources/Demo")
    rows = {
        "undersong demo, playing": ([undersong, "demo"], " "),
        "undersong demo, at rest": ([undersong, "demo", "fetch"], ""),
        "htop": (["htop"], ""),
        "cmus, playing": (["cmus"], [":set output_plugin=pulse\r", f":add {songs}\r", "2", "\r"]),
    }
    found = {name: [] for name in rows}
    for _ in range(options.runs):
        for name, (command, keys) in rows.items():
            found[name].append(measure(command, keys, options))
    medians = {name: [statistics.median(column) for column in zip(*values)] for name, values in found.items()}
    best = [min(medians[name][index] for name in medians if not name.startswith("undersong")) for index in range(4)]
    print("| program | frames/s | CPU of the terminal's program, % | of all, % | bytes/s | CPU ÷ least of the others |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (frames, own, whole, count) in medians.items():
        ratio = f"{own / best[1]:.2f}" if best[1] else "-"
        print(f"| {name} | {frames:.1f} | {own:.2f} | {whole:.2f} | {count:.0f} | {ratio} |")
    print("load", *os.getloadavg())


main()
