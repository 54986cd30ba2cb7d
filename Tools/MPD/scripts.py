"""Random scripts of commands, by a seed.

A script is a list of steps, a step a list of commands that are sent as one command list if they are more than
one, and a command a list of words. A command of one word that begins with "raw:" is sent as it is. The word
"@id:2" is the id of the third item that the script added, "@version:1" the queue's version after the second
step: the servers number both as they like.
"""
import random

PLAYLISTS = ["one", "two words", "Ünï", "none"]
BAD_NAMES = ["", "a/b", "../x"]
TAGS = ["artist", "album", "title", "genre", "date", "albumartist", "track", "composer", "Artist", "ALBUM",
        "performer", "disc", "artistsort", "albumartistsort", "label", "musicbrainz_albumid",
        "originaldate", "nonsense", "file", "any", "base", "modified-since", "filename", ""]
VALUES = ["Low", "low", "Björk", "bjork", "björk", "Papers One", "Papers", "o", "Nina", "Tom", "", "Pop", "1997",
          "1993", "Hunter", 'say "hi"', "O'Neil", "back\\slash", "two  blanks", "one", "(paren)", "nothing"]
INTEGERS = ["0", "1", "2", "3", "5", "12", "-1", "-2", "99", "1000000", "2147483647", "2147483648",
            "4294967296", "99999999999999999999", "1.5", "x", "", "1x", "0x1"]
BOOLEANS = ["0", "1", "1", "0", "2", "oneshot", "on", "true", "", "-1"]


