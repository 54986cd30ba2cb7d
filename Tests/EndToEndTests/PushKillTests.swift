import Control
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `A service that is killed while pushes come` {
        @Test func `PU9: gives each push at least once, and always with the same number`() throws {
            let stage = try PushKillStage()

            for _ in 0..<Dice.rounds(20) { try stage.round() }
            try stage.finish()

            let numbers = stage.handler.numbers
            #expect(Set(numbers.keys) == stage.sent)
            #expect(numbers.values.allSatisfy { $0.count == 1 })
            #expect(Set(numbers.values.joined()).count == stage.sent.count)
            #expect(stage.sent.count > 20)
        }
    }
}

/// Sends pushes to a service and kills it.
private final class PushKillStage {
    private let folder: RuntimeFolder
    private let daemon: Daemon
    let handler = PushHandler()
    /// The topics of all pushes, which are their identifiers too.
    private(set) var sent: Set<String> = []
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

    /// Sends what was not acknowledged, and waits until everything has come.
    func finish() throws {
        try handler.connect(to: daemon)
        let sender = try daemon.client()
        for topic in sent.subtracting(acknowledged.set.withLock { $0 }) {
            _ = try sender.call(Self.push(topic))
        }
        try handler.wait(for: sent)
    }

    private func send(_ topic: String, by sender: ControlClient) {
        sender.send(Self.push(topic)) { [acknowledged] result in
            if case .success = result { acknowledged.set.withLock { _ = $0.insert(topic) } }
        }
    }

    private static func push(_ topic: String) -> PushCall {
        .send("{\"aps\":{\"content-available\":1}}", topic: topic, id: topic)
    }
}
