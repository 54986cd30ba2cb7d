import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UserNotifications

@MainActor @Suite struct `Notifications with a trigger` {
    @Test(.rule("UN3")) func `One is delivered when its time has passed`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()

        try await bench.add("a", "In ten seconds", after: 10)
        let pending = await bench.center.pendingNotificationRequests()
        let trigger = pending.first?.trigger as? UNTimeIntervalNotificationTrigger
        #expect(pending.map(\.content.title) == ["In ten seconds"])
        #expect(trigger?.timeInterval == 10)
        #expect(trigger?.nextTriggerDate() == bench.date + 10)
        bench.advance(by: 9.5)
        #expect(await bench.pending() == ["a"])
        #expect(bench.service.shown == [])
        bench.advance(by: 0.5)

        try await bench.waitForTitle("In ten seconds")
        try await bench.waitUntil("nothing is pending") { await bench.pending() == [] }
        let delivered = await bench.center.deliveredNotifications()
        #expect(delivered.first?.date == bench.date)
    }

    @Test(.rule("UN2")) func `In the foreground the delegate decides when it is due`() async throws
    {
        let bench = try NotificationBench(in: .active)
        defer { bench.end() }
        try bench.begin()

        try await bench.add("a", after: 10)
        #expect(bench.log.lines == [])
        bench.advance(by: 10)

        try await bench.waitForTitle("Title")
        #expect(bench.log.lines == ["presents a"])
    }

    @Test func `One that repeats is delivered each time`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()

        try await bench.add("a", after: 60, repeats: true)
        for number in 1...3 {
            bench.advance(by: 60)
            try await bench.waitUntil("it is shown \(number) times") {
                bench.service.lines.count { $0 == "show a" } == number
            }
        }

        #expect(await bench.pending() == ["a"])
        #expect(bench.service.shown.count == 1)
    }

    @Test func `A calendar's trigger is due on the next date that fits`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        var components = DateComponents()
        components.timeZone = TimeZone(secondsFromGMT: 3600)
        components.calendar = Calendar(identifier: .gregorian)
        // The clock begins on 14 November 2023, 23:13:21 in this zone.
        (components.hour, components.minute) = (23, 15)

        try await bench.center.add(
            UNNotificationRequest(
                identifier: "a", content: bench.content("Quarter past"),
                trigger: UNCalendarNotificationTrigger(dateMatching: components, repeats: true)))
        let pending = await bench.center.pendingNotificationRequests()
        let trigger = pending.first?.trigger as? UNCalendarNotificationTrigger
        #expect(trigger?.dateComponents == components)
        #expect(trigger?.nextTriggerDate() == Date(timeIntervalSince1970: 1_700_000_100))
        bench.advance(by: 98)
        #expect(bench.service.shown == [])
        bench.advance(by: 1)

        try await bench.waitForTitle("Quarter past")
        let next = await bench.center.pendingNotificationRequests().first
        let later = (next?.trigger as? UNCalendarNotificationTrigger)?.nextTriggerDate()
        #expect(later == Date(timeIntervalSince1970: 1_700_086_500))
    }

    @Test func `A request replaces that with its identifier, and is removed`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        try await bench.add("a", "First", after: 10)
        try await bench.add("b", "B", after: 10)
        try await bench.add("c", "C", after: 10)
        try await bench.add("a", "Second", after: 20)
        bench.center.removePendingNotificationRequests(withIdentifiers: ["b", "c"])
        #expect(await bench.pending() == ["a"])

        bench.advance(by: 20)

        try await bench.waitForTitle("Second")
        #expect(bench.service.lines.filter { $0.hasPrefix("show") } == ["show a"])
        try await bench.add("d", after: 10)
        bench.center.removeAllPendingNotificationRequests()
        #expect(await bench.pending() == [])
    }

    @Test(.rule("UN3")) func `What was missed while the process did not run is delivered once`()
        async throws
    {
        let first = try NotificationBench()
        try first.begin()
        try await first.add("once", "Once", after: 100)
        try await first.add("often", "Often", after: 60, repeats: true)
        try await first.add("later", "Later", after: 1000)
        first.end()

        first.clock.sleepMachine(for: 200)
        let second = try NotificationBench(service: first.service, clock: first.clock)
        defer { second.end() }
        try second.begin()

        try await second.waitUntil("both are shown after \(second.service.lines)") {
            Set(second.service.shown.map(\.title)) == ["Once", "Often"]
        }
        #expect(second.service.lines.count { $0.hasPrefix("show") } == 2)
        try await second.waitUntil("two are pending") {
            await second.pending() == ["often", "later"]
        }
        let next = await second.center.pendingNotificationRequests().first
        let trigger = next?.trigger as? UNTimeIntervalNotificationTrigger
        #expect(trigger?.nextTriggerDate() == second.date + 40)
    }

    @Test(.rule("UN5"))
    func `An answer after the process was ended has the content of the one before`()
        async throws
    {
        let first = try NotificationBench()
        try first.begin()
        try await first.center.add(
            UNNotificationRequest(
                identifier: "a", content: first.content("A") { $0.userInfo = ["number": 7] },
                trigger: nil))
        first.end()
        let second = try NotificationBench(service: first.service, clock: first.clock)
        defer { second.end() }
        try second.begin()

        second.service.notify(NotificationAnswered("a"))

        try await second.waitForLog(
            "answer com.apple.UNNotificationDefaultActionIdentifier to 'A'")
        #expect(second.delegate.userInfo["number"] as? Int == 7)
    }

    @Test(.rule("UN4")) func `What is due while the service is away is shown when it is back`()
        async throws
    {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        try await bench.add("a", "Before", after: 10)
        bench.service.kill()
        try await bench.waitForLog("lost")

        try await bench.add("b", "While away", after: 5)
        bench.advance(by: 10)
        #expect(await bench.pending() == ["b", "a"])
        #expect(await reason { try await bench.add("c") } != nil)
        try bench.service.begin()

        try await bench.waitUntil("both are shown after \(bench.service.lines)") {
            Set(bench.service.shown.map(\.title)) == ["Before", "While away"]
        }
        try await bench.waitUntil("nothing is pending") { await bench.pending() == [] }
    }

    @Test(.rule("UN4")) func `One that the service refuses when it is due is reported, and over`()
        async throws
    {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        try await bench.add("a", after: 10)
        bench.service.refuseNotifications(ControlError(.notPossible, "No server answers"))

        bench.advance(by: 10)

        try await bench.waitForLog("(the notification a is not shown: No server answers)")
        try await bench.waitUntil("nothing is pending") { await bench.pending() == [] }
    }

    @Test func `A damaged file is set aside, and reported`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        let path = bench.service.folder + "/state/notifications"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        try Data("nonsense\n".utf8).write(to: URL(filePath: path + "/app"))

        try bench.begin()
        try await bench.add("a", after: 10)

        #expect(bench.log.lines.first?.contains("/state/notifications/app is damaged") == true)
        #expect(FileManager.default.fileExists(atPath: path + "/app.damaged"))
        #expect(await bench.pending() == ["a"])
    }

    @Test func `A folder that cannot be written is reported`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try Data().write(to: URL(filePath: bench.service.folder + "/state"))
        try bench.begin()

        try await bench.add("a", after: 10)

        #expect(bench.log.lines.first?.hasPrefix("(cannot keep notifications in ") == true)
        #expect(await bench.pending() == ["a"])
    }
}