class Generator:
    def __init__(self, seed, songs, folders):
        self.random = random.Random(seed)
        self.songs, self.folders = songs, folders
        self.topics = {
            "queue": QUEUE, "playback": PLAYBACK, "options": OPTIONS, "database": DATABASE, "playlists": PLAYLIST,
            "pictures": PICTURES, "stickers": STICKERS, "connection": CONNECTION, "lines": LINES}

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, *values):
        return self.random.choice(values)

    # Arguments

    def song(self):
        return self.random.choice(self.songs)

    def uri(self):
        kind = self.random.random()
        if kind < 0.6:
            return self.song()
        if kind < 0.85:
            return self.random.choice(self.folders)
        return self.choice(
            "", "/", "nowhere", "nowhere/at/all.mp3", "../loose.mp3", "Low/../loose.mp3", "Low/", "/loose.mp3", "Low//Papers One",
            "./Low", "Low/notes.txt", "Low/broken.mp3", "/etc/passwd", "/nowhere.mp3", "file:///nowhere.mp3",
            "Björk/Homogenic/cover.jpg", "nothing://x", ".", "..", "low", "LOOSE.mp3")

    def position(self):
        return self.choice("0", "0", "1", "1", "2", "3", "4") if self.chance(0.8) else self.choice(*INTEGERS)

    def range(self):
        if self.chance(0.4):
            return self.position()
        return self.choice("0:1", "0:2", "1:3", "1:", "0:", "2:4", "0:99", "99:", ":", "3:1", "1:1", "-1:2", "1:-1",
                           "x:1", "1:x", ":2", "1:2:3", "")

    def relative(self):
        return self.choice("+0", "-0", "+1", "-1", "+99", "-99", "+", "-", "+x") if self.chance(0.5) else self.position()

    def id(self):
        return f"@id:{self.random.randrange(6)}" if self.chance(0.85) else self.other_number()

    def other_number(self):
        """Something that is neither an id nor a version of one of the servers."""
        return self.choice("-1", "1000000", "2147483648", "4294967296", "99999999999999999999", "1.5", "x", "", "1x")

    def number(self):
        return self.choice(*INTEGERS)

    def time(self):
        return self.choice("0", "1", "10", "12.5", "30", "20.25") if self.chance(0.8) else self.choice(
            "-1", "x", "", "+5", "-5", "1:00")

    def boolean(self):
        return self.choice("0", "1") if self.chance(0.7) else self.choice(*BOOLEANS)

    def tag(self):
        return self.random.choice(TAGS[:7]) if self.chance(0.7) else self.random.choice(TAGS)

    def value(self):
        return self.random.choice(VALUES)

    def playlist(self):
        return self.random.choice(PLAYLISTS) if self.chance(0.93) else self.random.choice(BAD_NAMES)

    def expression(self, depth=0):
        kind = self.random.random()
        if kind < 0.12 and depth == 0:
            return "(" + " AND ".join(self.expression(1) for _ in range(self.random.randrange(2, 4))) + ")"
        if kind < 0.2 and depth < 2:
            return f"(!{self.expression(depth + 1)})"
        if kind < 0.25:
            return f"(base {self.literal(self.random.choice(self.folders))})"
        if kind < 0.28:
            return f"(modified-since {self.literal(self.choice('2019-01-01', '2021-01-01', '1600000000', 'x'))})"
        if kind < 0.31:
            return f"(AudioFormat {self.choice('==', '=~')} {self.literal(self.choice('22050:16:1', '22050:*:1', '44100:16:2', 'x'))})"
        if kind < 0.37:
            return self.choice(
                "(", "()", "(artist)", "(artist ==)", "(artist == Low)", "(artist == 'Low'", "artist == 'Low'",
                "(artist == 'Low') x", "((artist == 'Low') OR (artist == 'Tom'))", "(nonsense == 'x')",
                "(artist < 'x')", "(!artist == 'Low')", "((artist == 'Low') AND)", "(artist == 'Lo\\'w')", "(file ==  'loose.mp3')",
                "(artist=='Low')", "( artist == 'Low' )", "((artist == 'Low')AND(date == '2001'))", "(prio >= 1)", "(any contains 'o')")
        operator = self.choice("==", "==", "!=", "contains", "=~", "!~", "starts_with", "eq")
        return f"({self.tag()} {operator} {self.literal(self.value())})"

    def literal(self, text):
        quote = self.choice("'", '"')
        return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote

    def filter(self):
        if self.chance(0.5):
            return [self.expression()]
        words = []
        for _ in range(self.random.randrange(1, 3)):
            words += [self.tag(), self.value()]
        if self.chance(0.05):
            words.pop()
        return words

    def trailer(self):
        words = []
        if self.chance(0.25):
            words += ["sort", self.choice("title", "-title", "date", "-date", "album", "Last-Modified", "nonsense", "track", "")]
        if self.chance(0.25):
            words += ["window", self.range()]
        return words

    def group(self):
        words = []
        for _ in range(self.choice(0, 0, 1, 1, 2)):
            words += ["group", self.tag()]
        return words

    # Scripts

    def command(self, table):
        total = sum(weight for weight, _ in table)
        chosen = self.random.uniform(0, total)
        for weight, make in table:
            chosen -= weight
            if chosen <= 0:
                break
        words = [str(word) for word in make(self)]
        if self.chance(0.02) and not words[0].startswith("raw:"):
            if self.chance(0.5):
                words.append(self.choice("1000000", "x"))
            elif len(words) > 1:
                words.pop()
        return words

    def login(self):
        """The first step of a client on the network."""
        return [[self.choice(["password", "look"], ["password", "all"], ["password", "wrong"], ["ping"])]]

    def script(self):
        if self.chance(0.05):
            # The queue stays empty: its order would be each server's own.
            return [[["random", "1"]]] + [[self.command(OPTIONS)] for _ in range(self.random.randrange(2, 6))] + [[["random", "0"]]]
        topics = self.random.sample(list(self.topics), k=min(len(self.topics), self.choice(1, 1, 2, 2, 3)))
        table = [entry for topic in topics for entry in self.topics[topic]]
        steps = [[["add", self.uri()]] for _ in range(self.choice(0, 1, 2, 3))]
        for _ in range(self.random.randrange(2, 12)):
            count = self.random.randrange(2, 5) if self.chance(0.1) else 1
            commands = [self.command(table) for _ in range(count)]
            if count > 1:
                commands = [words for words in commands if words[0] != "close" and not words[0].startswith("raw:")]
            if commands:
                steps.append(commands)
        return steps


