import CLinux
import Glibc
import Synchronization
import Threads

/// Checks all pages of a large file while the store is idle, since a process that did not close the
/// file may have died with the machine.
final class FileCheck: Sendable {
    private let connection = Mutex<Connection?>(nil)
    private let isCancelled = Atomic(false)

    /// Calls `onDamage` on a thread of its own if a page is damaged.
    init(_ path: String, onDamage: @escaping @Sendable () -> Void) {
        startThread(named: "store check") { [self] in
            var parameter = sched_param()
            unsafe sched_setscheduler(0, Int32(SCHED_IDLE), &parameter)
            if run(path) == .damaged { onDamage() }
        }
    }

    /// Ends the check early.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        connection.withLock { $0?.interrupt() }
    }

    private enum Finding { case sound, damaged, unknown }

    private func run(_ path: String) -> Finding {
        guard let opened = try? Connection(path, for: .reading, cacheSize: 512) else {
            return .unknown
        }
        connection.withLock { $0 = opened }
        defer {
            connection.withLock { $0 = nil }
            opened.close()
        }
        guard !isCancelled.load(ordering: .relaxed) else { return .unknown }
        do {
            try opened.check()
            return .sound
        } catch {
            return (error as? SQLiteError)?.isDamage == true ? .damaged : .unknown
        }
    }
}
