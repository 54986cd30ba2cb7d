"""The differences between the two servers that are not faults, each with its reason.

`compared(command, ours, theirs)` returns both replies without them.
"""
import re

# Lines that are left out of the replies to a command ("*" for all commands).
LEFT_OUT = [
    ("status", "playlist", "each server counts versions as it likes; what changed since one is compared by plchanges"),
    ("status", "bitrate", "a measurement of the moment, which MPD has only when its decoder has read enough"),
    ("status", "audio", "MPD knows it when its decoder has opened the file, at some time after the command"),
    ("status", "updating_db", "a job's number"),
    ("stats", "uptime", "a time of the process"),
    ("stats", "playtime", "a time of the process"),
    ("stats", "db_update", "the time of this run"),
    ("listplaylists", "Last-Modified", "the time of this run"),
    ("outputs", "outputname", "named by the configuration"),
    ("outputs", "plugin", "each has its own outputs"),
    ("outputs", "attribute", "each has its own outputs"),
    ("config", "playlist_directory", "saved queues are not files"),
    ("decoders", "plugin", "each has its own decoders"),
    ("decoders", "suffix", "each has its own decoders"),
    ("decoders", "mime_type", "each has its own decoders"),
    ("urlhandlers", "handler", "each has its own sources"),
]

# Replies whose lines have no order.
SETS = [
    ("commands", "clients look a command up"),
    ("notcommands", "clients look a command up"),
    ("tagtypes", "clients look a tag up"),
    ("listplaylists", "MPD lists a folder in the order of the file system"),
    ("listfiles", "MPD lists a folder in the order of the file system"),
]

# How far apart two times of the same moment may be, in seconds: the servers are asked one after the other, and
# MPD reports what it has decoded, up to a quarter of a second before it is heard.
TOLERANCE = 1.5


def key(line):
    return line.split(": ", 1)[0]


def without(command, lines):
    names = {name for of, name, _ in LEFT_OUT if of in (command, "*")}
    lines = [line for line in lines if key(line) not in names]
    if any(of == command for of, _ in SETS):
        lines = sorted(lines[:-1]) + lines[-1:]
    if command == "status" and "random: 1" in lines:
        # The order of random play is each server's own.
        lines = [line for line in lines if key(line) not in ("nextsong", "nextsongid")]
    return lines


def value(lines, name):
    for index, line in enumerate(lines):
        if line.startswith(name + ": "):
            return index, line.removeprefix(name + ": ")
    return None, None


def near(ours, theirs, name):
    """Makes a time in `ours` equal to that in `theirs` if they are near."""
    index, our = value(ours, name)
    _, their = value(theirs, name)
    if our is None or their is None:
        return
    try:
        times = [[float(part) for part in text.split(":")] for text in (our, their)]
    except ValueError:
        return
    if len(times[0]) == len(times[1]) and all(abs(a - b) <= TOLERANCE for a, b in zip(*times)):
        ours[index] = f"{name}: {their}"


def without_ids(lines, ids):
    """The lines with each id as "#" and the number of the item in the script."""
    def number(match):
        return match[1] + "#" + str(ids.index(match[2]) if match[2] in ids else match[2])
    return [re.sub(r"^((?:Id|songid|nextsongid|cpos_id): )(\d+)$", number, line) for line in lines]


def without_text_of_the_system(lines):
    return [re.sub(r"^(ACK \[52@\d+\] \{\w*\}) .*", r"\1", line) for line in lines]


def compared(command, ours, theirs):
    ours, theirs = (without_text_of_the_system(without(command, lines)) for lines in (ours, theirs))
    if command == "status":
        near(ours, theirs, "elapsed")
        near(ours, theirs, "time")
    return ours, theirs


def documented():
    for command, name, reason in LEFT_OUT:
        yield f"{command}: {name}", reason
    for command, reason in SETS:
        yield f"{command}: order", reason
    yield "status: elapsed, time", f"up to {TOLERANCE} s apart: they are asked one after the other, and MPD is ahead of the sound"
    yield "status: nextsong, nextsongid with random", "the order of random play is each server's own"
    yield "ACK [52@0]: text", "an error of the system names files, which each server has in places of its own"
    yield "ids", "each server numbers its items as it likes; they are compared by the order in which they were added"
