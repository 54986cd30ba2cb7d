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
    ("status", "mixrampdb", "MixRamp is not there: its commands change nothing"),
    ("status", "mixrampdelay", "MixRamp is not there: its commands change nothing"),
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

# The lines of the status that change with a subsystem.
STATES = {
    "mixer": ["volume"],
    "options": ["repeat", "random", "single", "consume", "xfade"],
    "playlist": ["playlist"],
}

# What the scripts leave out.
NOT_GIVEN = [
    ("hidden folders, and folders without music", "the library does not have them"),
    ("crossfades of more than 12 seconds", "Undersong's limit"),
    ("stickers of other names than ratings, and of no stars", "the library keeps ratings only, and says so"),
    ("a queue in random order", "Undersong shuffles the queue itself, so that it shows what comes next"),
    ("disabled outputs", "the one output is always there"),
    ("replay_gain_mode auto", "the modes are off, track and album"),
    ("comments", "MPD reads them only if it is configured to"),
    ("albumart of a folder", "Undersong finds its cover, MPD that of the folder above it"),
    ("an AND at the beginning of another, and one expression in two pairs of parentheses", "MPD 0.23.12 cannot read them"),
    ("times that are not a number", "MPD plays from the start"),
    ("getfingerprint", "not in every MPD"),
    ("playlists named \"..\", with a tab, or with names of more than 255 bytes", "MPD gives the error of its file system"),
    ("numbers with blanks or zeros before them, and more than 64 words", "no client sends them"),
    ("kill, mount, newpartition, and update of a folder", "they would change the server under the next script"),
]

# The tags of a song, which MPD lists in the order of the file.
SONG = ["file", "directory", "playlist", "OK", "list_OK"]

# How far apart two times of the same moment may be, in seconds: the servers are asked one after the other, and
# MPD reports what it has decoded, up to a quarter of a second before it is heard.
TOLERANCE = 1.5


def key(line):
    return line.split(": ", 1)[0]


def without(command, lines):
    names = {name for of, name, _ in LEFT_OUT if of in (command, "*")}
    lines = in_order_of_tags([line for line in lines if key(line) not in names])
    if any(of == command for of, _ in SETS):
        lines = sorted(lines[:-1]) + lines[-1:]
    return lines


def in_order_of_tags(lines):
    """The lines with those of each song in the order of their names; several of one name stay in theirs."""
    songs = [[]]
    for line in lines:
        if key(line) in SONG or line.startswith("ACK"):
            songs.append([line])
        else:
            if songs[-1] and songs[-1][0].startswith("file: ") and songs[-1][0].endswith(".opus"):
                line = re.sub(r"^Format: \d+:\w+:", "Format: (Opus):", line)
            songs[-1].append(re.sub(r"^(Format: \d+):(f|24):", r"\1:(lossy):", line))
    return [line for song in songs for line in song[:1] + (
        sorted(song[1:], key=key) if song and song[0].startswith("file: ") else song[1:])]


def near_durations(ours, theirs):
    """Makes each duration in `ours` equal to that in the same place of `theirs` if they are near."""
    if len(ours) != len(theirs):
        return
    for index, line in enumerate(ours):
        for name in ("duration: ", "Time: "):
            if line.startswith(name) and theirs[index].startswith(name):
                if abs(float(line.removeprefix(name)) - float(theirs[index].removeprefix(name))) <= 0.1:
                    ours[index] = theirs[index]


def value(lines, name):
    for index, line in enumerate(lines):
        if line.startswith(name + ": "):
            return index, line.removeprefix(name + ": ")
    return None, None


def near(ours, theirs, name, tolerance=TOLERANCE):
    """Makes a time in `ours` equal to that in `theirs` if they are near."""
    index, our = value(ours, name)
    _, their = value(theirs, name)
    if our is None or their is None:
        return
    try:
        times = [[float(part) for part in text.split(":")] for text in (our, their)]
    except ValueError:
        return
    if len(times[0]) == len(times[1]) and all(abs(a - b) <= tolerance for a, b in zip(*times)):
        ours[index] = f"{name}: {their}"


def without_ids(lines, ids):
    """The lines with each id as "#" and the number of the item in the script."""
    def number(match):
        return match[1] + "#" + str(ids.index(match[2]) if match[2] in ids else match[2])
    return [re.sub(r"^((?:Id|songid|nextsongid|cpos_id): )(\d+)$", number, line) for line in lines]


def with_sorted_files(lines):
    """The lines of each file after those of the file whose URI is before it."""
    files = [[]]
    for line in lines[:-1]:
        if line.startswith("file: "):
            files.append([])
        files[-1].append(line)
    return [line for file in sorted(files) for line in file] + lines[-1:]


