"""Tests of the method: known shifts, gaps and jumps must be measured as they were made.

Run by `Tools/Bench/run --check`; nothing here needs a sound server.
"""

from __future__ import annotations

import unittest
from pathlib import Path

import numpy as np

from . import reading, starts
from .card import Judge, Note, Outcome, Trial, landing
from .locate import Locator
from .material import Queue, noise, resample
from .players import Report
from .processes import Meter, Switches, Unmeasurable, Usage
from .report import MEAN, MEDIAN, P99_SIZE
from .server import RATE, Array, Recording, timeline
from .sinks import pace, steps_back
from .survival import outcome
from .tape import Take
from .trials import Event

SOURCE = noise(20, seed=9)[:, 0]
STARTS = np.array([0, 10 * RATE])
LEAD = RATE  # silence before the sound


def recording(*parts: Array, begin: float = 100) -> Recording:
    """One second of silence, `parts` and another second of silence, played from `begin` on."""
    silence = np.zeros(LEAD, np.float32)
    samples = np.concatenate([silence, *parts, silence])
    places = np.array([0.0, len(samples)])
    whole = np.round(samples * 32767).astype(np.int16)
    return Recording(whole, (places, begin + places / RATE))


def moment_of(sample: int) -> float:
    """When sample `sample` after the leading silence is played."""
    return 100 + (LEAD + sample) / RATE


