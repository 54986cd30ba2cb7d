import Foundation
import TestSupport
import Testing
import UIKit
import UndersongDemoScreen
import UndersongUIKit

@testable import UndersongDemoApp

/// Defaults in memory.
final class MemoryDefaults: UserDefaults {
    private var values: [String: Any] = [:]

    override func object(forKey defaultName: String) -> Any? { values[defaultName] }

    override func set(_ value: Any?, forKey defaultName: String) { values[defaultName] = value }

    override func synchronize() -> Bool { true }
}

/// A generator whose numbers are all the same, so that a source has none or two reports.
struct Constant: RandomNumberGenerator {
    let value: UInt64

    func next() -> UInt64 { value }
}

@MainActor @Suite struct `The demo app's reports` {
    private let application = UIApplication(center: NotificationCenter(), clock: ManualClock())
    private let console = Console()
    private let defaults = MemoryDefaults()

    private func makeController(
        _ value: UInt64 = .max, latency: Duration = .zero
    ) -> FetchViewController {
        FetchViewController(
            application, defaults, TrafficReports(Constant(value: value)), latency: latency
        ) { [console] in console.print($0) }
    }

    /// The result of a fetch.
    private func fetch(_ controller: FetchViewController) async -> UIBackgroundFetchResult {
        await withCheckedContinuation { continuation in
            controller.fetch { continuation.resume(returning: $0) }
        }
    }

    @Test(.rule("F15")) func `The source has none, one or two new reports each time`() {
        var source = TrafficReports()

        let counts = (0..<200).map { _ in source.fetch().count }

        #expect(Set(counts) == [0, 1, 2])
    }

    @Test(.rule("F10", "F13", "F15"))
    func `A fetch shows its time and its reports, newest first, and completes with new data`() async
    {
        let controller = makeController()
        #expect(controller.view.lastRefresh == nil)
        let before = Date().timeIntervalSince1970

        let result = await fetch(controller)

        #expect(result == .newData)
        #expect(console.popLines() == ["Background fetch completed - 2 new updates"])
        #expect((controller.view.lastRefresh ?? 0) >= before)
        #expect(controller.view.reports.count == 2)
        #expect(controller.unread == 2)
        #expect(!controller.view.isUpdating)
    }

    @Test(.rule("F10", "F15"))
    func `A fetch without reports completes with no data, and has a time`()
        async
    {
        let controller = makeController(1)

        let result = await fetch(controller)

        #expect(result == .noData)
        #expect(console.popLines() == ["Background fetch completed - 0 new updates"])
        #expect(controller.view.lastRefresh != nil)
        #expect(controller.unread == 0)
    }

    @Test(.rule("F13", "K2")) func `The time and the reports of a fetch survive the process`() async
    {
        let first = makeController()
        _ = await fetch(first)

        let second = makeController()

        #expect(second.view.lastRefresh != nil)
        #expect(second.view.lastRefresh == first.view.lastRefresh)
        #expect(second.view.reports == first.view.reports)
        #expect(second.unread == 2)
        second.didShowReports()
        #expect(makeController().unread == 0)
    }

    @Test(.rule("F12")) func `Two fetches that overlap complete once each`() async {
        let controller = makeController(latency: .milliseconds(20))

        async let first = fetch(controller)
        async let second = fetch(controller)

        #expect(await [first, second] == [.newData, .newData])
        #expect(controller.view.reports.count == 4)
    }

    @Test(.rule("F17")) func `The button fetches the same without a line in the console`()
        async throws
    {
        let controller = makeController()

        #expect(try await controller.update() == 2)

        #expect(console.popLines() == [])
        #expect(controller.view.reports.count == 2)
    }

    @Test func `An update that is cancelled changes nothing`() async {
        let controller = makeController(latency: .seconds(3600))
        let update = Task { try await controller.update() }
        await Task.yield()

        update.cancel()

        await #expect(throws: CancellationError.self) { try await update.value }
        #expect(controller.view.lastRefresh == nil)
        #expect(!controller.view.isUpdating)
    }

    @Test func `The newest fifty reports are kept`() async throws {
        let controller = makeController()

        for _ in 0..<26 { _ = try await controller.update() }

        #expect(controller.view.reports.count == 50)
        #expect(makeController().view.reports.count == 50)
    }
}
