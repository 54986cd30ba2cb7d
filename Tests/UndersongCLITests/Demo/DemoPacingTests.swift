import Testing
import UndersongBackground
import UndersongDemoScreen

@testable import UndersongCLI

/// When the demo's phone is drawn.
@Suite struct `Frames of the demo` {
    private typealias Samples = DemoSamples

    @Test func `The phone is drawn at most 20 times a second, and shows the last change`() {
        var phone = Samples.phone()
        var screen = Samples.screen(.audio)
        var draws: [Double] = []
        var wake = Double.infinity

        for step in 0..<1000 {
            let time = 10 + Double(step) / 1000
            var inputs: [DemoPhone.Input] = []
            if time >= wake {
                wake = .infinity
                inputs.append(.timePassed)
            }
            if step < 900 {
                screen.audio.seconds = time
                inputs.append(.message(.screen(screen)))
            }
            for input in inputs {
                for command in phone.handle(input, at: Samples.time(time)) {
                    if command == .draw { draws.append(time) }
                    if case .wait(let seconds) = command { wake = time + seconds }
                }
            }
        }

        let gaps = zip(draws, draws.dropFirst()).map { $1 - $0 }
        #expect(gaps.allSatisfy { $0 >= DemoPacing.frameTime - 1e-6 })
        #expect((17...20).contains(draws.count))
        #expect(draws.last.map { $0 >= 10.899 } == true)
    }

    @Test func `Nothing is drawn that has not changed`() {
        var phone = Samples.phone()
        _ = phone.handle(.timePassed, at: Samples.time(1))

        let same = phone.handle(.message(.screen(Samples.screen(.audio))), at: Samples.time(2))
        let other = phone.handle(.event(.jump), at: Samples.time(3))
        let changed = phone.handle(.message(.console("a line", nil)), at: Samples.time(4))

        #expect(!same.contains(.draw))
        #expect(!other.contains(.draw))
        #expect(changed.contains(.draw))
    }

    @Test func `The phone waits for the next minute of its clock while nothing moves`() {
        var phone = Samples.phone()

        let idle = phone.handle(.timePassed, at: Samples.time(15))

        #expect(idle == [.draw, .wait(45)])
    }

    @Test func `A wait is replaced by one for an earlier moment, not by one for the same`() {
        var pacing = DemoPacing()

        let first = pacing.commands(hasChanged: true, next: 45, at: 100)
        let same = pacing.commands(hasChanged: true, next: 44 - 1e-7, at: 101)
        let earlier = pacing.commands(hasChanged: true, next: 30, at: 102)

        #expect(first == [.draw, .wait(45)])
        #expect(same == [.draw])
        #expect(earlier == [.draw, .wait(30)])
    }

    @Test func `The ring of the remaining time moves until the time is over`() {
        var phone = Samples.phone(state: .background)
        _ = phone.handle(
            .status(Samples.status(.background, timeRemaining: 3)), at: Samples.time(10))

        let moving = phone.handle(.timePassed, at: Samples.time(11))
        let over = phone.handle(.timePassed, at: Samples.time(15))

        #expect(moving == [.draw, .wait(DemoPhone.motionTime)])
        #expect(over == [.draw, .wait(45)])
    }

    @Test func `The display replaces its frame only when one is due`() {
        var display = DemoDisplay(Samples.phone()) { Samples.time(100) }

        let first = display.handle(.message(.console("first line", nil)))
        let shown = display.frame
        _ = display.handle(.message(.console("second line", nil)))

        #expect(!first.contains(.draw))
        #expect(shown.canvas.text.contains("first line"))
        #expect(display.frame == shown)
    }
}