QUEUE = [
    (3, lambda g: ["add", g.uri()]),
    (2, lambda g: ["add", g.uri(), g.relative()]),
    (2, lambda g: ["addid", g.uri()]),
    (3, lambda g: ["addid", g.uri(), g.relative()]),
    (0.5, lambda g: ["clear"]),
    (2, lambda g: ["delete", g.range()]),
    (2, lambda g: ["deleteid", g.id()]),
    (2, lambda g: ["move", g.range(), g.relative()]),
    (2, lambda g: ["moveid", g.id(), g.relative()]),
    (1, lambda g: ["swap", g.position(), g.position()]),
    (1, lambda g: ["swapid", g.id(), g.id()]),
    (1, lambda g: ["playlistinfo"]),
    (2, lambda g: ["playlistinfo", g.range()]),
    (1, lambda g: ["playlistid"]),
    (2, lambda g: ["playlistid", g.id()]),
    (1, lambda g: ["playlist"]),
    (2, lambda g: ["playlistfind", *g.filter(), *g.trailer()]),
    (2, lambda g: ["playlistsearch", *g.filter(), *g.trailer()]),
    (2, lambda g: ["plchanges", f"@version:{g.random.randrange(6)}"]),
    (1, lambda g: ["plchanges", g.choice("0", "-1", "4294967295", "x", "")]),
    (1, lambda g: ["plchanges", f"@version:{g.random.randrange(6)}", g.range()]),
    (2, lambda g: ["plchangesposid", f"@version:{g.random.randrange(6)}"]),
    (1, lambda g: ["prio", g.choice("0", "5", "255", "256", "-1", "x"), g.range()]),
    (1, lambda g: ["prioid", g.choice("0", "5", "255", "256", "-1", "x"), g.id()]),
    (1, lambda g: ["rangeid", g.id(), g.choice("1:10", "5:", ":", ":10", "10:5", "x", "", "1.5:2.5", "-1:3")]),
    (0.5, lambda g: ["shuffle", g.choice("0:1", "1:2", "99:", "x", "5:3")]),
    (0.5, lambda g: ["addtagid", g.id(), g.tag(), g.value()]),
    (0.5, lambda g: ["cleartagid", g.id(), g.tag()]),
    (1, lambda g: ["status"]),
]

PLAYBACK = [
    (3, lambda g: ["add", g.song()]),
    (1, lambda g: ["play"]),
    (3, lambda g: ["play", g.position()]),
    (2, lambda g: ["playid", g.id()]),
    (1, lambda g: ["playid"]),
    (2, lambda g: ["pause"]),
    (2, lambda g: ["pause", g.boolean()]),
    (2, lambda g: ["next"]),
    (2, lambda g: ["previous"]),
    (1, lambda g: ["stop"]),
    (2, lambda g: ["seek", g.position(), g.time()]),
    (2, lambda g: ["seekid", g.id(), g.time()]),
    (2, lambda g: ["seekcur", g.choice(g.time(), g.time(), "+2", "-2", "+1.5", "+x", "-", "+")]),
    (3, lambda g: ["status"]),
    (3, lambda g: ["currentsong"]),
    (1, lambda g: ["single", g.boolean()]),
    (1, lambda g: ["consume", g.boolean()]),
    (1, lambda g: ["repeat", g.boolean()]),
    (1, lambda g: ["delete", g.position()]),
    (1, lambda g: ["move", g.position(), g.position()]),
    (0.5, lambda g: ["clear"]),
    (0.5, lambda g: ["clearerror"]),
    (0.5, lambda g: ["setvol", g.number()]),
]

