import UndersongBase
import UndersongPlayback

/// Calls to the engine that wait for the sound server, each for some seconds at most.
extension PlayerEngine {
    /// What they wait for.
    enum Awaited {
        /// The server has answered, or is lost.
        case answer
        /// The stream is on its device, or will not get there.
        case move
    }

    /// A call that waits.
    struct Waiter {
        let number: Int
        let awaited: Awaited
        let timer: HostTimer
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Returns once this is no longer awaited, or `seconds` have passed.
    func wait(for awaited: Awaited, within seconds: Double) async {
        await withCheckedContinuation { continuation in
            // Checked here, since it may come on the way: a call switches executors.
            guard isPending(awaited) else { return continuation.resume() }
            waiterCount += 1
            let number = waiterCount
            let timer = call(after: seconds) { $0.resume { $0.number == number } }
            serverWaiters.append(
                Waiter(
                    number: number, awaited: awaited, timer: timer, continuation: continuation))
        }
    }

    private func isPending(_ awaited: Awaited) -> Bool {
        switch awaited {
        case .answer: soundServer?.isListening == true && serverPolicy.isAwaitingAnswer
        case .move: serverPolicy.isMoving && !isMoveRefused
        }
    }

    /// Lets all calls return that wait for this.
    func resume(_ awaited: Awaited) { resume { $0.awaited == awaited } }

    private func resume(where isDone: (Waiter) -> Bool) {
        for waiter in serverWaiters where isDone(waiter) {
            waiter.timer.cancel()
            waiter.continuation.resume()
        }
        serverWaiters.removeAll(where: isDone)
    }
}
