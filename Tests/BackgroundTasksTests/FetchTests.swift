import Synchronization
import TestSupport
import Testing
import UIKit

@MainActor @Suite struct `A background fetch` {
    private let stage = Stage(modes: [.fetch], identifiers: [])
    private var log: Stage.Log { stage.log }
    private var host: UIApplication.Host { stage.application.host }

    private var fetches: Int { log.lines.count { $0.hasPrefix("fetch") } }

    @Test(.rule("F2")) func `A background fetch never happens unless an interval is set`() async {
        host.launch(into: .background)

        await stage.time.advance(by: 30 * 86400)

        #expect(fetches == 0)
        #expect(UIApplication.backgroundFetchIntervalNever == .greatestFiniteMagnitude)
        #expect(UIApplication.backgroundFetchIntervalMinimum == 0)
    }

    @Test(.rule("F1"))
    func `A background fetch never happens without the mode, which is not an error`() async {
        let stage = Stage(modes: [.audio], identifiers: [])
        stage.showMessages()
        stage.application.setMinimumBackgroundFetchInterval(
            UIApplication.backgroundFetchIntervalMinimum)
        stage.application.host.launch(into: .background)

        await stage.time.advance(by: 30 * 86400)

        #expect(
            stage.log.lines == [
                "(background fetch is scheduled)", "launched background", "suspended",
            ])
    }

    @Test(.rule("F3"))
    func `A background fetch happens after the interval at the earliest, again and again`() async {
        let (log, alarm) = (log, stage.time.alarm)
        let times = Mutex<[Double]>([])
        stage.delegate.onFetch = { handler in
            times.withLock { $0.append(alarm.now.boot) }
            log.add("fetched")
            handler(.newData)
        }
        stage.application.setMinimumBackgroundFetchInterval(3600)
        host.launch(into: .background)

        await stage.time.advance(by: 4 * 86400)

        let begins = times.withLock(\.self)
        #expect(begins.count >= 4 * 2)
        #expect(zip(begins, begins.dropFirst()).allSatisfy { $1 - $0 >= 3600 })
    }

    @Test(.rule("F4", "F5"))
    func `A background fetch happens every 15 minutes at most, and not after never`() async {
        stage.application.setMinimumBackgroundFetchInterval(
            UIApplication.backgroundFetchIntervalMinimum)
        host.launch(into: .background)
        await stage.time.advance(by: 86400)
        let count = fetches

        stage.application.setMinimumBackgroundFetchInterval(
            UIApplication.backgroundFetchIntervalNever)
        await stage.time.advance(by: 86400)

        #expect((1...96).contains(count))
        #expect(fetches == count)
    }

    @Test(.rule("K1"))
    func `A fetch by the debugger's hook takes the application to the background first`() async {
        host.launch()
        log.clear()

        host.simulateBackgroundFetch()
        await stage.time.advance(by: 1)

        #expect(log.lines == ["background", "fetch background", "suspended"])
    }

    @Test(.rule("K2", "A11"))
    func `A fetch launches the application into the background, and is there when it opens`()
        async
    {
        host.launch(into: .background, performsFetch: true)
        await stage.time.advance(by: 1)
        #expect(log.lines == ["launched background", "fetch background", "suspended"])

        host.enter(.active)

        #expect(log.lines.dropFirst(3) == ["active"])
    }

    @Test(.rule("F9")) func `A background fetch has 30 s, and is reported if it takes longer`()
        async
    {
        let (log, alarm, start) = (log, stage.time.alarm, stage.time.now)
        stage.delegate.onFetch = { _ in log.add("fetches") }
        host.onOverstay { log.add("overstay \($0) at \(alarm.now.boot - start)") }
        host.launch(into: .background, performsFetch: true)

        await stage.time.advance(by: 60)

        #expect(
            log.lines.dropFirst(2) == [
                "fetches", "overstay [\"fetch\"] at 30.0", "suspended",
            ])
    }

    @Test(.rule("F12"))
    func `A fetch has a handler of its own, also when two overlap and end in reverse`() async {
        stage.showMessages()
        let handlers = Mutex<[@Sendable (UIBackgroundFetchResult) -> Void]>([])
        stage.delegate.onFetch = { handler in handlers.withLock { $0.append(handler) } }
        host.launch()
        host.simulateBackgroundFetch()
        await stage.time.advance(by: 1)
        host.simulateBackgroundFetch()
        await stage.time.advance(by: 1)
        log.clear()

        let (first, second) = handlers.withLock { ($0[0], $0[1]) }
        second(.noData)
        await stage.time.advance(by: 1)
        #expect(log.lines == ["(background fetch 2 ended: noData after 1.0 s)"])
        second(.failed)
        first(.newData)
        await stage.time.advance(by: 1)

        #expect(
            log.lines.dropFirst() == [
                "(background fetch 2 is over already: its completion was ignored)",
                "(background fetch 1 ended: newData after 3.0 s)", "suspended",
            ])
    }

    @Test func `A background fetch may have an asynchronous form`() async {
        let delegate = Fetcher()
        stage.application.delegate = delegate
        stage.showMessages()

        host.launch(into: .background, performsFetch: true)
        while !delegate.hasFetched { await Task.yield() }
        while !log.lines.contains(where: { $0.contains("ended") }) { await Task.yield() }

        #expect(log.lines.contains("(background fetch 1 ended: newData after 0.0 s)"))
    }

    @Test func `A background fetch finds nothing where the delegate has no method for it`() async {
        let delegate = Silent()
        stage.application.delegate = delegate
        stage.showMessages()

        host.launch(into: .background, performsFetch: true)
        while !log.lines.contains(where: { $0.contains("ended") }) { await Task.yield() }

        #expect(log.lines.contains("(background fetch 1 ended: noData after 0.0 s)"))
    }

    @Test(.rule("F10")) func `A background fetch has one of three results, with Apple's values`() {
        let results: [UIBackgroundFetchResult] = [.newData, .noData, .failed]

        #expect(results.map(\.rawValue) == [0, 1, 2])
    }

    @Test func `A background fetch waits for the machine and for the user's switch`() async {
        stage.application.setMinimumBackgroundFetchInterval(3600)
        var conditions = UIApplication.Host.MachineConditions()
        conditions.network = .none
        host.setMachineConditions(conditions)
        host.launch(into: .background)
        await stage.time.advance(by: 86400)
        #expect(fetches == 0)
        #expect(host.nextBackgroundTaskDate == nil)

        conditions.network = .unknown
        conditions.isOnBattery = true
        conditions.batteryLevel = 19
        host.setMachineConditions(conditions)
        await stage.time.advance(by: 86400)
        #expect(fetches == 0)

        conditions.batteryLevel = 20
        host.setBackgroundRefreshStatus(.denied)
        host.setMachineConditions(conditions)
        await stage.time.advance(by: 86400)
        #expect(fetches == 0)

        host.setBackgroundRefreshStatus(.available)
        await stage.time.advance(by: 1)
        #expect(fetches == 1)
        let next = host.nextBackgroundTaskDate
        #expect(next.map { $0 >= stage.time.date + 3590 } == true)
    }
}

@MainActor private final class Fetcher: NSObject, UIApplicationDelegate {
    private(set) var hasFetched = false

    func applicationPerformFetch(_ application: UIApplication) async -> UIBackgroundFetchResult {
        hasFetched = true
        return .newData
    }
}

@MainActor private final class Silent: NSObject, UIApplicationDelegate {}
