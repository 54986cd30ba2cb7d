import Testing
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

@testable import UndersongCLI

@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `The verb notifications` {
    private static let status = NotificationStatus(
        server: "dunst 1.9", capabilities: ["body"], kinds: [.episode, .push],
        badges: ["undersong": 3], apps: ["net.example.a": .authorized, "net.example.b": .denied])

    @Test func `The state of notifications has a line for each thing`() {
        #expect(
            NotificationText.screen(Self.status) == """
                server              dunst 1.9
                buttons             none on this server
                on                  episode, push
                off                 download, item
                net.example.a       allowed
                net.example.b       forbidden
                badge of undersong  3
                """)
    }

    @Test func `Without a server the state says why, and what is turned off is named`() {
        let status = NotificationStatus(problem: "no notification server is running")

        #expect(
            NotificationText.screen(status) == """
                server   none
                problem  no notification server is running
                on       nothing
                off      episode, push, download, item
                """)
    }

    @Test(arguments: [
        (["on", "item"], "item true"), (["off", "push"], "push false"),
        (["allow", "net.example.a"], "net.example.a true"),
        (["forbid", "net.example.a"], "net.example.a false"), (["status"], "status"),
        ([], "status"),
    ])
    func `The verb notifications makes one call, and shows the state as JSON`(
        arguments: [String], call: String
    ) throws {
        let service = try FakeService { _, _ in ControlReply(Self.status) }
        defer { service.end() }

        let program = try Program(
            ["notifications"] + arguments + ["--json"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == JSONLine.text(of: Self.status) + "\n")
        let calls =
            try service.calls(SetNotifications.self).map { "\($0.kind) \($0.isOn)" }
            + service.calls(AuthorizeNotifications.self).map { "\($0.app) \($0.isAllowed)" }
            + service.calls(GetNotificationStatus.self).map { _ in "status" }
        #expect(calls == [call])
    }

    @Test func `A kind that there is not is refused, and named`() {
        let error = #expect(throws: (any Error).self) {
            try NotificationsVerb.On.parse(["weather"])
        }

        #expect(error.map { NotificationsVerb.On.message(for: $0) }?.contains("weather") == true)
    }
}
