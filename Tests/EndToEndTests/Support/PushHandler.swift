import Foundation
import Synchronization
import TestSupport
import UndersongBackground
import UndersongControl

/// A program that handles pushes, over several connections.
final class PushHandler: Sendable {
    private struct State {
        var client: ControlClient?
        var numbers: [String: Set<Int>] = [:]
    }

    private let state = Mutex(State())
    private let hasNews = DispatchSemaphore(value: 0)

    /// The service's numbers for each push, by its topic.
    var numbers: [String: Set<Int>] { state.withLock { $0.numbers } }

    /// Registers with a service, in the foreground, so that nothing is throttled.
    func connect(to daemon: Daemon) throws {
        let client = try daemon.client { [weak self] notice in self?.take(notice) }
        state.withLock { $0.client = client }
        client.together {
            client.send(Attach(state: .active, source: "option"))
            client.send(RegisterForPushes())
        }
    }

    func disconnect() { state.withLock { $0.client.take() }?.close() }

    /// Waits until a push of each of these topics has come.
    func wait(for topics: Set<String>) throws {
        while !topics.isSubset(of: numbers.keys) {
            try hasNews.waitPatiently(orSay: "\(topics.subtracting(numbers.keys)) have not come")
        }
    }

    private func take(_ notice: ControlNoticeMessage) {
        guard notice.method == PushReceived.method,
            let push = try? notice.decode(PushReceived.self)
        else { return }
        state.withLock { state in
            state.numbers[push.topic, default: []].insert(push.push)
            state.client?.send(AnswerPush(push.push, .newData))
        }
        hasNews.signal()
    }
}
