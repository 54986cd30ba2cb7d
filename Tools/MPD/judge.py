"""Gives both servers the same script, and compares what they answer, their queues, and what their idle clients hear."""
import difflib, re, time
from dataclasses import dataclass

import differences
from connection import Closed, Connection, Watcher, quoted

RESET = [
    "stop", "clear", "repeat 0", "random 0", "single 0", "consume 0", "crossfade 0", "mixrampdb 0",
    "mixrampdelay nan", "replay_gain_mode off", "enableoutput 0", "setvol 100", "clearerror"]


# The lines of a difference that are shown.
SHOWN = 30


@dataclass
class Finding:
    """A difference: `step` of the script, the command, both answers, and a signature that similar ones share."""
    step: int
    command: list
    ours: list
    theirs: list
    signature: str
    state: bool = False

    def text(self, names):
        lines = list(difflib.unified_diff(self.theirs, self.ours, names[1], names[0], lineterm="", n=1))
        more = [f"({len(lines) - SHOWN} more lines)"] if len(lines) > SHOWN else []
        return "\n".join(lines[:SHOWN] + more)


def shape(line):
    """An error without what is quoted in it, or the name of a line."""
    if line.startswith("ACK"):
        return re.sub(r"(?<!\[)(?<!\[\d)\d+", "N", re.sub(r'"[^"]*"|\'[^\']*\'', '"…"', re.sub(r"@\d+", "", line)))
    line = re.sub(r"^\d+:file: ", "file: ", line)
    return differences.key(line) if ": " in line else line


def signature(command, ours, theirs):
    last = [shape(lines[-1]) if lines else "(nothing)" for lines in (theirs, ours)]
    if last[0] != last[1]:
        return f"{command}: {last[0]} ≠ {last[1]}"
    if last[0].startswith("ACK"):
        return f"{command}: {last[0]} differs in what is quoted"
    if sorted(ours) == sorted(theirs):
        return f"{command}: order"
    only = [sorted({shape(line) for line in a if line not in b}) for a, b in ((theirs, ours), (ours, theirs))]
    return f"{command}: mpd's {', '.join(only[0]) or 'none'} ≠ {', '.join(only[1]) or 'none'}"


class Side:
    """One of the servers while a script runs."""

    def __init__(self, server, is_on_network=False):
        self.server, self.is_on_network = server, is_on_network
        self.control, self.client = Connection(server.path), None
        self.watcher = Watcher(server.path)
        self.ids, self.versions = [], []
        # The values that each subsystem had.
        self.seen = {name: set() for name in differences.STATES}

    def close(self):
        for connection in (self.control, self.client, self.watcher.connection):
            if connection:
                connection.close()

    def begin(self):
        for line in RESET:
            self.control.ask(line)
        for line in self.control.ask("listplaylists"):
            if line.startswith("playlist: "):
                self.control.ask("rm " + quoted(line.removeprefix("playlist: ")))
        for line in self.control.ask('sticker find song "" rating'):
            if line.startswith("file: "):
                self.control.ask(f"sticker delete song {quoted(line.removeprefix('file: '))} rating")
        self.ids, self.versions = [], []
        for values in self.seen.values():
            values.clear()
        self.connect()
        self.snapshot()
        self.watcher.collect()

    def connect(self):
        if self.client:
            self.client.close()
        self.client = Connection(port=self.server.port) if self.is_on_network else Connection(self.server.path)

    def word(self, word):
        kind, _, number = word.partition(":")
        if kind == "@id":
            return self.ids[int(number)] if int(number) < len(self.ids) else "987654"
        if kind == "@version":
            return self.versions[min(int(number), len(self.versions) - 1)]
        return quoted(word)

    def line(self, words):
        if words[0].startswith("raw:"):
            return words[0][4:].replace("\\n", "\n")
        return " ".join(self.word(word) for word in words)

    def send(self, step):
        lines = [self.line(words) for words in step]
        if len(lines) > 1:
            lines = ["command_list_ok_begin", *lines, "command_list_end"]
        try:
            self.client.send("".join(f"{line}\n" for line in lines).encode())
        except Closed:
            # The reply says so.
            pass

    def replies(self, step):
        """The reply to each command of the step."""
        # It has no reply.
        if step in ([["noidle"]], [["raw:noidle"]]):
            try:
                self.client.send(b"ping\n")
            except Closed:
                pass
        lines = self.client.reply()
        if lines and lines[-1] == "(closed)":
            self.connect()
        replies = [[]]
        for line in lines:
            replies[-1].append(line)
            if line == "list_OK":
                replies.append([])
        if replies[-1] == ["OK"] and len(step) > 1:
            replies.pop()
        return replies

    def snapshot(self, again=False):
        """The state that every client sees: the status and the queue."""
        lines = self.control.ask("status", "playlist", "plchangesposid 0")
        if again:
            self.versions.pop()
        self.versions.append(differences.value(lines, "playlist")[1] or "0")
        self.note(lines)
        for name, values in self.seen.items():
            values.add(tuple(line for line in lines if differences.key(line) in differences.STATES[name]))
        return lines

    def note(self, lines):
        """Numbers the ids that were not seen before."""
        for line in lines:
            if line.startswith("Id: ") and line[4:] not in self.ids:
                self.ids.append(line[4:])


