import Playback

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

    /// Returns once `resume` is called for what is awaited, or `seconds` have passed.
    func wait(for awaited: Awaited, within seconds: Double) async {
        await withCheckedContinuation { continuation in
            waiterCount += 1
            let number = waiterCount
            let timer = call(after: seconds) { $0.resume { $0.number == number } }
            serverWaiters.append(
                Waiter(
                    number: number, awaited: awaited, timer: timer, continuation: continuation))
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