class JumpTests(unittest.TestCase):
    """What is measured around a command."""

    def test_sound_and_silence_are_found_to_the_sample(self) -> None:
        heard = recording(SOURCE[:RATE])

        self.assertAlmostEqual(reading.sound_after(heard, 100.5), 0.5, delta=2 / RATE)
        self.assertAlmostEqual(
            reading.silence_after(heard, moment_of(RATE) - 0.25), 0.25, delta=2 / RATE
        )

    def test_a_later_recording_increases_the_latency_equally(self) -> None:
        heard = recording(SOURCE[:RATE])

        shift = reading.sound_after(heard.shifted(0.005), 100.5) - 0.5

        self.assertAlmostEqual(shift, 0.005, delta=2 / RATE)

    def test_a_resume_during_sound_is_refused(self) -> None:
        with self.assertRaises(Unmeasurable):
            reading.sound_after(recording(SOURCE[:RATE]), moment_of(RATE // 2))

    def test_a_jump_is_found_to_the_sample(self) -> None:
        locator = Locator(SOURCE)
        cut = 50_123
        for gap in (0, 700):
            middle = np.zeros(gap, np.float32)
            heard = recording(SOURCE[:cut], middle, SOURCE[300_000:400_000])
            track = locator.track(heard, jumps=[5 * RATE])

            latency = reading.jump_after(heard, locator, track, moment_of(cut) - 0.02)

            self.assertAlmostEqual(latency, 0.02 + gap / RATE, delta=3 / RATE)

    def test_a_block_split_by_a_jump_has_no_place(self) -> None:
        cut = 50_123
        heard = recording(SOURCE[:cut], SOURCE[300_000:400_000])

        track = Locator(SOURCE).track(heard, jumps=[300_000 - cut])

        at = LEAD + cut + np.arange(-400, 400)
        told = track.at(at)
        true = at - LEAD + np.where(at < LEAD + cut, 0, 300_000 - cut)
        wrong = np.abs(told - true) > 2
        self.assertLess(np.count_nonzero(wrong[~np.isnan(told)]), 10)
        self.assertGreater(np.count_nonzero(~np.isnan(told)), 500)

    def test_music_lost_by_a_pause_is_counted(self) -> None:
        stop, begin, silence = 60_000, 61_000, np.zeros(RATE, np.float32)
        heard = recording(SOURCE[:stop], silence, SOURCE[begin:150_000])
        track = Locator(SOURCE).track(heard)
        paused, resumed = moment_of(stop) - 0.01, moment_of(stop + RATE) - 0.01

        lost = reading.lost_by_pause(heard, track, paused, resumed)

        self.assertAlmostEqual(lost, 1000 / RATE, delta=2 / RATE)


class SeamTests(unittest.TestCase):
    """What is measured at the seams."""

    queue = Queue([Path("a"), Path("b"), Path("c")], [5 * RATE, 6 * RATE, 9 * RATE], SOURCE)

    def parts(self) -> list[Array]:
        """The pieces of the queue."""
        return np.split(SOURCE, self.queue.starts[1:])

    def test_a_gapless_queue_has_no_errors(self) -> None:
        errors, silences = reading.seam_errors(recording(*self.parts()), self.queue)

        self.assertEqual(([round(error) for error in errors], silences), ([0, 0], [0, 0]))

    def test_gaps_and_losses_are_counted(self) -> None:
        first, second, third = self.parts()
        heard = recording(first, np.zeros(300, np.float32), second, third[17:])

        errors, silences = reading.seam_errors(heard, self.queue)

        self.assertEqual([round(error) for error in errors], [300, -17])
        self.assertAlmostEqual(silences[0], 300, delta=2)
        self.assertEqual(silences[1], 0)

    def test_a_resampled_piece_keeps_its_place(self) -> None:
        source = noise(20, seed=9, highest=9500)
        first, second, third = np.split(source[:, 0], self.queue.starts[1:])
        heard = recording(first, resample(resample(second, 6 * 22050), 6 * RATE), third)

        errors, _ = reading.seam_errors(heard, Queue([], self.queue.lengths, source[:, 0]))

        self.assertLess(max(map(abs, errors)), 0.5)


class ClockTests(unittest.TestCase):
    """Reported minus heard position."""

    def errors(self, heard: Recording, told_ahead: float = 0) -> Array:
        """The errors of reports every 10 ms that claim the position in an unshifted recording."""
        reports = []
        for seconds in np.arange(1, 19, 0.01):
            index = int(seconds >= 10)
            moment = moment_of(0) + seconds
            reports.append(Report(moment, index, seconds - 10 * index + told_ahead))
        track = Locator(SOURCE).track(heard)
        return reading.differences(reports, heard, track, STARTS)[1]

    def test_an_accurate_clock_has_no_error(self) -> None:
        errors = self.errors(recording(SOURCE))

        self.assertGreater(len(errors), 1700)
        self.assertLess(np.abs(errors).max(), 2 / RATE)

    def test_a_clock_that_is_ahead_has_a_positive_error(self) -> None:
        self.assertAlmostEqual(self.errors(recording(SOURCE), 0.2).mean(), 0.2, delta=1 / RATE)

    def test_a_later_recording_increases_the_error_equally(self) -> None:
        errors = self.errors(recording(SOURCE).shifted(0.005))

        self.assertAlmostEqual(errors.mean(), 0.005, delta=1 / RATE)

    def test_seams_are_heard_when_they_are_played(self) -> None:
        heard = recording(SOURCE)
        seam = 10 * RATE + 101

        moments = reading.heard_seams(heard, Locator(SOURCE).track(heard), np.array([0, seam]))

        self.assertEqual(len(moments), 1)
        self.assertAlmostEqual(moments[0], moment_of(seam), delta=2 / RATE)


class TimelineTests(unittest.TestCase):
    """The times of recorded samples."""

    def reads(self, seconds: int) -> tuple[Array, Array]:
        """The sink's blocks, each read 60 µs late or, one in three, up to 10 ms late."""
        random = np.random.default_rng(1)
        count = int(seconds / 975e-6)
        due = 100 + np.arange(count) * 975e-6
        late = np.where(random.random(count) < 0.3, random.exponential(0.003, count), 0)
        arrivals = np.maximum.accumulate(due + 60e-6 + late)
        return arrivals, np.full(count, 43)

    def test_late_reads_do_not_shift_it(self) -> None:
        arrivals, lengths = self.reads(20)

        places, moments = timeline(arrivals, lengths)

        error = moments - (100 + places * 975e-6 / 43)
        self.assertLess(np.abs(error).max(), 150e-6)

    def test_a_reader_that_stalls_does_not_shift_it(self) -> None:
        arrivals, lengths = self.reads(20)
        begin, end = arrivals[5000], arrivals[5000] + 2.2
        stalled = (arrivals > begin) & (arrivals < end)
        arrivals[stalled] = end + np.arange(np.count_nonzero(stalled)) * 2e-6
        arrivals = np.maximum.accumulate(arrivals)

        places, moments = timeline(arrivals, lengths)

        error = moments - (100 + places * 975e-6 / 43)
        self.assertLess(np.abs(error).max(), 150e-6)

    def test_early_reads_after_another_do_not_shift_it(self) -> None:
        arrivals, lengths = self.reads(20)
        arrivals[100::5] = np.minimum(arrivals[99:-1:5] + 20e-6, arrivals[100::5])

        places, moments = timeline(arrivals, lengths)

        error = moments - (100 + places * 975e-6 / 43)
        self.assertLess(np.abs(error).max(), 150e-6)

    def test_a_recorder_that_lost_samples_is_refused(self) -> None:
        arrivals, lengths = self.reads(20)
        arrivals[len(arrivals) // 2 :] += 0.005

        with self.assertRaises(Unmeasurable):
            timeline(arrivals, lengths)


class StatisticTests(unittest.TestCase):
    """Figures and their spread."""

    def test_figures_are_what_their_names_say(self) -> None:
        values = np.array([-4.0, 1, 2, 3, 8])

        self.assertEqual(MEDIAN.figure(values).text(1), "2.0 (1.0 … 3.0)")
        self.assertEqual(MEAN.figure(np.array([-0.001])).text(2), "0.00")
        self.assertEqual(MEAN.figure(values).value, 2)
        self.assertAlmostEqual(P99_SIZE.figure(np.arange(-100, 1)).value, 99)


class CostTests(unittest.TestCase):
    """What threads did in between, even if some of them did not exist before or after."""

    def test_a_thread_that_has_ended_does_not_reduce_the_others(self) -> None:
        before = Meter(10, 1, {"1": Switches(100, 10), "2": Switches(1000, 0)})
        after = Meter(20, 2, {"1": Switches(150, 20), "3": Switches(30, 0)})

        used = after.since(before)

        self.assertEqual(used, Usage(cpu=0.1, wakeups=8, switches=9))


class SinkTests(unittest.TestCase):
    """The pace according to reports."""

    def reports(self, pace: float = 1, stall: float = 0, jitter: float = 0) -> list[Report]:
        """Reports every 20 ms for 5 s, with a stall after 2 s; they arrive late at random."""
        random = np.random.default_rng(1)
        moments = np.arange(0, 5, 0.02)
        places = np.where(moments < 2, moments, np.maximum(moments - stall, 2)) * pace
        late = random.random(len(moments)) * jitter
        return [Report(50 + it, 0, place) for it, place in zip(moments + late, places)]

    def test_a_pace_is_measured(self) -> None:
        for expected in (1, 0.98, 0.5):
            self.assertAlmostEqual(pace(self.reports(expected)), expected, delta=1e-9)

    def test_late_reports_change_it_little(self) -> None:
        self.assertAlmostEqual(pace(self.reports(jitter=0.02)), 1, delta=0.002)

    def test_a_stall_makes_it_slower(self) -> None:
        self.assertAlmostEqual(pace(self.reports(stall=0.25)), 0.9, delta=0.002)

    def test_a_slow_start_does_not_change_it(self) -> None:
        standing = [Report(48 + it, 0, 0.2) for it in np.arange(0, 2, 0.1)]

        self.assertAlmostEqual(pace(standing + self.reports()), 1, delta=1e-9)

    def test_a_position_in_steps_has_a_pace_too(self) -> None:
        steps = [Report(it.moment, 0, it.seconds // 0.2 * 0.2) for it in self.reports()]

        self.assertAlmostEqual(pace(steps), 1, delta=0.01)

    def test_steps_back_are_counted(self) -> None:
        places = [0, 0.1, 0.1, 0.05, 0.2, 0.19]

        self.assertEqual(steps_back([Report(0, 0, place) for place in places]), 2)


class StartTests(unittest.TestCase):
    """The clock of one start."""

    def test_a_clock_with_small_errors_is_right(self) -> None:
        self.assertTrue(starts.Start([0.2, -0.1, 0.3, 0.1] * 100, []).is_right)

    def test_a_clock_with_a_constant_error_is_not(self) -> None:
        self.assertFalse(starts.Start([0.4] * 400, []).is_right)

    def test_a_clock_with_occasional_large_errors_is_not(self) -> None:
        self.assertFalse(starts.Start([0.1] * 380 + [2, -2] * 10, []).is_right)

    def test_one_report_in_many_may_be_off(self) -> None:
        self.assertTrue(starts.Start([0.1] * 399 + [5], []).is_right)

    def test_a_claim_that_most_reports_exceed_is_not_kept(self) -> None:
        self.assertTrue(starts.Start([0.1, -4] * 100, [5] * 200).keeps_its_word)
        self.assertFalse(starts.Start([0.1, -4] * 100, [3] * 200).keeps_its_word)


class SurvivalTests(unittest.TestCase):
    """What is measured around an incident."""

    queue = Queue([Path("a"), Path("b")], [10 * RATE, 10 * RATE], SOURCE)
    locator = Locator(SOURCE)

    def take(self, begin: float, *parts: Array) -> Take:
        """`parts` as read by a recorder from `begin` on, 10 ms at a time."""
        left = np.round(np.concatenate(parts) * 32767).astype("<i2")
        data = np.repeat(left, 2).tobytes()
        step = RATE // 100 * 4
        reads = [data[at : at + step] for at in range(0, len(data), step)]
        return Take([(begin + (it + 1) / 100, read) for it, read in enumerate(reads)])

    def test_music_heard_again_after_a_loss_is_counted(self) -> None:
        before = self.take(100, SOURCE[: 3 * RATE])
        silence = np.zeros(RATE // 2, np.float32)
        after = self.take(105, silence, SOURCE[3 * RATE - 4410 : 6 * RATE])
        event = Event(began=103, ended=105, finished=108.6)

        result = outcome([before, after], event, self.locator, self.queue)

        self.assertTrue(result.goes_on)
        self.assertAlmostEqual(result.silence, 500, delta=11)
        self.assertAlmostEqual(result.repeated, 100, delta=0.1)
        self.assertEqual((result.lost, result.moved), (0, 0))

    def test_music_skipped_without_a_gap_is_counted(self) -> None:
        take = self.take(100, SOURCE[: 3 * RATE + 77], SOURCE[11 * RATE + 77 : 14 * RATE])
        event = Event(began=102, ended=103, finished=106)

        result = outcome([take], event, self.locator, self.queue)

        self.assertAlmostEqual(result.lost, 8000, delta=0.1)
        self.assertEqual((result.repeated, result.moved), (0, 1))

    def test_music_returned_to_is_not_lost(self) -> None:
        take = self.take(
            100, SOURCE[: 3 * RATE], SOURCE[4 * RATE : 5 * RATE], SOURCE[3 * RATE - 4410 : 7 * RATE]
        )
        event = Event(began=102.9, ended=103, finished=108)

        result = outcome([take], event, self.locator, self.queue)

        self.assertEqual(result.lost, 0)
        self.assertAlmostEqual(result.repeated, 1100, delta=0.1)

    def test_silence_without_loss_is_only_silence(self) -> None:
        silence = np.zeros(3 * RATE, np.float32)
        take = self.take(100, SOURCE[: 3 * RATE + 77], silence, SOURCE[3 * RATE + 77 : 6 * RATE])
        event = Event(began=103, ended=105, call=(103.2, 105.5), finished=109)

        result = outcome([take], event, self.locator, self.queue)

        self.assertEqual((result.lost, result.repeated), (0, 0))
        self.assertAlmostEqual(result.silence, 1002, delta=15)
        assert result.call is not None
        self.assertLess(result.call, -50)

    def test_music_in_two_recordings_counts_once(self) -> None:
        one = self.take(100, SOURCE[: 4 * RATE])
        other = self.take(103.02, SOURCE[3 * RATE : 6 * RATE])
        event = Event(began=102, ended=102, finished=106)

        result = outcome([one, other], event, self.locator, self.queue)

        self.assertEqual((round(result.lost), round(result.repeated)), (0, 0))

    def test_music_lost_between_two_recordings_is_counted(self) -> None:
        one = self.take(100, SOURCE[: 3 * RATE])
        moved = self.take(102.99, SOURCE[3 * RATE + 2000 : 6 * RATE])
        other = self.take(102.98, SOURCE[3 * RATE + 2000 : 6 * RATE])
        event = Event(began=103, ended=103, finished=106)

        result = outcome([one, moved, other], event, self.locator, self.queue)

        self.assertAlmostEqual(result.lost, 2000 / RATE * 1000, delta=0.1)
        self.assertEqual(result.repeated, 0)

    def test_a_player_that_has_gone_silent_does_not_resume(self) -> None:
        take = self.take(100, SOURCE[: 3 * RATE], np.zeros(3 * RATE, np.float32))
        event = Event(began=103, ended=104, finished=106)

        result = outcome([take], event, self.locator, self.queue)

        self.assertFalse(result.goes_on)


class CardTests(unittest.TestCase):
    """What is measured of what a card played."""

    queue = Queue([Path("a"), Path("b")], [10 * RATE, 10 * RATE], SOURCE)

    def outcome(self, trial: Trial, *parts: Array, ring: int = 4408, stop: float = 0) -> Outcome:
        """The result of `trial` on a card with a ring of this many frames that played `parts`."""
        judge = Judge(self.queue, SOURCE, [trial])
        note = Note(stops=(stop,))
        return judge.outcome(trial, judge.parts(recording(*parts).samples), ring, note)

    def silence(self, frames: int) -> Array:
        return np.zeros(frames, np.float32)

    def test_a_file_heard_as_a_whole_misses_nothing(self) -> None:
        for file in (0, 1):
            part = SOURCE[file * 10 * RATE : (file + 1) * 10 * RATE]

            result = self.outcome(Trial("start", "mpv", (file,)), part)

            self.assertEqual(result.missing, (0, 0))
            self.assertEqual((result.wanted, result.faults, result.machines), ([], [], []))

    def test_frames_missing_at_both_ends_are_counted(self) -> None:
        result = self.outcome(Trial("start", "mpv", (0,)), SOURCE[118 : 10 * RATE - 2731])

        self.assertEqual(result.missing, (118, 2731))

    def test_a_pause_is_counted_to_the_frame(self) -> None:
        for lost in (0, 27, -28):
            again = SOURCE[3 * RATE + 77 + lost : 10 * RATE]
            parts = (SOURCE[: 3 * RATE + 77], self.silence(RATE // 2), again)

            result = self.outcome(Trial("pause", "mpv", (0,)), *parts, stop=3.1)

            found = [(it.silence, it.lost) for it in result.wanted]
            self.assertEqual(found, [(RATE // 2, lost)])
            self.assertEqual((result.faults, result.missing), ([], (0, 0)))

    def test_a_short_pause_is_the_one_where_the_player_stopped(self) -> None:
        first, second = 3 * RATE, 3 * RATE + 18_000
        gap, longer = self.silence(2048), self.silence(4096)
        parts = (SOURCE[:first], longer, SOURCE[first:second], gap, SOURCE[second : 10 * RATE])

        result = self.outcome(Trial("pause", "mpv", (0,)), *parts, stop=3.37)

        self.assertEqual([it.place for it in result.wanted], [second])
        self.assertEqual([it.place for it in result.faults], [first])

    def test_a_seek_is_found_by_its_target_to_the_frame(self) -> None:
        trial = Trial("seek", "mpv", (0,), targets=(5, 8))
        for gap in (0, 700):
            for miss in (0, 27, -40):
                music = SOURCE[8 * RATE + miss : 10 * RATE]
                result = self.outcome(trial, SOURCE[:50_123], self.silence(gap), music)

                misses = [landing(trial, it) for it in result.wanted]
                self.assertEqual((misses, result.faults), ([miss], []))

    def test_breaks_caused_by_the_machine_are_no_fault(self) -> None:
        cut = 50_123
        for ring in (4408, 32768):
            late = (SOURCE[:cut], SOURCE[cut + 4096 : 10 * RATE])
            around = (SOURCE[:cut], SOURCE[cut - ring : cut - ring + 1000], SOURCE[cut + 1000 :])
            for parts, lost in ((late, [4096]), (around, [-ring, ring])):
                result = self.outcome(Trial("start", "mpv", (0,)), *parts, ring=ring)

                self.assertEqual([it.lost for it in result.machines], lost)
                self.assertEqual(result.faults, [])

    def test_any_other_break_is_a_fault(self) -> None:
        for silence, lost in ((0, 2047), (0, -2048), (2048, 0), (2048, 2048), (0, 700)):
            after = SOURCE[50_123 + lost : 10 * RATE]
            parts = (SOURCE[:50_123], self.silence(silence), after)

            for ring in (4408, 32768):
                result = self.outcome(Trial("start", "mpv", (0,)), *parts, ring=ring)

                found = [(it.silence, it.lost) for it in result.faults]
                self.assertEqual((found, result.machines), ([(silence, lost)], []))


if __name__ == "__main__":
    unittest.main()
