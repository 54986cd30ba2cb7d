/// Lets callers wait for something that happens once. Used in one actor.
package final class Gate {
    /// The callers that wait; nil once the gate is open.
    private var waiters: [CheckedContinuation<Void, Never>]? = []

    package init() {}

    package var isOpen: Bool { waiters == nil }

    /// Returns when the gate is open.
    package func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { waiter in
            // Checked here, since it may open on the way: a call switches executors.
            if waiters == nil { waiter.resume() } else { waiters?.append(waiter) }
        }
    }

    /// Opens the gate for good.
    package func open() {
        let waiting = waiters ?? []
        waiters = nil
        for waiter in waiting { waiter.resume() }
    }
}
