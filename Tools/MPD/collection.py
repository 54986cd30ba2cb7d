"""The music that both servers are given: the same bytes, names and times in every run."""
import os, shutil, subprocess
from pathlib import Path

# The time of every file: 2020-09-13T12:26:40Z.
MODIFIED = 1_600_000_000

# The path of each song, without its suffix, its suffix and its tags. A list is one field per value.
SONGS = [
    ("Björk/Homogenic/01 Hunter", "mp3", dict(
        artist="Björk", album_artist="Björk", album="Homogenic", title="Hunter", track="1/3", date="1997",
        genre="Electronic", composer="Björk")),
    ("Björk/Homogenic/02 Jóga", "mp3", dict(
        artist="Björk", album_artist="Björk", album="Homogenic", title="Jóga", track="2/3", date="1997",
        genre="Electronic")),
    ("Björk/Homogenic/03 Bachelorette", "ogg", dict(
        artist="Björk", albumartist="Björk", album="Homogenic", title="Bachelorette", tracknumber="3",
        date="1997", genre="Electronic")),
    ("Björk/Debut/01 Human Behaviour", "flac", dict(
        artist="Björk", albumartist="Björk", artistsort="Björk", album="Debut", title="Human Behaviour",
        tracknumber="1", discnumber="1", date="1993-07-05", genre="Pop", label="One Little",
        musicbrainz_albumid="7f7f5c9a-0d5c-3a8b-8f3b-6a0b9b0f0e11")),
    # Names and numbers in opposite order.
    ("Low/Papers One/a", "mp3", dict(artist="Low", album="Papers One", title="Fourth", track="4", date="2001")),
    ("Low/Papers One/b", "mp3", dict(artist="Low", album="Papers One", title="Third", track="3", date="2001")),
    ("Low/Papers One/c", "mp3", dict(artist="Low", album="Papers One", title="second", track="2", date="2001")),
    ("Low/Papers One/d", "mp3", dict(artist="Low", album="Papers One", title="First", track="1", date="2001")),
    ("Low/Papers Two/Disc 1/01", "flac", dict(
        artist="Low", album="Papers Two", title="Golden", tracknumber="01", discnumber="1", date="2003-05",
        genre="Rock")),
    ("Low/Papers Two/Disc 2/01", "flac", dict(
        artist="Low", album="Papers Two", title="Static", tracknumber="01", discnumber="2", date="2003-05",
        genre="Rock")),
    ("Various/Hits/1 A", "ogg", dict(
        artist="Nina", albumartist="Various Artists", album="Hits", title="A", tracknumber="1", genre="Pop")),
    ("Various/Hits/2 B", "opus", dict(
        artist="Tom", albumartist="Various Artists", album="Hits", title="B", tracknumber="2", genre="Pop")),
    ("Various/Hits/3 C", "flac", dict(
        artist=["Nina", "Tom"], albumartist="Various Artists", album="Hits", title="C", tracknumber="3",
        genre=["Pop", "Jazz"], performer=["Nina", "Ann"], composer="Bob", comment="a remark")),
    ('Odd/say "hi"', "flac", dict(artist='The "Quotes"', title='say "hi"', album="Odd")),
    ("Odd/it's", "flac", dict(artist="O'Neil", title="it's", album="Odd")),
    ("Odd/back\\slash", "flac", dict(artist="back\\slash", title="back\\slash", album="Odd")),
    ("Odd/two  blanks", "mp3", dict(artist="two  blanks", title=" edges ", album="Odd")),
    ("Odd/(paren)", "mp3", dict(artist="(paren)", title="(A AND B)", album="Odd")),
    ("Odd/snow ☃", "mp3", dict(artist="snow ☃", title="☃", album="Odd")),
    ("Odd/lines", "flac", dict(artist="lines", title="one\ntwo", album="Odd")),
    ("Odd/new\nline", "mp3", dict(artist="newline", title="newline", album="Odd")),
    ("loose", "mp3", {}),
    ("wave", "wav", {}),
]


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def encode(wave, path, suffix, tags):
    if suffix in ("flac", "ogg", "opus"):
        fields = []
        for name, value in tags.items():
            for each in value if isinstance(value, list) else [value]:
                fields.append(f"{name.upper()}={each}")
        if suffix == "flac":
            run("flac", "-s", "-f", "-o", path, wave)
            run("metaflac", *[f"--set-tag={each}" for each in fields], path)
        elif suffix == "ogg":
            run("oggenc", "-Q", "-o", path, *[word for each in fields for word in ("-c", each)], wave)
        else:
            run("opusenc", "--quiet", "--bitrate", "24",
                *[word for each in fields for word in ("--comment", each)], wave, path)
    elif suffix == "mp3":
        run("ffmpeg", "-y", "-i", wave, "-b:a", "32k", "-bitexact", "-id3v2_version", "4",
            *[word for name, value in tags.items() for word in ("-metadata", f"{name}={value}")], path)
    else:
        shutil.copyfile(wave, path)