def with_sorted_playlists(lines):
    """The lines with the playlists at the end, without the times of this run."""
    others, playlists, is_playlist = [], [], False
    for line in lines[:-1]:
        if key(line) in SONG:
            is_playlist = line.startswith("playlist: ")
        if not is_playlist:
            others.append(line)
        elif line.startswith("playlist: "):
            playlists.append(line)
    return others + sorted(playlists) + lines[-1:]


def without_more_songs(ours, theirs):
    """Without the songs of `ours` that are not in `theirs`."""
    known = {line for line in theirs if line.startswith("Id: ")}
    songs = [[]]
    for line in ours:
        if key(line) in ("file", "cpos", "OK", "list_OK"):
            songs.append([])
        songs[-1].append(line)
    return [line for song in songs for line in song
            if not any(each.startswith("Id: ") and each not in known for each in song)]


def without_text_of_the_system(lines):
    return [re.sub(r"^(ACK \[52@\d+\] \{\w*\}) .*", r"\1", line) for line in lines]


def compared(command, ours, theirs):
    ours, theirs = (without_text_of_the_system(without(command, lines)) for lines in (ours, theirs))
    if command == "status":
        near(ours, theirs, "elapsed")
        near(ours, theirs, "time")
    elif command == "stats":
        near(ours, theirs, "db_playtime", 2)
    elif command == "readcomments":
        ours, theirs = ours[-1:], theirs[-1:]
    elif command == "sticker":
        ours, theirs = with_sorted_files(ours), with_sorted_files(theirs)
        ours = [line for line in ours if not re.match("sticker: (playCount|skipCount|lastPlayed|like|added)=", line)]
    elif command in ("find", "search", "playlistfind", "playlistsearch"):
        # MPD leaves it out of sorted results.
        if not any(line.startswith("Format: ") for line in theirs):
            ours = [line for line in ours if not line.startswith("Format: ")]
    elif command in ("plchanges", "plchangesposid"):
        ours = without_more_songs(ours, theirs)
    elif command == "commands":
        ours, theirs = ([line for line in lines if line != "command: getfingerprint"] for lines in (ours, theirs))
    elif command == "lsinfo":
        ours, theirs = with_sorted_playlists(ours), with_sorted_playlists(theirs)
    elif command == "playlistadd" and all(lines[-1:] and lines[-1].startswith("ACK") for lines in (ours, theirs)):
        ours = theirs
    if theirs[-1:] and theirs[-1].startswith("ACK [52@") and ours[-1].startswith("ACK [50@"):
        ours = theirs
    if theirs[-1:] and theirs[-1].endswith("} Word expected") and ours[-1].endswith("} '(' expected"):
        ours = theirs
    near_durations(ours, theirs)
    return ours, theirs


def documented():
    for command, name, reason in LEFT_OUT:
        yield f"{command}: {name}", reason
    for command, reason in SETS:
        yield f"{command}: order", reason
    yield "status: elapsed, time", f"up to {TOLERANCE} s apart: they are asked one after the other, and MPD is ahead of the sound"
    yield "duration, Time", "up to 0.1 s apart: MPD counts what the encoder added to an MP3"
    yield "stats: db_playtime", "up to 2 s apart, for the same reason"
    yield "Format: bits of MP3, Vorbis and Opus", "MPD's decoders of lossy formats have 24 bits or floating point"
    yield "Format of Opus", "MPD decodes each file at 48 kHz, Undersong at the rate of the sound that was encoded"
    yield "songs: order of the tags", "MPD lists them in the order of the file"
    yield "readcomments: values", "MPD reads the file's fields, but none of ID3; ours are those of the library"
    yield "sticker: counts and times", "the library has them for every song"
    yield "sticker find: order", "MPD's is that of its database"
    yield "find, search with sort: Format", "MPD leaves it out of sorted results"
    yield "lsinfo: order and times of playlists", "MPD lists a folder in the order of the file system"
    yield "ACK [52@0] where ours is [50@0]", "MPD reports by an error of the system that a file is not there"
    yield "playlistadd: which error", "of several wrong arguments, each server finds another one first"
    yield "ACK [2@0]: '(' expected", "MPD reads a word after an AND without a second expression"
    yield "plchanges: more songs", "a song whose tags are read after it was added has changed then"
    yield "commands: getfingerprint", "not in every MPD"
    yield "idle: playlist with random", "the queue itself is shuffled"
    yield "idle: sticker", "playing and skipping changes counts, which are stickers of the library"
    yield "idle: mixer, options, playlist", "MPD notifies clients of commands that change nothing"
    yield "ACK [52@0]: text", "an error of the system names files, which each server has in places of its own"
    for what, reason in NOT_GIVEN:
        yield "not given: " + what, reason
    yield "ids", "each server numbers its items as it likes; they are compared by the order in which they were added"