OPTIONS = [
    (2, lambda g: ["repeat", g.boolean()]),
    (1, lambda g: ["random", g.choice("0", "2", "x", "")]),
    (2, lambda g: ["single", g.boolean()]),
    (2, lambda g: ["consume", g.boolean()]),
    (2, lambda g: ["crossfade", g.choice("0", "1", "2", "5", "12", "-1", "x", "", "1.5")]),
    (1, lambda g: ["mixrampdb", g.choice("0", "-17", "x", "nan", "")]),
    (1, lambda g: ["mixrampdelay", g.choice("0", "2", "nan", "x", "-1")]),
    (2, lambda g: ["setvol", g.choice("0", "1", "50", "99", "100", "101", "-1", "x", "")]),
    (1, lambda g: ["volume", g.choice("5", "-5", "+5", "200", "-200", "0", "x")]),
    (1, lambda g: ["getvol"]),
    (2, lambda g: ["replay_gain_mode", g.choice("off", "track", "album", "Album", "x", "")]),
    (1, lambda g: ["replay_gain_status"]),
    (1, lambda g: ["outputs"]),
    (1, lambda g: ["enableoutput", g.choice("0", "0", "1", "x", "-1", "")]),
    (0.5, lambda g: [g.choice("disableoutput", "toggleoutput"), g.choice("7", "x", "-1", "")]),
    (0.5, lambda g: ["outputset", g.choice("0", "9", "x"), "name", "value"]),
    (2, lambda g: ["status"]),
]

DATABASE = [
    (2, lambda g: ["lsinfo"]),
    (2, lambda g: ["lsinfo", g.uri()]),
    (1, lambda g: ["listall"]),
    (1, lambda g: ["listall", g.uri()]),
    (1, lambda g: ["listallinfo", g.uri()]),
    (1, lambda g: ["listfiles", g.choice(g.song(), g.random.choice(g.folders), "nowhere", "Low/", "/nowhere", "../x")]),
    (0.5, lambda g: ["listfiles"]),
    (3, lambda g: ["list", g.tag(), *g.filter()[:g.choice(0, 0, 9)], *g.group()]),
    (1, lambda g: ["list", "album", g.value()]),
    (3, lambda g: ["find", *g.filter(), *g.trailer()]),
    (3, lambda g: ["search", *g.filter(), *g.trailer()]),
    (2, lambda g: ["count", *g.filter()[:g.choice(0, 9, 9)], *g.group()]),
    (1, lambda g: ["findadd", *g.filter(), *g.trailer()]),
    (1, lambda g: ["searchadd", *g.filter(), *g.trailer(), *g.choice([], [], ["position", g.relative()])]),
    (1, lambda g: ["searchaddpl", g.playlist(), *g.filter(), *g.trailer()]),
    (1, lambda g: ["readcomments", g.uri()]),
    (0.5, lambda g: ["stats"]),
    (0.3, lambda g: [g.choice("update", "rescan"), g.choice("..", "../x", "/x", "a//b")]),
    (0.3, lambda g: ["urlhandlers"]),
    (0.3, lambda g: ["decoders"]),
    (0.3, lambda g: ["listmounts"]),
    (0.3, lambda g: ["listneighbors"]),
]

PLAYLIST = [
    (2, lambda g: ["save", g.playlist()]),
    (1, lambda g: ["load", g.playlist()]),
    (1, lambda g: ["load", g.playlist(), g.range()]),
    (1, lambda g: ["load", g.playlist(), g.range(), g.relative()]),
    (1, lambda g: ["listplaylists"]),
    (2, lambda g: ["listplaylist", g.playlist()]),
    (2, lambda g: ["listplaylistinfo", g.playlist()]),
    (3, lambda g: ["playlistadd", g.playlist(), g.uri()]),
    (1, lambda g: ["playlistadd", g.playlist(), g.uri(), g.position()]),
    (1, lambda g: ["playlistdelete", g.playlist(), g.range()]),
    (1, lambda g: ["playlistmove", g.playlist(), g.position(), g.position()]),
    (0.5, lambda g: ["playlistclear", g.playlist()]),
    (1, lambda g: ["rename", g.playlist(), g.playlist()]),
    (1, lambda g: ["rm", g.playlist()]),
    (1, lambda g: ["lsinfo"]),
]

