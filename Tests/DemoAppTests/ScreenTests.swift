import Foundation
import TestSupport
import Testing
import UIKit
import UndersongDemoScreen
import UndersongUIKit

@testable import UndersongDemoApp

@MainActor @Suite struct `The demo app's screen` {
    private let application: UIApplication
    private let tabs: TabBarController

    init() {
        application = UIApplication(center: NotificationCenter(), clock: ManualClock())
        let print = { (_: String) in }
        tabs = TabBarController(
            application,
            audio: AudioViewController(
                [URL(fileURLWithPath: "/songs/One.mp3")], application, print: print),
            location: LocationViewController(application, hasBackgroundMode: false, print: print),
            whatever: WhateverViewController(application, NotificationCenter(), print: print),
            fetch: FetchViewController(
                application, MemoryDefaults(), TrafficReports(Constant(value: .max)),
                latency: .zero,
                print: print))
    }

    @Test func `The screen shows what the four tabs show`() {
        tabs.handle(.calculation)
        tabs.handle(.accuracy(3))
        tabs.handle(.tab(.whatever))

        let screen = tabs.screen
        #expect(screen.tab == .whatever)
        #expect(screen.audio.songs == ["One.mp3"])
        #expect(screen.location.accuracy == 3)
        #expect(screen.whatever.state == .calculating)
        #expect(screen.badges == [:])
        tabs.handle(.calculation)
        #expect(tabs.screen.whatever.state == .ended)
    }

    @Test(.rule("F15"))
    func `The tab of the reports has a badge until the user sees them in the foreground`()
        async throws
    {
        _ = try await tabs.fetch.update()
        #expect(tabs.screen.badges == ["fetch": 2])
        application.host.enter(.background)
        tabs.handle(.tab(.fetch))
        #expect(tabs.screen.badges == ["fetch": 2])

        application.host.enter(.active)
        tabs.applicationDidBecomeActive()

        #expect(tabs.screen.badges == [:])
        _ = try await tabs.fetch.update()
        #expect(tabs.screen.badges == [:])
        #expect(tabs.screen.fetch.reports.count == 4)
        #expect(tabs.fetch.unread == 0)
    }

    @Test func `A change of a tab is one of the screen`() {
        var changes = 0
        tabs.onChange = { changes += 1 }

        tabs.handle(.filter(25))
        #expect(changes == 1)
        tabs.handle(.tab(.location))
        #expect(changes == 2)
    }

    @Test func `A touch of a song or a position that does not exist has no effect`() {
        tabs.handle(.song(1))
        tabs.handle(.song(-1))
        tabs.handle(.seek(.nan))
        tabs.handle(.seek(10))

        #expect(tabs.screen.audio.current == nil)
        #expect(!tabs.screen.audio.isPlaying)
    }
}

@Suite struct `The pace of the screen` {
    @Test func `A screen follows a change at once, and the next one 50 ms later`() {
        var pacer = ScreenPacer()

        let first = [pacer.change(at: 10), pacer.change(at: 10.01)]
        pacer.finishWait()
        let isShown = pacer.accept(DemoScreen(), at: 10.01)
        let second = pacer.change(at: 10.03)
        pacer.finishWait()
        let third = pacer.change(at: 11)

        #expect(first == [0, nil])
        #expect(isShown)
        #expect(abs((second ?? 0) - 0.03) < 1e-9)
        #expect(third == 0)
    }

    @Test func `A screen that has not changed is not shown again, except on another phone`() {
        var pacer = ScreenPacer()
        var other = DemoScreen()
        other.tab = .fetch

        var accepted = [
            pacer.accept(DemoScreen(), at: 0), pacer.accept(DemoScreen(), at: 1),
            pacer.accept(other, at: 2),
        ]
        pacer.reset()
        accepted.append(pacer.accept(other, at: 3))

        #expect(accepted == [true, false, true, true])
    }
}
