import Synchronization
import TestSupport
import Testing
import UIKit
import UndersongAppHost
import UndersongBackground
import UndersongUIKit

@testable import UndersongDemoApp

/// A clock that is advanced by hand.
@MainActor final class ManualClock: BackgroundTaskClock {
    private nonisolated let time = Mutex(0.0)
    private var due: (time: Double, body: @MainActor () -> Void)?

    nonisolated init() {}

    nonisolated var now: Double { time.withLock { $0 } }

    func wake(at time: Double, _ body: @escaping @MainActor () -> Void) { due = (time, body) }

    func cancel() { due = nil }

    /// Advances the time by `seconds`, making pending calls at their time.
    func advance(by seconds: Double) {
        let end = now + seconds
        while let next = due, next.time <= end {
            due = nil
            time.withLock { $0 = next.time }
            next.body()
        }
        time.withLock { $0 = end }
    }
}

/// The console of a tab.
@MainActor final class Console {
    private var lines: [String] = []

    func print(_ line: String) { lines.append(line) }

    /// The lines since the last call.
    func popLines() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// The calculation of the demo's app, as its user leaves the app and comes back.
@MainActor @Suite struct `The demo app's calculation` {
    private let clock = ManualClock()
    private let console = Console()
    private let application: UIApplication
    private let controller: WhateverViewController

    init() {
        let center = NotificationCenter()
        application = UIApplication(center: center, clock: clock)
        let console = console
        controller = WhateverViewController(application, center) { console.print($0) }
    }

    /// Lets the timer fire so many times, half a second apart.
    private func tick(_ count: Int = 1) {
        for _ in 0..<count {
            clock.advance(by: WhateverViewController.interval)
            controller.calculateNextNumber()
        }
    }

    @Test(.rule("E12", "E15", "E16")) func `The demo's app shows its numbers while it is active`() {
        #expect(WhateverViewController.interval == 0.5)
        #expect(controller.view.state == .ready)

        controller.didTapPlayPause()
        tick(3)

        #expect(controller.view.state == .calculating)
        #expect(controller.view.position == 4)
        #expect(controller.view.number == "5")
        #expect(controller.view.timeRemaining == nil)
        #expect(console.popLines() == [])
        controller.didTapPlayPause()
        #expect(controller.view.state == .ended)
        #expect(console.popLines() == ["Background task ended."])
    }

    @Test(.rule("E13", "E16"))
    func `The demo's app writes its numbers and the remaining time in the background`() {
        controller.didTapPlayPause()
        application.host.enter(.background)

        tick(2)

        #expect(
            console.popLines() == [
                "App is backgrounded. Next number = Position 2 = 2",
                "Background time remaining = 29.5 seconds",
                "App is backgrounded. Next number = Position 3 = 3",
                "Background time remaining = 29.0 seconds",
            ])
        #expect(controller.view.position == 3)
        #expect(controller.view.timeRemaining == 29)
    }

    @Test(.rule("E16")) func `An inactive demo app neither shows nor writes its number`() {
        controller.didTapPlayPause()
        application.host.enter(.inactive)

        tick()

        #expect(console.popLines() == [])
        #expect(controller.view.position == 1)
    }

    @Test(.rule("E7", "E9", "E11", "E13"))
    func
        `The demo's app ends its task as it expires, and continues in the foreground with another`()
    {
        controller.didTapPlayPause()
        application.host.enter(.background)
        clock.advance(by: 24.9)
        #expect(console.popLines() == [])

        clock.advance(by: 0.1)

        #expect(
            console.popLines() == [
                "iOS has signaled time has expired", "Background task ended.",
            ])
        #expect(controller.view.state == .expired)
        application.host.enter(.active)
        #expect(controller.view.state == .calculating)
        #expect(controller.view.timeRemaining == nil)
        tick()
        #expect(controller.view.position == 2)
        application.host.enter(.background)
        tick()
        #expect(
            console.popLines() == [
                "App is backgrounded. Next number = Position 3 = 3",
                "Background time remaining = 29.5 seconds",
            ])
    }

    @Test(.rule("E13", "E15"))
    func
        `Play after Stop begins the demo app's calculation from the start, with a task of its own`()
    {
        controller.didTapPlayPause()
        tick(5)
        controller.didTapPlayPause()
        #expect(console.popLines() == ["Background task ended."])

        controller.didTapPlayPause()
        application.host.enter(.background)
        tick()

        #expect(
            console.popLines().first == "App is backgrounded. Next number = Position 2 = 2")
        clock.advance(by: 30)
        #expect(
            console.popLines() == [
                "iOS has signaled time has expired", "Background task ended.",
            ])
    }

    @Test func `A calculation that has expired can be stopped, and does not continue then`() {
        controller.didTapPlayPause()
        application.host.enter(.background)
        clock.advance(by: 25)
        controller.didTapPlayPause()
        #expect(controller.view.state == .ended)

        application.host.enter(.active)

        #expect(controller.view.state == .ended)
    }

    @Test func `The demo's app has no remaining time to show while it plays in the background`()
        async
    {
        let center = NotificationCenter()
        let board = HostStateBroadcaster()
        let application = UIApplication(center: center, clock: clock, board: board)
        application.host.declare(Capabilities(backgroundModes: [.audio]))
        let controller = WhateverViewController(application, center) { [console] in
            console.print($0)
        }
        controller.didTapPlayPause()
        board.setSound(isPlaying: true)
        await Task { @MainActor in }.value
        application.host.enter(.background)

        controller.calculateNextNumber()

        #expect(console.popLines() == ["App is backgrounded. Next number = Position 2 = 2"])
        #expect(controller.view.timeRemaining == nil)
    }
}
