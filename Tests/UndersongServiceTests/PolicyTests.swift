import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// The rights of a service, depending on the host's state and the capability.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A service in the background` {
    @Test(.rule("B4", "A3"))
    func `In the background the service is silent without the capability, and resumes in place`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        try client.attach(.background)
        await client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.reason == .known(.appBackgrounded)
        }
        let silent = try client.call(GetStatus())
        try client.attach(.active)
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        let again = try client.call(GetStatus())

        #expect(silent.status == .paused && silent.suspended && silent.wantsPlayback)
        #expect(silent.host == .background && silent.hostSource == "terminal")
        #expect(!again.suspended && again.position.seconds >= silent.position.seconds)
    }

    @Test(.rule("A5", "A6", "A7", "A8"))
    func `Every subscriber receives the four lifecycle events in Apple's order`()
        async throws
    {
        let stage = try Stage()
        let (client, other) = (try stage.client(), try stage.client())
        try client.attach(.active)
        for client in [client, other] {
            _ = try client.call(Subscribe(interval: nil, kinds: ["application"]))
        }

        try client.attach(.background)
        try client.attach(.active)
        try client.attach(.inactive)
        try client.attach(.active)

        for client in [client, other] {
            await client.wait { $0.events.count == 5 }
            #expect(
                client.events.compactMap(\.lifecycle) == [
                    [], [.willResignActive, .didEnterBackground],
                    [.willEnterForeground, .didBecomeActive], [.willResignActive],
                    [.didBecomeActive],
                ])
        }
    }

    @Test func `The service says in plain words why a capability cannot be written`() throws {
        let stage = try Stage()
        let client = try stage.client()
        // A file in place of its folder, which not even root can write to.
        let config = stage.folder.appending(path: "config")
        try Data().write(to: config)

        let error = #expect(throws: ControlError.self) {
            try client.call(DeclareMode(.audio, on: true))
        }

        #expect(
            error?.message == "cannot write the capability manifest "
                + "\(config.path)/undersong/Info.plist: Not a directory")
    }

    @Test(.rule("B4"))
    func `The service plays in the background as soon as the capability is declared`()
        async throws
    {
        let stage = try Stage(modes: ["fetch"])
        let client = try stage.client()
        try client.attach(.background)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.reason == .known(.appBackgrounded)
        }

        let reply = try client.call(DeclareMode(.audio, on: true))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        let status = try client.call(GetStatus())
        _ = try client.call(DeclareMode(.audio, on: false))
        await client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.reason == .known(.appBackgrounded)
        }

        #expect(reply.modes.filter(\.declared).map(\.mode.known) == [.audio, .fetch])
        #expect(status.host == .background && !status.suspended)
        #expect(try client.call(GetStatus()).suspended)
        #expect(stage.manifest["UIBackgroundModes"] as? [String] == ["fetch"])
        #expect(stage.manifest["CFBundleName"] as? String == "Mine")
        #expect(stage.manifest["Number"] as? Int == 7)
    }

    @Test(.rule("B1"))
    func `The service declares a mode that is not declared, and withdraws one that is`() throws {
        let stage = try Stage(modes: ["fetch"])
        let client = try stage.client()

        let replies = try [1, 2].map { _ in try client.call(DeclareMode(toggling: .audio)) }

        #expect(
            replies.map { $0.modes.filter(\.declared).map(\.mode.known) } == [
                [.audio, .fetch], [.fetch],
            ])
        #expect(stage.manifest["UIBackgroundModes"] as? [String] == ["fetch"])
    }

    @Test(.rule("B1")) func `An override of the capability applies to its run only`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.background)
        _ = try client.call(Subscribe(interval: nil))

        try client.play(seconds: 0.1, backgroundAudio: true)
        await client.wait { !$0.notices(SessionEnd.self).isEmpty }
        try client.play(seconds: 0.1)
        await client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.reason == .known(.appBackgrounded)
        }

        #expect(client.notices(SessionEnd.self).map(\.playedCount) == [1])
        #expect(try client.call(GetWhy()).capabilitySource == "none")
    }

    @Test func `The service stays silent in the foreground if the user has paused meanwhile`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        try client.attach(.background)
        await client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.reason == .known(.appBackgrounded)
        }
        _ = try client.call(Command(.pause))
        try client.attach(.active)
        let status = try client.call(GetStatus())

        #expect(status.status == .paused && status.reason == .known(.userPaused))
        #expect(status.host == .active && !status.wantsPlayback)
    }

    @Test func `The service's host is active while any client is, until the last one ends`()
        async throws
    {
        let stage = try Stage()
        let (first, second, watcher) = (
            try stage.client(), try stage.client(), try stage.client()
        )
        try first.attach(.background)
        try second.attach(.active)
        _ = try watcher.call(Subscribe(interval: nil, kinds: ["application"]))

        let both = try watcher.call(GetHostStatus())
        second.close()
        await watcher.wait { $0.events.last?.head.applicationState == .background }
        let one = try watcher.call(GetHostStatus())
        first.close()
        // The service may answer others before it notices that a connection has ended.
        try waitUntil { try watcher.call(GetHostStatus()).source == "no client" }
        _ = try watcher.call(SetHost(.active))
        let none = try watcher.call(FollowClients())

        #expect(both.state == .active && both.source == "terminal")
        #expect(one.state == .background && one.source == "terminal")
        #expect(none.state == .background && none.source == "no client")
    }
}

