import Synchronization

/// Admits one task at a time, in the order in which they arrived.
final class AsyncSemaphore: Sendable {
    private struct Line {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let line = Mutex(Line())

    /// Returns when all who arrived earlier have left.
    func wait() async {
        await withCheckedContinuation { continuation in
            line.withLock { line in
                guard line.isTaken else {
                    line.isTaken = true
                    return continuation.resume()
                }
                line.waiting.append(continuation)
            }
        }
    }

    func signal() {
        line.withLock { line in
            guard !line.waiting.isEmpty else { return line.isTaken = false }
            line.waiting.removeFirst().resume()
        }
    }
}
