import UndersongControl
import UndersongTransferIO
import UndersongTransfers

extension SessionTaskStatus {
    /// The status of a session's task; nil of any other. On the engine's thread.
    init?(_ task: TransferTask, in engine: TransferEngineState, hasRequest: Bool) {
        guard let session = task.session,
            let state = engine.policy.state(of: task.id, at: engine.now)
        else { return nil }
        self.init(
            task: session.number, transfer: task.id,
            state: task.isResumed ? .running : .suspended, received: engine.received(task.id))
        description = task.request.label
        total = task.part.total
        origin = engine.policy.origin(of: task.id)
        if session.body != nil {
            sent = engine.sent(task.id)
            toSend = engine.bodyLength(task.id)
        }
        response = session.response.map { response in
            Response(
                status: response.status, url: response.url,
                fields: response.fields.map { HeaderField(name: $0.name, value: $0.value) })
        }
        if hasRequest {
            request = Request(
                url: task.request.url, httpMethod: session.method,
                fields: session.fields.map { HeaderField(name: $0.name, value: $0.value) },
                body: session.body)
        }
        show(state, session)
    }

    private mutating func show(_ state: TransferPolicy.State, _ session: SessionTask) {
        switch state {
        case .waiting(let reasons): because = reasons.map(\.rawValue).sorted()
        case .active: break
        case .finished: self.state = .finished
        case .failed(let failure):
            self.state = .failed
            code = failure.code.rawValue
            reason = failure.text
        case .cancelled:
            self.state = .cancelled
            cancelReason = session.cancelReason
            resume = session.resumeData
        }
    }
}