class Judge:
    def __init__(self, ours, theirs, is_on_network=False):
        self.servers = (ours, theirs)
        self.names = (ours.name, theirs.name)
        self.sides = [Side(server, is_on_network) for server in self.servers]

    def close(self):
        for side in self.sides:
            side.close()

    def confirmed(self, script):
        """The findings of a script that are there again when it is repeated: others are of the servers' threads."""
        findings = self.run(script)
        if findings:
            again = {finding.signature for finding in self.run(script)}
            findings = [finding for finding in findings if finding.signature in again]
        return findings

    def run(self, script):
        """The findings of a script; it ends at the first difference in state."""
        ours, theirs = self.sides
        for side in self.sides:
            side.begin()
        findings = []
        for number, step in enumerate(script):
            for side in self.sides:
                side.send(step)
            replies = [side.replies(step) for side in self.sides]
            for index, words in enumerate(step):
                pair = [each[index] if index < len(each) else ["(no reply)"] for each in replies]
                if index > 0 and ["(no reply)"] in pair:
                    # The list has ended at an error, which is the same or was reported.
                    break
                command = words[0] if not words[0].startswith("raw:") else "raw " + words[0][4:20].strip()
                for side, lines in zip(self.sides, pair):
                    side.note(lines)
                self.compare(number, command, words, pair, findings)
            snapshots = [side.snapshot() for side in self.sides]
            if self.compare(number, "status", step[-1], snapshots, [], state=True):
                # Threads that the reply did not wait for may need a moment.
                time.sleep(0.15)
                snapshots = [side.snapshot(again=True) for side in self.sides]
                if self.compare(number, "status", step[-1], snapshots, findings, state=True):
                    return findings
        changed = [side.watcher.collect() for side in self.sides]
        if changed[0] != changed[1]:
            time.sleep(0.2)
            changed = [some | side.watcher.collect() for some, side in zip(changed, self.sides)]
        # Counts of the library are stickers, and MPD notifies clients of commands that change nothing.
        changed[0] -= {"sticker"} - changed[1]
        if [["random", "1"]] in script:
            changed[0] -= {"playlist"} - changed[1]
        changed[1] -= {name for name, values in ours.seen.items() if len(values) == 1 and name not in changed[0]}
        if changed[0] != changed[1]:
            lines = [[f"changed: {name}" for name in sorted(names)] for names in changed]
            only = [sorted(changed[1] - changed[0]), sorted(changed[0] - changed[1])]
            findings.append(Finding(
                len(script) - 1, ["idle"], lines[0], lines[1],
                f"idle: only mpd {', '.join(only[0]) or 'none'}, only ours {', '.join(only[1]) or 'none'}"))
        return findings

    def compare(self, number, command, words, pair, findings, state=False):
        named = [differences.without_ids(lines, side.ids) for lines, side in zip(pair, self.sides)]
        plain = words[0].removeprefix("raw:").split()[:1] if command.startswith("raw") else [command]
        ours, theirs = differences.compared("".join(plain).strip('"'), *named)
        if ours == theirs:
            return False
        name = f"state after {words[0]}" if state else command
        findings.append(Finding(number, words, ours, theirs, signature(name, ours, theirs), state))
        return True

    def minimized(self, script, signature, budget=60):
        """The shortest script found that shows the same."""
        def shows(candidate):
            return any(finding.signature == signature for finding in self.run(candidate))
        size = max(1, len(script) // 2)
        while size >= 1 and budget > 0:
            start = 0
            while start < len(script) and budget > 0:
                candidate = script[:start] + script[start + size:]
                budget -= 1
                if candidate and shows(candidate):
                    script = candidate
                else:
                    start += size
            size //= 2
        return script


def described(step):
    lines = [" ".join(quoted(word) if not word.startswith("raw:") else word[4:] for word in words) for words in step]
    return lines[0] if len(lines) == 1 else "[" + "; ".join(lines) + "]"
