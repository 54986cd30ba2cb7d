import CUndersongSystemd
import Dispatch

/// Notifications to systemd, and the sockets from it. They do nothing unless systemd started this
/// process. Any thread may call them.
package enum SystemdService {
    /// The service answers its clients.
    package static func ready() { notify("READY=1") }

    /// The service is about to end.
    package static func stopping() { notify("STOPPING=1") }

    /// One line for `systemctl status`.
    package static func status(_ text: String) {
        // Each line would be a separate assignment.
        notify("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
    }

    /// The sockets that systemd listens on for this process, in the order of the unit. To be called
    /// once, before anything else opens a descriptor.
    package static func listenDescriptors() -> [Int32] {
        let count = sd_listen_fds(0)
        return count > 0 ? Array(SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count) : []
    }

    fileprivate static func notify(_ facts: String) { unsafe sd_notify(0, facts) }
}

/// Notifies systemd at regular intervals that the service is alive, if the unit has `WatchdogSec`;
/// otherwise there is no timer. Any thread may call it.
package final class SystemdWatchdog: @unchecked Sendable {
    /// Asks the service whether it is alive: it has to call the closure, on any thread. systemd
    /// ends a service that does not.
    package typealias Check = @Sendable (_ isAlive: @escaping @Sendable () -> Void) -> Void

    // Unchecked: Dispatch's objects may be used on any thread, and only `deinit` uses this one
    // again.
    private let timer: any DispatchSourceTimer

    /// Starts to ask twice in the interval that the unit sets; nil if it sets none.
    package init?(_ check: @escaping Check) {
        var limit: UInt64 = 0
        guard unsafe sd_watchdog_enabled(0, &limit) > 0, let interval = Int(exactly: limit / 2)
        else {
            return nil
        }
        let queue = DispatchQueue(label: "undersong.watchdog")
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .microseconds(interval), repeating: .microseconds(interval),
            leeway: .microseconds(interval / 2))
        timer.setEventHandler { check { SystemdService.notify("WATCHDOG=1") } }
        timer.activate()
    }

    deinit { timer.cancel() }
}
