import CUndersongPulse

/// A request that the server has not answered yet. Belongs to its connection's thread.
@safe
final class ServerRequest {
    /// Identifies it among the requests of its connection.
    let number: UInt64
    private unowned let connection: ServerConnection
    private let completion: @Sendable (Bool) -> Void
    private var operation: OpaquePointer?
    private var deadline: LoopTimer?

    init(
        number: UInt64, connection: ServerConnection, completion: @escaping @Sendable (Bool) -> Void
    ) {
        self.number = number
        self.connection = connection
        self.completion = completion
    }

    /// The pointer that libpulse passes to `requestIsDone`.
    var userData: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// The request was sent; nil if that failed. With a deadline it fails after that many
    /// nanoseconds.
    func begin(_ operation: OpaquePointer?, deadline nanoseconds: Int64?) {
        guard let operation = unsafe operation else { return connection.end(self, isDone: false) }
        unsafe self.operation = operation
        guard let nanoseconds else { return }
        deadline = connection.loop.timer { [unowned self] in connection.end(self, isDone: false) }
        deadline?.start(after: nanoseconds)
    }

    /// Reports the outcome and forgets the request.
    func finish(isDone: Bool) {
        deadline = nil
        if let operation = unsafe operation {
            unsafe pa_operation_cancel(operation)
            unsafe pa_operation_unref(operation)
        }
        unsafe operation = nil
        completion(isDone)
    }

    fileprivate func answer(isDone: Bool) { connection.end(self, isDone: isDone) }
}

let requestIsDone: pa_context_success_cb_t = { _, success, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<ServerRequest>.fromOpaque(userData).takeUnretainedValue()
        .answer(isDone: success != 0)
}

let serverHasAnswered: pa_server_info_cb_t = { _, info, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<ServerRequest>.fromOpaque(userData).takeUnretainedValue()
        .answer(isDone: info != nil)
}
