import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    @Suite struct `A service that is killed while pushes come` {
        @Test(.rule("PU9"))
        func `A killed service gives each push at least once, and always with the same number`()
            throws
        {
            let stage = try PushKillStage()

            for _ in 0..<PushKillStage.rounds(20) { try stage.round() }
            try stage.finish()

            try stage.expectAll()
        }

        @Test(.rule("PU9"), arguments: NtfyServer.Kind.all)
        func `A killed service gives each push of ntfy, although both programs are killed`(
            kind: NtfyServer.Kind
        ) throws {
            let stage = try NtfyKillStage(kind)

            for _ in 0..<PushKillStage.rounds(6) { try stage.round() }
            try stage.finish()

            let numbers = stage.handler.numbers
            #expect(Set(numbers.keys) == stage.sent)
            #expect(numbers.values.allSatisfy { $0.count == 1 })
            #expect(Set(numbers.values.joined()).count == stage.sent.count)
            let counts = try stage.counts()
            #expect(counts.handled == stage.sent.count && counts.received == counts.handled)
        }
    }
}

/// Sends pushes to a service and kills it.
private final class PushKillStage {
    /// The number of kills: PUSH_KILLS in the environment, or `standard`.
    static func rounds(_ standard: Int) -> Int {
        ProcessInfo.processInfo.environment["PUSH_KILLS"].flatMap { Int($0) } ?? standard
    }

    private let folder: RuntimeFolder
    private let daemon: Daemon
    private let handler = PushHandler()
    /// The topics of all pushes, which are their identifiers too.
    private var sent: Set<String> = []
    private let acknowledged = Topics()
    private var dice = Dice()

    private final class Topics: Sendable {
        let set = Mutex<Set<String>>([])
    }

    init() throws {
        folder = try RuntimeFolder()
        daemon = try Daemon(in: folder.path)
    }

    /// Sends pushes until the service is killed at some moment.
    func round() throws {
        try handler.connect(to: daemon)
        let sender = try daemon.client()
        for topic in sent.subtracting(acknowledged.set.withLock { $0 }) { send(topic, by: sender) }
        // A provider may repeat what was taken long ago.
        for topic in sent.sorted().shuffled(using: &dice).prefix(3) { send(topic, by: sender) }
        for _ in 0..<dice.number(in: 1..<7) {
            let topic = "push \(sent.count)"
            sent.insert(topic)
            send(topic, by: sender)
        }
        usleep(UInt32(dice.number(in: 0..<20_000)))
        daemon.end(by: SIGKILL)
        sender.close()
        handler.disconnect()
        try daemon.start()
    }

    /// Sends what was not acknowledged, and waits until everything has come and was handled.
    func finish() throws {
        try handler.connect(to: daemon)
        let sender = try daemon.client()
        for topic in sent.subtracting(acknowledged.set.withLock { $0 }) {
            _ = try sender.call(Self.push(topic))
        }
        try handler.wait(for: sent)
        // What was not answered before the last kill waits until the handler has registered.
        try waitUntil {
            let status = try sender.call(GetPushStatus())
            return status.waiting.isEmpty && status.counts.handling == 0
        }
    }

    /// Each push came, always with one number of its own, and was handled once.
    func expectAll() throws {
        let numbers = handler.numbers
        #expect(Set(numbers.keys) == sent)
        #expect(numbers.values.allSatisfy { $0.count == 1 })
        #expect(Set(numbers.values.joined()).count == sent.count)
        let counts = try daemon.client().call(GetPushStatus()).counts
        #expect(counts.handled == sent.count && counts.received == counts.handled)
    }

    private func send(_ topic: String, by sender: ControlClient) {
        sender.send(Self.push(topic)) { [acknowledged] result in
            if case .success = result { acknowledged.set.withLock { _ = $0.insert(topic) } }
        }
    }

    private static func push(_ topic: String) -> SendPush {
        SendPush("{\"aps\":{\"content-available\":1}}", topic: topic, id: topic)
    }
}

/// Publishes pushes at a topic of ntfy, and kills the service, or the program with the network.
private final class NtfyKillStage {
    private let stage: NtfyStage
    private var dice = Dice()
    private(set) var sent: Set<String> = []

    var handler: PushHandler { stage.handler }

    init(_ kind: NtfyServer.Kind) throws {
        stage = try NtfyStage(kind)
        try stage.connect()
    }

    func round() throws {
        for _ in 0..<dice.number(in: 1..<7) {
            let topic = "push \(sent.count)"
            sent.insert(topic)
            try stage.publish(topic)
        }
        // Sometimes all have come, and sometimes none was asked for.
        if dice.once(in: 5) { try handler.wait(for: sent) }
        usleep(UInt32(dice.number(in: 0..<20_000)))
        if dice.once(in: 3) {
            // It comes back by itself, and may not be there yet.
            try? stage.killTransfers()
        } else {
            stage.killService()
            try stage.start()
        }
    }

    /// Waits until everything has come and was handled.
    func finish() throws {
        try handler.wait(for: sent)
        try waitUntil { try counts().handled == sent.count }
    }

    func counts() throws -> PushStatus.Counts { try stage.state.counts }
}
