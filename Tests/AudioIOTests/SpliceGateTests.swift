import Glibc
import TestSupport
import Testing
import UndersongBase

@testable import UndersongAudioIO

@Suite(.blockingThreads) struct `A splice gate between two threads` {
    private let signals = PipelineSignals()

    @Test func `A splice gate keeps the output stopped in place until it reopens, over and over`()
        throws
    {
        let gate = SpliceGate(signals: signals)
        let (taken, isDone) = (Shared(), Shared())
        let (strays, places) = (Shared(), Shared())

        try together(
            {
                for frame in 1...2000 {
                    let isJump = frame.isMultiple(of: 3)
                    let place = gate.close(before: frame, isJump: isJump) { false }
                    if place == (isJump ? -frame : frame * 7) { places.increase() }
                    let before = taken.value
                    for _ in 0..<100
                    where taken.value != before {
                        strays.increase()
                    }
                    gate.reopen()
                    // However busy the machine is, the output runs now and then.
                    while frame.isMultiple(of: 100), taken.value == before { sched_yield() }
                }
                isDone.value = 1
            },
            { [signals] in
                while isDone.value == 0 {
                    guard let closing = gate.closing else {
                        taken.increase()
                        continue
                    }
                    let place = closing.isJump ? -closing.frame : closing.frame * 7
                    gate.reportStop(at: place, before: closing)
                    while !gate.hasReopened(since: closing) {
                        signals.output.wait(by: PollClock(host: SystemClock())) {
                            gate.hasReopened(since: closing)
                        }
                    }
                }
            })

        #expect(places.value == 2000)
        #expect(strays.value == 0)
    }

    @Test func `A splice gate wakes a waiting output, and waits until it has stopped`() throws {
        let gate = SpliceGate(signals: signals)
        let place = Shared()

        try together(
            {
                for _ in 0..<500 {
                    place.value = gate.close(before: 5, isJump: false) { false } ?? -1
                    gate.reopen()
                }
            },
            { [signals] in
                for number in 1...500 {
                    while gate.closing == nil {
                        signals.output.wait(by: PollClock(host: SystemClock())) {
                            gate.closing != nil
                        }
                    }
                    guard let closing = gate.closing else { return }
                    gate.reportStop(at: number, before: closing)
                    while !gate.hasReopened(since: closing) {
                        signals.output.wait(by: PollClock(host: SystemClock())) {
                            gate.hasReopened(since: closing)
                        }
                    }
                }
            })

        #expect(place.value == 500)
        #expect(gate.closing == nil)
    }

    @Test func `A splice gate lets the decoder continue if no output arrives to be stopped`() throws
    {
        let gate = SpliceGate(signals: signals)
        let (isStopped, isFree) = (Shared(), Shared())

        try together(
            {
                let place = gate.close(before: 5, isJump: false) {
                    isStopped.value == 1
                }
                isFree.value = place == nil ? 1 : 0
            },
            { [signals] in
                while gate.closing == nil {}
                isStopped.value = 1
                signals.decode.wake()
            })

        #expect(isFree.value == 1)
    }
}
