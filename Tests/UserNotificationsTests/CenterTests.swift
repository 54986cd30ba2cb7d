import Foundation
import TestSupport
import Testing
import UndersongAppHost
import UndersongBackground
import UndersongControl
import UserNotifications

@MainActor @Suite struct `Notifications of an app` {
    @Test func `The permission is given once it is asked for`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        bench.service.permission = .notDetermined
        try bench.begin()
        #expect(await bench.center.notificationSettings().authorizationStatus == .notDetermined)

        #expect(try await bench.center.requestAuthorization(options: [.alert, .badge, .sound]))

        let settings = await bench.center.notificationSettings()
        #expect(settings.authorizationStatus == .authorized)
        #expect(settings.alertSetting == .enabled)
        #expect(bench.service.lines.contains("notification.request"))
    }

    @Test(.rule("UN1")) func `A permission that the user has withdrawn is not given again`()
        async throws
    {
        let bench = try NotificationBench()
        defer { bench.end() }
        bench.service.permission = .denied
        try bench.begin()

        #expect(try await !bench.center.requestAuthorization(options: .alert))

        let settings = await bench.center.notificationSettings()
        #expect(settings.authorizationStatus == .denied)
        #expect(settings.badgeSetting == .disabled)
        #expect(
            await reason { try await bench.add("a") } == "the user does not allow Example to notify"
        )
        #expect(await reason { try await bench.add("b", after: 5) } != nil)
        #expect(await bench.pending() == [])
        #expect(!bench.service.lines.contains("show a"))
    }

    @Test(.rule("UN1")) func `An app that has not asked may not notify`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        bench.service.permission = .notDetermined
        try bench.begin()

        #expect(
            await reason { try await bench.add("a") }
                == "Example has not asked for the permission to notify")
        #expect(bench.service.shown == [])
    }

    @Test(.rule("UN1")) func `A program that is not an app gets errors that say so`() async throws {
        let bench = try NotificationBench()

        do {
            _ = try await bench.center.requestAuthorization(options: .alert)
            Issue.record("it is allowed")
        } catch UNError.notificationsNotAllowed {}
        #expect(await bench.center.notificationSettings().authorizationStatus == .notDetermined)
        let expected = "cannot reach the service: This program is not an app of it"
        #expect(await reason { try await bench.add("a") } == expected)
        #expect(await reason { try await bench.add("b", after: 5) } == expected)
        #expect(await reason { try await bench.center.setBadgeCount(3) } == expected)
        #expect(await bench.center.deliveredNotifications().isEmpty)
        #expect(bench.log.lines.last?.hasPrefix("(cannot list the notifications: ") == true)
    }

    @Test(.rule("UN2")) func `A notification in the background is shown with all that it has`()
        async throws
    {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        bench.center.setNotificationCategories([
            UNNotificationCategory(
                identifier: "episode",
                actions: [
                    UNNotificationAction(identifier: "play", title: "Play"),
                    UNNotificationAction(identifier: "later", title: "Later"),
                ], intentIdentifiers: [])
        ])
        let content = bench.content("New episode") { content in
            content.subtitle = "Podcast"
            content.body = "It is here"
            content.badge = 3
            content.sound = .default
            content.categoryIdentifier = "episode"
        }

        try await bench.center.add(
            UNNotificationRequest(identifier: "a", content: content, trigger: nil))
        try await bench.center.add(
            UNNotificationRequest(
                identifier: "b", content: bench.content("") { $0.body = "No title" }, trigger: nil))

        #expect(
            bench.service.shown == [
                UserNotification(
                    "a", title: "New episode", subtitle: "Podcast", body: "It is here", badge: 3,
                    hasSound: true,
                    actions: [.init("play", title: "Play"), .init("later", title: "Later")]),
                UserNotification("b", title: "Example", body: "No title"),
            ])
        #expect(bench.log.lines == [])
        #expect(await bench.center.notificationCategories().map(\.identifier) == ["episode"])
    }

    @Test func `A content that is changed after the request is shown as it was`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        let content = bench.content("Before")
        let request = UNNotificationRequest(identifier: "a", content: content, trigger: nil)

        content.title = "After"
        try await bench.center.add(request)

        #expect(bench.service.shown.map(\.title) == ["Before"])
    }

    @Test(.rule("UN2")) func `In the foreground the delegate decides`() async throws {
        let bench = try NotificationBench(in: .active)
        defer { bench.end() }
        try bench.begin()
        let content = bench.content("Title") { content in
            content.badge = 2
            content.sound = .default
        }
        func add(_ identifier: String) async throws {
            try await bench.center.add(
                UNNotificationRequest(identifier: identifier, content: content, trigger: nil))
        }

        try await add("all")
        bench.delegate.options = [.banner]
        try await add("silent")
        bench.delegate.options = [.badge]
        try await add("badge")
        bench.delegate.options = []
        try await add("none")

        #expect(
            bench.service.shown == [
                UserNotification("all", title: "Title", badge: 2, hasSound: true),
                UserNotification("silent", title: "Title"),
            ])
        #expect(bench.service.lines.contains("badge 2"))
        #expect(
            bench.log.lines == [
                "presents all", "presents silent", "presents badge", "presents none",
            ])
    }

    @Test(.rule("UN2")) func `In the foreground nothing is shown without a delegate`() async throws
    {
        let bench = try NotificationBench(in: .inactive)
        defer { bench.end() }
        try bench.begin()
        bench.center.delegate = nil

        try await bench.add("a")
        #expect(bench.service.shown == [])
        bench.enter(.background)
        try await bench.add("b")

        #expect(bench.service.shown.map(\.identifier) == ["b"])
    }

    @Test func `The reason why the service does not show one is that of the error`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        bench.service.refuseNotifications(
            ControlError(.notPossible, "cannot show it: No notification server answers"))

        #expect(
            await reason { try await bench.add("a") }
                == "cannot show it: No notification server answers")
        #expect(await reason { try await bench.center.setBadgeCount(1) } != nil)
        #expect(await bench.center.deliveredNotifications().isEmpty)
    }

    @Test func `A request that makes no sense is refused`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        func code(
            _ content: UNNotificationContent, _ trigger: UNNotificationTrigger? = nil
        ) async -> UNError.Code? {
            do {
                try await bench.center.add(
                    UNNotificationRequest(identifier: "a", content: content, trigger: trigger))
                return nil
            } catch {
                return (error as? UNError)?.code
            }
        }

        #expect(await code(bench.content("")) == .notificationInvalidNoContent)
        #expect(
            await code(bench.content("a") { $0.userInfo = ["key": bench] })
                == .notificationInvalidNoContent)
        #expect(
            await code(bench.content("a") { $0.userInfo = [1: "value"] })
                == .notificationInvalidNoContent)
        #expect(
            await code(
                bench.content("a"),
                UNCalendarNotificationTrigger(
                    dateMatching: DateComponents(year: 1999, month: 1, day: 1), repeats: false))
                == .notificationInvalidNoDate)
        #expect(
            await code(
                bench.content("a"),
                UNCalendarNotificationTrigger(dateMatching: DateComponents(), repeats: true))
                == .notificationInvalidNoDate)
        do {
            try await bench.center.setBadgeCount(-1)
            Issue.record("a badge is negative")
        } catch UNError.badgeInputInvalid {}
        #expect(bench.service.shown == [])
    }

    @Test func `The badge is set, and set with notifications`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()

        try await bench.center.setBadgeCount(5)
        #expect(bench.link.badge == 5)
        try await bench.center.add(
            UNNotificationRequest(
                identifier: "a", content: bench.content("a") { $0.badge = 6 }, trigger: nil))
        #expect(bench.link.badge == 6)
        try await bench.center.add(
            UNNotificationRequest(
                identifier: "b", content: bench.content("") { $0.badge = 0 }, trigger: nil))

        #expect(bench.link.badge == 0)
        #expect(bench.service.shown.map(\.identifier) == ["a"])
    }

    @Test func `Notifications are listed with their contents, and removed`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        try await bench.center.add(
            UNNotificationRequest(
                identifier: "a", content: bench.content("A") { $0.userInfo = ["number": 7] },
                trigger: nil))
        try await bench.add("b", "B")
        try await bench.add("c", "C")
        // One of a process before, of which nothing is known here.
        bench.service.shown.append(UserNotification("d", title: "D", body: "Text"))

        let delivered = await bench.center.deliveredNotifications()
        #expect(delivered.map(\.request.content.title) == ["A", "B", "C", "D"])
        #expect(delivered.first?.request.content.userInfo["number"] as? Int == 7)
        #expect(delivered.first?.date == bench.date)
        #expect(delivered.last?.request.content.body == "Text")

        bench.center.removeDeliveredNotifications(withIdentifiers: ["a", "d"])
        #expect(
            await bench.center.deliveredNotifications().map(\.request.identifier) == ["b", "c"])
        bench.center.removeAllDeliveredNotifications()
        #expect(await bench.center.deliveredNotifications().isEmpty)
        #expect(bench.service.lines.suffix(2) == ["remove a d", "remove all"])
    }

    // MARK: Answers

    @Test(.rule("UN5")) func `The user's answer comes with the notification`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        let information: [AnyHashable: Any] = [
            "text": "abc", "number": 7, "half": 0.5, "flag": true,
            "list": [1, 2], "inner": ["key": "value"], "data": Data([1, 2]),
        ]
        try await bench.center.add(
            UNNotificationRequest(
                identifier: "a", content: bench.content("A") { $0.userInfo = information },
                trigger: nil))

        bench.service.notify(NotificationAnswered("a"))
        try await bench.waitForLog("handled")

        #expect(
            bench.log.lines == [
                "answer com.apple.UNNotificationDefaultActionIdentifier to 'A'", "handled",
            ])
        let info = bench.delegate.userInfo
        #expect(info["text"] as? String == "abc")
        #expect(info["number"] as? Int == 7)
        #expect(info["half"] as? Double == 0.5)
        #expect(info["flag"] as? Bool == true)
        #expect(info["list"] as? [Int] == [1, 2])
        #expect((info["inner"] as? [AnyHashable: Any])?["key"] as? String == "value")
        #expect(info["data"] as? Data == Data([1, 2]))
        #expect(info.count == information.count)
    }

    @Test func `An action has its identifier, also of a notification that is not known`()
        async throws
    {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()

        bench.service.notify(NotificationAnswered("unknown", action: "play"))

        try await bench.waitForLog("answer play to ''")
    }

    @Test(.rule("UN5")) func `Closing is an answer for categories that want it`() async throws {
        let bench = try NotificationBench()
        defer { bench.end() }
        try bench.begin()
        bench.center.setNotificationCategories([
            UNNotificationCategory(
                identifier: "closing", actions: [], intentIdentifiers: [],
                options: .customDismissAction)
        ])
        try await bench.add("plain", "Plain")
        try await bench.center.add(
            UNNotificationRequest(
                identifier: "closing",
                content: bench.content("Closing") { $0.categoryIdentifier = "closing" },
                trigger: nil))

        bench.service.notify(NotificationAnswered("plain", isDismissed: true))
        try await bench.waitForLog("handled")
        bench.service.notify(NotificationAnswered("closing", isDismissed: true))

        try await bench.waitForLog(
            "answer com.apple.UNNotificationDismissActionIdentifier to 'Closing'")
        #expect(bench.log.lines.count { $0.hasPrefix("answer") } == 1)
    }

    @Test func `An answer that comes before there is a center waits for it`() {
        let (link, log) = (NotificationLink(), NotificationBench.Log())

        link.receive(NotificationAnswered("early")) { log.add("done") }
        #expect(log.lines == ["done"])
        link.read(
            NotificationLink.Reader(
                connected: { _ in },
                answered: { answer, done in
                    log.add(answer.identifier)
                    done()
                }))

        #expect(log.lines == ["done", "early"])
    }
}

/// Returns the words of the `UNError` that `body` throws; nil if it throws none.
@MainActor func reason(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? UNError)?.localizedDescription
    }
}
