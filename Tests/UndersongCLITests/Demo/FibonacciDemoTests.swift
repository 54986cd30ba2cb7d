import TestSupport
import Testing
import UndersongBackground

@testable import UndersongCLI

/// The demo's actions as its application's state and its task change.
@Suite struct `The Fibonacci demo` {
    @Test(.rule("E12", "E15")) func `Play starts the demo's timer and begins a task`() {
        var demo = FibonacciDemo(state: .active)

        let actions = demo.play()

        #expect(FibonacciDemo.interval == 0.5)
        #expect(actions == [.startTimer, .beginTask])
        #expect(demo.play() == [])
    }

    @Test(.rule("E15")) func `Stop stops the demo's timer and ends the task, once`() {
        var demo = Self.playing(.active, task: 7)

        #expect(demo.stop() == [.stopTimer, .write("Background task ended."), .endTask(7)])
        #expect(demo.stop() == [])
        #expect(demo.tick() == [])
    }

    @Test(.rule("E15")) func `Play after Stop begins the demo from the start`() {
        var demo = Self.playing(.active, task: 7)
        _ = demo.tick()
        _ = demo.stop()

        #expect(demo.play() == [.startTimer, .beginTask])
        #expect(demo.tick() == [.write("Position 2 = 2")])
    }

    @Test(.rule("E16")) func `An active demo shows its number, an inactive one nothing`() {
        var demo = Self.playing(.active, task: 7)

        let shown = demo.tick()
        _ = demo.enter(.inactive)
        let silent = demo.tick()

        #expect(shown == [.write("Position 2 = 2")])
        #expect(silent == [])
    }

    @Test(.rule("E16"))
    func `A demo in the background shows the next number and the remaining time`() {
        var demo = Self.playing(.active, task: 7)
        _ = demo.enter(.background)

        let actions = demo.tick()

        #expect(
            actions == [
                .write("App is backgrounded. Next number = Position 2 = 2"), .writeTimeRemaining,
            ])
    }

    @Test(
        .rule("E13"),
        arguments: [
            (24.96, "Background time remaining = 25.0 seconds"),
            (5.04, "Background time remaining = 5.0 seconds"),
            (0, "Background time remaining = 0.0 seconds"),
        ])
    func `The demo's remaining time has one decimal`(seconds: Double, text: String) {
        #expect(FibonacciDemo.timeRemaining(seconds) == text)
        #expect(FibonacciDemo.timeRemaining(nil) == nil)
    }

    @Test(.rule("E7", "E13")) func `The demo's task ends at its expiration, and the timer stops`() {
        var demo = Self.playing(.active, task: 7)
        _ = demo.enter(.background)

        let actions = demo.expire(7)

        #expect(
            actions == [
                .write("iOS has signaled time has expired"), .write("Background task ended."),
                .endTask(7), .stopTimer,
            ])
        #expect(demo.expire(7) == [])
    }

    @Test(.rule("E7", "E9"))
    func `The demo's timer fires again in the foreground, with a new task`() {
        var demo = Self.playing(.active, task: 7)
        _ = demo.enter(.background)
        _ = demo.tick()
        _ = demo.expire(7)

        let actions = demo.enter(.active)
        _ = demo.began(8)

        #expect(actions == [.startTimer, .beginTask])
        #expect(demo.tick() == [.write("Position 3 = 3")])
        #expect(demo.enter(.background) == [])
        #expect(demo.enter(.active) == [])
    }

    @Test func `A demo that starts in the background without time waits until it is active`() {
        var demo = FibonacciDemo(state: .background)
        _ = demo.play()

        #expect(demo.began(nil) == [.stopTimer])
        #expect(demo.enter(.active) == [.startTimer, .beginTask])
    }

    @Test func `A demo's task that begins after Stop is ended at once`() {
        var demo = FibonacciDemo(state: .active)
        _ = demo.play()
        _ = demo.stop()

        #expect(demo.began(7) == [.write("Background task ended."), .endTask(7)])
    }

    /// A playing demo with a task.
    private static func playing(_ state: ApplicationState, task: Int) -> FibonacciDemo {
        var demo = FibonacciDemo(state: state)
        _ = demo.play()
        _ = demo.began(task)
        return demo
    }
}
