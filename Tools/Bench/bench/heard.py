"""The rows measured on the monitor: one round of one player at a time."""

from __future__ import annotations

from collections.abc import Callable

from .context import Bench, Source, require
from .locate import Track
from .players import Player, Undersong, UndersongServed, Wish
from .reading import (
    differences,
    heard_seams,
    jump_after,
    lost_by_pause,
    place_of_stop,
    seam_errors,
    silence_after,
    sound_after,
    within,
)
from .server import RATE, Recorder
from .sessions import Action, Commander, Session, record

AFTER = 2.0  # seconds after a jump during which the clock is examined separately


def seams(bench: Bench, kind: type[Player]) -> None:
    """Plays three queues to their end."""
    queues = {
        "cbr": bench.material.seams(["--cbr", "-b192"]),
        "vbr": bench.material.seams(["-V2"]),
        "mixed": bench.material.mixed(),
    }
    for name, queue in queues.items():
        with bench.measuring(kind, f"seams-{name}", f"silence-{name}"):
            require(kind, "a queue")
            session = record(
                bench.tools, kind, queue.files, Wish(), lambda it: it.recorder.wait_for_silence(90)
            )
            errors, silences = seam_errors(session.recording, queue)
            bench.results.add(f"seams-{name}", kind.name, sum(map(abs, errors)))
            bench.results.add(f"silence-{name}", kind.name, sum(silences))


def start(bench: Bench, kind: type[Player]) -> None:
    """Starts the player a few times during one recording; Undersong also with its service
    running."""
    _start(bench, kind, "start")
    if kind is Undersong:
        _start(bench, UndersongServed, "start-served")


def _start(bench: Bench, form: type[Player], values: str) -> None:
    # Where in it a sound lies is not asked, so it may be of any format.
    files = bench.material.single().files
    recorder = Recorder(bench.tools)
    moments = []
    try:
        for _ in range(bench.choose(8, 5)):
            player = form(bench.tools, files)
            try:
                recorder.wait_for_sound()
            finally:
                player.stop()
            moments.append(player.child.started)
            recorder.wait_for_silence()
    finally:
        recording = recorder.finish()
    name = Undersong.name if issubclass(form, Undersong) else form.name
    for moment in moments:
        bench.results.add(values, name, sound_after(recording, moment))


def control(bench: Bench, kind: type[Player]) -> None:
    """Pauses, resumes, seeks and skips at random moments."""
    with bench.measuring(kind, "pause", "lost", "resume", "skip", "seek"):
        require(kind, "control")

        def act(commander: Commander) -> None:
            commander.wait(1, 1.2)
            for _ in range(bench.choose(8, 6)):
                for name in commander.random.sample(["pause", "seek", "skip"], 3):
                    commander.do(name, 0.6, 1.2)
                    if name == "pause":
                        commander.do("resume", 0.6, 1.2)

        session = record(bench.tools, kind, bench.songs.queue.files, Wish(control=True), act)
        track = bench.songs.track(session)
        for before, action in zip([None, *session.actions], session.actions):
            for name, value in _latencies(bench.songs, session, track, before, action):
                with bench.measuring(kind, name):
                    bench.results.add(name, kind.name, value())


def _latencies(
    source: Source, session: Session, track: Track, before: Action | None, action: Action
) -> list[tuple[str, Callable[[], float]]]:
    """The values that one command yields, and how each is measured on the recording."""
    recording, moment = session.recording, action.moment
    if action.name == "pause":
        return [("pause", lambda: silence_after(recording, moment))]
    if action.name == "resume" and before:
        return [
            ("resume", lambda: sound_after(recording, moment)),
            ("lost", lambda: lost_by_pause(recording, track, before.moment, moment)),
        ]
    return [(action.name, lambda: jump_after(recording, source.locator, track, moment))]


def clock(bench: Bench, kind: type[Player]) -> None:
    """Compares the reported with the heard position: steady, at seams, after jumps."""
    with bench.measuring(kind, "clock", "reports", "lateness"):
        _clock_in_steady_play(bench, kind)
    with bench.measuring(kind, "clock-advance"):
        require(kind, "a queue")
        _clock_at_seams(bench, kind)
    with bench.measuring(kind, "clock-resume", "clock-seek", "standing"):
        require(kind, "control")
        _clock_after_jumps(bench, kind)


def _clock_in_steady_play(bench: Bench, kind: type[Player]) -> None:
    seconds = bench.choose(22, 10)

    def act(commander: Commander) -> None:
        commander.wait(AFTER + seconds, AFTER + seconds)

    session = record(bench.tools, kind, bench.single.queue.files, Wish(reports=True), act)
    reports = [it for it in session.reports if it.moment > session.began + AFTER]
    track = bench.single.track(session)
    _, errors = differences(reports, session.recording, track, bench.single.queue.starts)
    bench.results.add("clock", kind.name, *errors)
    bench.results.add("reports", kind.name, len(reports) / seconds)
    if kind.has_own_times:
        bench.results.add("lateness", kind.name, *(it.lateness for it in reports))
    else:
        reason = "its reports do not say of which moment they are"
        bench.results.refuse("lateness", kind.name, reason)


def _clock_at_seams(bench: Bench, kind: type[Player]) -> None:
    seconds = bench.choose(22, 12)
    queue = bench.album.queue
    session = record(
        bench.tools, kind, queue.files, Wish(reports=True), lambda it: it.wait(seconds, seconds)
    )
    track = bench.album.track(session)
    moments, errors = differences(session.reports, session.recording, track, queue.starts)
    seams = heard_seams(session.recording, track, queue.starts)
    bench.results.add("clock-advance", kind.name, *errors[within(moments, seams, AFTER)])


def _clock_after_jumps(bench: Bench, kind: type[Player]) -> None:
    def act(commander: Commander) -> None:
        commander.wait(1, 1.5)
        for _ in range(bench.choose(4, 2)):
            commander.do("pause", 0.7, 1)
            commander.do("resume", AFTER, AFTER + 0.3)
            commander.do("seek", AFTER, AFTER + 0.3)
            commander.do("skip", 0.5, 0.7)

    queue = bench.songs.queue
    wish = Wish(control=True, reports=True)
    session = record(bench.tools, kind, queue.files, wish, act)
    track = bench.songs.track(session)
    moments, errors = differences(session.reports, session.recording, track, queue.starts)
    for name in ("resume", "seek"):
        jumps = [action.moment for action in session.actions if action.name == name]
        bench.results.add(f"clock-{name}", kind.name, *errors[within(moments, jumps, AFTER)])
    for action, following in zip(session.actions, session.actions[1:]):
        if action.name == "pause":
            told = [it for it in session.reports if it.moment < following.moment][-1:]
            place = place_of_stop(session.recording, track, action.moment)
            stops = [queue.starts[it.index] / RATE + it.seconds - place for it in told]
            bench.results.add("standing", kind.name, *stops)
