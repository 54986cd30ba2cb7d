package import UndersongBase

/// A transfer, as clients see it.
package struct TransferStatus: Codable, Hashable, Sendable {
    /// The state.
    package enum State: String, CaseIterable, Codable, Sendable {
        case waiting, connecting, receiving, verifying, finished, failed, cancelled
    }

    /// Identifies it; never reused.
    package var id: Int
    /// The URL that was asked for.
    package var url: String
    /// The absolute path of the file: where it is to be, or, once it is finished, where it is, which
    /// is another name if that was taken.
    package var path: String
    /// A text that labels it.
    package var label: String?
    /// The state.
    package var state: State
    /// The reason it waits. Of a finished one: `queue`, as long as the player has not got it into
    /// its queue.
    package var waitReasons: [Open<WaitReason>] = []
    /// Bytes that are there.
    package var received: Int64
    /// Bytes of the whole file, if the server has said it.
    package var total: Int64?
    /// The number of times that the received bytes had to be thrown away.
    package var restarts = 0
    /// The place at which the finished file joins the queue of the session's player.
    package var queue: QueuePlacement.Place?
    /// True if the player has got it into its queue, or has refused it, as `reason` says.
    package var queued: Bool?
    /// The reason it has failed, for machines.
    package var code: Open<TransferFailure.Code>?
    /// The reason it has failed, or what went wrong last.
    package var reason: String?

    package init(id: Int, url: String, path: String, state: State, received: Int64) {
        self.id = id
        self.url = url
        self.path = path
        self.state = state
        self.received = received
    }

    /// True if nothing more happens to it by itself.
    package var isOver: Bool {
        switch state {
        case .finished: waitReasons.isEmpty
        case .failed, .cancelled: true
        case .waiting, .connecting, .receiving, .verifying: false
        }
    }
}

extension TransferPolicy {
    /// A transfer, with the number of bytes that are there; nil for none.
    package func status(of id: Int, received: Int64, at now: Moment) -> TransferStatus? {
        guard let task = tasks[id], let state = state(of: id, at: now) else { return nil }
        var status = TransferStatus(
            id: id, url: task.request.url, path: task.request.destination, state: .waiting,
            received: received)
        status.label = task.request.label
        status.total = task.part.total
        status.restarts = task.restarts
        status.queue = task.request.queue?.place
        status.reason = task.lastTrouble
        switch state {
        case .waiting(let reasons): status.waitReasons = reasons.words
        case .active(.connecting): status.state = .connecting
        case .active(.receiving): status.state = .receiving
        case .active(.verifying): status.state = .verifying
        case .finished(let path):
            (status.state, status.path, status.reason) = (.finished, path, nil)
            if task.request.queue != nil { status.show(task.queueAnswer, task.lastTrouble) }
        case .failed(let failure):
            (status.state, status.code) = (.failed, .known(failure.code))
            status.reason = failure.text
        case .cancelled: (status.state, status.reason) = (.cancelled, nil)
        }
        return status
    }
}

extension TransferStatus {
    fileprivate mutating func show(_ answer: QueueAnswer?, _ trouble: String?) {
        switch answer {
        case .joined: queued = true
        case .refused(let text): (queued, reason) = (false, text)
        case .unavailable, nil: (waitReasons, reason) = ([.known(.queue)], trouble)
        }
    }
}

extension Set<WaitReason> {
    /// The reasons in a fixed order.
    var words: [Open<WaitReason>] { sorted { $0.rawValue < $1.rawValue }.map(Open.known) }
}
