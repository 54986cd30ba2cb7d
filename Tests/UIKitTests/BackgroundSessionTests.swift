import TestSupport
import Testing
import UIKit
import UndersongAppHost

@MainActor @Suite struct `An application whose session has events` {
    @MainActor private final class Delegate: NSObject, UIApplicationDelegate {
        var lines: [String] = []
        var handlers: [@Sendable () -> Void] = []

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            lines.append("launched")
            return true
        }

        func application(
            _ application: UIApplication,
            handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping @Sendable () -> Void
        ) {
            lines.append("events of \(identifier)")
            handlers.append(completionHandler)
        }

        func applicationDidBecomeActive(_ application: UIApplication) { lines.append("active") }
    }

    private let clock = ManualClock()
    private let board = BackgroundSessionBoard()
    private let application: UIApplication
    private let delegate = Delegate()

    init() {
        application = UIApplication(
            center: NotificationCenter(), clock: ManualClock(), sessions: board,
            sessionClock: clock)
        application.delegate = delegate
        let delegate = delegate
        application.host.onSuspension { delegate.lines.append("suspended") }
    }

    @Test(.rule("J14"))
    func `The application is notified of session events at launch, and suspended afterwards`() {
        application.host.launch(into: .background, eventsForBackgroundURLSession: "a")
        #expect(delegate.lines == ["launched", "events of a"])
        #expect(board.isNotified("a"))

        // The session is created in time.
        board.add("a") {}
        clock.advance(by: 11)
        #expect(board.isNotified("a"))
        delegate.handlers[0]()
        delegate.handlers[0]()

        #expect(delegate.lines == ["launched", "events of a", "suspended"])
    }

    @Test(.rule("J12"))
    func `The application has ten seconds to create a session, or waits for its next launch`() {
        application.host.launch(into: .background, eventsForBackgroundURLSession: "a")

        clock.advance(by: 9.9)
        #expect(board.isNotified("a"))
        clock.advance(by: 0.2)

        #expect(!board.isNotified("a"))
        #expect(delegate.lines.last == "suspended")
        // It comes too late to be notified again.
        board.add("a") {}
        board.request("a")
        #expect(!board.isRequested("a"))
    }

    @Test(.rule("J11")) func `A session delivers its events after the delegate was notified`() {
        let delegate = delegate
        board.add("a") {
            MainActor.assumeIsolated { delegate.lines.append("delivers") }
        }

        application.host.handleEvents(forBackgroundURLSession: "a")

        #expect(delegate.lines == ["events of a", "delivers"])
        #expect(board.isNotified("a") && !board.isNotified("b"))
    }

    @Test func `The application is notified by a session that waits`() async throws {
        application.host.launch(into: .background)
        board.add("a") {}

        board.request("a")
        try await eventually { !delegate.handlers.isEmpty }

        #expect(delegate.lines == ["launched", "suspended", "events of a"])
        #expect(!board.isRequested("a"))
        delegate.handlers[0]()
        try await eventually { delegate.lines.last == "suspended" }
    }
}