def make(folder: Path, sheets=False):
    """Makes the collection in `folder`; with `sheets`, a CUE sheet and playlists are there too."""
    music, work = folder / "music", folder / "work"
    if music.exists():
        return music
    work.mkdir(parents=True)
    for number, (name, suffix, tags) in enumerate(SONGS):
        wave = work / f"{number}.wav"
        run("sox", "-n", "-r", "22050", "-c", "1", "-b", "16", wave, "synth", str(60 + number), "sine",
            str(200 + 20 * number), "vol", "0.1")
        path = music / f"{name}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        encode(wave, path, suffix, tags)
    cover = work / "cover.jpg"
    run("ffmpeg", "-y", "-f", "lavfi", "-i", "testsrc=size=160x160:rate=1", "-frames:v", "1", "-bitexact", cover)
    shutil.copyfile(cover, music / "Björk/Homogenic/cover.jpg")
    run("metaflac", f"--import-picture-from={cover}", music / "Björk/Debut/01 Human Behaviour.flac")
    with_picture = work / "picture.mp3"
    run("ffmpeg", "-y", "-i", music / "Low/Papers One/a.mp3", "-i", cover, "-map", "0", "-map", "1", "-c", "copy",
        "-bitexact", "-id3v2_version", "4", with_picture)
    shutil.copyfile(with_picture, music / "Low/Papers One/a.mp3")
    (music / "Low/notes.txt").write_text("no music\n")
    (music / "Low/broken.mp3").write_text("no music either\n")
    if sheets:
        sheet = music / "Sheet"
        sheet.mkdir()
        encode(work / "5.wav", sheet / "whole.flac", "flac", dict(artist="Sheet", album="Whole"))
        (sheet / "whole.cue").write_text(
            'PERFORMER "Sheet"\nTITLE "Whole"\nFILE "whole.flac" WAVE\n'
            '  TRACK 01 AUDIO\n    TITLE "Part one"\n    INDEX 01 00:00:00\n'
            '  TRACK 02 AUDIO\n    TITLE "Part two"\n    INDEX 01 00:20:00\n')
        (music / "Low/mix.m3u").write_text("Papers One/a.mp3\nPapers One/d.mp3\n")
    for path in sorted(music.rglob("*"), reverse=True):
        os.utime(path, (MODIFIED, MODIFIED))
    shutil.rmtree(work)
    return music


def uris(music: Path):
    """The songs and the folders as URIs, in the order of their names."""
    songs, folders = [], []
    for path in sorted(music.rglob("*")):
        uri = str(path.relative_to(music))
        if "\n" in uri or uri == "Low/broken.mp3":
            continue
        if path.is_dir():
            folders.append(uri)
        elif path.suffix in (".mp3", ".flac", ".ogg", ".opus", ".wav"):
            songs.append(uri)
    return songs, folders
