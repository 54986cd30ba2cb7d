import UndersongControl
import UndersongTransferIO
import UndersongTransfers

extension TransferStatus {
    /// The status of a transfer; nil if there is none. On the engine's thread.
    init?(_ id: Int, in engine: TransferEngineState) {
        guard let task = engine.policy.tasks[id],
            let state = engine.policy.state(of: id, at: engine.now)
        else { return nil }
        self.init(
            id: id, url: task.request.url, path: task.request.destination, state: .waiting,
            received: engine.received(id))
        label = task.request.label
        total = task.part.total
        restarts = task.restarts > 0 ? task.restarts : nil
        reason = task.lastTrouble
        show(state)
        show(task.request.queue, of: task)
    }

    private mutating func show(_ wish: QueueWish?, of task: TransferTask) {
        guard let wish else { return }
        queue = wish.place == .end ? .end : .next
        guard state == .finished else { return }
        switch task.queueAnswer {
        case .joined: queued = true
        case .refused(let text):
            queued = false
            reason = text
        case .unavailable, nil:
            because = [WaitReason.queue.rawValue]
            reason = task.lastTrouble
        }
    }

    private mutating func show(_ state: TransferPolicy.State) {
        switch state {
        case .waiting(let reasons): because = reasons.map(\.rawValue).sorted()
        case .active(.connecting): self.state = .connecting
        case .active(.receiving): self.state = .receiving
        case .active(.verifying): self.state = .verifying
        case .finished(let path):
            self.state = .finished
            self.path = path
            reason = nil
        case .failed(let failure):
            self.state = .failed
            code = failure.code.rawValue
            reason = failure.text
        case .cancelled:
            self.state = .cancelled
            reason = nil
        }
    }
}
