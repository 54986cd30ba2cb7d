import CUndersongLinux
import Glibc
import Synchronization

/// Waits for the lock of a file (flock), on a thread of its own if another process holds it.
package final class FileClaim: Sendable {
    private enum State {
        case waiting(whenLocked: (@Sendable () -> Void)?)
        case locked
        case abandoned
    }

    private let file: Int32
    private let wakeup = Wakeup()
    private let state = Mutex(State.waiting(whenLocked: nil))

    /// Begins to wait for the lock of an open file. Nil, with `errno`, if the file cannot be locked.
    package init?(_ file: Int32) {
        self.file = file
        if flock(file, LOCK_EX | LOCK_NB) == 0 {
            didLock()
            return
        }
        guard errno == EWOULDBLOCK else { return nil }
        startThread(named: "file lock") { [self] in
            while flock(file, LOCK_EX) != 0 { if errno != EINTR { return } }
            didLock()
        }
    }

    /// True if this process has the lock.
    package var isLocked: Bool {
        state.withLock { if case .locked = $0 { true } else { false } }
    }

    /// Becomes readable when this process has the lock.
    package var descriptor: Int32 { wakeup.descriptor }

    /// Waits until this process has the lock, or until `deadline`, in nanoseconds of CLOCK_MONOTONIC.
    /// Returns whether it has.
    package func wait(until deadline: Int64) -> Bool {
        Wakeup.wait(for: descriptor, until: deadline)
        return isLocked
    }

    /// Calls `body` once this process has the lock, on the thread that waits if it has not now.
    package func whenLocked(_ body: @escaping @Sendable () -> Void) {
        let isLocked = state.withLock { state in
            if case .waiting = state { state = .waiting(whenLocked: body) }
            if case .locked = state { return true }
            return false
        }
        if isLocked { body() }
    }

    /// Closes the file, which unlocks it, now or when the other process has left it.
    package func abandon() {
        let isLocked = state.withLock { state in
            defer { state = .abandoned }
            if case .locked = state { return true }
            return false
        }
        if isLocked { close(file) }
    }

    private func didLock() {
        let body = state.withLock { state -> (@Sendable () -> Void)? in
            switch state {
            case .waiting(let body):
                state = .locked
                return body
            case .locked: return nil
            case .abandoned:
                close(file)
                return nil
            }
        }
        wakeup.post()
        body?()
    }
}