/// The time that a service may still run in the background.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `Finite-length tasks of a service` {
    @Test(.rule("E4", "E5"))
    func `Tasks are warned that their time is almost over, and then ended by name`()
        async throws
    {
        let stage = try Stage(backgroundBudget: 3)
        let client = try stage.client()
        _ = try client.call(SetHost(.active))
        _ = try client.call(Subscribe(interval: nil, kinds: ["error"]))

        let begun = try client.call(BeginTask(name: "upload"))
        _ = try client.call(SetHost(.background))
        let left = try client.call(GetTaskTime()).timeRemaining
        let suspended = try client.call(GetStatus()).suspended
        stage.clock.advance(by: 1.6)
        await client.wait { !$0.notices(TaskExpiring.self).isEmpty }
        stage.clock.advance(by: 1.6)
        await client.wait { !$0.notices(TaskTerminated.self).isEmpty && !$0.events.isEmpty }

        #expect(begun.task != nil && begun.timeRemaining == nil)
        #expect(left.map { $0 > 0 && $0 <= 3 } == true && !suspended)
        #expect(client.notices(TaskExpiring.self).map(\.task) == [begun.task])
        #expect(client.notices(TaskTerminated.self).map(\.task) == [begun.task])
        #expect(client.events.first?.failure?.code == "task-overstayed")
        #expect(client.events.first?.failure?.description.contains("'upload'") == true)
        #expect(try client.call(GetStatus()).suspended)
    }

    @Test(.rule("E6"))
    func `Tasks keep the host running until the last of them ends, by its own number`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(SetHost(.active))
        let first = try client.call(BeginTask(name: "a")).task
        let second = try client.call(BeginTask(name: "b")).task
        _ = try client.call(SetHost(.background))

        let both = try client.call(GetWhy())
        _ = try client.call(EndTask(first ?? 0))
        let one = try client.call(GetStatus()).suspended
        _ = try client.call(EndTask(second ?? 0))
        let none = try client.call(GetStatus()).suspended
        let late = try client.call(BeginTask(name: "c"))

        #expect(both.tasks == ["a", "b"] && both.backgroundTimeRemaining.map { $0 > 20 } == true)
        #expect(first != second)
        #expect(!one && none)
        #expect(late.task == nil && late.timeRemaining == 0)
    }

    @Test func `Tasks end with the client that began them, and cannot be ended by another`()
        async throws
    {
        let stage = try Stage()
        let (client, other) = (try stage.client(), try stage.client())
        _ = try other.call(SetHost(.active))
        let task = try client.call(BeginTask(name: "a")).task
        _ = try other.call(SetHost(.background))

        _ = try other.call(EndTask(task ?? 0))
        let stolen = try other.call(GetWhy()).tasks
        client.close()
        try waitUntil { try other.call(GetStatus()).suspended }

        #expect(stolen == ["a"])
        #expect(try other.call(GetWhy()).tasks == [])
    }
}