PICTURES = [
    (2, lambda g: ["albumart", g.song(), g.choice("0", "0", "100", "8192", "99999999", "-1", "x")]),
    (2, lambda g: ["readpicture", g.uri(), g.choice("0", "0", "100", "8192", "99999999", "-1", "x")]),
    (2, lambda g: ["albumart", "Björk/Homogenic/01 Hunter.mp3", g.choice("0", "100", "99999999")]),
    (2, lambda g: ["readpicture", g.choice("Björk/Debut/01 Human Behaviour.flac", "Low/Papers One/a.mp3"), g.choice("0", "100", "99999999")]),
    (1, lambda g: ["binarylimit", g.choice("64", "100", "8192", "0", "63", "x", "100000000")]),
]

STICKERS = [
    (2, lambda g: ["sticker", "get", "song", g.uri(), g.choice("rating", "rating", "like")]),
    (2, lambda g: ["sticker", "set", "song", g.uri(), "rating", g.choice("2", "4", "8")]),
    (1, lambda g: ["sticker", "list", "song", g.uri()]),
    (1, lambda g: ["sticker", "delete", "song", g.uri(), "rating"]),
    (1, lambda g: ["sticker", "find", "song", g.choice("", "Low", "nowhere", "Björk/Homogenic"), "rating"]),
    (1, lambda g: ["sticker", "find", "song", "", "rating", g.choice("=", "<", ">", "!"), g.choice("2", "4", "6")]),
    (0.5, lambda g: ["sticker", g.choice("get", "x", "set"), g.choice("nonsense", "song"), "loose.mp3", "rating"]),
]

CONNECTION = [
    (1, lambda g: ["ping"]),
    (1, lambda g: ["commands"]),
    (1, lambda g: ["notcommands"]),
    (1, lambda g: ["tagtypes"]),
    (1, lambda g: ["tagtypes", g.choice("clear", "all", "x", "reset")]),
    (2, lambda g: ["tagtypes", g.choice("enable", "disable"), g.tag(), g.tag()]),
    (0.5, lambda g: ["tagtypes", g.choice("enable", "disable")]),
    (1, lambda g: ["password", g.choice("", "wrong")]),
    (0.5, lambda g: ["config"]),
    (1, lambda g: ["subscribe", g.choice("channel", "other", "a b", "", "x/y")]),
    (1, lambda g: ["unsubscribe", g.choice("channel", "other", "none")]),
    (1, lambda g: ["channels"]),
    (1, lambda g: ["sendmessage", g.choice("channel", "other", "none"), g.choice("hello", "", "two words")]),
    (1, lambda g: ["readmessages"]),
    (0.5, lambda g: ["listpartitions"]),
    (0.5, lambda g: ["partition", g.choice("default", "nowhere")]),
    (0.5, lambda g: ["lsinfo", g.uri()]),
    (0.5, lambda g: ["find", *g.filter()]),
    (0.2, lambda g: ["close"]),
    (0.5, lambda g: ["noidle"]),
    (0.5, lambda g: ["idle", "nonsense"]),
]

LINES = [
    (1, lambda g: ["raw:" + g.choice(
        'add "loose.mp3', 'add loose.mp3"', 'add "loose.mp3"x', "add 'loose.mp3'", "add  loose.mp3", "add\tloose.mp3",
        " add loose.mp3", "add loose.mp3 ", '"add" loose.mp3', "ADD loose.mp3", "Add", "", " ", "\t", "add \"\"",
        'add "a\\"b"', 'add "a\\\\b"', "add a\\b", 'add lo"ose.mp3', "nonsense", "nonsense 1 2 3", "add", "1", "pi-ng",
        "ping x", "status x", "find", "list", "count", "setvol", "play 0 1", "command_list_end", "idle x", "noidle",
        "a" * 4000, "add " + "x" * 3000, "ping\r", "stat_us", "é", "add ü",
        "sticker", "sticker get", "tagtypes x y z", "replay_gain_mode", "play +1",
        "command_list_begin\\nping\\ncommand_list_end", "command_list_begin\\ngetvol\\nx\\nping\\ncommand_list_end",
        "command_list_ok_begin\\ncommand_list_end", "command_list_begin\\ncommand_list_ok_begin\\ncommand_list_end", "play -1", "pause 0 0")]),
]
